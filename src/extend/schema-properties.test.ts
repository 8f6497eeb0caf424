/** Schemas and values at random: what is done with them, against a second implementation that is as plain as possible. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decoding, type JsonObject } from '../codec/codec.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import type { SchemaProps } from '../structural/json-schema-props.ts'
import { validateValue } from '../structural/value-rules.ts'
import { schemaCodec } from './schema-codec.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
type Map = Readonly<Record<string, Json>>
const isMap = (value: unknown): value is Map =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const NAMES = ['a', 'b', 'c', 'constructor', '__proto__'] as const
const name = fc.constantFrom(...NAMES)
/** A map with own members of any name. */
const mapOf = <T>(value: fc.Arbitrary<T>) =>
  fc
    .uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 4 })
    .map((entries) => Object.fromEntries(entries))

const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer({ min: -4, max: 9 }),
  fc.constantFrom(0.5, 2.25),
  fc.constantFrom('', 'x', 'xyz', 'long text'),
)
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { arbitrary: scalar, weight: 2 },
    { arbitrary: fc.array(tie('value'), { maxLength: 3 }), weight: 1 },
    { arbitrary: mapOf(tie('value')), weight: 3 },
  ),
}))
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })
const small = fc.integer({ min: 0, max: 3 })

/** Keywords that only look at values. */
const bounds: fc.Arbitrary<SchemaProps> = fc.oneof(
  fc.record({ enum: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
  fc.record({ minimum: fc.integer({ min: -2, max: 5 }), exclusiveMinimum: fc.boolean() }),
  fc.record({ maximum: fc.integer({ min: -2, max: 5 }), exclusiveMaximum: fc.boolean() }),
  fc.record({ multipleOf: fc.constantFrom(1, 2, 0.5) }),
  fc.record({ minLength: small }),
  fc.record({ maxLength: small }),
  fc.record({ pattern: fc.constantFrom('^x', 'y', '^$') }),
  fc.record({ minItems: small }),
  fc.record({ maxItems: small }),
  fc.record({ minProperties: small }),
  fc.record({ maxProperties: small }),
  fc.record({ required: fc.uniqueArray(name, { maxLength: 2 }) }),
)
const { narrowing } = fc.letrec<{ narrowing: SchemaProps }>((tie) => ({
  narrowing: fc.oneof(
    { maxDepth: 2 },
    bounds,
    fc.record({ anyOf: fc.array(tie('narrowing'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ oneOf: fc.array(tie('narrowing'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ allOf: fc.array(tie('narrowing'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ not: tie('narrowing') }),
  ),
}))

const present = <T extends object>(record: T) =>
  Object.fromEntries(Object.entries(record).filter(([, one]) => one !== undefined))
const { schema } = fc.letrec<{ schema: SchemaProps }>((tie) => ({
  schema: fc
    .tuple(
      fc.oneof(
        { maxDepth: 4 },
        fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean') }),
        fc.constant({ 'x-{brand}-int-or-string': true }),
        fc.constant({ 'x-{brand}-preserve-unknown-fields': true }),
        fc.record({ type: fc.constant('array'), items: tie('schema') }),
        fc.record({
          type: fc.constant('object'),
          additionalProperties: fc.oneof(tie('schema'), fc.constant(true)),
        }),
        fc.record({
          type: fc.constant('object'),
          properties: mapOf(tie('schema')),
          'x-{brand}-preserve-unknown-fields': maybe(fc.constant(true)),
        }),
      ),
      fc.record({ nullable: maybe(fc.constant(true)), default: maybe(value) }),
      fc.option(narrowing, { nil: {}, freq: 3 }),
    )
    .map(([form, more, narrow]) => ({ ...narrow, ...present(form), ...present(more) })),
}))

const given = (map: object | undefined, key: string): unknown =>
  map && Object.hasOwn(map, key) ? (map as Record<string, unknown>)[key] : undefined
const preserves = (s: SchemaProps | undefined) => s?.['x-{brand}-preserve-unknown-fields'] === true
const additionalOf = (s: SchemaProps | undefined) =>
  typeof s?.additionalProperties === 'object' ? s.additionalProperties : undefined

/** Without what no schema names; step one. */
function pruned(one: Json, s: SchemaProps | undefined): Json {
  if (Array.isArray(one)) {
    const items = s?.items as SchemaProps | undefined
    return one.map((item: Json) => (items || !preserves(s) ? pruned(item, items) : item))
  }
  if (!isMap(one)) return one
  const kept: [string, Json][] = []
  for (const [key, member] of Object.entries(one)) {
    const property = given(s?.properties, key) as SchemaProps | undefined
    if (property) kept.push([key, pruned(member, property)])
    else if (preserves(s)) kept.push([key, member])
    else if (s?.additionalProperties) kept.push([key, pruned(member, additionalOf(s))])
  }
  return Object.fromEntries(kept)
}

/** The value of an absent field. What is stored was checked to have only what its schema names. */
const standard = (s: SchemaProps): Json => filled(pruned(s.default as Json, s), s)

/** With what is missing, and without null where it means nothing; step two. */
function filled(one: Json, s: SchemaProps | undefined): Json {
  if (!s) return one
  const isUnset = (member: Json, of: SchemaProps) => member === null && of.nullable !== true
  if (Array.isArray(one)) {
    const items = s.items as SchemaProps | undefined
    if (!items) return one
    return one.map((item: Json) =>
      isUnset(item, items) && items.default !== undefined ? standard(items) : filled(item, items),
    )
  }
  if (!isMap(one)) return one
  const made: [string, Json][] = []
  for (const [key, member] of Object.entries(one)) {
    const own = given(s.properties, key) as SchemaProps | undefined
    const of = own ?? (preserves(s) ? undefined : additionalOf(s))
    if (of && isUnset(member, of)) {
      if (of.default !== undefined) made.push([key, standard(of)])
    } else made.push([key, filled(member, of)])
  }
  for (const [key, property] of Object.entries(s.properties ?? {}))
    if (given(one, key) === undefined && property.default !== undefined)
      made.push([key, standard(property)])
  return Object.fromEntries(made)
}

const KINDS: Readonly<Record<string, (one: Json) => boolean>> = {
  string: (one) => typeof one === 'string',
  integer: Number.isInteger,
  number: (one) => typeof one === 'number',
  boolean: (one) => typeof one === 'boolean',
  array: Array.isArray,
  object: isMap,
}

/** Whether a value fits; nothing but yes or no. */
function fits(one: Json, s: SchemaProps): boolean {
  if (one === null && s.nullable) return true
  if (s['x-{brand}-int-or-string'] && !Number.isInteger(one) && typeof one !== 'string')
    return false
  if (s.type !== undefined && !KINDS[s.type]!(one)) return false
  if (s.enum && !s.enum.some((each) => each === one)) return false
  if (s.anyOf && !s.anyOf.some((each) => fits(one, each))) return false
  if (s.oneOf && s.oneOf.filter((each) => fits(one, each)).length !== 1) return false
  if (s.allOf && !s.allOf.every((each) => fits(one, each))) return false
  if (s.not && fits(one, s.not)) return false
  const { maxLength = 99, maxItems = 99, maxProperties = 99 } = s
  if (typeof one === 'string') {
    if (one.length < (s.minLength ?? 0) || one.length > maxLength) return false
    return s.pattern === undefined || new RegExp(s.pattern).test(one)
  }
  if (typeof one === 'number') {
    const { minimum = -99, maximum = 99, multipleOf } = s
    if (s.exclusiveMinimum ? one <= minimum : one < minimum) return false
    if (s.exclusiveMaximum ? one >= maximum : one > maximum) return false
    return multipleOf === undefined || Number.isInteger(one / multipleOf)
  }
  if (Array.isArray(one)) {
    if (one.length < (s.minItems ?? 0) || one.length > maxItems) return false
    return one.every((item: Json) => !s.items || fits(item, s.items as SchemaProps))
  }
  if (!isMap(one)) return true
  const keys = Object.keys(one)
  if (keys.length < (s.minProperties ?? 0) || keys.length > maxProperties) return false
  if (!(s.required ?? []).every((key) => keys.includes(key))) return false
  return keys.every((key) => {
    const of = (given(s.properties, key) as SchemaProps | undefined) ?? additionalOf(s)
    return !of || fits(one[key]!, of)
  })
}

const inSpec = (spec: SchemaProps): SchemaProps => ({ type: 'object', properties: { spec } })
const read = (spec: SchemaProps, one: Json, fills: boolean): JsonObject => {
  const codec = schemaCodec(inSpec(spec))
  return codec.plain(codec.decode({ spec: one }, new Decoding({ fills })))
}
const RUNS = { numRuns: 400, seed: Number(process.env['FUZZ_SEED'] ?? '1') }

test('objects are pruned and filled', () => {
  fc.assert(
    fc.property(schema, value, (spec, one) => {
      const whole = inSpec(spec)
      const expected = filled(pruned({ spec: one }, whole), whole) as Map
      const found = read(spec, one, true)
      expect(found['spec']).toEqual(expected['spec'])
      expect(Object.hasOwn(found, 'spec')).toBe(Object.hasOwn(expected, 'spec'))
      // Once more changes nothing but defaults that were not pruned themselves.
      const again = read(spec, found['spec'] as Json, true)
      expect(read(spec, again['spec'] as Json, true)).toEqual(again)
    }),
    RUNS,
  )
})

test('values are valid or not', () => {
  fc.assert(
    fc.property(schema, value, (spec, one) => {
      const errors = new FieldErrors()
      validateValue(one, spec, errors)
      expect(errors.list.length === 0).toBe(fits(one, spec))
    }),
    { ...RUNS, numRuns: 1000 },
  )
})
