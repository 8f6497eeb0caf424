import { afterAll, beforeAll, expect, test } from 'vitest'
import { CORE, Scene } from '../../../test/admission-scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.start()
})
afterAll(() => scene.close())

const NODES = `${CORE}/nodes`
const KEY = 'node.orch.io/not-ready'
const TAINT = { key: KEY, effect: 'NoSchedule' }

for (const { name, given, taints } of [
  { name: 'none', given: undefined, taints: [TAINT] },
  { name: 'it', given: [TAINT], taints: [TAINT] },
  {
    name: 'it with a value',
    given: [{ ...TAINT, value: 'x' }],
    taints: [{ ...TAINT, value: 'x' }],
  },
  {
    name: 'it with another effect',
    given: [{ key: KEY, effect: 'NoExecute' }],
    taints: [{ key: KEY, effect: 'NoExecute' }, TAINT],
  },
  {
    name: 'another',
    given: [{ key: 'a', effect: 'NoSchedule' }],
    taints: [{ key: 'a', effect: 'NoSchedule' }, TAINT],
  },
]) {
  test(`a new node with ${name} is tainted`, async () => {
    const object = { metadata: { generateName: 'n-' }, spec: { taints: given } }
    const { status, body } = await scene.client.post(NODES, object)
    expect([status, body.spec.taints]).toEqual([201, taints])
  })
}

test('an update may remove the taint', async () => {
  await scene.make(NODES, { metadata: { name: 'n' } })
  const { status, body } = await scene.client.merge(`${NODES}/n`, { spec: { taints: null } })
  expect([status, body.spec]).toEqual([200, {}])
})
