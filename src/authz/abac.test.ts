import { describe, expect, test } from 'vitest'
import type { Decision } from './authorizer.ts'
import { abacAuthorizer, parsePolicyFile } from './abac.ts'
import { ask, user, v } from './rbac.fixture.ts'

const VERSION = 'abac.authorization.kubernetes.io/v1beta1'
const line = (spec: object) => JSON.stringify({ apiVersion: VERSION, kind: 'Policy', spec })
const parse = (...lines: string[]) => parsePolicyFile(lines.join('\n'), '/p', v)
const blank = {
  user: '',
  group: '',
  readonly: false,
  apiGroup: '',
  resource: '',
  namespace: '',
  nonResourcePath: '',
}

describe('lines', () => {
  const rows: readonly [string, string, object | null, boolean?][] = [
    ['nothing', '', null],
    ['blanks', '  \t ', null],
    ['a comment', '# {"user": "x"}', null],
    ['an indented comment', '  # x', null],
    [
      'a policy',
      line({ user: 'alice', readonly: true, apiGroup: '*', resource: 'pods', namespace: 'a' }),
      { ...blank, user: 'alice', readonly: true, apiGroup: '*', resource: 'pods', namespace: 'a' },
    ],
    [
      'a policy for paths',
      line({ group: 'g', nonResourcePath: '/x/*' }),
      { ...blank, group: 'g', nonResourcePath: '/x/*' },
    ],
    ['a policy for nobody', JSON.stringify({ apiVersion: VERSION, kind: 'Policy' }), blank],
    ['null is nothing', line({ user: null, readonly: null }), blank],
    ['members that nobody knows', line({ user: 'x', color: 'red' }), { ...blank, user: 'x' }],
    ['with a carriage return', `${line({ user: 'x' })}\r`, { ...blank, user: 'x' }],
    [
      'old: for all',
      '{}',
      {
        ...blank,
        group: 'system:authenticated',
        apiGroup: '*',
        resource: '*',
        namespace: '*',
        nonResourcePath: '*',
      },
      true,
    ],
    [
      'old: for a user',
      '{"user":"x","resource":"pods"}',
      { ...blank, user: 'x', apiGroup: '*', resource: 'pods', namespace: '*' },
      true,
    ],
    [
      'old: for a star',
      '{"user":"*","namespace":"a","readonly":true}',
      {
        ...blank,
        group: 'system:authenticated',
        readonly: true,
        apiGroup: '*',
        resource: '*',
        namespace: 'a',
      },
      true,
    ],
    [
      'old: for a star of groups',
      '{"user":"x","group":"*"}',
      {
        ...blank,
        group: 'system:authenticated',
        apiGroup: '*',
        resource: '*',
        namespace: '*',
        nonResourcePath: '*',
      },
      true,
    ],
    [
      'old: for a group',
      '{"group":"g"}',
      { ...blank, group: 'g', apiGroup: '*', resource: '*', namespace: '*', nonResourcePath: '*' },
      true,
    ],
  ]
  for (const [name, text, policy, old = false] of rows)
    test(name, () =>
      expect(parse(text)).toEqual({ policies: policy ? [policy] : [], hasUnversioned: old }),
    )

  const wrong: readonly [string, string, RegExp][] = [
    ['no JSON', '{"user"', /^error reading policy file \/p, line 3: \{"user": .+/s],
    ['no object', '[]', /line 3: \[\]: the policy must be an object$/],
    ['no text', '{"user":1}', /line 3: \{"user":1\}: user must be a string$/],
    ['no flag', line({ readonly: 'yes' }), /: readonly must be true or false$/],
    [
      'no spec',
      JSON.stringify({ apiVersion: VERSION, kind: 'Policy', spec: 'x' }),
      /: spec must be an object$/,
    ],
    [
      'another version',
      JSON.stringify({ apiVersion: 'x/v1', kind: 'Policy' }),
      /: no kind "Policy" is known for version "x\/v1"; /,
    ],
    [
      'another kind',
      JSON.stringify({ apiVersion: VERSION, kind: 'Pod' }),
      /: no kind "Pod" is known for version /,
    ],
  ]
  for (const [name, text, message] of wrong)
    test(name, () => expect(() => parse('# c', '', text)).toThrow(message))
})

describe('decisions', () => {
  const no: Decision = { verdict: 'no opinion', reason: 'No policy matched.' }
  const alice = user('alice', 'dev', 'system:authenticated')
  const all = { apiGroup: '*', resource: '*', namespace: '*' }
  const rows: readonly [string, object, string, boolean][] = [
    ['a user', { user: 'alice', ...all }, 'get pods a/x', true],
    ['another user', { user: 'bob', ...all }, 'get pods a/x', false],
    ['a group', { group: 'dev', ...all }, 'get pods a/x', true],
    ['another group', { group: 'ops', ...all }, 'get pods a/x', false],
    ['both', { user: 'alice', group: 'dev', ...all }, 'get pods a/x', true],
    ['the user only', { user: 'alice', group: 'ops', ...all }, 'get pods a/x', false],
    ['the group only', { user: 'bob', group: 'dev', ...all }, 'get pods a/x', false],
    ['any user', { user: '*', ...all }, 'get pods a/x', true],
    ['any group', { group: '*', ...all }, 'get pods a/x', true],
    ['any user of a group', { user: '*', group: 'ops', ...all }, 'get pods a/x', false],
    ['nobody', { ...all }, 'get pods a/x', false],
    ['reading', { user: 'alice', readonly: true, ...all }, 'watch pods a/', true],
    ['writing', { user: 'alice', ...all }, 'delete pods a/x', true],
    [
      'writing when only reading',
      { user: 'alice', readonly: true, ...all },
      'create pods a/',
      false,
    ],
    ['a resource', { user: 'alice', ...all, resource: 'pods' }, 'get pods a/x', true],
    ['its parts', { user: 'alice', ...all, resource: 'pods' }, 'get pods/log a/x', true],
    ['another resource', { user: 'alice', ...all, resource: 'pods' }, 'get services a/x', false],
    ['no resource', { user: 'alice', apiGroup: '*', namespace: '*' }, 'get services a/x', false],
    [
      'a group of resources',
      { user: 'alice', ...all, apiGroup: 'apps' },
      'get apps:deployments a/x',
      true,
    ],
    ['another', { user: 'alice', ...all, apiGroup: 'apps' }, 'get pods a/x', false],
    ['the core group', { user: 'alice', resource: '*', namespace: '*' }, 'get pods a/x', true],
    [
      'which is not every group',
      { user: 'alice', resource: '*', namespace: '*' },
      'get apps:deployments a/x',
      false,
    ],
    ['a namespace', { user: 'alice', ...all, namespace: 'a' }, 'get pods a/x', true],
    ['another namespace', { user: 'alice', ...all, namespace: 'a' }, 'get pods b/x', false],
    ['no namespace', { user: 'alice', ...all, namespace: '' }, 'get nodes n', true],
    [
      'which is not every namespace',
      { user: 'alice', ...all, namespace: '' },
      'get pods a/x',
      false,
    ],
    ['a path', { user: 'alice', nonResourcePath: '/x' }, 'get /x', true],
    ['another path', { user: 'alice', nonResourcePath: '/x' }, 'get /x/y', false],
    ['a prefix', { user: 'alice', nonResourcePath: '/x/*' }, 'get /x/y', true],
    ['any path', { user: 'alice', nonResourcePath: '*' }, 'post /x/y', true],
    [
      'posting when only reading',
      { user: 'alice', readonly: true, nonResourcePath: '*' },
      'post /x/y',
      false,
    ],
    ['no path', { user: 'alice', ...all }, 'get /x', false],
    ['a path is no resource', { user: 'alice', nonResourcePath: '*' }, 'get pods a/x', false],
  ]
  for (const [name, spec, asked, allowed] of rows)
    test(name, () => {
      const { policies } = parse(line(spec))
      expect(abacAuthorizer(policies).authorize(alice, ask(asked))).toEqual(
        allowed ? { verdict: 'allow', reason: '' } : no,
      )
    })
})

test('rules of a user', () => {
  const { policies } = parse(
    line({
      user: 'alice',
      readonly: true,
      apiGroup: 'apps',
      resource: 'deployments',
      namespace: '*',
    }),
    line({ user: 'bob', apiGroup: '*', resource: '*', namespace: '*' }),
    line({ group: 'dev', resource: 'pods', namespace: 'b' }),
    line({ group: 'dev', resource: 'pods', namespace: 'a', nonResourcePath: '/x' }),
  )
  expect(abacAuthorizer(policies).rulesFor(user('alice', 'dev'), 'a')).toEqual({
    resourceRules: [
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: ['apps'],
        resources: ['deployments'],
        resourceNames: [],
      },
      { verbs: ['*'], apiGroups: [''], resources: ['pods'], resourceNames: [] },
    ],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/x'] }],
    incomplete: false,
    error: '',
  })
})
