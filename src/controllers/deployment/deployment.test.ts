import { expect, test } from 'vitest'
import { controllerScene } from '../../../test/controller-scene.ts'
import { eventTexts, HollowPods } from '../../../test/hollow-pods.ts'
import type { Made } from '../../server/in-process.fixture.ts'
import { replicaSets } from '../replicas/replica-set.ts'
import { deployments } from './deployment.ts'

const scene = controllerScene(deployments, replicaSets)
const pods = new HollowPods(scene)
const ALL = ['apps/v1', 'deployments', 'default'] as const
const WEB = [...ALL, 'web'] as const
const SETS = ['apps/v1', 'replicasets', 'default'] as const
const NOW = '2024-01-02T03:04:05Z'

const create = (spec: object = {}, metadata: object = {}): Promise<Made> =>
  scene.context.hand.create(ALL, {
    metadata: { name: 'web', ...metadata },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'c', image: 'a' }] },
      },
      ...spec,
    },
  })
const change = (spec: object, metadata: object = {}) =>
  scene.context.hand.patch(WEB, { spec, metadata })
const image = (name: string) =>
  change({ template: { spec: { containers: [{ name: 'c', image: name }] } } })
const read = async (): Promise<Made> => {
  await scene.running.idle()
  return scene.context.hand.get(WEB)
}
const key = (name: string) => scene.context.api.v.resolve(`deployment.{label}/${name}`)
/** Image, revision and size of each set, in the order of their creation. */
async function sets(): Promise<Made[]> {
  await scene.running.idle()
  const names = await scene.context.hand.names(SETS)
  const found = await Promise.all(names.map((name) => scene.context.hand.get([...SETS, name])))
  return found.sort(
    (a, b) =>
      Number(a.metadata.annotations[key('revision')]) -
      Number(b.metadata.annotations[key('revision')]),
  )
}
const sizes = async () =>
  (await sets()).map(({ spec, metadata }) => [
    spec.template.spec.containers[0].image,
    metadata.annotations[key('revision')],
    spec.replicas,
  ])
const condition = ({ status }: Made, type: string) => {
  const found = (status.conditions ?? []).find((one: Made) => one.type === type)
  return found && [found.status, found.reason, found.message]
}
const events = async () =>
  (await eventTexts(scene, 'Deployment/web')).map((text) =>
    text.replaceAll(/web-[a-z0-9]+/g, 'SET'),
  )

test('a new deployment creates a set, and reports it in the order of the reference', async () => {
  await create({ replicas: 2 })
  const before = await read()
  const [set] = await sets()
  expect(set.metadata).toMatchObject({
    name: `web-${set.metadata.labels['pod-template-hash']}`,
    annotations: {
      [key('revision')]: '1',
      [key('desired-replicas')]: '2',
      [key('max-replicas')]: '3',
    },
    ownerReferences: [{ kind: 'Deployment', name: 'web', controller: true }],
  })
  expect(set.spec.selector.matchLabels).toEqual(set.spec.template.metadata.labels)
  expect(before.metadata).toMatchObject({ generation: 1, annotations: { [key('revision')]: '1' } })
  const name = set.metadata.name
  const times = { lastUpdateTime: NOW, lastTransitionTime: NOW }
  expect(before.status).toEqual({
    ...{ observedGeneration: 1, replicas: 2, updatedReplicas: 2, unavailableReplicas: 2 },
    conditions: [
      {
        ...{ type: 'Available', status: 'False', ...times, reason: 'MinimumReplicasUnavailable' },
        message: 'Deployment does not have minimum availability.',
      },
      {
        ...{ type: 'Progressing', status: 'True', ...times, reason: 'ReplicaSetUpdated' },
        message: `ReplicaSet "${name}" is progressing.`,
      },
    ],
  })
  await pods.settle()
  const after = await read()
  expect(after.status).toEqual({
    ...{ observedGeneration: 1, replicas: 2, updatedReplicas: 2 },
    ...{ readyReplicas: 2, availableReplicas: 2 },
    conditions: [
      {
        ...{ type: 'Available', status: 'True', ...times, reason: 'MinimumReplicasAvailable' },
        message: 'Deployment has minimum availability.',
      },
      {
        ...{ type: 'Progressing', status: 'True', ...times, reason: 'NewReplicaSetAvailable' },
        message: `ReplicaSet "${name}" has successfully progressed.`,
      },
    ],
  })
  expect(await events()).toEqual(['Normal ScalingReplicaSet Scaled up replica set SET to 2'])
})

test('an image is rolled out step by step: never fewer than available, never more than the surge', async () => {
  await create()
  await pods.settle()
  await image('b')
  const counts: number[][] = []
  for (;;) {
    const all = await pods.active()
    const ready = all.filter((pod) => pod.status.conditions?.[0]?.status === 'True')
    counts.push([all.length, ready.length])
    const next = all.find((pod) => !ready.includes(pod))
    if (!next) break
    await pods.report(next.metadata.name)
  }
  expect(counts).toEqual([
    [4, 3],
    [4, 3],
    [4, 3],
    [3, 3],
  ])
  expect(await sizes()).toEqual([
    ['a', '1', 0],
    ['b', '2', 3],
  ])
  expect(await events()).toEqual(
    [
      'up replica set SET to 3',
      'up replica set SET to 1',
      'down replica set SET to 2 from 3',
      'up replica set SET to 2 from 1',
      'down replica set SET to 1 from 2',
      'up replica set SET to 3 from 2',
      'down replica set SET to 0 from 1',
    ].map((text) => `Normal ScalingReplicaSet Scaled ${text}`),
  )
  expect((await read()).metadata.annotations[key('revision')]).toBe('2')
})

test('the template of an earlier revision reuses its set, with the next revision', async () => {
  await create()
  for (const name of ['b', 'a']) {
    await pods.settle()
    await image(name)
  }
  await pods.settle()
  expect(await sizes()).toEqual([
    ['b', '2', 0],
    ['a', '3', 3],
  ])
  expect((await sets())[1].metadata.annotations[key('revision-history')]).toBe('1')
})

test('a rollback annotation takes over the template of a revision', async () => {
  await create()
  await pods.settle()
  await image('b')
  await pods.settle()
  await change({}, { annotations: { 'deprecated.deployment.rollback.to': '0' } })
  await pods.settle()
  expect(await sizes()).toEqual([
    ['b', '2', 0],
    ['a', '3', 3],
  ])
  expect((await read()).metadata.annotations).not.toHaveProperty(
    'deprecated.deployment.rollback.to',
  )
  await change({}, { annotations: { 'deprecated.deployment.rollback.to': '9' } })
  await scene.running.idle()
  await change({}, { annotations: { 'deprecated.deployment.rollback.to': '3' } })
  expect((await events()).filter((text) => text.includes('Rollback'))).toEqual([
    'Normal DeploymentRollback Rolled back deployment "web" to revision 1',
    'Warning DeploymentRollbackRevisionNotFound Unable to find the revision to rollback to.',
    'Warning DeploymentRollbackTemplateUnchanged The rollback revision contains the same template as current deployment "web"',
  ])
})

test('a paused deployment creates no set until it is resumed', async () => {
  await create()
  await pods.settle()
  await change({ paused: true })
  await image('b')
  const paused = await read()
  expect(condition(paused, 'Progressing')).toEqual([
    'Unknown',
    'DeploymentPaused',
    'Deployment is paused',
  ])
  expect(paused.status).not.toHaveProperty('updatedReplicas')
  expect(await sizes()).toEqual([['a', '1', 3]])
  await image('c')
  await change({ paused: false })
  await pods.settle()
  expect(await sizes()).toEqual([
    ['a', '1', 0],
    ['c', '2', 3],
  ])
})

test('scaled in the middle of a rollout, sets grow in proportion', async () => {
  await create()
  await pods.settle()
  await image('b')
  await scene.running.idle()
  await change({ replicas: 8 })
  // Grown to 8 and 2; then the old one shrinks, as before it may be unavailable by a quarter, and the new one grows.
  expect(await sizes()).toEqual([
    ['a', '1', 6],
    ['b', '2', 4],
  ])
  const scaled = (await events()).filter((text) => / to (?:8|2) from /.test(text))
  expect(scaled).toEqual([
    'Normal ScalingReplicaSet Scaled up replica set SET to 8 from 3',
    'Normal ScalingReplicaSet Scaled up replica set SET to 2 from 1',
  ])
})

test('a rollout that stands still exceeds its deadline, and can still succeed', async () => {
  await create({ progressDeadlineSeconds: 10 })
  await pods.settle()
  await image('b')
  await scene.running.idle()
  scene.context.clock.advance(11_000)
  const late = await read()
  const name = (await sets())[1].metadata.name
  expect(condition(late, 'Progressing')).toEqual([
    'False',
    'ProgressDeadlineExceeded',
    `ReplicaSet "${name}" has timed out progressing.`,
  ])
  expect(late.status).toMatchObject({ availableReplicas: 3, updatedReplicas: 1 })
  await pods.settle()
  expect(condition(await read(), 'Progressing')).toEqual([
    'True',
    'NewReplicaSetAvailable',
    `ReplicaSet "${name}" has successfully progressed.`,
  ])
})

test('Recreate ends all old pods before the first new one', async () => {
  await create({ strategy: { type: 'Recreate' } })
  await pods.settle()
  const [old] = await pods.active()
  // An agent holds it for a while.
  await scene.context.hand.patch(['v1', 'pods', 'default', old.metadata.name], {
    metadata: { finalizers: ['example.com/agent'] },
  })
  await image('b')
  expect(await sizes()).toEqual([['a', '1', 0]])
  await scene.context.hand.patch(['v1', 'pods', 'default', old.metadata.name], {
    metadata: { finalizers: null },
  })
  await pods.settle()
  expect(await sizes()).toEqual([
    ['a', '1', 0],
    ['b', '2', 3],
  ])
})

test('old sets beyond the limit are deleted', async () => {
  await create({ revisionHistoryLimit: 1 })
  for (const name of ['b', 'c', 'd']) {
    await pods.settle()
    await image(name)
  }
  await pods.settle()
  expect(await sizes()).toEqual([
    ['c', '3', 0],
    ['d', '4', 3],
  ])
})

test('a name that is taken by another template raises the count of collisions', async () => {
  await create({ paused: true })
  await scene.running.idle()
  const before = await read()
  await change({ paused: false })
  const [set] = await sets()
  expect(before.status.collisionCount).toBeUndefined()
  // Another deployment of the same name and template as the deleted one, with a set that is not its own.
  await scene.context.hand.patch([...SETS, set.metadata.name], {
    metadata: { ownerReferences: null, labels: { app: 'other' } },
  })
  const two = await sets()
  expect(two).toHaveLength(2)
  expect((await read()).status.collisionCount).toBe(1)
})

test('a refusal of the set is an event and a condition', async () => {
  await scene.context.hand.create(['v1', 'resourcequotas', 'default'], {
    metadata: { name: 'none' },
    spec: { hard: { 'count/replicasets.apps': '0' } },
  })
  await scene.context.hand.patch(
    ['v1', 'resourcequotas', 'default', 'none'],
    {
      status: { hard: { 'count/replicasets.apps': '0' }, used: { 'count/replicasets.apps': '0' } },
    },
    'status',
  )
  await create()
  const [status, reason, message] = condition(await read(), 'Progressing') as string[]
  expect([status, reason]).toEqual(['False', 'ReplicaSetCreateError'])
  expect(message).toMatch(
    /^Failed to create new replica set "web-[a-z0-9]+": replicasets.apps "web-[a-z0-9]+" is forbidden: exceeded quota: none/,
  )
})

test('pods that a quota refuses are a condition of the deployment', async () => {
  await scene.context.hand.create(['v1', 'resourcequotas', 'default'], {
    metadata: { name: 'two' },
    spec: { hard: { pods: '2' } },
  })
  await scene.context.hand.patch(
    ['v1', 'resourcequotas', 'default', 'two'],
    { status: { hard: { pods: '2' }, used: { pods: '0' } } },
    'status',
  )
  await create()
  expect((condition(await read(), 'ReplicaFailure') as string[]).slice(0, 2)).toEqual([
    'True',
    'FailedCreate',
  ])
})

test('an orphaned set of the same template is adopted with its name and revision', async () => {
  await create()
  await pods.settle()
  const [set] = await sets()
  await scene.context.hand.delete(WEB, { policy: 'Orphan' })
  await scene.context.hand.patch([...SETS, set.metadata.name], {
    metadata: { ownerReferences: null },
  })
  await scene.running.idle()
  await scene.context.hand.patch(WEB, { metadata: { finalizers: null } }).catch(() => {})
  await create()
  const [after] = await sets()
  expect([after.metadata.name, after.metadata.uid]).toEqual([set.metadata.name, set.metadata.uid])
  expect((await read()).metadata.annotations[key('revision')]).toBe('1')
  expect(after.metadata.ownerReferences).toMatchObject([{ name: 'web' }])
})
