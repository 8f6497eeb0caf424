import { expect, test } from 'vitest'
import { controllerScene } from '../../../test/controller-scene.ts'
import { eventTexts, HollowPods } from '../../../test/hollow-pods.ts'
import type { Made } from '../../server/in-process.fixture.ts'
import { deployments } from '../deployment/deployment.ts'
import { replicaSets } from '../replicas/replica-set.ts'
import { disruptions } from './disruption.ts'

const scene = controllerScene(disruptions, deployments, replicaSets)
const pods = new HollowPods(scene)
const BUDGETS = ['policy/v1', 'poddisruptionbudgets', 'default'] as const
const NOW = '2024-01-02T03:04:05Z'

const budget = (spec: object, name = 'b'): Promise<Made> =>
  scene.context.hand.create(BUDGETS, {
    metadata: { name },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  })
const status = async (name = 'b'): Promise<Made> => {
  await scene.running.idle()
  return (await scene.context.hand.get([...BUDGETS, name])).status
}
const deployment = (replicas: number) =>
  scene.context.hand.create(['apps/v1', 'deployments', 'default'], {
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'c', image: 'a' }] },
      },
    },
  })
const barePod = (name: string, owner?: object) =>
  scene.context.hand.create(['v1', 'pods', 'default'], {
    metadata: { name, labels: { app: 'web' }, ...(owner ? { ownerReferences: [owner] } : {}) },
    spec: { containers: [{ name: 'c', image: 'x' }] },
  })

test('a number of pods that must be available', async () => {
  await deployment(3)
  await pods.settle()
  await budget({ minAvailable: 2 })
  expect(await status()).toEqual({
    ...{ observedGeneration: 1, expectedPods: 3, currentHealthy: 3, desiredHealthy: 2 },
    disruptionsAllowed: 1,
    conditions: [
      {
        ...{ type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', message: '' },
        ...{ observedGeneration: 1, lastTransitionTime: NOW },
      },
    ],
  })
  const [pod] = await pods.active()
  await pods.report(pod.metadata.name, { ready: false })
  const [{ status: allowed, reason }] = (await status()).conditions
  expect([allowed, reason, (await status()).disruptionsAllowed]).toEqual([
    'False',
    'InsufficientPods',
    0,
  ])
})

test('shares are of the sizes of the controllers, rounded up', async () => {
  await deployment(5)
  await pods.settle()
  await budget({ minAvailable: '50%' })
  expect(await status()).toMatchObject({
    expectedPods: 5,
    desiredHealthy: 3,
    disruptionsAllowed: 2,
  })
  await budget({ maxUnavailable: '30%' }, 'other')
  await scene.context.hand.delete([...BUDGETS, 'b'])
  expect(await status('other')).toMatchObject({
    ...{ expectedPods: 5, desiredHealthy: 3, disruptionsAllowed: 2 },
  })
})

test('pods without a controller do not count for shares; without pods nothing is allowed', async () => {
  await budget({ maxUnavailable: 1 })
  expect(await eventTexts(scene, 'PodDisruptionBudget/b')).toEqual([
    'Normal NoPods No matching pods found',
  ])
  await barePod('p')
  await pods.settle()
  expect(await status()).toMatchObject({
    expectedPods: 0,
    desiredHealthy: 0,
    disruptionsAllowed: 0,
  })
})

test('a controller without a scale gives an error in the condition', async () => {
  const job = await scene.context.hand.create(['batch/v1', 'jobs', 'default'], {
    metadata: { name: 'j' },
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] } },
    },
  })
  const { uid } = job.metadata
  await barePod('p', { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid, controller: true })
  await budget({ maxUnavailable: 1 })
  const why = 'jobs.batch does not implement the scale subresource'
  expect((await status()).conditions).toMatchObject([
    { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: why },
  ])
  expect(await eventTexts(scene, 'PodDisruptionBudget/b')).toContain(
    `Warning CalculateExpectedPodCountFailed Failed to calculate the number of expected pods: ${why}`,
  )
})

test('an evicted pod counts as gone for two minutes', async () => {
  await deployment(3)
  const all = await pods.settle()
  await budget({ minAvailable: 1 })
  expect((await status()).disruptionsAllowed).toBe(2)
  const [{ metadata }] = all
  const change = { status: { disruptedPods: { [metadata.name]: NOW } } }
  await scene.context.hand.patch([...BUDGETS, 'b'], change, 'status')
  expect(await status()).toMatchObject({
    ...{ currentHealthy: 2, disruptionsAllowed: 1, disruptedPods: { [metadata.name]: NOW } },
  })
  await scene.running.idle()
  scene.context.clock.advance(121_000)
  expect(await status()).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 2 })
  expect(await status()).not.toHaveProperty('disruptedPods')
  expect(await eventTexts(scene, `Pod/${metadata.name}`)).toContain(
    "Warning NotDeleted Pod was expected by PDB default/default to be deleted but it wasn't",
  )
})
