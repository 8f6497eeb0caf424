/** Remembered bindings decide as those that are looked up. */
import { describe, expect, test } from 'vitest'
import type { Attributes, RepeatedAttributes } from './authorizer.ts'
import { ask, binding, indexOf, role, user, v } from './rbac.fixture.ts'
import { rbacAuthorizer } from './rbac.ts'

/** Numbers from 0 to below 1, the same for each seed. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const NAMESPACES = ['', 'a', 'b', 'c']
const GROUPS = ['dev', 'ops', 'all']
const VERBS = ['get', 'list', 'update']
const RESOURCES = ['pods', 'pods/log', 'secrets']

/** Changes and questions at random: both authorizers follow the same index. */
function play(seed: number): void {
  const next = numbers(seed)
  const one = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)]!
  const place = (name: string) => {
    const namespace = one(NAMESPACES)
    return namespace === '' ? name : `${namespace}/${name}`
  }
  const users = [
    user('alice', 'dev', 'all'),
    user('bob', 'ops', 'all'),
    user('system:serviceaccount:a:robot', 'all'),
    user('carol'),
  ]
  const subject = () =>
    one(
      [
        'User alice',
        'User bob',
        'ServiceAccount a=robot',
        'ServiceAccount =robot',
        'Robot x',
      ].concat(GROUPS.map((name) => `Group ${name}`)),
    )
  const index = indexOf({})
  const remembering = rbacAuthorizer(index, v)
  const plain = rbacAuthorizer(index, v, { remembers: false })
  const steps = [
    () =>
      index.roles.set(
        role(place(one(['r', 's'])), `${one(VERBS)} ${one(RESOURCES)}`, 'get /healthz'),
      ),
    () => index.roles.removed(role(place(one(['r', 's'])))),
    () =>
      index.bindings.set(
        binding(
          place(one(['x', 'y', 'z'])),
          one(['Role r', 'ClusterRole r', 'ClusterRole s', 'Other r']),
          subject(),
          subject(),
        ),
      ),
    () => index.bindings.removed(binding(place(one(['x', 'y', 'z'])), 'Role r')),
  ]
  const question = () =>
    ask(next() < 0.1 ? 'get /healthz' : `${one(VERBS)} ${one(RESOURCES)} ${one(NAMESPACES)}/n`)
  // As heads of connections are: asked by several users, and again after changes.
  const heads = Array.from({ length: 4 }, () => withMemory(question()))
  for (let i = 0; i < 60; i++) {
    one(steps)()
    for (let times = 0; times < 12; times++) {
      const who = one(users)
      const asked = one([
        question,
        () => one(heads),
        // A copy has another meaning and the same memory.
        () => ({ ...one(heads), verb: one(VERBS), namespace: one(NAMESPACES) }),
      ])()
      expect(remembering.authorize(who, asked)).toEqual(plain.authorize(who, asked))
    }
  }
}

/** The same, with a memory of its own. */
function withMemory(asked: Attributes): RepeatedAttributes {
  const memory: { info: Attributes; grant: object | null } = { info: asked, grant: null }
  const info = { ...asked, memory }
  memory.info = info
  return info
}

describe('the same as without a memory', () => {
  for (let seed = 1; seed <= 20; seed++) test(`seed ${seed}`, () => play(seed))
})

test('more bindings of a user, and more namespaces, than are remembered', () => {
  const many = Array.from({ length: 100 }, (_, i) => i)
  const index = indexOf({
    roles: [role('r', 'get pods'), ...many.map((i) => role(`n${i}/r`, 'get secrets'))],
    bindings: [
      ...many.map((i) => binding(`b${i}`, `ClusterRole gone${i}`, 'User alice')),
      binding('last', 'ClusterRole r', 'User alice'),
      ...many.map((i) => binding(`n${i}/b`, 'Role r', 'User bob')),
    ],
  })
  const rbac = rbacAuthorizer(index, v)
  const alice = user('alice')
  const bob = user('bob')
  for (let round = 0; round < 3; round++) {
    expect(rbac.authorize(alice, ask('get pods a/x')).verdict).toBe('allow')
    for (const i of many) {
      expect(rbac.authorize(bob, ask(`get secrets n${i}/x`)).verdict).toBe('allow')
      expect(rbac.authorize(bob, ask(`get pods n${i}/x`)).verdict).toBe('no opinion')
    }
  }
})

test('a role is read when its binding is asked, once', () => {
  const index = indexOf({ bindings: [binding('b', 'ClusterRole r', 'User alice')] })
  let reads = 0
  index.roles.named!({ namespace: '', name: 'r' }, {
    read: () => (reads++, role('r', 'get pods')),
  } as never)
  const rbac = rbacAuthorizer(index, v)
  const alice = user('alice')
  for (let i = 0; i < 3; i++) {
    expect(rbac.authorize(alice, ask('get pods a/x')).verdict).toBe('allow')
    expect(reads).toBe(1)
  }
})

test('what was allowed is not looked up again until roles or bindings change', () => {
  const index = indexOf({
    roles: [role('r', 'get pods')],
    bindings: [binding('b', 'ClusterRole r', 'User alice')],
  })
  const rbac = rbacAuthorizer(index, v)
  const alice = user('alice')
  const head = withMemory(ask('get pods a/x'))
  let looks = 0
  const { visit } = index
  index.visit = (...query) => (looks++, visit.apply(index, query))
  const decide = () => rbac.authorize(alice, head).verdict
  expect([decide(), decide(), decide(), decide()]).toEqual(['allow', 'allow', 'allow', 'allow'])
  expect(looks).toBe(2)
  expect(rbac.authorize(user('alice'), head).verdict).toBe('allow')
  expect(rbac.authorize(user('bob'), head).verdict).toBe('no opinion')
  index.bindings.removed(binding('b', 'ClusterRole r'))
  expect(decide()).toBe('no opinion')
  index.bindings.set(binding('b', 'ClusterRole r', 'User alice'))
  expect(decide()).toBe('allow')
  index.roles.removed(role('r', 'get pods'))
  expect(decide()).toBe('no opinion')
})
