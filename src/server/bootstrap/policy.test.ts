import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { admissionChain } from '../../admission/chain.ts'
import type { Api } from '../../registry/context.ts'
import { bootstrapPolicy } from '../../authz/bootstrap-policy/policy.ts'
import { ensureBootstrapPolicy } from './policy.ts'
import { inProcess, type Made } from '../in-process.fixture.ts'
import { vocabularies } from '../../vocabulary/index.ts'

const RBAC = 'rbac.authorization{api}/v1'
const PUBLIC = 'orch-public'
const ON = { 'rbac.authorization.orch.io/autoupdate': 'true' }
const OFF = { 'rbac.authorization.orch.io/autoupdate': 'false' }
const LABELS = { 'orch.io/bootstrapping': 'rbac-defaults' }

const role = (name = '') => [RBAC, 'clusterroles', '', name] as const
const binding = (name = '') => [RBAC, 'clusterrolebindings', '', name] as const
const inPublic = (name = '') => [RBAC, 'roles', PUBLIC, name] as const

let context: Awaited<ReturnType<typeof inProcess>>
beforeEach(async () => {
  context = await inProcess()
})
afterEach(() => context.close())

/** An object without fields that the server sets. */
const content = ({ kind: _k, apiVersion: _a, metadata, ...rest }: Made) => {
  const { labels, annotations } = metadata
  return { labels, annotations, ...rest }
}
const get = async (place: Parameters<typeof context.hand.get>[0]) =>
  content(await context.hand.get(place))
const counts = async () => {
  const plurals = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']
  const found = await Promise.all(plurals.map((plural) => context.hand.names([RBAC, plural])))
  return found.map((names) => names.length)
}
const made = (place: Parameters<typeof context.hand.create>[0], object: object) =>
  context.hand.create(place, object)
const subject = (name: string) => ({ kind: 'User', apiGroup: 'rbac.authorization.orch.io', name })
const roleRef = (name: string) => ({
  apiGroup: 'rbac.authorization.orch.io',
  kind: 'ClusterRole',
  name,
})

/** How many roles and bindings of each kind there are to be. */
const whole = Object.values(bootstrapPolicy(vocabularies.orch)).map(({ length }) => length)

describe('a store', () => {
  test('without objects gets everything, and nothing is written again', async () => {
    await ensureBootstrapPolicy(context.api)
    expect(await counts()).toEqual(whole)
    const { revision } = context.api.cache
    await ensureBootstrapPolicy(context.api)
    expect(context.api.cache.revision).toBe(revision)
  })

  test('with something gets the rest, the same as all at once', async () => {
    const other = await inProcess()
    try {
      await ensureBootstrapPolicy(other.api)
      await made(role(), { metadata: { name: 'mine' } })
      await ensureBootstrapPolicy(context.api)
      expect(await counts()).toEqual([whole[0]! + 1, ...whole.slice(1)])
      for (const plural of ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']) {
        const namespace = plural.startsWith('cluster') ? '' : PUBLIC
        for (const name of await other.hand.names([RBAC, plural, namespace])) {
          const place = [RBAC, plural, namespace, name] as const
          expect(await get(place)).toEqual(content(await other.hand.get(place)))
        }
      }
      const { metadata } = await context.hand.get(role('system:node'))
      expect(metadata.managedFields.map(({ manager }: Made) => manager)).toEqual(['orch-apiserver'])
      const { revision } = context.api.cache
      await ensureBootstrapPolicy(context.api)
      expect(context.api.cache.revision).toBe(revision)
    } finally {
      await other.close()
    }
  })
})

describe('existing objects', () => {
  beforeEach(() => ensureBootstrapPolicy(context.api))

  test('regains missing rules, beside its own', async () => {
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods', 'endpoints'] }]
    await context.hand.patch(role('system:orch-aggregator'), {
      metadata: { labels: null, annotations: { mine: 'x' } },
      rules,
    })
    await ensureBootstrapPolicy(context.api)
    const one = (verb: string, resource: string) => ({
      verbs: [verb],
      apiGroups: [''],
      resources: [resource],
    })
    expect(await get(role('system:orch-aggregator'))).toEqual({
      labels: LABELS,
      annotations: { ...ON, mine: 'x' },
      rules: [
        ...rules,
        one('list', 'endpoints'),
        one('watch', 'endpoints'),
        one('get', 'services'),
        one('list', 'services'),
        one('watch', 'services'),
      ],
    })
  })

  test('stays as it is when it is protected', async () => {
    await context.hand.patch(role('system:node'), { metadata: { annotations: OFF }, rules: null })
    await ensureBootstrapPolicy(context.api)
    expect(await get(role('system:node'))).toEqual({ labels: LABELS, annotations: OFF })
  })

  test('aggregates by its rule, and no other role aggregates', async () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }
    await context.hand.patch(role('view'), { aggregationRule })
    await context.hand.patch(role('system:node'), { aggregationRule })
    await ensureBootstrapPolicy(context.api)
    const key = 'rbac.authorization.orch.io/aggregate-to-'
    expect(await get(role('view'))).toEqual({
      labels: { ...LABELS, [`${key}edit`]: 'true' },
      annotations: ON,
      aggregationRule: {
        clusterRoleSelectors: [
          { matchLabels: { a: 'b' } },
          { matchLabels: { [`${key}view`]: 'true' } },
        ],
      },
    })
    expect('aggregationRule' in (await get(role('system:node')))).toBe(false)
  })

  test('gets back subjects, beside those it has', async () => {
    await context.hand.patch(binding('system:volume-scheduler'), { subjects: [subject('me')] })
    await ensureBootstrapPolicy(context.api)
    expect((await get(binding('system:volume-scheduler'))).subjects).toEqual([
      subject('me'),
      subject('system:orch-scheduler'),
    ])
  })

  test('is recreated when it refers to another role', async () => {
    await context.hand.delete(binding('system:volume-scheduler'))
    const metadata = { name: 'system:volume-scheduler' }
    const wrong = await made(binding(), {
      metadata,
      roleRef: roleRef('view'),
      subjects: [subject('me')],
    })
    await ensureBootstrapPolicy(context.api)
    const right = await context.hand.get(binding('system:volume-scheduler'))
    expect(right.metadata.uid).not.toBe(wrong.metadata.uid)
    expect(content(right)).toEqual({
      labels: LABELS,
      annotations: ON,
      roleRef: roleRef('system:volume-scheduler'),
      subjects: [subject('system:orch-scheduler')],
    })
  })

  test('is recreated when it is deleted', async () => {
    await context.hand.delete(inPublic('system:controller:bootstrap-signer'))
    await ensureBootstrapPolicy(context.api)
    expect(await context.hand.names(inPublic())).toEqual(['system:controller:bootstrap-signer'])
  })
})

test('objects of older servers move to their present place', async () => {
  const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['mine'] }]
  await made(role(), { metadata: { name: 'view', annotations: OFF }, rules })
  await made(binding(), {
    metadata: { name: 'system:discovery', labels: { a: 'b' } },
    roleRef: roleRef('system:discovery'),
    subjects: [subject('me')],
  })
  await ensureBootstrapPolicy(context.api)
  expect(await get(role('system:aggregate-to-view'))).toEqual({
    labels: undefined,
    annotations: OFF,
    rules,
  })
  const group = (name: string) => ({ ...subject(name), kind: 'Group' })
  expect(await get(binding('system:public-info-viewer'))).toEqual({
    labels: { ...LABELS, a: 'b' },
    annotations: ON,
    roleRef: roleRef('system:public-info-viewer'),
    subjects: [subject('me'), group('system:authenticated'), group('system:unauthenticated')],
  })
})

describe('a refused write', () => {
  /** An API that refuses one role as long as it is configured to. */
  const refusing = (isRefused: () => boolean): Api => ({
    ...context.api,
    admission: admissionChain(
      [
        {
          handles: () => true,
          validate({ resource, name }) {
            if (resource.resource === 'clusterroles' && name === 'view' && isRefused())
              throw new Error('not now')
          },
        },
      ],
      context.clock,
    ),
  })
  beforeEach(async () => {
    await made(role(), { metadata: { name: 'mine' } })
  })
  /** Moves time on by rounds until the promise settles. */
  const rounds = async (work: Promise<void>): Promise<string> => {
    let outcome = ''
    work.then(
      () => (outcome = 'done'),
      (error: unknown) => (outcome = String(error)),
    )
    let seconds = 0
    for (; outcome === '' && seconds < 40; seconds++) {
      // Work in memory is done after a few iterations of the event loop.
      for (let turn = 0; turn < 500; turn++) await new Promise(setImmediate)
      if (outcome === '') context.clock.advance(1_000)
    }
    return `${outcome} in round ${seconds}`
  }

  test('is retried, and blocks no other object', async () => {
    let left = 2
    const work = ensureBootstrapPolicy(refusing(() => left-- > 0))
    expect(await rounds(work)).toBe('done in round 3')
    expect((await counts())[0]).toBe(whole[0]! + 1)
  })

  test('ends it after half a minute', async () => {
    const work = ensureBootstrapPolicy(refusing(() => true))
    expect(await rounds(work)).toBe('AggregateError: 1 refused: Error: not now in round 31')
    expect((await counts())[0]).toBe(whole[0])
  })

  test('is let be when the server ends', async () => {
    const ending = new AbortController()
    const work = ensureBootstrapPolicy(
      refusing(() => {
        ending.abort()
        return true
      }),
      { signal: ending.signal },
    )
    expect(await rounds(work)).toBe('done in round 1')
  })
})
