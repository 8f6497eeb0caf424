import { describe, expect, test } from 'vitest'
import { Budget } from '../cel/budget.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import { invalid } from '../kinds/meta/hooks.fixture.ts'
import { evaluateRules } from './evaluate-rules.ts'
import type { Json, SchemaProps } from './json-schema-props.ts'
import { SchemaExpressions } from './schema-expressions.ts'

const rules = (...all: (string | [string, string])[]) => ({
  'x-{brand}-validations': all.map((one) =>
    typeof one === 'string' ? { rule: one } : { rule: one[0], message: one[1] },
  ),
})

function problems(schema: SchemaProps, value: Json, old?: Json, budget = new Budget()) {
  const errors = new FieldErrors()
  const expressions = SchemaExpressions.of(schema)!
  const done = evaluateRules(value, old, schema, expressions, budget, errors)
  return done ? errors.list : [...errors.list, 'stopped']
}

const object = (properties: Record<string, SchemaProps>, ...own: string[]): SchemaProps => ({
  type: 'object',
  properties,
  ...rules(...own),
})
const number: SchemaProps = { type: 'integer', ...rules('self > 0', 'self >= oldSelf') }
const keyed: SchemaProps = {
  type: 'array',
  'x-{brand}-list-type': 'map',
  'x-{brand}-list-map-keys': ['k'],
  items: object({ k: { type: 'string' }, n: number }),
}
const failed = (field: string, type: string, rule: string) =>
  invalid(field, type, `failed rule: ${rule}`)

describe('rules over values', () => {
  for (const [name, schema, value, old, wanted] of [
    ['hold', object({ n: number }, 'self.n < 9'), { n: 1 }, undefined, []],
    [
      'fail',
      object({ n: number }, 'self.n < 9'),
      { n: 9 },
      null,
      [failed('', 'object', 'self.n < 9')],
    ],
    [
      'fail inside',
      object({ n: number }),
      { n: 0 },
      undefined,
      [failed('n', 'integer', 'self > 0')],
    ],
    [
      'say their message',
      { type: 'string', ...rules(['self == "a"', ' be a ']) },
      'b',
      undefined,
      [invalid('', 'string', 'be a')],
    ],
    [
      'fail to be evaluated',
      object({ n: number, m: number }, 'self.m > 0'),
      { n: 1 },
      undefined,
      [invalid('', 'object', 'no such key: m evaluating rule: self.m > 0')],
    ],
    [
      'compare with the value before',
      object({ n: number }),
      { n: 2 },
      { n: 3 },
      [failed('n', 'integer', 'self >= oldSelf')],
    ],
    [
      'find the item before by its key',
      object({ l: keyed }),
      {
        l: [
          { k: 'b', n: 1 },
          { k: 'a', n: 1 },
          { k: 'c', n: 1 },
        ],
      },
      {
        l: [
          { k: 'a', n: 2 },
          { k: 'b', n: 1 },
        ],
      },
      [failed('l[1].n', 'integer', 'self >= oldSelf')],
    ],
    [
      'find the entry before by its name',
      object({ m: { type: 'object', additionalProperties: number } }),
      { m: { a: 1, constructor: 1 } },
      { m: { a: 2 } },
      [failed('m[a]', 'integer', 'self >= oldSelf')],
    ],
    [
      'have nothing before in an atomic map',
      object({
        m: { type: 'object', additionalProperties: number, 'x-{brand}-map-type': 'atomic' },
      }),
      { m: { a: 1 } },
      { m: { a: 2 } },
      [],
    ],
    [
      'are not for null',
      object({ n: { ...number, nullable: true } }, '!has(self.n)'),
      { n: null },
      { n: 3 },
      [],
    ],
    [
      'know the object around',
      object({ n: number }, 'self.metadata.name == "x" && self.kind == "K"'),
      { kind: 'K', metadata: { name: 'x' }, n: 1 },
      undefined,
      [],
    ],
    [
      'look at an integer or a text',
      object({ e: { 'x-{brand}-int-or-string': true, ...rules('self == 1 || self == "1"') } }),
      { e: '1' },
      undefined,
      [],
    ],
    [
      'do not compile',
      { type: 'string', ...rules('self.x') },
      'b',
      undefined,
      [
        invalid(
          '',
          'string',
          "rule compile error: compilation failed: 1:6: cannot index type 'string'",
        ),
      ],
    ],
  ] satisfies [string, SchemaProps, Json, Json, unknown[]][]) {
    test(name, () => expect(problems(schema, value, old)).toEqual(wanted))
  }

  test('end when the budget does', () => {
    const schema: SchemaProps = { type: 'array', items: number }
    const list = Array.from({ length: 100 }, () => 0)
    expect(problems(schema, list, undefined, new Budget(5))).toEqual([
      failed('[0]', 'integer', 'self > 0'),
      failed('[1]', 'integer', 'self > 0'),
      invalid(
        '[2]',
        'integer',
        'validation failed due to running out of cost budget, no further validation rules will be run',
      ),
      'stopped',
    ])
  })
})
