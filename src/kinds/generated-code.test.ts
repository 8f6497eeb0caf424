/** Generated code does what the interpreters do: for objects of every kind, and for what no client should send. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { codecOf, Decoding, plansOf, type JsonObject } from '../codec/codec.ts'
import type { Words } from '../codec/generated-code.ts'
import { membersWriter } from '../codec/json-writer.ts'
import { WrittenNumbers } from '../codec/written-numbers.ts'
import { RecordWriter } from '../engine/record.ts'
import type { Holds, Shape } from '../notation/shape.ts'
import { orch } from '../vocabulary/orch.ts'
import { resources } from './index.ts'

const resolve = (template: string) => orch.resolve(template)
const INTERPRETED: Words = { resolve, generates: 'never' }
const GENERATED: Words = { resolve, generates: 'at once' }

const DEPTH = 5

const name = fc.oneof(
  fc.constantFrom('a', 'z', 'A/b.c', '__proto__', 'constructor', 'toString', 'é', '"quoted"', '7'),
  fc.string({ minLength: 1 }),
)

/** Any value where another is declared. */
const hostile = fc.oneof(
  fc.constantFrom<unknown>(null, '', 0, -0, 1.5, 2 ** 31, 2 ** 53, 10n, 2n ** 63n, true, [], {}),
  fc.constantFrom<unknown>([null], ['x', 7], [[]], { a: null }, { a: 7 }, [{ a: 7 }], 'text'),
  fc.jsonValue({ maxDepth: 2 }),
)

/** What a client may send for a field; now and then something else. */
function sent(holds: Holds, depth: number): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 9, arbitrary: fitting(holds, depth) },
    { weight: 1, arbitrary: hostile },
  )
}

function fitting(holds: Holds, depth: number): fc.Arbitrary<unknown> {
  switch (holds.is) {
    case 'object':
      return objectOf(holds.to(), depth - 1)
    case 'list':
      return fc.array(sent(holds.of, depth), { maxLength: 2 })
    case 'map':
      return fc.dictionary(name, sent(holds.of, depth), { maxKeys: 3 })
    case 'bool':
      return fc.boolean()
    case 'int32':
    case 'int64':
      return fc.oneof(fc.constant(0), fc.integer())
    case 'double':
      return fc.oneof(fc.constant(0), fc.double({ noNaN: true, noDefaultInfinity: true }))
    case 'any':
      return 'special' in holds && holds.special
        ? fc.oneof(fc.constant({}), fc.boolean(), fc.constant(['a', 'b']), fc.constant([{}]))
        : fc.jsonValue()
    case 'raw':
      return fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 })
    case 'strings':
      return fc.array(fc.string(), { maxLength: 2 })
    case 'intOrString':
      return fc.oneof(fc.integer(), fc.string())
    case 'quantity':
      return fc.constantFrom('1', '100m', '1024Mi', '1.5Gi', '', 'x', 3, 0.25)
    case 'time':
    case 'microTime':
      return fc.constantFrom('2030-01-01T01:00:00Z', '2030-01-01T01:00:00.123456Z', '', 'now')
    case 'bytes':
      return fc.constantFrom('', 'aGVsbG8=', 'aGVs\nbG8=', 'a')
    default:
      return fc.oneof(fc.constant(''), fc.string(), fc.string({ unit: 'binary', maxLength: 70 }))
  }
}

function objectOf(shape: Shape, depth: number): fc.Arbitrary<unknown> {
  if (depth <= 0) return fc.constant({})
  const plans = plansOf(shape, INTERPRETED)
  const unknown = fc.option(fc.tuple(name, fc.jsonValue({ maxDepth: 1 })), { freq: 5, nil: null })
  // Few at a time: some shapes have forty fields, each with shapes of its own.
  return fc
    .subarray(plans, { maxLength: Math.min(4, plans.length) })
    .chain((some) =>
      fc.tuple(
        unknown,
        ...some.map(({ name: field, facts }) =>
          fc.tuple(fc.constant(field), sent(facts.holds, depth)),
        ),
      ),
    )
    .map(([other, ...entries]) => Object.fromEntries(other ? [other, ...entries] : entries))
}

/** Of some numbers, the text with a fraction, as the parser collects them. */
function writtenIn(value: unknown, every: number): WrittenNumbers {
  const written = new WrittenNumbers()
  let seen = 0
  const walk = (one: unknown, path: readonly (string | number)[]) => {
    if (typeof one === 'number' && ++seen % every === 0) written.add(path, `${one}.0`)
    if (typeof one !== 'object' || one === null) return
    for (const [key, member] of Object.entries(one))
      walk(member, [...path, Array.isArray(one) ? Number(key) : key])
  }
  if (every > 0) walk(value, [])
  return written
}

/** All that a decoding tells, and all that is made of its object, with the order of members. */
function outcome(
  shape: Shape,
  words: Words,
  value: unknown,
  how: { fills: boolean; every: number },
) {
  const codec = codecOf(shape, words)
  const decoding = new Decoding({ fills: how.fills, written: writtenIn(value, how.every) })
  let object: JsonObject
  try {
    object = codec.decode(value, decoding)
  } catch (error) {
    return { error: String(error), unknown: decoding.unknown }
  }
  const out = new RecordWriter('')
  out.byte(0x7b)
  membersWriter(shape, words)(object, out, true)
  out.byte(0x7d)
  const json = out.record(0, 0)
  const { unknown } = decoding
  return { object: text(object), unknown, plain: text(codec.plain(object)), json: json.toString() }
}

/** Members in their order; `-0` and big integers as what they are. */
const text = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'bigint' ? `${one}n` : Object.is(one, -0) ? '-0' : one,
  )

const kinds = resources.flatMap(({ storage, versions = {} }) =>
  [storage, ...Object.values(versions).map((version) => version.shape)].map(
    ({ shape }) => [`${shape.home} ${shape.name}`, shape] as const,
  ),
)

test.each(kinds)('of a %s', (_name, shape) => {
  const how = fc.record({ fills: fc.boolean(), every: fc.constantFrom(0, 0, 1, 3) })
  const whole = fc
    .tuple(objectOf(shape, DEPTH), fc.constantFrom<unknown>('K', '', null, 7, undefined))
    .map(([object, kind]) => ({ ...(object as object), ...(kind === undefined ? {} : { kind }) }))
  fc.assert(
    fc.property(fc.oneof({ weight: 30, arbitrary: whole }, hostile), how, (value, mode) => {
      expect(outcome(shape, GENERATED, value, mode)).toEqual(
        outcome(shape, INTERPRETED, value, mode),
      )
    }),
    { numRuns: 60 },
  )
})
