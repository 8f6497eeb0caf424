import { expect, test } from 'vitest'
import { controllerScene } from '../../../test/controller-scene.ts'
import { eventTexts, HollowPods } from '../../../test/hollow-pods.ts'
import type { Made } from '../../server/in-process.fixture.ts'
import { statefulSets } from './stateful-set.ts'

const scene = controllerScene(statefulSets)
const pods = new HollowPods(scene)
const ALL = ['apps/v1', 'statefulsets', 'default'] as const
const WEB = [...ALL, 'web'] as const
const REVISIONS = ['apps/v1', 'controllerrevisions', 'default'] as const
const CLAIMS = ['v1', 'persistentvolumeclaims', 'default'] as const

const create = (spec: object = {}): Promise<Made> =>
  scene.context.hand.create(ALL, {
    metadata: { name: 'web', annotations: { note: 'x' } },
    spec: {
      replicas: 3,
      serviceName: 'web',
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'c', image: 'a' }] },
      },
      ...spec,
    },
  })
const claimTemplate = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
}
const change = (spec: object) => scene.context.hand.patch(WEB, { spec })
const image = (name: string) =>
  change({ template: { spec: { containers: [{ name: 'c', image: name }] } } })
const status = async (): Promise<Made> => {
  await scene.running.idle()
  return (await scene.context.hand.get(WEB)).status
}
const names = async () => (await pods.active()).map(({ metadata }) => metadata.name)
const images = async () =>
  (await pods.active()).map(({ metadata, spec }) => `${metadata.name} ${spec.containers[0].image}`)
const revisions = async (): Promise<Made[]> => {
  await scene.running.idle()
  const all = await scene.context.hand.names(REVISIONS)
  const found = await Promise.all(all.map((name) => scene.context.hand.get([...REVISIONS, name])))
  return found.sort((a, b) => a.revision - b.revision)
}

test('pods are created one after the other, each with its name, claim and revision', async () => {
  await create({ volumeClaimTemplates: [claimTemplate] })
  const seen: string[][] = []
  for (;;) {
    const all = await names()
    seen.push(all)
    const waiting = (await pods.active()).filter((pod) => pod.status.phase === 'Pending')
    if (waiting.length === 0) break
    for (const { metadata } of waiting) await pods.report(metadata.name)
  }
  expect(seen).toEqual([
    ['web-0'],
    ['web-0', 'web-1'],
    ['web-0', 'web-1', 'web-2'],
    ['web-0', 'web-1', 'web-2'],
  ])
  const [revision] = await revisions()
  const label = scene.context.api.v.resolve('statefulset.{label}/pod-name')
  const [first] = await pods.active()
  expect(first.metadata).toMatchObject({
    generateName: 'web-',
    labels: { app: 'web', [label]: 'web-0', 'controller-revision-hash': revision.metadata.name },
    ownerReferences: [{ kind: 'StatefulSet', name: 'web', controller: true }],
  })
  expect(first.spec).toMatchObject({
    hostname: 'web-0',
    subdomain: 'web',
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } }],
  })
  expect(await scene.context.hand.names(CLAIMS)).toEqual(['data-web-0', 'data-web-1', 'data-web-2'])
  const claim = await scene.context.hand.get([...CLAIMS, 'data-web-0'])
  expect([claim.metadata.labels, claim.metadata.ownerReferences]).toEqual([
    { app: 'web' },
    undefined,
  ])
  expect(await status()).toEqual({
    ...{ observedGeneration: 1, replicas: 3, readyReplicas: 3, availableReplicas: 3 },
    ...{ currentReplicas: 3, updatedReplicas: 3, collisionCount: 0 },
    currentRevision: revision.metadata.name,
    updateRevision: revision.metadata.name,
  })
  expect((await eventTexts(scene, 'StatefulSet/web')).slice(0, 4)).toEqual([
    'Normal SuccessfulCreate create Claim data-web-0 Pod web-0 in StatefulSet web success',
    'Normal SuccessfulCreate create Pod web-0 in StatefulSet web successful',
    'Normal SuccessfulCreate create Claim data-web-1 Pod web-1 in StatefulSet web success',
    'Normal SuccessfulCreate create Pod web-1 in StatefulSet web successful',
  ])
})

test('a revision stores the template as a patch, with the annotations of the set', async () => {
  await create()
  const [revision] = await revisions()
  const hash = scene.context.api.v.resolve('controller.{label}/hash')
  expect(revision.metadata).toMatchObject({
    name: `web-${revision.metadata.labels[hash]}`,
    annotations: { note: 'x' },
    labels: { app: 'web' },
    ownerReferences: [{ kind: 'StatefulSet', controller: true, blockOwnerDeletion: true }],
  })
  expect(Object.keys(revision.data.spec.template)).toEqual(['$patch', 'metadata', 'spec'])
  expect(revision.data.spec.template.metadata).toEqual({
    creationTimestamp: null,
    labels: { app: 'web' },
  })
})

test('fewer replicas: the highest goes first, one after the other; claims stay and are used again', async () => {
  await create({ volumeClaimTemplates: [claimTemplate] })
  await pods.settle()
  await scene.context.hand.patch(['v1', 'pods', 'default', 'web-2'], {
    metadata: { finalizers: ['example.com/agent'] },
  })
  await change({ replicas: 1 })
  expect(await names()).toEqual(['web-0', 'web-1'])
  await scene.context.hand.patch(['v1', 'pods', 'default', 'web-2'], {
    metadata: { finalizers: null },
  })
  expect(await names()).toEqual(['web-0'])
  expect(await scene.context.hand.names(CLAIMS)).toHaveLength(3)
  await change({ replicas: 3 })
  await pods.settle()
  expect(await names()).toEqual(['web-0', 'web-1', 'web-2'])
  const claims = (await eventTexts(scene, 'StatefulSet/web')).filter((text) =>
    text.includes('Claim'),
  )
  expect(claims).toHaveLength(3)
})

test('an update begins with the highest ordinal and ends at the partition', async () => {
  await create({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } })
  await pods.settle()
  await image('b')
  await pods.settle()
  expect(await images()).toEqual(['web-0 a', 'web-1 a', 'web-2 b'])
  const [first, second] = await revisions()
  expect(await status()).toMatchObject({
    ...{ currentReplicas: 2, updatedReplicas: 1 },
    currentRevision: first.metadata.name,
    updateRevision: second.metadata.name,
  })
  // One below the partition keeps its revision, also when it is created again.
  await scene.context.hand.delete(['v1', 'pods', 'default', 'web-0'])
  await pods.settle()
  expect(await images()).toEqual(['web-0 a', 'web-1 a', 'web-2 b'])
  await change({ updateStrategy: { rollingUpdate: { partition: 0 } } })
  await pods.settle()
  expect(await images()).toEqual(['web-0 b', 'web-1 b', 'web-2 b'])
  expect(await status()).toMatchObject({
    ...{ currentReplicas: 3, updatedReplicas: 3 },
    currentRevision: second.metadata.name,
  })
  const deleted = (await eventTexts(scene, 'StatefulSet/web'))
    .filter((text) => text.includes('delete Pod'))
    .map((text) => /web-[0-9]/.exec(text)?.[0])
  expect(deleted).toEqual(['web-2', 'web-1', 'web-0'])
})

test('a template that was there before raises the number of its revision', async () => {
  await create()
  await pods.settle()
  const [before] = await revisions()
  await image('b')
  await pods.settle()
  await image('a')
  await pods.settle()
  const after = await revisions()
  expect(
    after.map(({ metadata, revision }) => [metadata.name === before.metadata.name, revision]),
  ).toEqual([
    [false, 2],
    [true, 3],
  ])
})

test('Parallel creates and deletes all at once, and updates one by one', async () => {
  await create({ podManagementPolicy: 'Parallel' })
  expect(await names()).toEqual(['web-0', 'web-1', 'web-2'])
  await pods.settle()
  await image('b')
  const waiting = (await pods.active()).filter((pod) => pod.status.phase === 'Pending')
  expect(waiting.map(({ metadata }) => metadata.name)).toEqual(['web-2'])
  await pods.settle()
  await change({ replicas: 0 })
  expect(await names()).toEqual([])
})

test('a failed pod is deleted and created again at once', async () => {
  await create({ replicas: 1 })
  const [{ metadata }] = await pods.settle()
  await pods.report('web-0', { phase: 'Failed' })
  const [again] = await pods.active()
  expect(again.metadata.uid).not.toBe(metadata.uid)
  expect(await eventTexts(scene, 'StatefulSet/web')).toContain(
    'Warning RecreatingFailedPod StatefulSet default/web is recreating failed Pod web-0',
  )
})

test('OnDelete updates a pod when it is deleted', async () => {
  await create({ updateStrategy: { type: 'OnDelete' } })
  await pods.settle()
  await image('b')
  expect(await images()).toEqual(['web-0 a', 'web-1 a', 'web-2 a'])
  await scene.context.hand.delete(['v1', 'pods', 'default', 'web-1'])
  await pods.settle()
  expect(await images()).toEqual(['web-0 a', 'web-1 b', 'web-2 a'])
})

test('a new revision that never becomes ready is not replaced by the next', async () => {
  await create({ replicas: 2 })
  await pods.settle()
  await image('broken')
  expect(await images()).toEqual(['web-0 a', 'web-1 broken'])
  await image('b')
  expect(await images()).toEqual(['web-0 a', 'web-1 broken'])
  await scene.context.hand.delete(['v1', 'pods', 'default', 'web-1'])
  await pods.settle()
  expect(await images()).toEqual(['web-0 b', 'web-1 b'])
})

test('minReadySeconds delay the next pod and the status', async () => {
  await create({ replicas: 2, minReadySeconds: 10 })
  await scene.running.idle()
  await pods.report('web-0')
  expect(await names()).toEqual(['web-0'])
  expect(await status()).toMatchObject({ readyReplicas: 1, availableReplicas: 0 })
  scene.context.clock.advance(11_000)
  expect(await names()).toEqual(['web-0', 'web-1'])
  expect(await status()).toMatchObject({ readyReplicas: 1, availableReplicas: 1 })
})

test('a claim that is being deleted holds the pod back, with an event', async () => {
  await create({ replicas: 1, volumeClaimTemplates: [claimTemplate] })
  await pods.settle()
  await scene.context.hand.patch([...CLAIMS, 'data-web-0'], {
    metadata: { finalizers: ['example.com/held'] },
  })
  await scene.context.hand.delete([...CLAIMS, 'data-web-0'])
  await scene.context.hand.delete(['v1', 'pods', 'default', 'web-0'])
  expect(await names()).toEqual([])
  expect(await eventTexts(scene, 'StatefulSet/web')).toContain(
    'Warning FailedCreate create Pod web-0 in StatefulSet web failed error: pvc data-web-0 is being deleted',
  )
  await scene.context.hand.patch([...CLAIMS, 'data-web-0'], { metadata: { finalizers: null } })
  scene.context.clock.advance(60_000)
  await pods.settle()
  expect(await names()).toEqual(['web-0'])
})

test('old revisions that nothing uses are deleted beyond the limit', async () => {
  await create({ replicas: 1, revisionHistoryLimit: 1 })
  for (const name of ['b', 'c', 'd']) {
    await pods.settle()
    await image(name)
  }
  await pods.settle()
  expect((await revisions()).map(({ revision }) => revision)).toEqual([3, 4])
})
