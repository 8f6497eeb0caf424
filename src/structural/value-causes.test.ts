/** Which causes values give that their schema does not allow, and in which order. */
import { describe, expect, test } from 'vitest'
import { FieldErrors } from '../meta/field-errors.ts'
import type { Json, SchemaProps } from './json-schema-props.ts'
import { validateValue } from './value-rules.ts'

/** The causes of a field `f`. */
function causes(schema: SchemaProps, value: Json): string[] {
  const errors = new FieldErrors()
  validateValue({ f: value }, { type: 'object', properties: { f: schema } }, errors)
  return errors.list.map(
    ({ field, reason, message }) =>
      `${field || '<nil>'} ${reason.replace('FieldValue', '')} ${message}`,
  )
}

const either: SchemaProps = {
  'x-{brand}-int-or-string': true,
  anyOf: [{ type: 'integer' }, { type: 'string' }],
}
const invalid = (text: string, shown = '""', at = '<nil>') =>
  `${at} Invalid Invalid value: ${shown}: ${text}`
const mistyped = (found: string, wanted: string, at = 'f') =>
  `${at} TypeInvalid Invalid value: "${found}": ${at} in body must be of type ${wanted}: "${found}"`

describe('a value of one keyword after the other', () => {
  for (const [name, schema, value, expected] of [
    [
      'of a wrong type that is no value of the enum either',
      { type: 'string', enum: ['a', 'b'] },
      1,
      [
        mistyped('integer', 'string'),
        'f NotSupported Unsupported value: 1: supported values: "a", "b"',
      ],
    ],
    [
      'of a wrong type that breaks other rules too',
      { type: 'integer', minLength: 3 },
      'a',
      [
        mistyped('string', 'integer'),
        invalid('f in body should be at least 3 chars long', '"a"', 'f'),
      ],
    ],
    [
      'too short and beside the pattern: the first only',
      { type: 'string', minLength: 3, pattern: '^x' },
      'a',
      [invalid('f in body should be at least 3 chars long', '"a"', 'f')],
    ],
    [
      'too long and beside the pattern: the first only',
      { type: 'string', maxLength: 1, pattern: '^x' },
      'ab',
      ['f TooLong Too long: may not be longer than 1'],
    ],
    [
      'beside the pattern and without the format: both',
      { type: 'string', pattern: '^x', format: 'ipv4' },
      'a',
      [invalid("f in body should match '^x'", '"a"', 'f'), mistyped('a', 'ipv4')],
    ],
    [
      'with too few properties, which are not looked at then',
      { type: 'object', minProperties: 3, properties: { a: { type: 'string' } }, required: ['b'] },
      { a: 1 },
      [invalid('f in body should have at least 3 properties', '1', 'f')],
    ],
    [
      'with too many properties, which are not looked at then',
      { type: 'object', maxProperties: 1, additionalProperties: { type: 'string' } },
      { a: 1, b: 2 },
      ['f TooMany Too many: 2: must have at most 1 items'],
    ],
    [
      'with wrong properties before missing ones',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['b'] },
      { a: 1 },
      [mistyped('integer', 'string', 'f.a'), 'f.b Required Required value'],
    ],
    [
      'beyond the range of a number format',
      { type: 'integer', format: 'int32' },
      4_200_000_000,
      [],
    ],
    ['an integer below the fraction of a bound', { type: 'integer', minimum: 1.5 }, 1, []],
    [
      'null where there is an enum, which never has null',
      { type: 'string', nullable: true, enum: ['a'] },
      null,
      ['f NotSupported Unsupported value: "null": supported values: "a"'],
    ],
    [
      'an object of an enum of objects',
      { type: 'object', enum: [{ a: 1 }] },
      { b: 1, a: [null, 'x', true] },
      [
        'f NotSupported Unsupported value: map[string]interface {}{"a":[]interface {}{interface {}(nil), "x", true}, "b":1}: supported values: "{\\"a\\":1}"',
      ],
    ],
    ['a list where a text with a format belongs', { type: 'string', format: 'date' }, ['a'], []],
    [
      'a number where a text with a format belongs',
      { type: 'string', format: 'date-time' },
      5,
      ['f TypeInvalid Invalid value: "int64": f in body must be of type date-time: "int64"'],
    ],
    [
      'an object where a text with a format belongs',
      { type: 'string', format: 'uuid' },
      {},
      ['f TypeInvalid Invalid value: "": f in body must be of type uuid: ""'],
    ],
    [
      'a number where a text with an unknown format belongs',
      { type: 'string', format: 'x' },
      5,
      [mistyped('integer', 'string')],
    ],
  ] as readonly [string, SchemaProps, Json, string[]][])
    test(name, () => expect(causes(schema, value)).toEqual(expected))
})

describe('alternatives give the reasons of the branch that fits best', () => {
  const a: SchemaProps = { properties: { a: { minimum: 5 } }, required: ['a'] }
  const b: SchemaProps = { properties: { b: { minLength: 2 } }, required: ['b'] }
  const object: SchemaProps = {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { type: 'string' } },
  }
  for (const [name, schema, value, expected] of [
    ['int-or-string', either, 'a', []],
    [
      'a fraction where an integer or a text belongs',
      either,
      1.5,
      [
        mistyped('number', 'integer,string'),
        invalid('"f" must validate at least one schema (anyOf)'),
        mistyped('number', 'integer'),
      ],
    ],
    [
      'anyOf, the first of equal ones',
      { ...object, anyOf: [a, b] },
      {},
      [invalid('"f" must validate at least one schema (anyOf)'), 'f.a Required Required value'],
    ],
    [
      'anyOf, the one of more checks',
      { ...object, anyOf: [a, b] },
      { b: 'x' },
      [
        invalid('"f" must validate at least one schema (anyOf)'),
        invalid('f.b in body should be at least 2 chars long', '"x"', 'f.b'),
      ],
    ],
    [
      'oneOf, none',
      { ...object, oneOf: [a, b] },
      { a: 1 },
      [
        invalid('"f" must validate one and only one schema (oneOf). Found none valid'),
        invalid('f.a in body should be greater than or equal to 5', '1', 'f.a'),
      ],
    ],
    [
      'oneOf, two: without the reasons of others',
      { ...object, oneOf: [a, b, { required: ['c'] }] },
      { a: 5, b: 'xx' },
      [invalid('"f" must validate one and only one schema (oneOf). Found 2 valid alternatives')],
    ],
    [
      'allOf, some',
      { ...object, allOf: [a, b, { minProperties: 1 }] },
      { b: 'x' },
      [
        'f.a Required Required value',
        invalid('f.b in body should be at least 2 chars long', '"x"', 'f.b'),
        invalid('"f" must validate all the schemas (allOf)'),
      ],
    ],
    [
      'allOf, none',
      { ...object, allOf: [a, b] },
      {},
      [
        'f.a Required Required value',
        'f.b Required Required value',
        invalid('"f" must validate all the schemas (allOf). None validated'),
      ],
    ],
    [
      'the same reason of several only once',
      { ...object, allOf: [a, a], required: ['a'] },
      {},
      [
        'f.a Required Required value',
        invalid('"f" must validate all the schemas (allOf). None validated'),
      ],
    ],
    [
      'not',
      { ...object, not: { required: ['a'] } },
      { a: 9 },
      [invalid('"f" must not validate the schema (not)')],
    ],
    [
      'one in the other',
      { ...object, anyOf: [{ oneOf: [a, b] }] },
      { a: 1 },
      [
        invalid('"f" must validate at least one schema (anyOf)'),
        invalid('"f" must validate one and only one schema (oneOf). Found none valid'),
        invalid('f.a in body should be greater than or equal to 5', '1', 'f.a'),
      ],
    ],
  ] as readonly [string, SchemaProps, Json, string[]][])
    test(name, () => expect(causes(schema, value)).toEqual(expected))

  test('no more than 500', () => {
    const list = Array.from({ length: 400 }, () => 1.5)
    const errors = new FieldErrors()
    expect(() => validateValue(list, { type: 'array', items: either }, errors)).toThrow('too many')
    expect(errors.list).toHaveLength(501)
  })
})

describe('formats of texts', () => {
  for (const [format, right, wrong] of [
    ['duration', ['1h', '1.5h', '2 days', '3w', '10min'], ['', 'x', '5', '5 parsecs']],
    [
      'date-time',
      ['2020-01-02T03:04:05Z', '2020-01-02t03:04:05.5+01:00'],
      ['2020-01-02', '2020-01-02T24:00:00Z'],
    ],
    ['date', ['2020-02-29'], ['2021-02-29', '2020-2-1']],
    [
      'hostname',
      ['a', 'a-b.example.com', 'localhost'],
      ['a_b', 'example.com.', '1.2.3.4', '*.a.com', ''],
    ],
    ['ipv4', ['1.2.3.4', '::ffff:1.2.3.4'], ['1.2.3', '::1']],
    ['ipv6', ['::1'], ['1.2.3.4', 'fe80::1%eth0']],
    ['cidr', ['10.0.0.0/8', '::/0'], ['10.0.0.0', '10.0.0.0/33']],
    ['mac', ['01:23:45:67:89:ab', '01-23-45-67-89-ab-cd-ef', '0123.4567.89ab'], ['01:23']],
    ['email', ['a@b.c', 'A B <a@b.c>'], ['a', 'a b@c']],
    ['uuid4', ['6ba7b810-9dad-41d1-80b4-00c04fd430c8'], ['6ba7b810-9dad-41d1-00b4-00c04fd430c8']],
    ['byte', ['YQ==', 'YWJj'], ['', 'a', 'YQ=']],
    ['uri', ['https://a/b', '/a'], ['a', '']],
    ['password', ['', 'x'], []],
    ['rgbcolor', ['rgb(0, 255,1)'], ['rgb(256,0,0)']],
    ['ip', ['anything'], []],
    ['int-or-string', ['anything'], []],
  ] as readonly [string, readonly string[], readonly string[]][])
    test(format, () => {
      const fails = (text: string) => causes({ type: 'string', format }, text)
      expect(right.flatMap(fails)).toEqual([])
      expect(wrong.map(fails)).toEqual(
        wrong.map((text) => [
          `f TypeInvalid Invalid value: ${JSON.stringify(text)}: f in body must be of type ${format}: ${JSON.stringify(text)}`,
        ]),
      )
    })
})
