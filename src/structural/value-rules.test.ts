import { expect, test } from 'vitest'
import { FieldErrors } from '../meta/field-errors.ts'
import type { Json, SchemaProps } from './json-schema-props.ts'
import { validateValue } from './value-rules.ts'

const cases: readonly (readonly [
  name: string,
  schema: SchemaProps,
  value: Json,
  texts: string[],
])[] = [
  [
    'null where it is none',
    { type: 'string' },
    null,
    ['x: Invalid value: "null": in body must be of type string: "null"'],
  ],
  ['null', { type: 'string', nullable: true }, null, []],
  ['a whole number', { type: 'number' }, 1, []],
  ['an integer or a text', { 'x-{brand}-int-or-string': true }, 'a', []],
  ['one of', { enum: ['a', 1] }, 'b', ['x: Unsupported value: "b": supported values: "a", "1"']],
  ['lengths in characters', { maxLength: 1 }, '😀', []],
  ['a long text', { maxLength: 1 }, 'ab', ['x: Too long: may not be longer than 1']],
  [
    'a short text',
    { minLength: 2 },
    'a',
    ['x: Invalid value: "a": in body should be at least 2 chars long'],
  ],
  ['a pattern', { pattern: '^a+$' }, 'b', ['x: Invalid value: "b": in body should match \'^a+$\'']],
  [
    'a format',
    { format: 'ipv4' },
    'b',
    ['x: Invalid value: "b": in body must be of type ipv4: "b"'],
  ],
  ['an unknown format', { format: 'foo' }, 'b', []],
  [
    'bounds',
    { minimum: 1, exclusiveMinimum: true },
    1,
    ['x: Invalid value: 1: in body should be greater than 1'],
  ],
  ['a multiple', { multipleOf: 0.1 }, 0.3, []],
  ['required', { required: ['a'] }, {}, ['x.a: Required value']],
  ['inherited names', { required: ['toString'] }, {}, ['x.toString: Required value']],
  [
    'a list',
    { items: { type: 'string' }, maxItems: 1 },
    ['a', 1],
    [
      'x[1]: Invalid value: "integer": [1] in body must be of type string: "integer"',
      'x: Too many: 2: must have at most 1 items',
    ],
  ],
  ['a map', { additionalProperties: { type: 'string' } }, { a: 'b' }, []],
  [
    'a closed object',
    { additionalProperties: false },
    { a: 1 },
    ['x: Invalid value: "a": .a in body is a forbidden property'],
  ],
  [
    'alternatives',
    { oneOf: [{ minimum: 1 }, { maximum: 3 }], not: { multipleOf: 2 } },
    2,
    [
      'x: Invalid value: "": "" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      'x: Invalid value: "": "" must not validate the schema (not)',
    ],
  ],
]

for (const [name, schema, value, texts] of cases) {
  test(name, () => {
    const errors = new FieldErrors()
    validateValue(value, schema, errors.at('x'))
    expect(errors.list.map(({ field, message }) => `${field}: ${message}`)).toEqual(texts)
  })
}
