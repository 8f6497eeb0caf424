import { describe, expect, test } from 'vitest'
import { finish } from '../base/steps.ts'
import { Budget } from '../cel/budget.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import { invalid } from '../kinds/meta/hooks.fixture.ts'
import { evaluateRules, evaluateRulesInSteps } from './evaluate-rules.ts'
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
  const done = evaluateRules({ value, old, schema, errors }, expressions, budget)
  return done ? errors.list : [...errors.list, 'stopped']
}

/** The violations that are found in steps, each of which ends as soon as it may; and whether there were several. */
function problemsInSteps(schema: SchemaProps, value: Json, old: Json, all = 1e4, ms = 0) {
  const errors = new FieldErrors()
  errors.invalid('a', 'before')
  const budget = new Budget(all, all, { ms, charges: 1, now: () => 0 })
  const expressions = SchemaExpressions.of(schema)!
  const steps = evaluateRulesInSteps({ value, old, schema, errors }, expressions, budget)
  if (steps) finish(steps)
  expect(errors.list.shift()).toEqual(invalid('', 'a', 'before'))
  return { list: errors.list, isInSteps: steps !== undefined, left: budget.left }
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
          "rule compile error: compilation failed: ERROR: <input>:1:5: type 'string' does not support field selection\n | self.x\n | ....^",
        ),
      ],
    ],
  ] satisfies [string, SchemaProps, Json, Json, unknown[]][]) {
    test(name, () => {
      expect(problems(schema, value, old)).toEqual(wanted)
      const inSteps = problemsInSteps(schema, value, old)
      expect(inSteps.list).toEqual(wanted)
      expect(problemsInSteps(schema, value, old, 1e4, 1)).toEqual({ ...inSteps, isInSteps: false })
    })
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

  test('with loops are evaluated in steps', () => {
    const items = object({ a: { type: 'array', items: number } }, 'self.a.all(x, x < 9)')
    const schema = { ...object({ l: { type: 'array', items } }, 'self.l.exists(x, size(x.a) > 5)') }
    const value = { l: [{ a: [1, 2, 3] }, { a: [1, 0] }, { a: [1, 9, 3] }] }
    const wanted = [
      failed('', 'object', 'self.l.exists(x, size(x.a) > 5)'),
      failed('l[1].a[1]', 'integer', 'self > 0'),
      failed('l[2]', 'object', 'self.a.all(x, x < 9)'),
    ]
    const once = new Budget(1e4)
    expect(problems(schema, value, null, once)).toEqual(wanted)
    expect(problemsInSteps(schema, value, null)).toEqual({
      list: wanted,
      isInSteps: true,
      left: once.left,
    })
  })

  test('end when the budget does, also in steps', () => {
    const schema: SchemaProps = { type: 'array', items: number }
    const list = Array.from({ length: 100 }, () => 0)
    const { list: found, isInSteps } = problemsInSteps(schema, list, undefined, 5)
    expect([found.map(({ field }) => field), isInSteps]).toEqual([['[0]', '[1]', '[2]'], true])
  })
})
