import { afterEach, beforeEach, expect, test } from 'vitest'
import { inProcess } from '../server/in-process.fixture.ts'
import { ephemeralVolumes } from './ephemeral-volumes.ts'
import { startControllers, type RunningControllers } from './index.ts'

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
beforeEach(async () => {
  context = await inProcess()
  running = startControllers(context.controllerContext, [ephemeralVolumes])
})
afterEach(async () => {
  await running.stop()
  await context.close()
})

const CLAIM = ['v1', 'persistentvolumeclaims', 'default', 'p-data'] as const
const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
const pod = () =>
  context.hand.create(['v1', 'pods', 'default'], {
    metadata: { name: 'p' },
    spec: {
      containers: [{ name: 'c', image: 'x' }],
      volumes: [
        {
          name: 'data',
          ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: 'b' } }, spec } },
        },
        { name: 'other', emptyDir: {} },
      ],
    },
  })
const claim = async () => {
  await running.idle()
  return context.hand.get(CLAIM)
}

test('an ephemeral volume gets its claim, again when that is deleted', async () => {
  const { metadata } = await pod()
  const { metadata: made, spec: content } = await claim()
  expect({ labels: made.labels, owners: made.ownerReferences, content }).toEqual({
    labels: { a: 'b' },
    owners: [
      {
        apiVersion: 'v1',
        kind: 'Pod',
        name: 'p',
        uid: metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
    content: { ...spec, volumeMode: 'Filesystem' },
  })
  await context.hand.patch(CLAIM, { metadata: { finalizers: [] } })
  await context.hand.delete(CLAIM)
  expect((await claim()).metadata.uid).not.toBe(made.uid)
})

test('a claim of that name that is somebody else’s is left alone, which is told', async () => {
  await context.hand.create(['v1', 'persistentvolumeclaims', 'default'], {
    metadata: { name: 'p-data' },
    spec,
  })
  await pod()
  expect((await claim()).metadata.ownerReferences).toBeUndefined()
  const [name] = await context.hand.names(['v1', 'events', 'default'])
  const event = await context.hand.get(['v1', 'events', 'default', name!])
  expect([event.type, event.reason, event.message, event.involvedObject.name]).toEqual([
    'Warning',
    'FailedBinding',
    'ephemeral volume data: PVC default/p-data was not created for pod default/p (pod is not owner)',
    'p',
  ])
  // When that goes, the pod gets its own at once.
  await context.hand.patch(CLAIM, { metadata: { finalizers: [] } })
  await context.hand.delete(CLAIM)
  expect((await claim()).metadata.ownerReferences).toMatchObject([{ name: 'p' }])
})
