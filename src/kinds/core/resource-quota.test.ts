import { describe, expect, test } from 'vitest'
import { c, cells, partProblems, problems, read } from '../hooks.fixture.ts'
import { partOf } from '../parts.fixture.ts'
import { type ResourceQuota, resourceQuotas } from './resource-quota.ts'

const quotaOf = (spec: object, status: object = {}): ResourceQuota =>
  read(resourceQuotas, { spec, status })

const STANDARD = 'must be a standard resource type or fully qualified'
const QUOTA = 'must be a standard resource for quota'
const ONLY_EXISTS =
  "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
const at = 'spec.scopeSelector.matchExpressions'
const selected = (...matchExpressions: object[]) => ({ scopeSelector: { matchExpressions } })

describe('the spec', () => {
  const rows: [name: string, spec: object, expected: string[]][] = [
    ['nothing', {}, []],
    [
      'known resources',
      {
        hard: {
          cpu: '1',
          'requests.storage': '1Gi',
          'count/deployments.apps': '3',
          'requests.a.com/gpu': '2',
          'hugepages-2Mi': '4Mi',
          'requests.hugepages-2Mi': '4Mi',
          pods: '5',
        },
      },
      [],
    ],
    [
      'unknown resources',
      { hard: { thing: '1', storage: '1', 'a/b/c': '1' } },
      [
        "Invalid spec.hard[a/b/c]: Invalid value: \"a/b/c\": a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
        `Invalid spec.hard[storage]: Invalid value: "storage": ${QUOTA}`,
        `Invalid spec.hard[thing]: Invalid value: "thing": ${STANDARD}`,
        `Invalid spec.hard[thing]: Invalid value: "thing": ${QUOTA}`,
      ],
    ],
    [
      'wrong amounts',
      { hard: { cpu: '-1', pods: '1500m' } },
      [
        'Invalid spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        'Invalid spec.hard[pods]: Invalid value: "1500m": must be an integer',
      ],
    ],
    ['scopes', { hard: { pods: '1' }, scopes: ['BestEffort', 'Terminating'] }, []],
    [
      'scopes that do not suit',
      { hard: { cpu: '1', services: '1', 'a.com/b': '1' }, scopes: ['BestEffort'] },
      [
        'Invalid spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
        'Invalid spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
      ],
    ],
    [
      'a scope for pods and compute',
      { hard: { 'limits.cpu': '1', pods: '1', secrets: '1' }, scopes: ['PriorityClass'] },
      [
        'Invalid spec.scopes: Invalid value: ["PriorityClass"]: unsupported scope applied to resource',
      ],
    ],
    [
      'an unknown scope',
      { hard: { secrets: '1' }, scopes: ['Some'] },
      ['Invalid spec.scopes: Invalid value: ["Some"]: unsupported scope'],
    ],
    [
      'scopes that exclude each other',
      { scopes: ['NotBestEffort', 'BestEffort', 'Terminating', 'NotTerminating'] },
      [
        'Invalid spec.scopes: Invalid value: ["NotBestEffort","BestEffort","Terminating","NotTerminating"]: conflicting scopes',
        'Invalid spec.scopes: Invalid value: ["NotBestEffort","BestEffort","Terminating","NotTerminating"]: conflicting scopes',
      ],
    ],
    [
      'a selector',
      selected(
        { scopeName: 'PriorityClass', operator: 'In', values: ['a'] },
        { scopeName: 'BestEffort', operator: 'Exists' },
      ),
      [],
    ],
    [
      'a selector with all that can be wrong',
      selected(
        { scopeName: 'Some', operator: 'Is' },
        { scopeName: 'PriorityClass', operator: 'NotIn' },
        { scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] },
        { scopeName: 'Terminating', operator: 'DoesNotExist' },
        { scopeName: 'NotTerminating', operator: 'Exists' },
      ),
      [
        `Invalid ${at}.scopeName: Invalid value: "Some": unsupported scope`,
        `Invalid ${at}.operator: Invalid value: "Is": not a valid selector operator`,
        `Required ${at}.values: Required value: must be at least one value when \`operator\` is 'In' or 'NotIn' for scope selector`,
        `Invalid ${at}.values: Invalid value: ["a"]: must be no value when \`operator\` is 'Exist' or 'DoesNotExist' for scope selector`,
        `Invalid ${at}.operator: Invalid value: "DoesNotExist": ${ONLY_EXISTS}`,
        `Invalid ${at}: Invalid value: "null": conflicting scopes`,
      ],
    ],
  ]
  for (const [name, spec, expected] of rows) {
    test(name, () => expect(problems(resourceQuotas, quotaOf(spec))).toEqual(expected))
  }
})

test('a create starts without status', () => {
  const quota = quotaOf({ hard: { cpu: '1u' } }, { used: { cpu: '1' } })
  expect(quota.spec.hard).toEqual({ cpu: '1m' })
  resourceQuotas.prepareForCreate!(quota, c)
  expect(quota.status).toEqual({})
})

describe('a change of scopes', () => {
  const rows: [name: string, next: object, expected: string[]][] = [
    ['another order', { scopes: ['NotBestEffort', 'Terminating', 'Terminating'] }, []],
    [
      'one less',
      { scopes: ['Terminating'] },
      [
        'Invalid spec.scopes: Invalid value: []core.ResourceQuotaScope{"Terminating"}: field is immutable',
      ],
    ],
    [
      'none',
      {},
      ['Invalid spec.scopes: Invalid value: []core.ResourceQuotaScope(nil): field is immutable'],
    ],
  ]
  for (const [name, next, expected] of rows) {
    test(name, () => {
      const old = quotaOf({ scopes: ['Terminating', 'NotBestEffort'] })
      expect(problems(resourceQuotas, quotaOf(next), { old })).toEqual(expected)
    })
  }
})

test('the status has the rules of amounts', () => {
  const next = quotaOf({}, { hard: { thing: '1' }, used: { pods: '-1' } })
  expect(partProblems(partOf(resourceQuotas, 'status'), next, quotaOf({}))).toEqual([
    `Invalid status.hard[thing]: Invalid value: "thing": ${STANDARD}`,
    `Invalid status.hard[thing]: Invalid value: "thing": ${QUOTA}`,
    'Invalid status.used[pods]: Invalid value: "-1": must be greater than or equal to 0',
  ])
})

test('the table', () => {
  const status = {
    hard: { pods: '5', cpu: '2', 'limits.memory': '1Gi', 'limits.cpu': '4' },
    used: { cpu: '1', 'limits.cpu': '3' },
  }
  expect(cells(resourceQuotas, quotaOf({}, status))).toEqual([
    'x',
    '<unknown>',
    'cpu: 1/2, pods: 0/5',
    'limits.cpu: 3/4, limits.memory: 0/1Gi',
  ])
})
