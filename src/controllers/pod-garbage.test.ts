import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inProcess } from '../server/in-process.fixture.ts'
import { startControllers, type RunningControllers } from './index.ts'
import { podGarbage } from './pod-garbage.ts'
import { defaultSettings } from './settings.ts'

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
const start = async (
  mostEnded = defaultSettings.terminatedPodThreshold,
  gates: Readonly<Record<string, boolean>> = {},
) => {
  const settings = { ...defaultSettings, terminatedPodThreshold: mostEnded }
  const { controllerContext } = context
  const gate = (name: string) => gates[name] ?? controllerContext.gate(name)
  running = startControllers({ ...controllerContext, settings, gate }, [podGarbage])
  await running.idle()
}
beforeEach(async () => {
  context = await inProcess()
  // That of the pods.
  await context.hand.create(['v1', 'serviceaccounts', 'default'], { metadata: { name: 'default' } })
})
afterEach(async () => {
  await running.stop()
  await context.close()
})

const PODS = ['v1', 'pods', 'default'] as const
const at = (name: string) => [...PODS, name] as const
const pod = (name: string, spec: object = {}, metadata: object = {}) =>
  context.hand.create(PODS, {
    metadata: { name, ...metadata },
    spec: { containers: [{ name: 'c', image: 'x' }], ...spec },
  })
const phase = (name: string, of: string) =>
  context.hand.patch(at(name), { status: { phase: of } }, 'status')
const node = (name: string) => context.hand.create(['v1', 'nodes'], { metadata: { name } })
/** The pods that are left after some time. */
const left = async (ms: number) => {
  for (let passed = 0; passed < ms; passed += 20_000) {
    context.clock.advance(20_000)
    await running.idle()
  }
  return (await context.hand.names(PODS)).sort()
}

describe('pods that have ended', () => {
  for (const [mostEnded, expected] of [
    [1, ['c', 'd']],
    [3, ['a', 'b', 'c', 'd']],
    [0, ['a', 'b', 'c', 'd']],
  ] as const)
    test(`the oldest go above ${mostEnded}`, async () => {
      await start(mostEnded)
      for (const [name, of] of [
        ['b', 'Succeeded'],
        ['a', 'Failed'],
        ['c', 'Succeeded'],
        ['d', 'Running'],
      ] as const) {
        await pod(name)
        await phase(name, of)
        context.clock.advance(1_000)
      }
      expect(await left(20_000)).toEqual(expected)
    })
})

describe('pods of a node', () => {
  test('that is there stay; of one that is gone they go after forty seconds', async () => {
    await start()
    await node('n')
    await pod('a', { nodeName: 'n' })
    await pod('b', { nodeName: 'gone' })
    await pod('c')
    expect(await left(40_000)).toEqual(['a', 'b', 'c'])
    expect(await left(20_000)).toEqual(['a', 'c'])
    await context.hand.delete(['v1', 'nodes', '', 'n'])
    expect(await left(60_000)).toEqual(['c'])
  })

  test('that comes back meanwhile stay', async () => {
    await start()
    await pod('a', { nodeName: 'n' })
    expect(await left(40_000)).toEqual(['a'])
    await node('n')
    expect(await left(20_000)).toEqual(['a'])
    await context.hand.delete(['v1', 'nodes', '', 'n'])
    expect(await left(40_000)).toEqual(['a'])
    expect(await left(20_000)).toEqual([])
  })
})

describe('with the feature gate for disruption conditions', () => {
  for (const [which, spec, conditions] of [
    [
      'of a node that is gone says why it goes',
      { nodeName: 'gone' },
      [
        {
          ...{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC' },
          ...{ message: 'PodGC: node no longer exists', lastProbeTime: null },
          lastTransitionTime: '2024-01-02T03:05:05Z',
        },
      ],
    ],
    ['without a node has only failed', {}, undefined],
  ] as const)
    test(`a pod ${which}`, async () => {
      await start(0, { PodDisruptionConditions: true })
      // What it is at the end shows only where something holds it.
      await pod('a', spec, { finalizers: ['x.com/hold'] })
      if (!('nodeName' in spec)) await context.hand.delete(at('a'))
      await left(60_000)
      const { status, metadata } = await context.hand.get(at('a'))
      expect([status.phase, status.conditions]).toEqual(['Failed', conditions])
      expect(metadata.deletionTimestamp).toBeDefined()
    })
})

test('deleted pods without a node go, if nothing else holds them', async () => {
  await start()
  await pod('a', {}, { finalizers: ['x.com/hold'] })
  await context.hand.delete(at('a'))
  expect(await left(20_000)).toEqual(['a'])
  await context.hand.patch(at('a'), { metadata: { finalizers: null } })
  expect(await left(20_000)).toEqual([])
})
