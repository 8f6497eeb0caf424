import { beforeEach, expect, test } from 'vitest'
import { controllerScene } from '../../../test/controller-scene.ts'
import { eventTexts, HollowPods } from '../../../test/hollow-pods.ts'
import type { Made } from '../../server/in-process.fixture.ts'
import { daemonSets } from './daemon-set.ts'

const scene = controllerScene(daemonSets)
const pods = new HollowPods(scene)
const ALL = ['apps/v1', 'daemonsets', 'default'] as const
const AGENT = [...ALL, 'agent'] as const
const REVISIONS = ['apps/v1', 'controllerrevisions', 'default'] as const

/** A node that is ready: admission taints new ones. */
const node = async (name: string) => {
  await scene.context.hand.create(['v1', 'nodes'], { metadata: { name } })
  await taint(name, [])
}
const taint = (name: string, taints: object[]) =>
  scene.context.hand.patch(['v1', 'nodes', '', name], { spec: { taints } })
const DEDICATED = { key: 'dedicated', value: 'x', effect: 'NoSchedule' }
beforeEach(async () => {
  for (const name of ['a', 'b', 'c']) await node(name)
})

const create = (spec: object = {}): Promise<Made> =>
  scene.context.hand.create(ALL, {
    metadata: { name: 'agent' },
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: {
        metadata: { labels: { app: 'agent' } },
        spec: { containers: [{ name: 'c', image: 'a' }] },
      },
      ...spec,
    },
  })
const change = (spec: object) => scene.context.hand.patch(AGENT, { spec })
const image = (name: string) =>
  change({ template: { spec: { containers: [{ name: 'c', image: name }] } } })
const nodeOf = ({ spec }: Made): string =>
  spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]
    .matchFields[0].values[0]
const placed = async () =>
  (await pods.active()).map((pod) => `${nodeOf(pod)} ${pod.spec.containers[0].image}`).toSorted()
const status = async (): Promise<Made> => {
  await scene.running.idle()
  return (await scene.context.hand.get(AGENT)).status
}

test('each node gets a pod that only it can have, with the tolerations of daemons', async () => {
  await create()
  const all = await pods.active()
  expect(all.map(nodeOf).toSorted()).toEqual(['a', 'b', 'c'])
  const [revision] = await scene.context.hand.names(REVISIONS)
  const { metadata } = await scene.context.hand.get([...REVISIONS, revision!])
  expect(all[0].metadata).toMatchObject({
    generateName: 'agent-',
    labels: {
      app: 'agent',
      'controller-revision-hash': metadata.labels['controller-revision-hash'],
      'pod-template-generation': '1',
    },
  })
  const domain = scene.context.api.v.resolve('node.{label}/')
  const own = all[0].spec.tolerations.map((one: Made) => [
    one.key.replace(domain, ''),
    one.operator,
    one.effect,
  ])
  expect(own).toEqual([
    ['not-ready', 'Exists', 'NoExecute'],
    ['unreachable', 'Exists', 'NoExecute'],
    ['disk-pressure', 'Exists', 'NoSchedule'],
    ['memory-pressure', 'Exists', 'NoSchedule'],
    ['pid-pressure', 'Exists', 'NoSchedule'],
    ['unschedulable', 'Exists', 'NoSchedule'],
  ])
  await pods.settle()
  expect(await status()).toEqual({
    ...{ currentNumberScheduled: 3, desiredNumberScheduled: 3, numberMisscheduled: 0 },
    ...{ numberReady: 3, numberAvailable: 3, updatedNumberScheduled: 3, observedGeneration: 1 },
  })
})

test('taints decide where pods run; nodes that come get theirs', async () => {
  await taint('c', [DEDICATED])
  await create()
  expect(await placed()).toEqual(['a a', 'b a'])
  expect(await status()).toMatchObject({ desiredNumberScheduled: 2 })
  await taint('c', [])
  expect(await placed()).toEqual(['a a', 'b a', 'c a'])
  await node('d')
  expect(await placed()).toEqual(['a a', 'b a', 'c a', 'd a'])
  // One that runs may go on beside NoSchedule, not beside NoExecute.
  await taint('a', [DEDICATED])
  expect(await placed()).toHaveLength(4)
  expect(await status()).toMatchObject({ desiredNumberScheduled: 3, numberMisscheduled: 1 })
  await taint('a', [{ ...DEDICATED, effect: 'NoExecute' }])
  expect(await placed()).toEqual(['b a', 'c a', 'd a'])
})

test('a node selector and a node name choose nodes', async () => {
  await scene.context.hand.patch(['v1', 'nodes', '', 'b'], {
    metadata: { labels: { disk: 'ssd' } },
  })
  await create({
    template: {
      metadata: { labels: { app: 'agent' } },
      spec: { nodeSelector: { disk: 'ssd' }, containers: [{ name: 'c', image: 'a' }] },
    },
  })
  expect(await placed()).toEqual(['b a'])
})

test('an update replaces one node after the other', async () => {
  await create()
  await pods.settle()
  await image('b')
  const steps: string[][] = []
  for (;;) {
    steps.push(await placed())
    const waiting = (await pods.active()).filter((pod) => pod.status.phase === 'Pending')
    if (waiting.length === 0) break
    for (const { metadata } of waiting) await pods.report(metadata.name)
  }
  expect(steps).toEqual([
    ['a b', 'b a', 'c a'],
    ['a b', 'b b', 'c a'],
    ['a b', 'b b', 'c b'],
    ['a b', 'b b', 'c b'],
  ])
  expect(await status()).toMatchObject({ updatedNumberScheduled: 3, observedGeneration: 2 })
})

test('with surge the new pod is available before the old one goes', async () => {
  await create({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } })
  await pods.settle()
  await image('b')
  expect(await placed()).toEqual(['a a', 'a b', 'b a', 'c a'])
  const [fresh] = (await pods.active()).filter((pod) => pod.status.phase === 'Pending')
  await pods.report(fresh.metadata.name)
  expect(await placed()).toEqual(['a b', 'b a', 'b b', 'c a'])
  await pods.settle()
  expect(await placed()).toEqual(['a b', 'b b', 'c b'])
})

test('a failed pod is replaced at once, then after a wait that doubles', async () => {
  await create()
  await pods.settle()
  const onA = async () => (await pods.active()).find((pod) => nodeOf(pod) === 'a')?.metadata.name
  const replacedAfter: number[] = []
  for (let round = 0; round < 4; round++) {
    const name = (await onA())!
    await pods.report(name, { phase: 'Failed' })
    let seconds = 0
    while ((await onA()) === undefined) {
      scene.context.clock.advance(1000)
      seconds++
    }
    replacedAfter.push(seconds)
  }
  expect(replacedAfter).toEqual([0, 1, 2, 4])
  const failed = (await eventTexts(scene, 'DaemonSet/agent')).filter((text) =>
    text.includes('FailedDaemonPod'),
  )
  expect(failed[0]).toMatch(
    /^Warning FailedDaemonPod Found failed daemon pod default\/agent-[a-z0-9]{5} on node a, will try to kill it$/,
  )
})

test('revisions: the next of a template that was there is raised, and old ones beyond the limit go', async () => {
  await create({ revisionHistoryLimit: 1 })
  for (const name of ['b', 'c', 'a']) {
    await pods.settle()
    await image(name)
  }
  await pods.settle()
  await scene.running.idle()
  const names = await scene.context.hand.names(REVISIONS)
  const all = await Promise.all(names.map((name) => scene.context.hand.get([...REVISIONS, name])))
  const found = all.map(({ revision, data }) => [
    revision,
    data.spec.template.spec.containers[0].image,
  ])
  expect(found.toSorted()).toEqual([
    [3, 'c'],
    [4, 'a'],
  ])
})

test('OnDelete updates a pod when it is deleted', async () => {
  await create({ updateStrategy: { type: 'OnDelete' } })
  await pods.settle()
  await image('b')
  expect(await placed()).toEqual(['a a', 'b a', 'c a'])
  const [one] = (await pods.active()).filter((pod) => nodeOf(pod) === 'b')
  await scene.context.hand.delete(['v1', 'pods', 'default', one.metadata.name])
  expect(await placed()).toEqual(['a a', 'b b', 'c a'])
})
