import { afterEach, beforeEach, expect, test } from 'vitest'
import { inProcess } from '../server/in-process.fixture.ts'
import { managedControllers, startControllers, type RunningControllers } from './index.ts'
import { namespaceLifecycle } from './namespace.ts'

const namespaces = (name = '') => ['v1', 'namespaces', '', name] as const
const maps = (name = '') => ['v1', 'configmaps', 'n', name] as const
const pods = (name = '') => ['v1', 'pods', 'n', name] as const

let world: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
const start = (chosen: Parameters<typeof startControllers>[1]) =>
  (running = startControllers(world.controllerWorld, chosen))
beforeEach(async () => {
  world = await inProcess()
  start([namespaceLifecycle])
  await world.hand.create(namespaces(), { metadata: { name: 'n' } })
})
afterEach(async () => {
  await running.stop()
  await world.close()
})

const wait = async (ms: number) => {
  await running.idle()
  world.clock.advance(ms)
  await running.idle()
}
interface Condition {
  type: string
  status: string
  reason: string
  message: string
}
const conditions = async () =>
  (await world.hand.get(namespaces('n'))).status.conditions.map(
    ({ type, status, reason, message }: Condition) => [type, status, reason, message],
  )
const map = (name: string, finalizers: string[] = []) =>
  world.hand.create(maps(), { metadata: { name, finalizers } })
const pod = async (name: string, nodeName: string, terminationGracePeriodSeconds: number) =>
  world.hand.create(pods(), {
    metadata: { name },
    spec: { nodeName, terminationGracePeriodSeconds, containers: [{ name: 'c', image: 'i' }] },
  })

const FINE = {
  discovery: [
    'NamespaceDeletionDiscoveryFailure',
    'False',
    'ResourcesDiscovered',
    'All resources successfully discovered',
  ],
  parsing: [
    'NamespaceDeletionGroupVersionParsingFailure',
    'False',
    'ParsedGroupVersions',
    'All legacy orch types successfully parsed',
  ],
  content: [
    'NamespaceDeletionContentFailure',
    'False',
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
  finalizers: [
    'NamespaceFinalizersRemaining',
    'False',
    'ContentHasNoFinalizers',
    'All content-preserving finalizers finished',
  ],
} as const

test('a namespace is deleted with its content, a moment after the request', async () => {
  await map('a')
  await world.hand.create(['v1', 'secrets', 'n'], { metadata: { name: 's' } })
  await world.hand.create(['coordination{api}/v1', 'leases', 'n'], { metadata: { name: 'l' } })
  await world.hand.create(['v1', 'configmaps', 'default'], { metadata: { name: 'other' } })
  await world.hand.delete(namespaces('n'))
  await wait(4_999)
  expect(await world.hand.names(maps())).toEqual(['a'])
  await wait(1)
  expect([
    await world.hand.names(maps()),
    await world.hand.names(['v1', 'secrets', 'n']),
    await world.hand.names(['coordination{api}/v1', 'leases', 'n']),
    await world.hand.get(namespaces('n')),
    await world.hand.names(['v1', 'configmaps', 'default']),
  ]).toEqual([[], [], [], null, ['other']])
})

test('an active namespace keeps its content', async () => {
  await map('a')
  await wait(60_000)
  expect([await world.hand.names(maps()), (await world.hand.get(namespaces('n'))).status]).toEqual([
    ['a'],
    { phase: 'Active' },
  ])
})

test('finalizers keep it, conditions report them, and it is retried after half of 15 seconds', async () => {
  await map('a', ['x.com/wait'])
  await map('b', ['x.com/wait', 'x.com/more'])
  await world.hand.delete(namespaces('n'))
  await wait(5_000)
  expect(await conditions()).toEqual([
    FINE.discovery,
    FINE.parsing,
    FINE.content,
    [
      'NamespaceContentRemaining',
      'True',
      'SomeResourcesRemain',
      'Some resources are remaining: configmaps. has 2 resource instances',
    ],
    [
      'NamespaceFinalizersRemaining',
      'True',
      'SomeFinalizersRemain',
      'Some content in the namespace has finalizers remaining: x.com/more in 1 resource instances, x.com/wait in 2 resource instances',
    ],
  ])
  // Its own change of the conditions triggers one more check.
  await wait(5_000)
  await world.hand.patch(maps('a'), { metadata: { finalizers: null } })
  await world.hand.patch(maps('b'), { metadata: { finalizers: null } })
  await wait(7_999)
  expect((await world.hand.get(namespaces('n'))).status.phase).toBe('Terminating')
  await wait(1)
  expect(await world.hand.get(namespaces('n'))).toBe(null)
})

test('pods get their grace period', async () => {
  await pod('bound', 'node', 40)
  await pod('free', '', 300)
  await world.hand.delete(namespaces('n'))
  await wait(5_000)
  expect([
    (await conditions())[3],
    (await conditions())[4],
    await world.hand.names(pods()),
  ]).toEqual([
    [
      'NamespaceContentRemaining',
      'True',
      'SomeResourcesRemain',
      'Some resources are remaining: pods. has 1 resource instances',
    ],
    FINE.finalizers,
    ['bound'],
  ])
})

test('content that stays without a reason is a failure, which is reported and retried', async () => {
  await pod('bound', 'node', 2)
  await world.hand.delete(namespaces('n'))
  await wait(5_000)
  expect((await conditions())[2]).toEqual([
    'NamespaceDeletionContentFailure',
    'True',
    'ContentDeletionFailed',
    'Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: n for gvr: /v1, Resource=pods',
  ])
  await world.hand.delete(pods('bound'))
  await running.stop()
  const served = world.hand.served(pods())
  await world.api.cache.commit([{ key: `${served.keyPrefix}n/bound`, value: null }])
  start([namespaceLifecycle])
  await wait(5_000)
  expect(await world.hand.get(namespaces('n'))).toBe(null)
})

test('finalizers of others keep the namespace itself', async () => {
  const update = world.hand.served(namespaces())
  expect(update.subresources.has('finalize')).toBe(true)
  await world.hand.patch(namespaces('n'), { metadata: { finalizers: ['x.com/wait'] } })
  await map('a')
  await world.hand.delete(namespaces('n'))
  await wait(5_000)
  const { spec, status } = await world.hand.get(namespaces('n'))
  expect([await world.hand.names(maps()), spec, status.phase]).toEqual([[], {}, 'Terminating'])
  await world.hand.patch(namespaces('n'), { metadata: { finalizers: null } })
  expect(await world.hand.get(namespaces('n'))).toBe(null)
})

test('all controllers together end a namespace whose content has owners', async () => {
  await running.stop()
  const tokens = { ca: 'CA', issue: () => Promise.resolve('token') }
  start(managedControllers({ tokens, signing: { authorities: {}, durationMs: 0 } }))
  const owner = await map('owner')
  await world.hand.create(maps(), {
    metadata: {
      name: 'dependent',
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          name: 'owner',
          uid: owner.metadata.uid,
          blockOwnerDeletion: true,
        },
      ],
    },
  })
  await world.hand.delete(maps('owner'), { policy: 'Foreground' })
  await world.hand.delete(namespaces('n'), { policy: 'Foreground' })
  await wait(5_000)
  expect([await world.hand.names(maps()), await world.hand.get(namespaces('n'))]).toEqual([
    [],
    null,
  ])
})
