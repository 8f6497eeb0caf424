import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer, NS, pod, refusal, Scene } from '../../../test/admission-scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.start()
  await scene.make(
    CLASSES,
    { metadata: { name: 'plain' }, handler: 'h' },
    { metadata: { name: 'heavy' }, handler: 'h', overhead: { podFixed: OVERHEAD } },
    { metadata: { name: 'weightless' }, handler: 'h', overhead: {} },
    {
      metadata: { name: 'placed' },
      handler: 'h',
      scheduling: { nodeSelector: { disk: 'ssd', zone: 'z' }, tolerations: [GPU] },
    },
    { metadata: { name: 'anywhere' }, handler: 'h', scheduling: {} },
  )
})
afterAll(() => scene.close())

const CLASSES = '/apis/node.orch.io/v1/runtimeclasses'
const PODS = `${NS}/pods`
const OVERHEAD = { cpu: '100m', memory: '64Mi' }
const GPU = { key: 'gpu', operator: 'Exists', effect: 'NoSchedule' }
const OTHER = { key: 'other', operator: 'Equal', value: 'x', effect: 'NoSchedule' }
const DIFFERS = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
const UNFOUNDED =
  'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead'

const shown = ({
  spec: { overhead, nodeSelector, tolerations },
}: {
  spec: Record<string, unknown>
}) => ({
  overhead,
  nodeSelector,
  // Those of other plugins come behind.
  tolerations: (tolerations as { key: string }[] | undefined)?.filter(
    ({ key }) => !key.startsWith('node.orch.io/'),
  ),
})

describe('a pod is accepted', () => {
  for (const { name, spec, expected } of [
    { name: 'without a class', spec: {}, expected: {} },
    { name: 'with one that sets nothing', spec: { runtimeClassName: 'plain' }, expected: {} },
    {
      name: 'with overhead',
      spec: { runtimeClassName: 'heavy' },
      expected: { overhead: OVERHEAD },
    },
    {
      name: 'with the same overhead of its own, in other words',
      spec: { runtimeClassName: 'heavy', overhead: { cpu: '0.1', memory: '65536Ki' } },
      expected: { overhead: OVERHEAD },
    },
    { name: 'with empty overhead', spec: { runtimeClassName: 'weightless' }, expected: {} },
    {
      name: 'with places',
      spec: { runtimeClassName: 'placed' },
      expected: { nodeSelector: { disk: 'ssd', zone: 'z' }, tolerations: [GPU] },
    },
    {
      name: 'with places beside its own',
      spec: {
        runtimeClassName: 'placed',
        nodeSelector: { disk: 'ssd', own: 'o' },
        tolerations: [OTHER, { ...GPU, effect: undefined }],
      },
      expected: {
        nodeSelector: { disk: 'ssd', zone: 'z', own: 'o' },
        tolerations: [OTHER, { key: 'gpu', operator: 'Exists' }],
      },
    },
    {
      name: 'with empty places',
      spec: { runtimeClassName: 'anywhere', tolerations: [OTHER] },
      expected: { tolerations: [OTHER] },
    },
  ]) {
    test(name, async () => {
      const { status, body, text } = await scene.client.post(PODS, {
        metadata: { generateName: 'p-' },
        spec: pod('', spec).spec,
      })
      expect(status, text).toBe(201)
      expect(shown(body)).toMatchObject(expected)
      expect(
        Object.keys(JSON.parse(JSON.stringify(shown(body)))).filter((key) => key !== 'tolerations'),
      ).toEqual(Object.keys(expected).filter((key) => key !== 'tolerations'))
    })
  }
})

describe('a pod is refused', () => {
  for (const { name, spec, why } of [
    {
      name: 'of an absent class',
      spec: { runtimeClassName: 'absent' },
      why: 'pod rejected: RuntimeClass "absent" not found',
    },
    {
      name: 'with other overhead',
      spec: { runtimeClassName: 'heavy', overhead: { cpu: '1' } },
      why: DIFFERS,
    },
    { name: 'with overhead and no class', spec: { overhead: OVERHEAD }, why: UNFOUNDED },
    {
      name: 'with overhead of a class without',
      spec: { runtimeClassName: 'plain', overhead: OVERHEAD },
      why: UNFOUNDED,
    },
    {
      name: 'of a class for other nodes',
      spec: { runtimeClassName: 'placed', nodeSelector: { zone: 'y' } },
      why: 'conflict: runtimeClass.scheduling.nodeSelector[zone] = z; pod.spec.nodeSelector[zone] = y',
    },
  ]) {
    test(name, async () => {
      expect(answer(await scene.client.post(PODS, pod('p', spec)))).toEqual([
        403,
        refusal('', 'pods', 'p', why),
      ])
    })
  }
})
