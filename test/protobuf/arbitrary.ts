/** Objects of any shape, right by type but not by the rules of their kind. */
import * as fc from 'fast-check'
import { codecOf, Decoding, type JsonObject } from '../../src/codec/codec.ts'
import type { Holds, Shape } from '../../src/notation/shape.ts'
import type { Vocabulary } from '../../src/vocabulary/vocabulary.ts'

const MAX_DEPTH = 7

const word = fc.stringMatching(/^[a-zA-Z0-9 äß€😀_-]{0,8}$/u)
// Objects of the other library put keys that look like numbers first.
const key = fc.oneof(
  fc.stringMatching(/^[a-zA-Zäß_-][a-zA-Z0-9 /.]{0,6}$/u),
  fc.constantFrom('__proto__', 'constructor', 'toString'),
)
const seconds = fc
  .integer({ min: -2_000_000_000, max: 4_000_000_000 })
  .map((s) => new Date(s * 1000).toISOString().replace('.000Z', 'Z'))
const micros = fc
  .tuple(seconds, fc.integer({ min: 0, max: 999_999 }))
  .map(([time, part]) => time.replace('Z', `.${String(part).padStart(6, '0')}Z`))
const leaf = fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null))
const anyObject = fc.dictionary(key, fc.oneof(leaf, fc.array(leaf, { maxLength: 2 })), {
  maxKeys: 3,
})
const anyJson = fc.oneof(leaf, fc.array(leaf, { maxLength: 2 }), anyObject)

/** Plain JSON objects of a shape, as its codec writes them. */
export function arbitraryOf(shape: Shape, v: Vocabulary): fc.Arbitrary<JsonObject> {
  const codec = codecOf(shape, v)
  return objectOf(shape, v, 0).map((given) => codec.plain(codec.decode(given, new Decoding())))
}

function objectOf(shape: Shape, v: Vocabulary, depth: number): fc.Arbitrary<JsonObject> {
  const members: [string, fc.Arbitrary<unknown>][] = []
  const collect = (of: Shape) => {
    for (const [template, facts] of of.fields) {
      if (facts.inline && facts.holds.is === 'object') collect(facts.holds.to())
      else if (depth < MAX_DEPTH || !isDeep(facts.holds)) {
        members.push([v.resolve(template), valueOf(facts.holds, v, depth)])
      }
    }
  }
  collect(shape)
  return fc
    .tuple(
      ...members.map(([name, value]) => optional(value, depth).map((one) => [name, one] as const)),
    )
    .map((entries) => Object.fromEntries(entries.filter(([, one]) => one !== undefined)))
}

/** Further in, fewer members are there, so that objects stay small. */
const optional = (value: fc.Arbitrary<unknown>, depth: number): fc.Arbitrary<unknown> =>
  fc.nat(9).chain((n) => (n < (depth < 2 ? 7 : depth < 4 ? 3 : 1) ? value : fc.constant(undefined)))

const isDeep = (holds: Holds): boolean =>
  holds.is === 'object' || ((holds.is === 'list' || holds.is === 'map') && isDeep(holds.of))

function valueOf(holds: Holds, v: Vocabulary, depth: number): fc.Arbitrary<unknown> {
  switch (holds.is) {
    case 'string':
      return word
    case 'bool':
      return fc.boolean()
    case 'int32':
      return fc.integer()
    case 'int64':
      return fc.maxSafeInteger()
    case 'double':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => (x === 0 ? 0 : x))
    case 'bytes':
      return fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64'))
    case 'time':
      return seconds
    case 'microTime':
      return micros
    case 'quantity':
      return fc.constantFrom('0', '1', '500m', '2Gi', '1k', '-3', '1500m')
    case 'intOrString':
      return fc.oneof(fc.integer(), word)
    case 'raw':
      return anyObject
    case 'any':
      return holds.special ? specialOf(holds.special, v, depth) : anyJson.filter((x) => x !== null)
    case 'strings':
      return fc.array(word, { maxLength: 3 })
    case 'object':
      return fc.constant(null).chain(() => objectOf(holds.to(), v, depth + 1))
    case 'list':
      return fc.array(valueOf(holds.of, v, depth), { maxLength: 2 })
    case 'map':
      return fc.dictionary(key, valueOf(holds.of, v, depth), { maxKeys: 3 })
  }
}

function specialOf(
  { form, of }: { form: string; of: () => Shape },
  v: Vocabulary,
  depth: number,
): fc.Arbitrary<unknown> {
  const schema = fc.constant(null).chain(() => objectOf(of(), v, depth + 2))
  switch (form) {
    case 'schemaOrBool':
      return fc.oneof(schema, fc.boolean())
    case 'schemaOrArray':
      return fc.oneof(schema, fc.array(schema, { minLength: 1, maxLength: 2 }))
    default:
      return fc.oneof(schema, fc.array(word, { minLength: 1, maxLength: 2 }))
  }
}
