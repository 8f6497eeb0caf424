import { describe, expect, test } from 'vitest'
import {
  c,
  cells,
  duplicate,
  forbidden,
  invalid,
  notSupported,
  problems,
  read,
  required,
  statusProblems,
} from '../meta/hooks.fixture.ts'
import { MANDATORY_FLOW_SCHEMAS } from './flow-schema-rules.ts'
import { flowSchemas } from './flow-schema.ts'

const resourceRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }
const subject = { kind: 'User', user: { name: 'u' } }
const rule = { subjects: [subject], resourceRules: [resourceRule] }
const of = (spec: object = {}, name = 'x') =>
  read(flowSchemas, {
    metadata: { name },
    spec: { priorityLevelConfiguration: { name: 'p' }, rules: [rule], ...spec },
  })
const ruled = (given: object) => of({ rules: [{ ...rule, ...given }] })
const asked = (given: object) => ruled({ resourceRules: [{ ...resourceRule, ...given }] })
const paths = (...nonResourceURLs: string[]) =>
  ruled({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs }] })

const R = 'spec.rules[0]'
const U = `${R}.nonResourceRules[0].nonResourceURLs`
const VERBS = 'create delete deletecollection get list patch proxy update watch'.split(' ')

describe('rules', () => {
  for (const [name, object, wanted] of [
    ['a whole one', of(), []],
    [
      'the exempt one',
      read(flowSchemas, {
        metadata: { name: 'exempt' },
        spec: MANDATORY_FLOW_SCHEMAS.get('exempt'),
      }),
      [],
    ],
    [
      'places',
      of({ matchingPrecedence: 10_001 }),
      [invalid('spec.matchingPrecedence', 10_001, 'must not be greater than 10000')],
    ],
    [
      'the first place',
      of({ matchingPrecedence: 1 }),
      [
        invalid(
          'spec.matchingPrecedence',
          1,
          "only the schema named 'exempt' may have matchingPrecedence 1",
        ),
      ],
    ],
    [
      'no level, an unknown method',
      of({ priorityLevelConfiguration: { name: '' }, distinguisherMethod: { type: 'x' } }),
      [
        notSupported('spec.distinguisherMethod.type', 'x', 'ByNamespace', 'ByUser'),
        required('spec.priorityLevelConfiguration.name', 'must reference a priority level'),
      ],
    ],
    [
      'an empty rule',
      of({ rules: [{ subjects: [] }] }),
      [
        required(`${R}.subjects`, 'subjects must contain at least one value'),
        required(R, 'at least one of resourceRules and nonResourceRules has to be non-empty'),
      ],
    ],
    [
      'an unknown subject',
      ruled({ subjects: [{ kind: 'x' }] }),
      [notSupported(`${R}.subjects[0].kind`, 'x', 'Group', 'ServiceAccount', 'User')],
    ],
    [
      'another subject',
      ruled({ subjects: [{ kind: 'Group', user: { name: 'u' } }] }),
      [
        required(`${R}.subjects[0].group`, "group is required when subject kind is 'Group'"),
        forbidden(`${R}.subjects[0].user`, "user is forbidden when subject kind is not 'User'"),
      ],
    ],
    [
      'a service account',
      ruled({
        subjects: [
          { kind: 'ServiceAccount', serviceAccount: { name: '', namespace: '' } },
          { kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: 'n' } },
        ],
      }),
      [
        required(`${R}.subjects[0].serviceAccount.name`),
        required(
          `${R}.subjects[0].serviceAccount.namespace`,
          'must specify namespace for service account',
        ),
      ],
    ],
    [
      'an unknown verb',
      asked({ verbs: ['get', 'x'] }),
      [notSupported(`${R}.resourceRules[0].verbs`, ['get', 'x'], ...VERBS)],
    ],
    [
      'nothing',
      asked({ verbs: [], apiGroups: [], resources: [], namespaces: [] }),
      [
        required(`${R}.resourceRules[0].verbs`, 'verbs must contain at least one value'),
        required(
          `${R}.resourceRules[0].apiGroups`,
          'resource rules must supply at least one api group',
        ),
        required(
          `${R}.resourceRules[0].resources`,
          'resource rules must supply at least one resource',
        ),
        required(
          `${R}.resourceRules[0].namespaces`,
          'resource rules that are not cluster scoped must supply at least one namespace',
        ),
      ],
    ],
    ['the cluster', asked({ namespaces: [], clusterScope: true }), []],
    [
      'all verbs and one',
      asked({ verbs: ['*', 'get'] }),
      [
        invalid(
          `${R}.resourceRules[0].verbs`,
          ['*', 'get'],
          "if '*' is present, must not specify other verbs",
        ),
      ],
    ],
    ['paths', paths('/a', '/b/*'), []],
    [
      'wrong paths',
      paths('', 'a', '/a b', '/a//b', '/a*'),
      [
        invalid(`${U}[0]`, '', 'must not be empty'),
        invalid(`${U}[1]`, 'a', 'must start with slash'),
        invalid(`${U}[2]`, '/a b', 'must not contain white-space'),
        invalid(`${U}[3]`, '/a//b', 'must not contain double slash'),
        invalid(`${U}[4]`, '/a*', 'wildcard can only do suffix matching'),
      ],
    ],
  ] as const) {
    test(name, () => expect(problems(flowSchemas, object)).toEqual(wanted))
  }
})

test('the fixed ones stay as they are', () => {
  const object = of({}, 'catch-all')
  expect(problems(flowSchemas, object)).toEqual([
    invalid('spec', object.spec, "spec of 'catch-all' must equal the fixed value"),
  ])
})

test('what the server fills and keeps', () => {
  const made = of()
  flowSchemas.prepareForCreate!(made, c)
  expect([made.spec.matchingPrecedence, made.status, made.metadata.generation]).toEqual([
    1000,
    {},
    1,
  ])
  const next = structuredClone(made)
  next.spec.matchingPrecedence = 5
  flowSchemas.prepareForUpdate!(next, made, c)
  expect(next.metadata.generation).toBe(2)
  expect(cells(flowSchemas, made)).toEqual(['x', 'p', 1000, '<none>', '<unknown>', '?'])
})

test('the status', () => {
  const next = of()
  next.status.conditions = [{ type: 'A' }, { type: 'A' }, {}]
  expect(statusProblems(flowSchemas, next)).toEqual([
    duplicate('status.conditions[1].type', 'A'),
    required('status.conditions[2].type', 'must not be empty'),
  ])
  const part = flowSchemas.subresources!['status']!
  const managedFields = [{ manager: 'm' }]
  next.metadata = { name: 'x', labels: { a: 'b' }, managedFields }
  if (part.serves === 'part') part.prepareForUpdate!(next, of(), c)
  expect(next.metadata).toEqual({ name: 'x', managedFields })
})
