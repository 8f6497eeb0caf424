/** What validation rules see of objects. */
import { describe, expect, test } from 'vitest'
import { Budget } from '../cel/budget.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import { evaluateRules } from './evaluate-rules.ts'
import type { Json, SchemaProps } from './json-schema-props.ts'
import { SchemaExpressions } from './schema-expressions.ts'

const text: SchemaProps = { type: 'string' }
const number: SchemaProps = { type: 'integer' }
const rules = (...all: string[]) => ({ 'x-{brand}-validations': all.map((rule) => ({ rule })) })
const object = (properties: Record<string, SchemaProps>, ...all: string[]): SchemaProps => ({
  type: 'object',
  properties,
  ...rules(...all),
})
const embedded = (more: SchemaProps, ...all: string[]): SchemaProps => ({
  type: 'object',
  'x-{brand}-embedded-resource': true,
  'x-{brand}-preserve-unknown-fields': true,
  ...more,
  ...rules(...all),
})

/** Fields and texts of the violations in an object. */
function problems(schema: SchemaProps, value: Json, old?: Json): string[] {
  const errors = new FieldErrors()
  evaluateRules({ value, old, schema, errors }, SchemaExpressions.of(schema)!, new Budget())
  return errors.list.map(({ field, message }) => `${field}: ${message}`)
}

const type = { apiVersion: 'v1', kind: 'Pod' }
const unseen = (field: string, name: string) => ({
  failure: new RegExp(`^${field}: Invalid value: "object": rule compile error: .*${name}`, 's'),
})
const failed = (field: string, shown: string, rule: string) =>
  `${field}: Invalid value: "${shown}": failed rule: ${rule}`

interface Case {
  readonly name: string
  readonly schema: SchemaProps
  readonly value: Json
  readonly old?: Json
  readonly expected: readonly string[] | { readonly failure: RegExp }
}

const cases: readonly Case[] = [
  {
    name: 'the type and the names of the whole object',
    schema: object(
      {},
      'self.kind == "Vat" && self.apiVersion == "a/v1" && self.metadata.name == "n"',
    ),
    value: { kind: 'Vat', apiVersion: 'a/v1', metadata: { name: 'n' } },
    expected: [],
  },
  {
    name: 'a generated name, which may be absent',
    schema: object({}, '!has(self.metadata.generateName)'),
    value: { metadata: { name: 'n' } },
    expected: [],
  },
  {
    name: 'no labels of the whole object',
    schema: object({}, 'has(self.metadata.labels)'),
    value: { metadata: { name: 'n', labels: {} } },
    expected: unseen('', 'labels'),
  },
  {
    name: 'the type and the names of an embedded object',
    schema: object({ e: embedded({}, 'self.kind == "Pod" && self.metadata.name == "x"') }),
    value: { e: { ...type, metadata: { name: 'y' } } },
    expected: [failed('e', 'object', 'self.kind == "Pod" && self.metadata.name == "x"')],
  },
  {
    name: 'no other metadata of an embedded object whose schema has not all of the type and names',
    schema: object({
      e: embedded(
        {
          properties: {
            metadata: { type: 'object', properties: { name: text, namespace: text } },
          },
        },
        'has(self.metadata.__namespace__)',
      ),
    }),
    value: { e: type },
    expected: unseen('e', '__namespace__'),
  },
  {
    name: 'all metadata that the schema of an embedded object names beside type and names',
    schema: object({
      e: embedded(
        {
          properties: {
            apiVersion: text,
            kind: text,
            metadata: {
              type: 'object',
              properties: { name: text, generateName: text, namespace: text },
            },
          },
        },
        'self.metadata.__namespace__ == "a"',
      ),
    }),
    value: { e: { ...type, metadata: { namespace: 'b' } } },
    expected: [failed('e', 'object', 'self.metadata.__namespace__ == "a"')],
  },
  {
    name: 'an integer or a text as what it is',
    schema: object(
      { p: { 'x-{brand}-int-or-string': true } },
      'type(self.p) == string ? self.p == "50%" : self.p < 10',
    ),
    value: { p: 12 },
    expected: [failed('', 'object', 'type(self.p) == string ? self.p == "50%" : self.p < 10')],
  },
  {
    name: 'an integer or a text of the wrong one of both',
    schema: object({ p: { 'x-{brand}-int-or-string': true, ...rules('self > 1') } }),
    value: { p: 'a' },
    expected: [
      `p: Invalid value: "": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self > 1`,
    ],
  },
  {
    name: 'a list with keys in any order',
    schema: object({
      l: {
        type: 'array',
        'x-{brand}-list-type': 'map',
        'x-{brand}-list-map-keys': ['k'],
        items: object({ k: text, n: number }),
        ...rules('self == oldSelf'),
      },
    }),
    value: {
      l: [
        { k: 'a', n: 1 },
        { k: 'b', n: 2 },
      ],
    },
    old: {
      l: [
        { k: 'b', n: 2 },
        { k: 'a', n: 1 },
      ],
    },
    expected: [],
  },
  {
    name: 'a set in any order, and a list not',
    schema: object({
      s: { type: 'array', 'x-{brand}-list-type': 'set', items: text, ...rules('self == oldSelf') },
      l: { type: 'array', items: text, ...rules('self == oldSelf') },
    }),
    value: { s: ['a', 'b'], l: ['a', 'b'] },
    old: { s: ['b', 'a'], l: ['b', 'a'] },
    expected: [failed('l', 'array', 'self == oldSelf')],
  },
  {
    name: 'a change only where something was before',
    schema: object({ n: { ...number, ...rules('self > oldSelf') } }, 'self.n >= oldSelf.n'),
    value: { n: 1 },
    old: {},
    expected: [`: Invalid value: "object": no such key: n evaluating rule: self.n >= oldSelf.n`],
  },
  {
    name: 'names that are not identifiers under escaped names',
    schema: object(
      { 'a-b': number, 'a.b': number, 'a/b': number, in: number, a__b: number },
      'self.a__dash__b + self.a__dot__b + self.a__slash__b + self.__in__ + self.a__underscores__b == 5',
    ),
    value: { 'a-b': 1, 'a.b': 1, 'a/b': 1, in: 1, a__b: 1 },
    expected: [],
  },
  {
    name: 'no field without a type',
    schema: object({ any: { 'x-{brand}-preserve-unknown-fields': true } }, 'has(self.any)'),
    value: { any: 1 },
    expected: unseen('', 'any'),
  },
  {
    name: 'null that is allowed as absent',
    schema: object({ n: { ...number, nullable: true, ...rules('self > 5') } }, '!has(self.n)'),
    value: {},
    expected: [],
  },
]

describe('rules see', () => {
  for (const { name, schema, value, old, expected } of cases)
    test(name, () => {
      const found = problems(schema, value, old)
      if ('failure' in expected) expect(found.join('\n')).toMatch(expected.failure)
      else expect(found).toEqual(expected)
    })
})
