/** Validation of values that are large, by schemas that are large too. */
import { expect, test } from 'vitest'
import { FieldErrors } from '../meta/field-errors.ts'
import type { Json, SchemaProps } from './json-schema-props.ts'
import { validateInSteps, validateValue } from './value-rules.ts'

const many = <T>(count: number, of: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => of(i))
const TOO_LONG =
  'Invalid value: "": validation takes too long: the schema has too many alternatives, or too costly patterns, for a value of this size'

function found(value: Json, schema: SchemaProps): string[] {
  const errors = new FieldErrors()
  validateValue(value, schema, errors)
  return errors.list.map(({ field, message }) => `${field}: ${message}`)
}

for (const { name, value, schema, errors } of [
  {
    name: 'many values of an enum',
    value: many(20_000, () => 'v19999'),
    schema: { type: 'array', items: { type: 'string', enum: many(20_000, (i) => `v${i}`) } },
    errors: [],
  },
  {
    name: 'many objects of an enum',
    value: many(20_000, () => ({ a: -1 })),
    schema: { type: 'array', items: { type: 'object', enum: many(20_000, (a) => ({ a })) } },
    errors: [expect.stringMatching(/^\[0\]: Unsupported value/), expect.anything()],
  },
  {
    name: 'many alternatives for many items',
    value: many(20_000, () => 1),
    schema: { type: 'array', items: { not: { anyOf: many(20_000, () => ({ minimum: 5 })) } } },
    errors: [`: ${TOO_LONG}`],
  },
  {
    name: 'a large pattern in a long text',
    value: 'ab'.repeat(10_000),
    schema: { type: 'string', pattern: '^(a|b)*a(a|b){1000}[cd]' },
    errors: [`: ${TOO_LONG}`],
  },
  {
    name: 'a small pattern in a long text',
    value: 'ab'.repeat(500_000),
    schema: { type: 'string', pattern: '^[a-z]+$' },
    errors: [],
  },
  {
    name: 'many lengths of a long text',
    value: 'ab'.repeat(500_000),
    schema: { type: 'string', allOf: many(20_000, (i) => ({ minLength: i })) },
    errors: [],
  },
  {
    name: 'many names that are required, of many objects',
    value: many(20_000, () => ({ a: 1 })),
    schema: {
      type: 'array',
      items: { type: 'object', anyOf: [{ required: many(20_000, () => 'a') }] },
    },
    errors: [`: ${TOO_LONG}`],
  },
] as readonly { name: string; value: Json; schema: SchemaProps; errors: string[] }[])
  test(name, () => {
    const all = found(value, schema)
    expect(all.slice(0, errors.length)).toEqual(errors)
    expect(all.length === 0).toBe(errors.length === 0)
  })

test('what is large is checked in steps, all of it', () => {
  const schema: SchemaProps = {
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'integer', maximum: 5 } },
  }
  const lists = many(3, () => many(150_000, (i) => (i === 149_999 ? 9 : 1)))
  const errors = new FieldErrors()
  const steps = validateInSteps({ a: lists[0], b: lists[1], c: lists[2] }, schema, errors)
  let pauses = 0
  while (steps && steps.next().done !== true) pauses++
  expect(pauses).toBe(2)
  expect(errors.list.map(({ field }) => field)).toEqual(['a[149999]', 'b[149999]', 'c[149999]'])
  // What is small takes no steps.
  expect(validateInSteps({ a: [1] }, schema, errors)).toBeUndefined()
})
