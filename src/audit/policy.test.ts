import { describe, expect, test } from 'vitest'
import { kubernetes } from '../vocabulary/kubernetes.ts'
import { orch } from '../vocabulary/orch.ts'
import { readPolicy } from './policy.ts'

const document = (more: object) => ({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', ...more })
const withRule = (rule: object) => document({ rules: [{ level: 'Metadata', ...rule }] })
const EMPTY = {
  users: [],
  userGroups: [],
  verbs: [],
  resources: [],
  namespaces: [],
  nonResourceURLs: [],
  omitStages: [],
  omitManagedFields: undefined,
}

test('a whole policy', () => {
  const given = document({
    metadata: { name: 'x' },
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
    rules: [
      { level: 'None', nonResourceURLs: ['*', '/healthz*', '/version'] },
      {
        level: 'Request',
        users: ['a'],
        userGroups: ['b'],
        verbs: ['get'],
        resources: [{ group: 'apps', resources: ['*', '*/scale'], resourceNames: ['n'] }, {}],
        namespaces: [''],
        omitStages: ['Panic'],
        omitManagedFields: false,
      },
    ],
  })
  expect(readPolicy(given, kubernetes)).toEqual({
    policy: {
      omitStages: ['RequestReceived'],
      omitManagedFields: true,
      rules: [
        { ...EMPTY, level: 'None', nonResourceURLs: ['*', '/healthz*', '/version'] },
        {
          level: 'Request',
          users: ['a'],
          userGroups: ['b'],
          verbs: ['get'],
          resources: [
            { group: 'apps', resources: ['*', '*/scale'], resourceNames: ['n'] },
            { group: '', resources: [], resourceNames: [] },
          ],
          namespaces: [''],
          nonResourceURLs: [],
          omitStages: ['Panic'],
          omitManagedFields: false,
        },
      ],
    },
    unknown: [],
  })
})

test('unknown fields are listed', () => {
  const given = document({ x: 1, rules: [{ level: 'None', y: 1, resources: [{ z: 1 }] }] })
  expect(readPolicy(given, kubernetes).unknown).toEqual([
    'x',
    'rules[0].y',
    'rules[0].resources[0].z',
  ])
})

test('the group of the vocabulary orch', () => {
  const given = { ...document({ rules: [{ level: 'None' }] }), apiVersion: 'audit.orch.io/v1' }
  expect(readPolicy(given, orch).policy.rules).toHaveLength(1)
})

describe('faults', () => {
  const stages = 'allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic'
  const levels =
    'Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"'
  for (const { name, given, error } of [
    { name: 'no document', given: null, error: 'failed decoding: it is no object' },
    {
      name: 'another version',
      given: { apiVersion: 'audit.k8s.io/v1beta1', kind: 'Policy' },
      error:
        'unknown group version field "audit.k8s.io/v1beta1", Kind="Policy" in policy file, expected audit.k8s.io/v1, Kind=Policy',
    },
    { name: 'no rules', given: document({}), error: 'loaded illegal policy with 0 rules' },
    {
      name: 'rules of a wrong type',
      given: document({ rules: {} }),
      error: 'failed decoding: rules: must be a list',
    },
    {
      name: 'a rule of a wrong type',
      given: document({ rules: [1] }),
      error: 'failed decoding: rules[0]: must be an object',
    },
    {
      name: 'users of a wrong type',
      given: withRule({ users: ['a', 1] }),
      error: 'failed decoding: rules[0].users[1]: must be a string',
    },
    {
      name: 'a switch of a wrong type',
      given: withRule({ omitManagedFields: 'yes' }),
      error: 'failed decoding: rules[0].omitManagedFields: must be true or false',
    },
    { name: 'no level', given: withRule({ level: '' }), error: 'rules[0].level: Required value' },
    { name: 'a level', given: withRule({ level: 'All' }), error: `rules[0].level: ${levels}` },
    {
      name: 'stages',
      given: { ...withRule({ omitStages: ['a'] }), omitStages: ['Panic', 'b'] },
      error: `[omitStages[1]: Invalid value: "b": ${stages}, rules[0].omitStages[0]: Invalid value: "a": ${stages}]`,
    },
    {
      name: 'URLs',
      given: withRule({ nonResourceURLs: ['a', '/b*c'] }),
      error:
        '[rules[0].nonResourceURLs[0]: Invalid value: "a": non-resource URL rules must begin with a \'/\' character, rules[0].nonResourceURLs[1]: Invalid value: "/b*c": non-resource URL wildcards \'*\' must be the final character of the rule]',
    },
    {
      name: 'a group with a version',
      given: withRule({ resources: [{ group: 'apps/v1' }] }),
      error:
        "rules[0].resources.group: Invalid value: \"apps/v1\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    },
    {
      name: 'names without resources',
      given: withRule({ resources: [{ resourceNames: ['a', 'b'] }] }),
      error:
        'rules[0].resources.resourceNames: Invalid value: []string{"a", "b"}: using resourceNames requires at least one resource',
    },
    {
      name: 'URLs beside namespaces',
      given: withRule({ nonResourceURLs: ['/a'], namespaces: ['b'] }),
      error:
        'rules[0].nonResourceURLs: Invalid value: []string{"/a"}: rules cannot apply to both regular resources and non-resource URLs',
    },
  ]) {
    test(name, () => expect(() => readPolicy(given, kubernetes)).toThrow(new Error(error)))
  }
})
