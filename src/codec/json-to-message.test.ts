/** JSON that is not as it was stored; that messages are right is tested beside another library (`test/protobuf`). */
import { isUtf8 } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from './codec.ts'
import { parseJson } from './json-text.ts'
import { BytesWriter } from './message-writer.ts'
import { protobufOf } from './protobuf.ts'
import { home, t } from '../notation/shape.ts'

const { shape } = home('tests/v1')
const v = { resolve: (template: string) => template }

class Part extends shape({ b: t.string(2), a: t.bool(1).explicit(), n: t.int64(3) }) {}
class Whole extends shape(
  {
    name: t.string(1),
    at: t.time(2),
    parts: t.list(3, Part),
    map: t.map(4, 'string'),
    sizes: t.map(5, 'quantity'),
    flags: t.list(6, 'bool'),
    raw: t.raw(7),
    port: t.intOrString(8),
    any: t.any(9),
    last: t.string(10),
  },
  { typed: true },
) {}
const form = protobufOf(Whole.shape, v)

const JSON_TEXT =
  '{"kind":"K","apiVersion":"v1","name":"a \\"name\\"","at":"2024-01-02T03:04:05Z",' +
  '"parts":[{"b":"ä","a":true,"n":-12},{"a":false},{}],"map":{"a":"1","b":"' +
  `${'long '.repeat(40)}"},"sizes":{"cpu":"100m"},"flags":[true,false],"raw":{"f:x":{"}":"\\\\"}},` +
  '"port":"http","any":[1,null,{"a":"]"}],"last":"z"}'

/** What is written; null where the JSON is none. */
function written(bytes: Buffer): Buffer | null {
  const writer = new BytesWriter().string('before').fork()
  const { length } = writer
  try {
    form.transcode(bytes, writer)
  } catch {
    return null
  }
  expect(writer.depth).toBe(1)
  return Buffer.from(writer.written().subarray(length))
}

function plainly(bytes: Buffer): Buffer | null {
  try {
    return form.encode(parseJson(bytes) as JsonObject)
  } catch {
    return null
  }
}

test('of what was stored nothing is parsed', () => {
  const writer = new BytesWriter()
  expect(form.transcode(Buffer.from(JSON_TEXT), writer)).toBe(true)
  expect(writer.written()).toEqual(plainly(Buffer.from(JSON_TEXT)))
})

describe('JSON of another program is parsed', () => {
  for (const text of [
    '{"last":"z","name":"a"}',
    '{"map":{"b":"1","a":"2"}}',
    '{"map":{"a\\u0062":"1"}}',
    '{"na\\u006de":"a"}',
    '{"name":"a","name":"b"}',
    '{ "name": "a" }',
    '{"parts":[{"b":"x","b":"y"}]}',
    '{"parts":[ {"b":"x"}]}',
    '{"map":{"a":"1","a":"2"}}',
  ]) {
    test(text, () => {
      const writer = new BytesWriter()
      expect(form.transcode(Buffer.from(text), writer)).toBe(false)
      expect(writer.written()).toEqual(plainly(Buffer.from(text)))
    })
  }
})

test('members that are not declared, and those that are null, are left out', () => {
  const text =
    '{"x":{"y":[1]},"name":null,"at":null,"parts":[null],"map":{"a":null},"q":"r","last":"z"}'
  const writer = new BytesWriter()
  expect(form.transcode(Buffer.from(text), writer)).toBe(true)
  expect(writer.written()).toEqual(plainly(Buffer.from(text)))
})

test('JSON that is cut off anywhere is no message', () => {
  const bytes = Buffer.from(JSON_TEXT)
  for (let to = 0; to < bytes.length; to++) expect(written(bytes.subarray(0, to))).toBe(null)
})

test('any other byte anywhere is read as a parser reads it, or is no message', () => {
  const bytes = Buffer.from(JSON_TEXT)
  for (let at = 0; at < bytes.length; at++) {
    for (const byte of Buffer.from('{}[]",:\\ tfn0-.e\u00e9')) {
      const changed = Buffer.from(bytes)
      changed[at] = byte
      const expected = plainly(changed)
      const found = written(changed)
      if (expected && found && isUtf8(changed))
        expect([at, byte, found]).toEqual([at, byte, expected])
    }
  }
})
