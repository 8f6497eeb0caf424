import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inProcess } from '../server/in-process.fixture.ts'
import { startControllers, type RunningControllers } from './index.ts'
import { volumeExpander } from './volume-expander.ts'

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
beforeEach(async () => {
  context = await inProcess()
  running = startControllers(context.controllerContext, [volumeExpander])
})
afterEach(async () => {
  await running.stop()
  await context.close()
})

const CLAIMS = ['v1', 'persistentvolumeclaims', 'default'] as const
const CLASSES = ['storage{api}/v1', 'storageclasses', ''] as const
const csi = { csi: { driver: 'd.example.com', volumeHandle: 'h' } }
const TOLD = [
  "Normal ExternalExpanding: Ignoring the PVC: didn't find a plugin capable of expanding the volume; waiting for an external controller to process this PVC.",
]

describe('a claim', () => {
  for (const [what, source, size, capacity, told] of [
    ['that asks for more of a CSI volume', csi, '2Gi', '1Gi', TOLD],
    ['that has what it asks for', csi, '2Gi', '2048Mi', []],
    ['of another kind of volume', { hostPath: { path: '/x' } }, '2Gi', '1Gi', []],
  ] as const)
    test(`${what} is ${told.length === 0 ? 'not ' : ''}told that the driver has to make the room`, async () => {
      const spec = { accessModes: ['ReadWriteOnce'], storageClassName: 'c' }
      await context.hand.create(CLASSES, {
        ...{ metadata: { name: 'c' }, provisioner: 'd.example.com', allowVolumeExpansion: true },
      })
      const requests = { storage: '1Gi' }
      const { metadata } = await context.hand.create(CLAIMS, {
        metadata: { name: 'c' },
        spec: { ...spec, resources: { requests }, volumeName: 'v' },
      })
      await context.hand.create(['v1', 'persistentvolumes', ''], {
        metadata: { name: 'v' },
        spec: {
          ...{ ...spec, ...source, capacity: requests },
          claimRef: { namespace: 'default', name: 'c', uid: metadata.uid },
        },
      })
      const status = { phase: 'Bound', capacity: { storage: capacity } }
      await context.hand.patch([...CLAIMS, 'c'], { status }, 'status')
      await running.idle()
      await context.hand.patch([...CLAIMS, 'c'], {
        spec: { resources: { requests: { storage: size } } },
      })
      await running.idle()
      const names = await context.hand.names(['v1', 'events', 'default'])
      const events = await Promise.all(
        names.map((name) => context.hand.get(['v1', 'events', 'default', name])),
      )
      expect(events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)).toEqual(
        told,
      )
    })
})
