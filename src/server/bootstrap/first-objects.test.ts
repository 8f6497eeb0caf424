import { afterEach, beforeEach, expect, test } from 'vitest'
import { bootstrapPolicy } from '../../authz/bootstrap-policy/policy.ts'
import { ensureSystemNamespaces, writeFirstObjects } from './first-objects.ts'
import { inProcess } from '../in-process.fixture.ts'
import { formatTime } from '../../base/time.ts'
import type { Api } from '../../registry/context.ts'
import { asVersion } from '../../registry/objects.ts'
import type { Change } from '../../engine/engine.ts'
import { vocabularies } from '../../vocabulary/index.ts'

const RBAC = 'rbac.authorization{api}/v1'
const NAMESPACES = ['default', 'orch-node-lease', 'orch-public', 'orch-system']
const ROLES = Object.values(bootstrapPolicy(vocabularies.orch)).reduce(
  (n, all) => n + all.length,
  0,
)
/** Default limit of etcd per transaction. */
const ETCD_LIMIT = 128

let context: Awaited<ReturnType<typeof inProcess>>
beforeEach(async () => {
  context = await inProcess()
})
afterEach(() => context.close())

/** The API with observed commits, and a hook before the first one. */
function counted(first: () => Promise<unknown> = async () => {}) {
  const sizes: number[] = []
  const all: Change[] = []
  const { cache } = context.api
  const commit = async (changes: readonly Change[]) => {
    if (sizes.push(changes.length) === 1) await first()
    all.push(...changes)
    return cache.commit(changes)
  }
  const seen = new Proxy(cache, {
    get(target, name) {
      if (name === 'commit') return commit
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const api: Api = { ...context.api, cache: seen }
  return { api, sizes, changes: all as readonly Change[] }
}

const withoutNamespaces = async () => {
  const served = context.hand.served(['v1', 'namespaces'])
  const { cache } = context.api
  const table = await cache.resourceCache(served.keyPrefix)
  const keys = table.collect(served.keyPrefix, {}).map(({ key }) => key)
  await cache.commit(keys.map((key) => ({ key, value: null })))
}
const role = () => context.hand.create([RBAC, 'clusterroles'], { metadata: { name: 'mine' } })

const cases: readonly {
  readonly name: string
  readonly before: () => Promise<unknown>
  readonly rbac?: boolean
  readonly meanwhile?: () => Promise<unknown>
  readonly made: boolean
  readonly sizes: readonly number[]
}[] = [
  { name: 'nothing', before: withoutNamespaces, made: true, sizes: [4, ROLES] },
  {
    name: 'nothing, and no roles are wanted',
    before: withoutNamespaces,
    rbac: false,
    made: false,
    sizes: [4],
  },
  { name: 'namespaces', before: async () => {}, made: true, sizes: [ROLES] },
  { name: 'namespaces and a role', before: role, made: false, sizes: [] },
  {
    name: 'a role',
    before: async () => {
      await role()
      await withoutNamespaces()
    },
    made: false,
    sizes: [4],
  },
  {
    name: 'nothing, until another server is faster with everything',
    before: withoutNamespaces,
    meanwhile: () => writeFirstObjects(context.api, { rbac: true }),
    made: false,
    sizes: [4, ROLES],
  },
  {
    name: 'nothing, until another makes one namespace',
    before: withoutNamespaces,
    meanwhile: () => context.hand.create(['v1', 'namespaces'], { metadata: { name: 'default' } }),
    made: true,
    sizes: [4, 1, 1, 1, ROLES],
  },
]
for (const { name, before, rbac = true, meanwhile, made, sizes } of cases) {
  test(`a store with ${name}`, async () => {
    await before()
    const seen = counted(meanwhile)
    expect(await writeFirstObjects(seen.api, { rbac })).toBe(made)
    expect(seen.sizes).toEqual(sizes)
    expect(await context.hand.names(['v1', 'namespaces'])).toEqual(NAMESPACES)
  })
}

test.each(Object.values(vocabularies))(
  'roles of $name are stored as they are written, with their owner',
  async (v) => {
    await context.close()
    context = await inProcess({ vocabulary: v.name })
    const { api, changes } = counted()
    await writeFirstObjects(api, { rbac: true })
    const policy = bootstrapPolicy(v)
    const lists = [
      ['clusterroles', policy.clusterRoles],
      ['clusterrolebindings', policy.clusterRoleBindings],
      ['roles', policy.roles],
      ['rolebindings', policy.roleBindings],
    ] as const
    let i = 0
    for (const [plural, list] of lists) {
      const { kind, groupVersion: apiVersion } = context.hand.served([RBAC, plural])
      for (const { metadata, ...rest } of list) {
        const { name, namespace, ...more } = metadata
        const text = asVersion(changes[i++]!.value as Buffer, 1)
          .json()
          .toString()
        const stored = JSON.parse(text)
        const { uid, managedFields } = stored.metadata
        expect(managedFields).toEqual([
          {
            manager: v.resolve('{system}-apiserver'),
            operation: 'Update',
            apiVersion,
            time: formatTime(api.clock.now()),
            fieldsType: 'FieldsV1',
            fieldsV1: expect.objectContaining({ 'f:metadata': expect.anything() }),
          },
        ])
        // To the byte, and in this order.
        const own = { resourceVersion: '1', creationTimestamp: formatTime(api.clock.now()) }
        const place = { name, ...(namespace === undefined ? {} : { namespace }), uid }
        expect(text).toBe(
          JSON.stringify({
            kind,
            apiVersion,
            metadata: { ...place, ...own, ...more, managedFields },
            ...rest,
          }),
        )
      }
    }
    expect(i).toBe(ROLES)
    expect(changes).toHaveLength(ROLES)
  },
)

test('everything fits into one transaction of an etcd with default limits', () => {
  expect(NAMESPACES.length + ROLES).toBeLessThanOrEqual(ETCD_LIMIT)
})

test('a namespace is whole, and the same whichever way it was made', async () => {
  const whole = await context.hand.get(['v1', 'namespaces', '', 'default'])
  await withoutNamespaces()
  await writeFirstObjects(context.api, { rbac: true })
  const again = await context.hand.get(['v1', 'namespaces', '', 'default'])
  expect(whole.metadata.managedFields).toEqual([
    {
      manager: 'orch-apiserver',
      operation: 'Update',
      apiVersion: 'v1',
      time: formatTime(context.api.clock.now()),
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:orch.io/metadata.name': {} } } },
    },
  ])
  const { uid, resourceVersion, ...metadata } = again!.metadata
  expect([uid, resourceVersion].map((text) => typeof text)).toEqual(['string', 'string'])
  expect({ ...again, metadata }).toEqual({
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: {
      name: 'default',
      creationTimestamp: formatTime(context.api.clock.now()),
      labels: whole!.metadata.labels,
      managedFields: whole!.metadata.managedFields,
    },
    spec: whole!.spec,
    status: whole!.status,
  })
  await ensureSystemNamespaces(context.api)
  expect(await context.hand.get(['v1', 'namespaces', '', 'default'])).toEqual(again)
})
