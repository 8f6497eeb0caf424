import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JSONSchemaProps, type SchemaProps } from '../structural/json-schema-props.ts'
import { codecOf, Decoding } from '../codec/codec.ts'
import { setOwn } from '../codec/json-scanner.ts'
import { formatJson, parseJson } from '../codec/json-text.ts'
import { orch } from '../vocabulary/orch.ts'
import { schemaCodec } from './schema-codec.ts'

const schemaOf = (text: string) =>
  codecOf(JSONSchemaProps.shape, orch).decode(parseJson(text), new Decoding()) as SchemaProps

/** A schema with these properties; those of the spec. */
const specOf = (properties: string) =>
  schemaOf(`{"type":"object","properties":{"spec":{"type":"object","properties":{${properties}}}}}`)

const META = '"metadata":{"creationTimestamp":null}'

function read(schema: SchemaProps, text: string, fills = true) {
  const codec = schemaCodec(schema)
  const decoding = new Decoding({ fills })
  const object = codec.decode(parseJson(text), decoding)
  return { text: formatJson(codec.plain(object)), unknown: decoding.unknown }
}

describe('the spec of an object', () => {
  for (const { name, schema, given, read: wanted, unknown = [], fills } of [
    { name: 'keeps what it names', schema: '"a":{"type":"string"}', given: '{"a":"x"}' },
    {
      name: 'puts names in order',
      schema: '"a":{},"b":{}',
      given: '{"b":1,"a":2}',
      read: '{"a":2,"b":1}',
    },
    {
      name: 'leaves out and tells what it does not name',
      schema: '"a":{"type":"array","items":{"type":"object","properties":{"n":{"type":"string"}}}}',
      given: '{"x":1,"a":[{"n":"1"},{"n":"2","z":3}]}',
      read: '{"a":[{"n":"1"},{"n":"2"}]}',
      unknown: ['spec.a[1].z', 'spec.x'],
    },
    {
      name: 'keeps what is preserved, and still goes by what it names there',
      schema:
        '"p":{"type":"object","x-orch-preserve-unknown-fields":true,"properties":{"n":{"type":"object"}}}',
      given: '{"p":{"any":{"z":null,"b":[1]},"n":{"gone":1}}}',
      read: '{"p":{"any":{"b":[1],"z":null},"n":{}}}',
      unknown: ['spec.p.n.gone'],
    },
    {
      name: 'takes any key of a map',
      schema: '"m":{"type":"object","additionalProperties":{"type":"integer"}}',
      given: '{"m":{"b":1,"a":2}}',
      read: '{"m":{"a":2,"b":1}}',
    },
    {
      name: 'drops null that is no value',
      schema:
        '"a":{"type":"string"},"m":{"type":"object","additionalProperties":{"type":"string"}}',
      given: '{"a":null,"m":{"k":null}}',
      read: '{"m":{}}',
    },
    {
      name: 'keeps null that is one',
      schema: '"a":{"type":"string","nullable":true,"default":"d"}',
      given: '{"a":null}',
    },
    {
      name: 'fills in defaults, also inside of them and in place of null',
      schema:
        '"a":{"type":"string","default":"d"},"o":{"type":"object","default":{},"properties":{"n":{"type":"integer","default":3}}},"deep":{"type":"object","properties":{"n":{"type":"integer","default":3}}}',
      given: '{"a":null}',
      read: '{"a":"d","o":{"n":3}}',
    },
    {
      name: 'fills in nothing where nothing is to be filled in',
      schema: '"a":{"type":"string","default":"d"}',
      given: '{"a":null}',
      read: '{}',
      fills: false,
    },
    {
      name: 'keeps integers of 64 bits',
      schema: '"n":{"type":"integer"}',
      given: '{"n":9007199254740993}',
    },
    {
      name: 'keeps values of another type, for validation to tell',
      schema: '"a":{"type":"string"}',
      given: '{"a":[1]}',
    },
    {
      name: 'takes names as users wrote them',
      schema: '"{agent}x":{"type":"string"},"x-{brand}-y":{"type":"string"}',
      given: '{"x-{brand}-y":"1","{agent}x":"2","kubeletx":"3"}',
      read: '{"x-{brand}-y":"1","{agent}x":"2"}',
      unknown: ['spec.kubeletx'],
    },
    {
      name: 'takes names that every JavaScript object knows as data',
      schema:
        '"constructor":{"type":"string"},"__proto__":{"type":"object","additionalProperties":{"type":"string"}}',
      given: '{"__proto__":{"polluted":"yes"},"constructor":"c","toString":"t"}',
      read: '{"__proto__":{"polluted":"yes"},"constructor":"c"}',
      unknown: ['spec.toString'],
    },
    {
      name: 'reads metadata of an object inside as metadata',
      schema:
        '"o":{"type":"object","x-orch-embedded-resource":true,"properties":{"spec":{"type":"string"}}}',
      given:
        '{"o":{"kind":"K","apiVersion":"v1","metadata":{"name":"n","nope":1},"spec":"s","other":1}}',
      read: '{"o":{"apiVersion":"v1","kind":"K","metadata":{"name":"n"},"spec":"s"}}',
      unknown: ['spec.o.metadata.nope', 'spec.o.other'],
    },
  ] as readonly {
    name: string
    schema: string
    given: string
    read?: string
    unknown?: string[]
    fills?: boolean
  }[]) {
    test(name, () => {
      const found = read(specOf(schema), `{"spec":${given}}`, fills)
      expect(found).toEqual({ text: `{${META},"spec":${wanted ?? given}}`, unknown })
      expect(({} as { polluted?: string }).polluted).toBeUndefined()
    })
  }
})

test('names of the root are the user’s too', () => {
  const schema = schemaOf('{"type":"object","properties":{"__proto__":{"type":"string"}}}')
  expect(read(schema, '{"__proto__":"p","x":1}')).toEqual({
    text: `{${META},"__proto__":"p"}`,
    unknown: ['x'],
  })
})

for (const { given, message } of [
  { given: '[]', message: 'expected an object' },
  { given: '{"kind":1}', message: 'kind: expected a string' },
  {
    given: '{"metadata":{"labels":1}}',
    message: 'metadata.labels: expected an object, found a number',
  },
]) {
  test(`a value that is no object is refused: ${given}`, () => {
    expect(() => read(specOf(''), given)).toThrow(message)
  })
}

test('a decoded object decodes to the same, and has no unknown fields', () => {
  const schema = specOf(
    '"a":{"type":"string","default":"d"},"b":{"type":"array","items":{"type":"object","properties":{"a":{"type":"integer","default":1}}}},"c":{"type":"object","x-orch-preserve-unknown-fields":true,"properties":{"a":{"type":"object"}}},"d":{"type":"object","additionalProperties":{"type":"string","nullable":true}}',
  )
  const name = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'constructor', '{agent}x')
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 0, 1.5, 'text', 2n ** 60n),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((all) => {
        const object = {}
        for (const [key, one] of all) setOwn(object, key, one)
        return object
      }),
    ),
  }))
  fc.assert(
    fc.property(value, (spec) => {
      const first = read(schema, formatJson({ spec }))
      expect(read(schema, first.text)).toEqual({ text: first.text, unknown: [] })
    }),
    { seed: 7, numRuns: 300 },
  )
})
