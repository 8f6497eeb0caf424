import { describe, expect, test } from 'vitest'
import { alwaysAllow, alwaysDeny } from './always.ts'
import type { Authorizer, Decision, RuleList } from './authorizer.ts'
import { ask, user } from './rbac.fixture.ts'
import { authorizerUnion } from './union.ts'

const NOTHING: RuleList = { resourceRules: [], nonResourceRules: [], incomplete: false, error: '' }

const says = (decision: Decision | Promise<Decision>, list: RuleList = NOTHING): Authorizer => ({
  name: 'says',
  authorize: () => decision,
  rulesFor: () => list,
})
const later = (decision: Decision) => says(Promise.resolve(decision))
const broken: Authorizer = {
  name: 'never called',
  authorize() {
    throw new Error('asked')
  },
  rulesFor: () => NOTHING,
}
const allow = (reason = ''): Decision => ({ verdict: 'allow', reason })
const deny = (reason = ''): Decision => ({ verdict: 'deny', reason })
const pass = (reason = '', error?: string): Decision => ({
  verdict: 'no opinion',
  reason,
  ...(error === undefined ? {} : { error }),
})

describe('decisions', () => {
  const rows: readonly [string, readonly Authorizer[], Decision][] = [
    ['nobody to ask', [], pass()],
    ['the first that allows', [says(pass('x')), says(allow('a')), broken], allow('a')],
    ['the first that denies', [says(pass('x')), says(deny('d')), broken], deny('d')],
    ['its error is kept', [says({ ...deny('d'), error: 'e' })], { ...deny('d'), error: 'e' }],
    ['nobody with an opinion', [says(pass()), says(pass())], pass()],
    ['their reasons', [says(pass('a')), says(pass()), says(pass('b'))], pass('a\nb')],
    ['an error that does not matter', [says(pass('', 'e')), says(allow('a'))], allow('a')],
    ['an error that does', [says(pass('r', 'e')), says(pass())], pass('r', 'e')],
    ['errors', [says(pass('', 'e')), says(pass('', 'f')), says(pass('', 'e'))], pass('', '[e, f]')],
    ['a test mode', [alwaysDeny], pass('Everything is forbidden.')],
    ['after which others may allow', [alwaysDeny, alwaysAllow], allow()],
    ['everything allowed', [alwaysAllow, broken], allow()],
  ]
  for (const [name, modules, decision] of rows) {
    test(name, () =>
      expect(authorizerUnion(modules).authorize(user('a'), ask('get pods a/b'))).toEqual(decision),
    )
    test(`${name}, by modules that take their time`, async () => {
      const slow = modules.map((module): Authorizer => ({
        ...module,
        authorize: (...asked) => Promise.resolve(module.authorize(...asked)),
      }))
      expect(await authorizerUnion(slow).authorize(user('a'), ask('get pods a/b'))).toEqual(
        decision,
      )
    })
  }
  test('alternating quick and slow modules', async () => {
    const union = authorizerUnion([
      says(pass('a')),
      later(pass('b')),
      says(pass('c')),
      later(allow('d')),
    ])
    expect(await union.authorize(user('a'), ask('get pods a/b'))).toEqual(allow('d'))
  })
  test('the privileged group is checked with no module', () => {
    expect(authorizerUnion([broken]).authorize(user('a', 'system:masters'), ask('get /x'))).toEqual(
      allow(),
    )
  })
})

describe('lists of rules', () => {
  const rule = (verb: string) => ({
    verbs: [verb],
    apiGroups: [''],
    resources: ['r'],
    resourceNames: [],
  })
  const lists: RuleList[] = [
    { ...NOTHING, resourceRules: [rule('a')], error: 'e' },
    {
      ...NOTHING,
      resourceRules: [rule('b')],
      nonResourceRules: [{ verbs: ['c'], nonResourceURLs: ['/'] }],
      incomplete: true,
      error: 'f',
    },
    NOTHING,
  ]
  const whole: RuleList = {
    resourceRules: [rule('a'), rule('b')],
    nonResourceRules: [{ verbs: ['c'], nonResourceURLs: ['/'] }],
    incomplete: true,
    error: '[e, f]',
  }
  test('are put together', () => {
    const union = authorizerUnion(lists.map((list) => says(pass(), list)))
    expect(union.rulesFor(user('a', 'system:masters'), 'n')).toEqual(whole)
  })
  test('also if one is asynchronous', async () => {
    const modules = lists.map((list) => says(pass(), list))
    modules[1] = { ...modules[1]!, rulesFor: () => Promise.resolve(lists[1]!) }
    expect(await authorizerUnion(modules).rulesFor(user('a'), 'n')).toEqual(whole)
  })
  test('of the test modes', () => {
    expect(authorizerUnion([alwaysAllow, alwaysDeny]).rulesFor(user('a'), 'n')).toEqual({
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
      error: '',
    })
  })
})
