import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer, CORE, NS, pod, refusal, Scene } from '../../../test/admission-scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.start()
  await scene.make(
    CLASSES,
    { metadata: { name: 'high' }, value: 1000 },
    { metadata: { name: 'modest' }, value: -5, preemptionPolicy: 'Never' },
  )
})
afterAll(() => scene.close())

const GROUP = 'scheduling.orch.io'
const CLASSES = `/apis/${GROUP}/v1/priorityclasses`
const PODS = `${NS}/pods`
const LOWER = 'PreemptLowerPriority'
const rank = ({ spec }: { spec: Record<string, unknown> }) => [
  spec['priorityClassName'],
  spec['priority'],
  spec['preemptionPolicy'],
]
const unnamed = (spec: object) => ({ ...pod('', spec), metadata: { generateName: 'p-' } })

describe('a pod', () => {
  for (const { name, spec, expected } of [
    { name: 'without a class', spec: {}, expected: [undefined, 0, LOWER] },
    { name: 'of a class', spec: { priorityClassName: 'high' }, expected: ['high', 1000, LOWER] },
    {
      name: 'of a class that preempts nothing',
      spec: { priorityClassName: 'modest' },
      expected: ['modest', -5, 'Never'],
    },
    {
      name: 'with the numbers of its class',
      spec: { priorityClassName: 'modest', priority: -5, preemptionPolicy: 'Never' },
      expected: ['modest', -5, 'Never'],
    },
  ]) {
    test(`${name} is given ${expected.join(', ')}`, async () => {
      const { status, body } = await scene.client.post(PODS, unnamed(spec))
      expect([status, ...rank(body)]).toEqual([201, ...expected])
    })
  }

  test('of a class of the system', async () => {
    const system = `${CORE}/namespaces/orch-system/pods`
    const given = unnamed({ priorityClassName: 'system-node-critical' })
    const { status, body } = await scene.client.post(system, given)
    expect([status, ...rank(body)]).toEqual([201, 'system-node-critical', 2_000_001_000, LOWER])
  })

  for (const { name, spec, why } of [
    {
      name: 'of an absent class',
      spec: { priorityClassName: 'absent' },
      why: 'no PriorityClass with name absent was found',
    },
    {
      name: 'with another number',
      spec: { priorityClassName: 'high', priority: 5 },
      why: 'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name',
    },
    {
      name: 'with a number and no class',
      spec: { priority: 5 },
      why: 'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    },
    {
      name: 'with another policy',
      spec: { preemptionPolicy: 'Never' },
      why: 'the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
    },
  ]) {
    test(`${name} is refused`, async () => {
      expect(answer(await scene.client.post(PODS, pod('p', spec)))).toEqual([
        403,
        refusal('', 'pods', 'p', why),
      ])
    })
  }

  test('keeps its rank in an update that leaves it out, and may not change it', async () => {
    const made = await scene.client.post(PODS, pod('kept', { priorityClassName: 'modest' }))
    const { priority: _, preemptionPolicy: __, ...spec } = made.body.spec
    const put = await scene.client.put(`${PODS}/kept`, { metadata: { name: 'kept' }, spec })
    expect([put.status, ...rank(put.body)]).toEqual([200, 'modest', -5, 'Never'])
    const changed = await scene.client.merge(`${PODS}/kept`, { spec: { priority: 1 } })
    expect([changed.status, changed.body.reason]).toEqual([422, 'Invalid'])
  })
})

describe('the default class', () => {
  const marked = (name: string, value: number) => ({
    metadata: { name },
    value,
    globalDefault: true,
  })
  const refused = (name: string, other: string) => [
    403,
    refusal(
      GROUP,
      'priorityclasses',
      name,
      `PriorityClass ${other} is already marked as default. Only one default can exist`,
    ),
  ]

  test('is that of pods without one, as long as it is there; there is only one', async () => {
    await scene.make(CLASSES, marked('usual', 7))
    const made = await scene.client.post(PODS, unnamed({}))
    expect([made.status, ...rank(made.body)]).toEqual([201, 'usual', 7, LOWER])
    expect(answer(await scene.client.post(CLASSES, marked('second', 1)))).toEqual(
      refused('second', 'usual'),
    )
    const more = { globalDefault: true }
    expect(answer(await scene.client.merge(`${CLASSES}/high`, more))).toEqual(
      refused('high', 'usual'),
    )
    const described = { description: 'the usual one', globalDefault: true }
    expect((await scene.client.merge(`${CLASSES}/usual`, described)).status).toBe(200)
    await scene.client.delete(`${CLASSES}/usual`)
    const bare = await scene.client.post(PODS, unnamed({}))
    expect([bare.status, ...rank(bare.body)]).toEqual([201, undefined, 0, LOWER])
    expect((await scene.client.merge(`${CLASSES}/high`, more)).status).toBe(200)
  })
})
