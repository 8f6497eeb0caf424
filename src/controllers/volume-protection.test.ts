import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inProcess } from '../server/in-process.fixture.ts'
import { claimProtection } from './claim-protection.ts'
import { startControllers, type RunningControllers } from './index.ts'
import { volumeProtection } from './volume-protection.ts'

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
beforeEach(async () => {
  context = await inProcess()
  // That of the pods.
  await context.hand.create(['v1', 'serviceaccounts', 'default'], { metadata: { name: 'default' } })
  running = startControllers(context.controllerContext, [claimProtection, volumeProtection])
})
afterEach(async () => {
  await running.stop()
  await context.close()
})

const CLAIM = ['v1', 'persistentvolumeclaims', 'default', 'p-data'] as const
const VOLUME = ['v1', 'persistentvolumes', '', 'v'] as const
const POD = ['v1', 'pods', 'default', 'p'] as const
const at = (place: readonly [string, string, string, string]) =>
  [place[0], place[1], place[2]] as const
const claim = (metadata: object = {}) =>
  context.hand.create(at(CLAIM), {
    metadata: { name: 'p-data', ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
const pod = (volume: object, spec: object = {}) =>
  context.hand.create(at(POD), {
    metadata: { name: 'p' },
    spec: {
      nodeName: 'n',
      terminationGracePeriodSeconds: 30,
      containers: [{ name: 'c', image: 'x' }],
      volumes: [{ name: 'data', ...volume }],
      ...spec,
    },
  })
const named = (claimName: string) => ({ persistentVolumeClaim: { claimName } })
const ephemeral = {
  ephemeral: {
    volumeClaimTemplate: {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  },
}
const isThere = async (place: typeof CLAIM | typeof VOLUME) => {
  await running.idle()
  return (await context.hand.get(place)) !== null
}

describe('a claim', () => {
  for (const [name, makePod, stays] of [
    ['that no pod uses', async () => {}, false],
    ['that another claim is used beside', () => pod(named('other')), false],
    ['that a pod uses', () => pod(named('p-data')), true],
    ['that a pod without a node uses', () => pod(named('p-data'), { nodeName: undefined }), false],
    [
      'that a pod that has ended uses',
      async () => {
        await pod(named('p-data'))
        await context.hand.patch(POD, { status: { phase: 'Succeeded' } }, 'status')
      },
      true,
    ],
    ['that is not of the ephemeral volume of its name', () => pod(ephemeral), false],
  ] as const)
    test(`${name} ${stays ? 'stays' : 'goes'} when it is deleted`, async () => {
      await claim()
      await makePod()
      await context.hand.delete(CLAIM)
      expect(await isThere(CLAIM)).toBe(stays)
    })

  test('of an ephemeral volume stays until the pod is shut down', async () => {
    const { metadata } = await pod(ephemeral)
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: metadata.uid, controller: true }
    await claim({ ownerReferences: [owner] })
    await context.hand.delete(CLAIM)
    expect(await isThere(CLAIM)).toBe(true)
    await context.hand.patch(POD, { metadata: { finalizers: ['x.com/hold'] } })
    const { served } = context.hand.target(POD)
    await context.controllerContext
      .managerClient()
      .resource(served)
      .in('default')
      .delete('p', { gracePeriodSeconds: 0 })
    expect(await isThere(CLAIM)).toBe(false)
  })

  test('goes when the last pod that uses it goes', async () => {
    await claim()
    await pod(named('p-data'))
    await context.hand.create(at(POD), {
      metadata: { name: 'second' },
      spec: {
        nodeName: 'n',
        containers: [{ name: 'c', image: 'x' }],
        volumes: [{ name: 'd', ...named('p-data') }],
      },
    })
    await context.hand.delete(CLAIM)
    const { served } = context.hand.target(POD)
    const pods = context.controllerContext.managerClient().resource(served).in('default')
    await pods.delete('p', { gracePeriodSeconds: 0 })
    expect(await isThere(CLAIM)).toBe(true)
    await pods.delete('second', { gracePeriodSeconds: 0 })
    expect(await isThere(CLAIM)).toBe(false)
  })

  test('without the finalizer gets it', async () => {
    await claim()
    await context.hand.patch(CLAIM, { metadata: { finalizers: null } })
    await running.idle()
    expect((await context.hand.get(CLAIM)).metadata.finalizers).toEqual(['orch.io/pvc-protection'])
  })
})

describe('a volume', () => {
  const volume = () =>
    context.hand.create(at(VOLUME), {
      metadata: { name: 'v' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/x' },
      },
    })
  const phase = (name: string) => context.hand.patch(VOLUME, { status: { phase: name } }, 'status')

  for (const [name, stays] of [
    ['Available', false],
    ['Released', false],
    ['Failed', false],
    ['Bound', true],
  ] as const)
    test(`in phase ${name} ${stays ? 'stays' : 'goes'} when it is deleted`, async () => {
      await volume()
      await phase(name)
      await context.hand.delete(VOLUME)
      expect(await isThere(VOLUME)).toBe(stays)
    })

  test('goes when it is released', async () => {
    await volume()
    await phase('Bound')
    await context.hand.delete(VOLUME)
    await phase('Released')
    expect(await isThere(VOLUME)).toBe(false)
  })

  test('without the finalizer gets it', async () => {
    await volume()
    await context.hand.patch(VOLUME, { metadata: { finalizers: null } })
    await running.idle()
    expect((await context.hand.get(VOLUME)).metadata.finalizers).toEqual(['orch.io/pv-protection'])
  })
})
