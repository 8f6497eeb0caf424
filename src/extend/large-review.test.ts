import { describe, expect, test } from 'vitest'
import { finish } from '../base/steps.ts'
import { reviewIn } from './large-review.ts'

// Makes a response so large that its objects are parsed one by one.
const SPACE = ' '.repeat(300 << 10)
const TOO_LARGE = 'a part of it is larger than 8388608 bytes'

/** A response as it is read: the rest of it, and the objects. */
function read(text: string): unknown {
  const { document, count, object } = finish(reviewIn(Buffer.from(text)))
  return { document, objects: Array.from({ length: count }, (_, i) => object(i)) }
}

/** What is read, or why nothing is. */
function outcome(text: string): unknown {
  try {
    return read(text)
  } catch (error) {
    return (error as Error).message
  }
}

describe('a response with many objects', () => {
  for (const [name, text, objects] of [
    ['objects', '{"a":"x","response":{"uid":"u","convertedObjects":[{"a":1},{"b":[2]}]}}', 2],
    ['texts with brackets', '{"response":{"a]\\"}":"{[","convertedObjects":[{"a\\\\":"]}"}]}}', 1],
    ['other values', '{"response":{"convertedObjects":[1,-2.5E+3,null,true,"x",[[]],{}]}}', 7],
    ['none', '{"response":{"convertedObjects":[]}}', 0],
    ['no list', '{"response":{"convertedObjects":"x"}}', 0],
    ['null', '{"response":{"convertedObjects":null,"result":{}}}', 0],
    ['a list elsewhere', '{"convertedObjects":[{}],"response":{"x":{"convertedObjects":[{}]}}}', 0],
    ['two lists', '{"response":{"convertedObjects":[{}],"convertedObjects":[{"a":1},{}]}}', 2],
    ['a list, then none', '{"response":{"convertedObjects":[{}],"convertedObjects":1}}', 0],
    ['two responses', '{"response":{"convertedObjects":[{}]},"response":{}}', 0],
    ['no object', '[{"response":{}}]', 0],
    ['an empty object', '{}', 0],
    ['space', ' { "response" :\n{ "convertedObjects" :\t[ {} , {} ] } } ', 2],
  ] as const)
    test(`is read like a small one: ${name}`, () => {
      const small = read(text) as { document: object; objects: unknown[] }
      const large = read(`${SPACE}${text}`) as { document: object; objects: unknown[] }
      expect([small.objects, large.objects]).toEqual([large.objects, small.objects])
      expect(large.objects).toHaveLength(objects)
      const rest = JSON.stringify(small.document, (key, value: unknown) =>
        key === 'convertedObjects' && Array.isArray(value) && objects > 0 ? [] : value,
      )
      if (objects > 0) expect(JSON.stringify(large.document)).toBe(rest)
    })

  for (const [name, text, why] of [
    ['no JSON', '<html>', 'it is malformed at byte 307200'],
    ['nothing', '', 'it ends early'],
    ['more behind it', '{} {}', 'it is malformed at byte 307203'],
    ['no comma', '{"response":{"convertedObjects":[{}{}]}}', 'it is malformed at byte 307235'],
    [
      'a comma too many',
      '{"response":{"convertedObjects":[{},]}}',
      'it is malformed at byte 307236',
    ],
    ['no end', '{"response":{"convertedObjects":[{},', 'it ends early'],
    ['no end of a text', '{"response":{"convertedObjects":[{"a":"', 'it ends early'],
    ['a name without quotes', '{response:{}}', 'it is malformed at byte 307201'],
    ['no colon', '{"response"}', 'it is malformed at byte 307211'],
    ['a wrong bracket inside', '{"response":{"convertedObjects":[{"a":]}]}}', expect.any(String)],
    ['a wrong literal', '{"response":{"convertedObjects":[nul]}}', expect.any(String)],
    [
      'an object that is too large',
      `{"response":{"convertedObjects":[{"a":"${'x'.repeat(9 << 20)}"}]}}`,
      TOO_LARGE,
    ],
    ['a text that is too large', `{"response":{"x":"${'x'.repeat(9 << 20)}"}}`, TOO_LARGE],
    [
      'much else',
      `{${Array.from({ length: 9 }, (_, i) => `"${i}":"${'x'.repeat(1 << 20)}"`).join()}}`,
      TOO_LARGE,
    ],
  ] as const)
    test(`is refused: ${name}`, () => {
      expect(outcome(`${SPACE}${text}`)).toEqual(why)
    })
})
