import { describe, expect, test } from 'vitest'
import { checkDeclared } from '../../catalogue/check.ts'
import { codecOf, Decoding } from '../../codec/codec.ts'
import { FieldErrors } from '../../meta/field-errors.ts'
import { kubernetes } from '../../vocabulary/kubernetes.ts'
import { orch } from '../../vocabulary/orch.ts'
import {
  NodeSelector,
  nodeSelectorTermWarnings,
  oldNodeLabel,
  validateNodeSelector,
} from './node-selector.ts'

function problems(terms: object[]): string[] {
  const object = { nodeSelectorTerms: terms }
  const selector = codecOf(NodeSelector.shape).decode(object, new Decoding()) as never
  const errors = new FieldErrors()
  checkDeclared(NodeSelector.shape, selector, errors)
  validateNodeSelector(selector, errors)
  return errors.list.map(({ field, message }) => `${field}: ${message}`)
}

const KEY =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const NODE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

test('a selector needs a term', () => {
  expect(problems([])).toEqual([
    'nodeSelectorTerms: Required value: must have at least one node selector term',
  ])
  expect(problems([{}])).toEqual([])
})

describe('a condition on a label', () => {
  const NEEDED = "values: Required value: must be specified when `operator` is 'In' or 'NotIn'"
  const UNWANTED =
    "values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
  const SINGLE =
    "values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'"
  const OPERATORS = 'supported values: "DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"'
  for (const { name, operator, values, key = 'k', wrong } of [
    { name: 'In with values', operator: 'In', values: ['a', 'b'], wrong: [] },
    { name: 'NotIn with values', operator: 'NotIn', values: ['a'], wrong: [] },
    { name: 'In without values', operator: 'In', wrong: [NEEDED] },
    { name: 'NotIn without values', operator: 'NotIn', wrong: [NEEDED] },
    { name: 'Exists', operator: 'Exists', wrong: [] },
    { name: 'Exists with values', operator: 'Exists', values: ['a'], wrong: [UNWANTED] },
    {
      name: 'DoesNotExist with values',
      operator: 'DoesNotExist',
      values: ['a'],
      wrong: [UNWANTED],
    },
    { name: 'Gt with a value', operator: 'Gt', values: ['1'], wrong: [] },
    { name: 'Gt with two values', operator: 'Gt', values: ['1', '2'], wrong: [SINGLE] },
    { name: 'Lt without value', operator: 'Lt', wrong: [SINGLE] },
    {
      name: 'no operator',
      operator: '',
      wrong: ['operator: Invalid value: "": not a valid selector operator'],
    },
    {
      name: 'an unknown operator',
      operator: 'Like',
      wrong: [`operator: Unsupported value: "Like": ${OPERATORS}`],
    },
    {
      name: 'a key that is none',
      operator: 'Exists',
      key: '-',
      wrong: [`key: Invalid value: "-": ${KEY}`],
    },
  ]) {
    test(name, () => {
      const at = 'nodeSelectorTerms[0].matchExpressions[0].'
      expect(problems([{ matchExpressions: [{ key, operator, values }] }])).toEqual(
        wrong.map((text) => at + text),
      )
    })
  }
})

describe('a condition on a field', () => {
  const ONE =
    "values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
  for (const { name, operator, values, key = 'metadata.name', wrong } of [
    { name: 'one name', operator: 'In', values: ['node-1'], wrong: [] },
    { name: 'any other name', operator: 'NotIn', values: ['node-1'], wrong: [] },
    { name: 'two names', operator: 'In', values: ['a', 'b'], wrong: [ONE] },
    { name: 'no name', operator: 'NotIn', wrong: [ONE] },
    {
      name: 'an operator for labels',
      operator: 'Exists',
      wrong: ['operator: Invalid value: "Exists": not a valid selector operator'],
    },
    {
      name: 'another field',
      operator: 'In',
      values: ['A'],
      key: 'metadata.uid',
      wrong: ['key: Invalid value: "metadata.uid": not a valid field selector key'],
    },
    {
      name: 'a name that is none',
      operator: 'In',
      values: ['A'],
      wrong: [`values[0]: Invalid value: "A": ${NODE}`],
    },
  ]) {
    test(name, () => {
      const at = 'nodeSelectorTerms[0].matchFields[0].'
      expect(problems([{ matchFields: [{ key, operator, values }] }])).toEqual(
        wrong.map((text) => at + text),
      )
    })
  }
})

test('old labels of nodes are warned about', () => {
  for (const [key, text] of [
    ['beta.orch.io/arch', 'deprecated since v1.14; use "orch.io/arch" instead'],
    ['beta.orch.io/os', 'deprecated since v1.14; use "orch.io/os" instead'],
    [
      'failure-domain.beta.orch.io/region',
      'deprecated since v1.17; use "topology.orch.io/region" instead',
    ],
    [
      'failure-domain.beta.orch.io/zone',
      'deprecated since v1.17; use "topology.orch.io/zone" instead',
    ],
    [
      'beta.orch.io/instance-type',
      'deprecated since v1.17; use "node.orch.io/instance-type" instead',
    ],
    ['orch.io/arch', null],
    ['beta.kubernetes.io/arch', null],
  ] as const) {
    expect(oldNodeLabel(key, orch)).toBe(text)
  }
  const matchExpressions = [
    { key: 'a', operator: 'Exists' as const },
    { key: 'beta.kubernetes.io/os', operator: 'Exists' as const },
  ]
  expect(nodeSelectorTermWarnings({ matchExpressions }, 'term', kubernetes)).toEqual([
    'term.matchExpressions[1].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
  ])
})
