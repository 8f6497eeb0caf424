import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inProcess } from '../server/in-process.fixture.ts'
import { startControllers, type RunningControllers } from './index.ts'
import { volumeBinder } from './volume-binder.ts'

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
beforeEach(async () => {
  context = await inProcess({ vocabulary: 'kubernetes' })
  // That of the pods.
  await context.hand.create(['v1', 'serviceaccounts', 'default'], { metadata: { name: 'default' } })
  running = startControllers(context.controllerContext, [volumeBinder])
})
afterEach(async () => {
  await running.stop()
  await context.close()
})

const CLAIMS = ['v1', 'persistentvolumeclaims', 'default'] as const
const VOLUMES = ['v1', 'persistentvolumes', ''] as const
const CLASSES = ['storage{api}/v1', 'storageclasses', ''] as const
const claim = (
  name: string,
  {
    annotations,
    ...spec
  }: { readonly annotations?: object; readonly [field: string]: unknown } = {},
) =>
  context.hand.create(CLAIMS, {
    metadata: { name, ...(annotations ? { annotations } : {}) },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...spec,
    },
  })
const sized = (storage: string) => ({ resources: { requests: { storage } } })
const volume = (name: string, spec: object = {}, metadata: object = {}) =>
  context.hand.create(VOLUMES, {
    metadata: { name, ...metadata },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '2Gi' },
      hostPath: { path: '/x' },
      ...spec,
    },
  })
const storageClass = (name: string, rest: object = {}) =>
  context.hand.create(CLASSES, { metadata: { name }, provisioner: 'example.com/disks', ...rest })
const claimOf = async (name: string) => {
  await running.idle()
  return context.hand.get([...CLAIMS, name])
}
const volumeOf = async (name: string) => {
  await running.idle()
  return context.hand.get([...VOLUMES, name])
}
const withoutFinalizers = (place: readonly [string, string, string, string]) =>
  context.hand.patch(place, { metadata: { finalizers: null } })
/** What was said about an object, without how often. */
const told = async (name: string) => {
  await running.idle()
  const all = await Promise.all(
    (await context.hand.names(['v1', 'events'])).map((one) =>
      context.hand.get(['v1', 'events', 'default', one]),
    ),
  )
  return all
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
}

describe('binding', () => {
  for (const order of ['volume first', 'claim first'] as const)
    test(`${order}: both know each other`, async () => {
      if (order === 'claim first') await claim('c')
      await running.idle()
      await volume('v')
      await running.idle()
      if (order === 'volume first') await claim('c')
      const found = await claimOf('c')
      expect(found.spec.volumeName).toBe('v')
      expect(found.metadata.annotations).toEqual({
        'pv.kubernetes.io/bind-completed': 'yes',
        'pv.kubernetes.io/bound-by-controller': 'yes',
      })
      expect(found.status).toEqual({
        phase: 'Bound',
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '2Gi' },
      })
      const bound = await volumeOf('v')
      expect(bound.metadata.annotations).toEqual({ 'pv.kubernetes.io/bound-by-controller': 'yes' })
      expect(bound.spec.claimRef).toMatchObject({
        kind: 'PersistentVolumeClaim',
        apiVersion: 'v1',
        namespace: 'default',
        name: 'c',
        uid: found.metadata.uid,
      })
      expect(bound.status).toEqual({ phase: 'Bound' })
    })

  test('each claim gets a volume of its own, however many there are', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `${i}`)
    await Promise.all([
      ...names.map((name) => claim(`c${name}`)),
      ...names.slice(0, 15).map((name) => volume(`v${name}`)),
    ])
    const found = await Promise.all(names.map((name) => claimOf(`c${name}`)))
    const bound = found.filter(({ status }) => status.phase === 'Bound')
    expect(bound).toHaveLength(15)
    expect(new Set(bound.map(({ spec }) => spec.volumeName)).size).toBe(15)
    expect(found.filter(({ status }) => status.phase === 'Pending')).toHaveLength(5)
  })

  test('a volume that is kept for a claim waits for it', async () => {
    await volume('kept', { claimRef: { namespace: 'default', name: 'wanted' } })
    await claim('other')
    expect((await volumeOf('kept')).status.phase).toBe('Available')
    expect((await claimOf('other')).status.phase).toBe('Pending')
    await claim('wanted')
    expect((await claimOf('wanted')).spec.volumeName).toBe('kept')
    expect((await volumeOf('kept')).metadata.annotations).toBe(undefined)
  })

  test('many claims that wait get the volumes that come later', async () => {
    const names = Array.from({ length: 150 }, (_, i) => `${i}`)
    for (const name of names) await claim(`c${name}`, sized(Number(name) % 2 === 0 ? '1Gi' : '3Gi'))
    await running.idle()
    for (const name of names) await volume(`v${name}`)
    const found = await Promise.all(names.map((name) => claimOf(`c${name}`)))
    expect(found.filter(({ status }) => status.phase === 'Bound')).toHaveLength(75)
    const { metadata } = found[1]
    await volume('large', { capacity: { storage: '4Gi' }, accessModes: ['ReadWriteMany'] })
    await volume('larger', { capacity: { storage: '5Gi' } })
    expect((await volumeOf('large')).status.phase).toBe('Available')
    expect((await volumeOf('larger')).spec.claimRef).toMatchObject({ name: metadata.name })
  })

  test('a claim waits for the volume that it names', async () => {
    await claim('c', { volumeName: 'v' })
    expect((await claimOf('c')).status.phase).toBe('Pending')
    await volume('v')
    expect((await claimOf('c')).status.phase).toBe('Bound')
  })

  test('a claim that names its volume gets that one', async () => {
    await volume('a')
    await volume('b')
    await claim('c', { volumeName: 'b' })
    const { status, metadata } = await claimOf('c')
    expect(status.phase).toBe('Bound')
    expect(metadata.annotations).toEqual({ 'pv.kubernetes.io/bind-completed': 'yes' })
    expect((await volumeOf('a')).status.phase).toBe('Available')
  })
})

describe('what a claim waits for is told', () => {
  for (const [name, prepare, spec, expected] of [
    [
      'no volume',
      async () => {},
      {},
      'Normal FailedBinding: no persistent volumes available for this claim and no storage class is set',
    ],
    [
      'a volume that is too small',
      () => volume('v'),
      { volumeName: 'v', resources: { requests: { storage: '3Gi' } } },
      'Warning VolumeMismatch: Cannot bind to requested volume "v": requested PV is too small',
    ],
    [
      'a volume of another claim',
      async () => {
        await volume('v')
        await claim('other', { volumeName: 'v' })
        await running.idle()
      },
      { volumeName: 'v' },
      'Warning FailedBinding: volume "v" already bound to a different claim.',
    ],
    [
      'the volume of another claim, which it was given',
      async () => {
        await volume('v')
        await claim('other', { volumeName: 'v' })
        await running.idle()
      },
      { volumeName: 'v', annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
      'Warning FailedBinding: volume "v" already bound to a different claim.',
    ],
    [
      'a class that is absent',
      async () => {},
      { storageClassName: 'x' },
      'Warning ProvisioningFailed: storageclass.storage.k8s.io "x" not found',
    ],
    [
      'a class without a provisioner',
      () => storageClass('x', { provisioner: 'kubernetes.io/no-provisioner' }),
      { storageClassName: 'x' },
      'Warning ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner',
    ],
    [
      'a provisioner',
      () => storageClass('x'),
      { storageClassName: 'x' },
      'Normal ExternalProvisioning: waiting for a volume to be created, either by external provisioner "example.com/disks" or manually created by system administrator',
    ],
    [
      'a pod',
      () => storageClass('x', { volumeBindingMode: 'WaitForFirstConsumer' }),
      { storageClassName: 'x' },
      'Normal WaitForFirstConsumer: waiting for first consumer to be created before binding',
    ],
    [
      'a scheduler',
      async () => {
        await storageClass('x', { volumeBindingMode: 'WaitForFirstConsumer' })
        await context.hand.create(['v1', 'pods', 'default'], {
          metadata: { name: 'p' },
          spec: {
            containers: [{ name: 'c', image: 'x' }],
            volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'c' } }],
          },
        })
      },
      { storageClassName: 'x' },
      'Normal WaitForPodScheduled: waiting for pod p to be scheduled',
    ],
  ] as const)
    test(name, async () => {
      await prepare()
      await claim('c', spec)
      expect((await claimOf('c')).status.phase).toBe('Pending')
      expect(await told('c')).toEqual([expected])
    })

  test('the driver that has replaced a built-in provisioner', async () => {
    await storageClass('x', { provisioner: 'kubernetes.io/aws-ebs' })
    await claim('c', { storageClassName: 'x' })
    expect(await told('c')).toEqual([
      'Normal ExternalProvisioning: waiting for a volume to be created, either by external provisioner "ebs.csi.aws.com" or manually created by system administrator',
    ])
  })

  test('pods, but for those that have a node or have ended', async () => {
    await storageClass('x', { volumeBindingMode: 'WaitForFirstConsumer' })
    const persistentVolumeClaim = { claimName: 'c' }
    for (const [name, nodeName, phase] of [
      ['a', undefined, 'Pending'],
      ['b', undefined, 'Pending'],
      ['elsewhere', 'n', 'Running'],
      ['over', undefined, 'Failed'],
    ] as const) {
      await context.hand.create(['v1', 'pods', 'default'], {
        metadata: { name },
        spec: {
          containers: [{ name: 'c', image: 'x' }],
          volumes: [{ name: 'd', persistentVolumeClaim }],
          ...(nodeName === undefined ? {} : { nodeName }),
        },
      })
      await context.hand.patch(['v1', 'pods', 'default', name], { status: { phase } }, 'status')
    }
    await claim('c', { storageClassName: 'x' })
    expect(await told('c')).toEqual([
      'Normal WaitForPodScheduled: waiting for pods a,b to be scheduled',
    ])
  })

  test('no provisioner, where volumes are not provisioned', async () => {
    await running.stop()
    const settings = { ...context.controllerContext.settings, provisionsVolumes: false }
    running = startControllers({ ...context.controllerContext, settings }, [volumeBinder])
    await storageClass('x')
    await claim('c', { storageClassName: 'x' })
    expect((await claimOf('c')).metadata.annotations).toBeUndefined()
    expect(await told('c')).toEqual([])
  })

  test('a provisioner learns of the claim by its annotations', async () => {
    await storageClass('x')
    await claim('c', { storageClassName: 'x' })
    expect((await claimOf('c')).metadata.annotations).toEqual({
      'volume.beta.kubernetes.io/storage-provisioner': 'example.com/disks',
      'volume.kubernetes.io/storage-provisioner': 'example.com/disks',
    })
  })
})

describe('the driver that has replaced a plugin is noted', () => {
  const driver = 'ebs.csi.aws.com'
  const note = 'pv.kubernetes.io/migrated-to'
  for (const [name, before, after] of [
    ['of a claim', { provisioner: 'kubernetes.io/aws-ebs' }, driver],
    ['of another one', { provisioner: 'kubernetes.io/azure-file' }, 'file.csi.azure.com'],
    ['not of a driver', { provisioner: driver }, undefined],
    ['no longer', { provisioner: driver, note: 'old' }, undefined],
    ['without a provisioner as it is', { note: 'old' }, 'old'],
  ] as [string, { provisioner?: string; note?: string }, string | undefined][])
    test(name, async () => {
      const annotations = (key: string) => ({
        ...(before.provisioner === undefined ? {} : { [key]: before.provisioner }),
        ...(before.note === undefined ? {} : { [note]: before.note }),
      })
      await claim('c', { annotations: annotations('volume.kubernetes.io/storage-provisioner') })
      await volume(
        'v',
        { storageClassName: 'x' },
        { annotations: annotations('pv.kubernetes.io/provisioned-by') },
      )
      const noted = ({ metadata }: { metadata: { annotations?: Record<string, string> } }) =>
        metadata.annotations?.[note]
      expect([noted(await claimOf('c')), noted(await volumeOf('v'))]).toEqual([after, after])
    })
})

describe('what becomes of a binding', () => {
  const bind = async (spec: object = {}, metadata: object = {}) => {
    await volume('v', spec, metadata)
    await running.idle()
    await claim('c')
    await running.idle()
  }
  for (const [policy, expected] of [
    ['Retain', { phase: 'Released' }],
    ['Delete', { phase: 'Released' }],
    ['Recycle', { phase: 'Failed', message: 'no volume plugin matched' }],
  ] as const)
    test(`a volume whose claim is gone, with ${policy}`, async () => {
      await bind({ persistentVolumeReclaimPolicy: policy })
      await withoutFinalizers([...CLAIMS, 'c'])
      await context.hand.delete([...CLAIMS, 'c'])
      expect((await volumeOf('v')).status).toEqual(expected)
      // It is not for the next claim of the name.
      await claim('c')
      expect((await claimOf('c')).status.phase).toBe('Pending')
    })

  test('a claim whose volume is gone is lost', async () => {
    await bind()
    await withoutFinalizers([...VOLUMES, 'v'])
    await context.hand.delete([...VOLUMES, 'v'])
    expect((await claimOf('c')).status).toEqual({ phase: 'Lost' })
    expect(await told('c')).toEqual([
      'Warning ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    ])
  })

  test('a claim that says it has the volume of another is lost', async () => {
    await bind()
    await context.hand.create(CLAIMS, {
      metadata: { name: 'd', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        volumeName: 'v',
      },
    })
    expect((await claimOf('d')).status).toEqual({ phase: 'Lost' })
    expect(await told('d')).toEqual([
      'Warning ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly',
    ])
  })

  test('a volume whose claim has another one is free again', async () => {
    await bind()
    const { metadata } = await claimOf('c')
    const ref = { namespace: 'default', name: 'c', uid: metadata.uid }
    await volume(
      'ours',
      { claimRef: ref },
      { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
    )
    await volume('theirs', { claimRef: ref })
    const ours = await volumeOf('ours')
    expect([ours.spec.claimRef, ours.status]).toEqual([undefined, { phase: 'Available' }])
    const theirs = await volumeOf('theirs')
    expect(theirs.spec.claimRef).toEqual({ namespace: 'default', name: 'c' })
    expect(theirs.status).toEqual({ phase: 'Available' })
  })

  test('nothing is written again after a restart', async () => {
    await bind()
    await claimOf('c')
    const { revision } = context.api.cache
    await running.stop()
    running = startControllers(context.controllerContext, [volumeBinder])
    await running.idle()
    expect(context.api.cache.revision).toBe(revision)
  })
})
