import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NS, pod, Scene } from '../../../test/admission-scene.ts'

const PODS = `${NS}/pods`
const of = (name: string, tolerationSeconds = 300) => ({
  key: `node.orch.io/${name}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds,
})
const [NOT_READY, UNREACHABLE] = [of('not-ready'), of('unreachable')]
const other = { key: 'a', operator: 'Exists' }

describe('by default', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.start()
  })
  afterAll(() => scene.close())

  for (const { name, given, expected } of [
    { name: 'none', given: undefined, expected: [NOT_READY, UNREACHABLE] },
    { name: 'others', given: [other], expected: [other, NOT_READY, UNREACHABLE] },
    {
      name: 'one of them, forever',
      given: [{ key: 'node.orch.io/not-ready', operator: 'Exists', effect: 'NoExecute' }],
      expected: [
        { key: 'node.orch.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
        UNREACHABLE,
      ],
    },
    {
      name: 'one of them, for every effect',
      given: [{ key: 'node.orch.io/unreachable', operator: 'Exists' }],
      expected: [{ key: 'node.orch.io/unreachable', operator: 'Exists' }, NOT_READY],
    },
    {
      name: 'one of them, for another effect',
      given: [{ key: 'node.orch.io/not-ready', operator: 'Exists', effect: 'NoSchedule' }],
      expected: [
        { key: 'node.orch.io/not-ready', operator: 'Exists', effect: 'NoSchedule' },
        NOT_READY,
        UNREACHABLE,
      ],
    },
    { name: 'all keys', given: [{ operator: 'Exists' }], expected: [{ operator: 'Exists' }] },
    {
      name: 'all keys of another effect',
      given: [{ operator: 'Exists', effect: 'NoSchedule' }],
      expected: [{ operator: 'Exists', effect: 'NoSchedule' }, NOT_READY, UNREACHABLE],
    },
  ]) {
    test(`a pod that tolerates ${name}`, async () => {
      const { status, body } = await scene.client.post(PODS, {
        metadata: { generateName: 'p-' },
        spec: pod('', { tolerations: given }).spec,
      })
      expect([status, body.spec.tolerations]).toEqual([201, expected])
    })
  }

  test('an update adds them to what a patch leaves', async () => {
    await scene.make(PODS, pod('p', { tolerations: [{ operator: 'Exists' }] }))
    const both = { spec: { tolerations: [{ operator: 'Exists' }, other] } }
    const { status, body } = await scene.client.merge(`${PODS}/p`, both)
    expect([status, body.spec.tolerations]).toEqual([200, both.spec.tolerations])
  })
})

test('as flags say', async () => {
  const scene = await Scene.start({
    defaultNotReadyTolerationSeconds: 0,
    defaultUnreachableTolerationSeconds: 7,
  })
  const { body } = await scene.client.post(PODS, pod('p'))
  expect(body.spec.tolerations).toEqual([of('not-ready', 0), of('unreachable', 7)])
  await scene.close()
})

test('not where it is off; a pod of that time gets them with its next update', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tolerations-'))
  const off = ['ServiceAccount', 'DefaultTolerationSeconds']
  const first = await Scene.start({ dataDir, disableAdmissionPlugins: off })
  const made = await first.client.post(PODS, pod('p'))
  expect([made.status, made.body.spec.tolerations]).toEqual([201, undefined])
  await first.close()
  const second = await Scene.start({ dataDir })
  const labels = { metadata: { labels: { a: 'b' } } }
  const { status, body } = await second.client.merge(`${PODS}/p`, labels)
  expect([status, body.spec.tolerations]).toEqual([200, [NOT_READY, UNREACHABLE]])
  await second.close()
  rmSync(dataDir, { recursive: true })
})
