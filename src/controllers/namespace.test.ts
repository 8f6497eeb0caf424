import { afterEach, beforeEach, expect, test } from 'vitest'
import { inProcess } from '../server/in-process.fixture.ts'
import { managedControllers, startControllers, type RunningControllers } from './index.ts'
import { namespaceLifecycle } from './namespace.ts'

const namespaces = (name = '') => ['v1', 'namespaces', '', name] as const
const maps = (name = '') => ['v1', 'configmaps', 'n', name] as const
const pods = (name = '') => ['v1', 'pods', 'n', name] as const

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
const start = (chosen: Parameters<typeof startControllers>[1]) =>
  (running = startControllers(context.controllerContext, chosen))
beforeEach(async () => {
  context = await inProcess()
  start([namespaceLifecycle])
  await context.hand.create(namespaces(), { metadata: { name: 'n' } })
})
afterEach(async () => {
  await running.stop()
  await context.close()
})

const wait = async (ms: number) => {
  await running.idle()
  context.clock.advance(ms)
  await running.idle()
}
interface Condition {
  type: string
  status: string
  reason: string
  message: string
}
const conditions = async () =>
  (await context.hand.get(namespaces('n'))).status.conditions.map(
    ({ type, status, reason, message }: Condition) => [type, status, reason, message],
  )
const map = (name: string, finalizers: string[] = []) =>
  context.hand.create(maps(), { metadata: { name, finalizers } })
const pod = async (name: string, nodeName: string, terminationGracePeriodSeconds: number) =>
  context.hand.create(pods(), {
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
  await context.hand.create(['v1', 'secrets', 'n'], { metadata: { name: 's' } })
  await context.hand.create(['coordination{api}/v1', 'leases', 'n'], { metadata: { name: 'l' } })
  await context.hand.create(['v1', 'configmaps', 'default'], { metadata: { name: 'other' } })
  await context.hand.delete(namespaces('n'))
  await wait(4_999)
  expect(await context.hand.names(maps())).toEqual(['a'])
  await wait(1)
  expect([
    await context.hand.names(maps()),
    await context.hand.names(['v1', 'secrets', 'n']),
    await context.hand.names(['coordination{api}/v1', 'leases', 'n']),
    await context.hand.get(namespaces('n')),
    await context.hand.names(['v1', 'configmaps', 'default']),
  ]).toEqual([[], [], [], null, ['other']])
})

test('resources without objects are not loaded', async () => {
  await map('a')
  await context.hand.delete(namespaces('n'))
  await wait(5_000)
  const isLoaded = (of: Parameters<typeof context.hand.served>[0]) =>
    context.api.cache.loaded(context.hand.served(of).keyPrefix) !== undefined
  expect([
    await context.hand.get(namespaces('n')),
    isLoaded(maps()),
    isLoaded(pods()),
    isLoaded(['apps/v1', 'deployments', 'n']),
  ]).toEqual([null, true, false, false])
})

test('an active namespace keeps its content', async () => {
  await map('a')
  await wait(60_000)
  expect([
    await context.hand.names(maps()),
    (await context.hand.get(namespaces('n'))).status,
  ]).toEqual([['a'], { phase: 'Active' }])
})

test('finalizers keep it, conditions report them, and it is retried after half of 15 seconds', async () => {
  await map('a', ['x.com/wait'])
  await map('b', ['x.com/wait', 'x.com/more'])
  await context.hand.delete(namespaces('n'))
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
  await context.hand.patch(maps('a'), { metadata: { finalizers: null } })
  await context.hand.patch(maps('b'), { metadata: { finalizers: null } })
  await wait(7_999)
  expect((await context.hand.get(namespaces('n'))).status.phase).toBe('Terminating')
  await wait(1)
  expect(await context.hand.get(namespaces('n'))).toBe(null)
})

test('pods get their grace period', async () => {
  await pod('bound', 'node', 40)
  await pod('free', '', 300)
  await context.hand.delete(namespaces('n'))
  await wait(5_000)
  expect([
    (await conditions())[3],
    (await conditions())[4],
    await context.hand.names(pods()),
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
  await context.hand.delete(namespaces('n'))
  await wait(5_000)
  expect((await conditions())[2]).toEqual([
    'NamespaceDeletionContentFailure',
    'True',
    'ContentDeletionFailed',
    'Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: n for gvr: /v1, Resource=pods',
  ])
  await context.hand.delete(pods('bound'))
  await running.stop()
  const served = context.hand.served(pods())
  await context.api.cache.commit([{ key: `${served.keyPrefix}n/bound`, value: null }])
  start([namespaceLifecycle])
  await wait(5_000)
  expect(await context.hand.get(namespaces('n'))).toBe(null)
})

test('finalizers of others keep the namespace itself', async () => {
  const update = context.hand.served(namespaces())
  expect(update.subresources.has('finalize')).toBe(true)
  await context.hand.patch(namespaces('n'), { metadata: { finalizers: ['x.com/wait'] } })
  await map('a')
  await context.hand.delete(namespaces('n'))
  await wait(5_000)
  const { spec, status } = await context.hand.get(namespaces('n'))
  expect([await context.hand.names(maps()), spec, status.phase]).toEqual([[], {}, 'Terminating'])
  await context.hand.patch(namespaces('n'), { metadata: { finalizers: null } })
  expect(await context.hand.get(namespaces('n'))).toBe(null)
})

test('all controllers together end a namespace whose content has owners', async () => {
  await running.stop()
  const tokens = { ca: 'CA', issue: () => Promise.resolve('token') }
  start(managedControllers({ tokens, signing: { authorities: {}, durationMs: 0 } }))
  const owner = await map('owner')
  await context.hand.create(maps(), {
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
  await context.hand.delete(maps('owner'), { policy: 'Foreground' })
  await context.hand.delete(namespaces('n'), { policy: 'Foreground' })
  await wait(5_000)
  expect([await context.hand.names(maps()), await context.hand.get(namespaces('n'))]).toEqual([
    [],
    null,
  ])
})
