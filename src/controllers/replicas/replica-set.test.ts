import { expect, test } from 'vitest'
import { controllerScene } from '../../../test/controller-scene.ts'
import type { Made } from '../../server/in-process.fixture.ts'
import { replicaSets } from './replica-set.ts'

const scene = controllerScene(replicaSets)
const SETS = ['apps/v1', 'replicasets', 'default'] as const
const PODS = ['v1', 'pods', 'default'] as const

const set = (name: string, spec: object = {}, metadata: object = {}) =>
  scene.context.hand.create(SETS, {
    metadata: { name, ...metadata },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web', tier: 'front' } },
        spec: { containers: [{ name: 'c', image: 'x' }] },
      },
      ...spec,
    },
  })
const all = async (): Promise<Made[]> => {
  await scene.running.idle()
  const names = await scene.context.hand.names(PODS)
  return Promise.all(names.map((name) => scene.context.hand.get([...PODS, name])))
}
const events = async (): Promise<string[]> => {
  await scene.running.idle()
  const names = await scene.context.hand.names(['v1', 'events', 'default'])
  const found = await Promise.all(
    names.map((name) => scene.context.hand.get(['v1', 'events', 'default', name])),
  )
  return found.map(({ type, reason, message }) => `${type} ${reason} ${message}`)
}
const statusOf = async (name: string): Promise<Made> => {
  await scene.running.idle()
  return (await scene.context.hand.get([...SETS, name])).status
}
const ready = (name: string, change: object = {}) =>
  scene.context.hand.patch(
    [...PODS, name],
    {
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2024-01-02T03:04:05Z' }],
        ...change,
      },
    },
    'status',
  )

test('pods are made of the template, and the status counts them', async () => {
  const { metadata: owner } = await set('web')
  const pods = await all()
  expect(pods).toHaveLength(2)
  for (const { metadata } of pods) {
    expect(metadata.name).toMatch(/^web-[a-z0-9]{5}$/)
    expect(metadata).toMatchObject({
      generateName: 'web-',
      labels: { app: 'web', tier: 'front' },
      ownerReferences: [
        {
          ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: owner.uid },
          ...{ controller: true, blockOwnerDeletion: true },
        },
      ],
    })
  }
  expect(await statusOf('web')).toEqual({
    replicas: 2,
    fullyLabeledReplicas: 2,
    observedGeneration: 1,
  })
  const names = pods.map(({ metadata }) => metadata.name)
  expect((await events()).toSorted()).toEqual(
    names.map((name) => `Normal SuccessfulCreate Created pod: ${name}`).toSorted(),
  )
  await ready(names[0])
  expect(await statusOf('web')).toEqual({
    ...{ replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 1, availableReplicas: 1 },
    observedGeneration: 1,
  })
})

test('a pod is available only after minReadySeconds', async () => {
  await set('web', { replicas: 1, minReadySeconds: 10 })
  const [pod] = await all()
  await ready(pod.metadata.name)
  expect(await statusOf('web')).toMatchObject({ readyReplicas: 1 })
  expect(await statusOf('web')).not.toHaveProperty('availableReplicas')
  scene.context.clock.advance(11_000)
  expect(await statusOf('web')).toMatchObject({ readyReplicas: 1, availableReplicas: 1 })
})

test('the pod with the lowest deletion cost goes first', async () => {
  await set('web', { replicas: 3 })
  const pods = await all()
  for (const { metadata } of pods) await ready(metadata.name)
  const annotation = scene.context.api.v.resolve('controller.{label}/pod-deletion-cost')
  const chosen = pods[1].metadata.name
  await scene.context.hand.patch([...PODS, chosen], {
    metadata: { annotations: { [annotation]: '-1' } },
  })
  await scene.context.hand.patch([...SETS, 'web'], { spec: { replicas: 2 } })
  const left = (await all()).filter(({ metadata }) => !metadata.deletionTimestamp)
  expect(left.map(({ metadata }) => metadata.name)).toEqual(
    pods.map(({ metadata }) => metadata.name).filter((name) => name !== chosen),
  )
  expect(await events()).toContain(`Normal SuccessfulDelete Deleted pod: ${chosen}`)
})

test('a pod whose label is removed is released and replaced; an orphan is adopted', async () => {
  await set('web', { replicas: 1 })
  const [pod] = await all()
  await scene.context.hand.patch([...PODS, pod.metadata.name], {
    metadata: { labels: { app: null } },
  })
  const two = await all()
  const owners = two.map(({ metadata }) => (metadata.ownerReferences ?? []).length)
  expect(owners.toSorted()).toEqual([0, 1])
  await scene.context.hand.create(PODS, {
    metadata: { name: 'orphan', labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image: 'x' }] },
  })
  await scene.context.hand.patch([...SETS, 'web'], { spec: { replicas: 2 } })
  await all()
  const orphan = await scene.context.hand.get([...PODS, 'orphan'])
  expect(orphan.metadata.ownerReferences).toMatchObject([{ name: 'web', controller: true }])
})

test('a quota that refuses pods is a condition and an event, and is retried', async () => {
  await scene.context.hand.create(['v1', 'resourcequotas', 'default'], {
    metadata: { name: 'few' },
    spec: { hard: { pods: '1' } },
  })
  await scene.context.hand.patch(
    ['v1', 'resourcequotas', 'default', 'few'],
    { status: { hard: { pods: '1' }, used: { pods: '0' } } },
    'status',
  )
  await set('web', { replicas: 3 })
  const refusal =
    /^pods "web-[a-z0-9]{5}" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1$/
  const status = await statusOf('web')
  expect(status.conditions).toEqual([
    {
      type: 'ReplicaFailure',
      status: 'True',
      lastTransitionTime: '2024-01-02T03:04:05Z',
      reason: 'FailedCreate',
      message: expect.stringMatching(refusal),
    },
  ])
  expect((await events()).filter((one) => one.startsWith('Warning FailedCreate'))[0]).toMatch(
    /^Warning FailedCreate Error creating: pods "web-/,
  )
  for (const [hard, used] of [['5', '1']])
    await scene.context.hand.patch(
      ['v1', 'resourcequotas', 'default', 'few'],
      { spec: { hard: { pods: hard } }, status: { hard: { pods: hard }, used: { pods: used } } },
      'status',
    )
  scene.context.clock.advance(60_000)
  expect(await statusOf('web')).toMatchObject({ replicas: 3 })
  expect((await statusOf('web')).conditions).toBeUndefined()
})

test('pods that have ended are neither counted nor deleted', async () => {
  await set('web', { replicas: 1 })
  const [pod] = await all()
  await ready(pod.metadata.name, { phase: 'Failed', conditions: [] })
  const pods = await all()
  expect(pods.map(({ status }) => status.phase).toSorted()).toEqual(['Failed', 'Pending'])
  expect(await statusOf('web')).toMatchObject({ replicas: 1 })
})
