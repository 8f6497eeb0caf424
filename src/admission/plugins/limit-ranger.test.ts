import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer, CORE, refusal, Scene } from '../../../test/admission-scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.start()
})
afterAll(() => scene.close())

const ANNOTATION = 'orch.io/limit-ranger'
let namespaces = 0

/** A namespace with limit ranges; the items of each. */
async function limited(...ranges: readonly (readonly object[])[]): Promise<string> {
  const name = `ns${namespaces++}`
  await scene.make(`${CORE}/namespaces`, { metadata: { name } })
  await scene.make(
    `${CORE}/namespaces/${name}/limitranges`,
    ...ranges.map((limits, i) => ({ metadata: { name: `r${i}` }, spec: { limits } })),
  )
  return `${CORE}/namespaces/${name}`
}

type Resources = { limits?: object; requests?: object }
const container = (name: string, resources: Resources = {}) => ({ name, image: 'i', resources })
const podOf = (containers: readonly object[], initContainers?: readonly object[]) => ({
  metadata: { name: 'p' },
  spec: { containers, initContainers },
})
const refused = (resource: string, name: string, why: string) => [
  403,
  refusal('', resource, name, why),
]

describe('defaults', () => {
  const cpu = { type: 'Container', default: { cpu: '200m' }, defaultRequest: { cpu: '100m' } }
  const memory = { type: 'Container', default: { memory: '1Gi' }, defaultRequest: { cpu: '1' } }
  for (const { name, ranges, pod, resources, set } of [
    {
      name: 'without limits',
      ranges: [],
      pod: podOf([container('c')]),
      resources: [{}],
      set: undefined,
    },
    {
      name: 'of what is left out',
      ranges: [[cpu]],
      pod: podOf([container('c'), container('d', { requests: { cpu: '10m' } })], [container('i')]),
      resources: [
        { requests: { cpu: '100m' }, limits: { cpu: '200m' } },
        { requests: { cpu: '10m' }, limits: { cpu: '200m' } },
        { requests: { cpu: '100m' }, limits: { cpu: '200m' } },
      ],
      set: 'LimitRanger plugin set: cpu request for container c; cpu limit for container c; cpu limit for container d; cpu request for init container i; cpu limit for init container i',
    },
    {
      name: 'several names, sorted',
      ranges: [
        [
          {
            type: 'Container',
            default: { memory: '1Gi', cpu: '1' },
            defaultRequest: { memory: '1Gi', cpu: '1' },
          },
        ],
      ],
      pod: podOf([container('c')]),
      resources: [{ requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } }],
      set: 'LimitRanger plugin set: cpu, memory request for container c; cpu, memory limit for container c',
    },
    {
      name: 'a later range sets what is still left out, and its text remains',
      ranges: [[cpu], [memory]],
      pod: podOf([container('c')]),
      resources: [
        {
          requests: { cpu: '100m', memory: '1Gi' },
          limits: { cpu: '200m', memory: '1Gi' },
        },
      ],
      set: 'LimitRanger plugin set: memory request for container c; memory limit for container c',
    },
    {
      name: 'nothing where everything is set',
      ranges: [[cpu]],
      pod: podOf([container('c', { limits: { cpu: '1' } })]),
      resources: [{ requests: { cpu: '1' }, limits: { cpu: '1' } }],
      set: undefined,
    },
  ]) {
    test(name, async () => {
      const ns = await limited(...ranges)
      const { status, body, text } = await scene.client.post(`${ns}/pods`, pod)
      expect(status, text).toBe(201)
      const { containers, initContainers = [] } = body.spec
      expect(
        [...containers, ...initContainers].map((one: { resources: object }) => one.resources),
      ).toEqual(resources)
      expect(body.metadata.annotations?.[ANNOTATION]).toBe(set)
    })
  }

  test('are not more than a pod can have', async () => {
    const names = Array.from({ length: 600 }, (_, i) => [`example.com/r${i}`, '1'])
    const ns = await limited([{ type: 'Container', default: Object.fromEntries(names) }])
    const pod = podOf(Array.from({ length: 100 }, (_, i) => container(`c${i}`)))
    expect(answer(await scene.client.post(`${ns}/pods`, pod))).toEqual(
      refused('pods', 'p', 'limit ranges would set more than 50000 amounts'),
    )
  })
})

describe('a pod', () => {
  const ofContainer = (more: object) => [{ type: 'Container', ...more }]
  const bounds = ofContainer({ min: { cpu: '100m' }, max: { cpu: '2' } })
  const ofPod = [{ type: 'Pod', min: { cpu: '100m' }, max: { cpu: '1', memory: '1Gi' } }]
  for (const { name, ranges, pod, why } of [
    {
      name: 'within its bounds',
      ranges: [bounds],
      pod: podOf([container('c', { requests: { cpu: '0.1' }, limits: { cpu: '2' } })]),
      why: null,
    },
    {
      name: 'with too little',
      ranges: [bounds],
      pod: podOf([container('c', { requests: { cpu: '50m' }, limits: { cpu: '1' } })]),
      why: 'minimum cpu usage per Container is 100m, but request is 50m',
    },
    {
      name: 'with too low a limit',
      ranges: [bounds],
      pod: podOf([container('c', { requests: { cpu: '50m' }, limits: { cpu: '60m' } })]),
      why: 'minimum cpu usage per Container is 100m, but request is 50m',
    },
    {
      name: 'with too much, in an init container',
      ranges: [bounds],
      pod: podOf([container('c')], [container('i', { limits: { cpu: '3' } })]),
      why: 'maximum cpu usage per Container is 2, but limit is 3',
    },
    {
      name: 'with nothing, where only a type for pods has bounds',
      ranges: [ofPod],
      pod: podOf([container('c')]),
      why: '[minimum cpu usage per Pod is 100m.  No request is specified, maximum cpu usage per Pod is 1.  No limit is specified, maximum memory usage per Pod is 1Gi.  No limit is specified]',
    },
    {
      name: 'of several containers, all too large: told once',
      ranges: [bounds],
      pod: podOf(['c', 'd'].map((one) => container(one, { limits: { cpu: '3' } }))),
      why: 'maximum cpu usage per Container is 2, but limit is 3',
    },
    {
      name: 'whose sum is too much',
      ranges: [ofPod],
      pod: podOf(
        ['c', 'd'].map((one) => container(one, { limits: { cpu: '600m', memory: '600Mi' } })),
      ),
      why: '[maximum cpu usage per Pod is 1, but limit is 1200m, maximum memory usage per Pod is 1Gi, but limit is 1258291200]',
    },
    {
      name: 'where not every container has a limit',
      ranges: [[{ type: 'Pod', max: { cpu: '1' } }]],
      pod: podOf([container('c', { limits: { cpu: '1' } }), container('d')]),
      why: 'maximum cpu usage per Pod is 1.  No limit is specified',
    },
    {
      name: 'whose init container needs more than the others',
      ranges: [[{ type: 'Pod', max: { cpu: '1' } }]],
      pod: podOf(
        [container('c', { limits: { cpu: '500m' } })],
        [container('i', { limits: { cpu: '2' } })],
      ),
      why: 'maximum cpu usage per Pod is 1, but limit is 2',
    },
    {
      name: 'whose ratio is too large',
      ranges: [ofContainer({ maxLimitRequestRatio: { cpu: '4' } })],
      pod: podOf([container('c', { requests: { cpu: '100m' }, limits: { cpu: '600m' } })]),
      why: 'cpu max limit to request ratio per Container is 4, but provided ratio is 6.000000',
    },
    {
      name: 'whose ratio fits',
      ranges: [ofContainer({ maxLimitRequestRatio: { cpu: '2500m' } })],
      pod: podOf([container('c', { requests: { cpu: '2' }, limits: { cpu: '5' } })]),
      why: null,
    },
    {
      name: 'without a request for a ratio',
      ranges: [ofContainer({ maxLimitRequestRatio: { cpu: '4' } })],
      pod: podOf([container('c')]),
      why: 'cpu max limit to request ratio per Container is 4, but no request is specified or request is 0',
    },
    {
      name: 'without a limit for a ratio',
      ranges: [ofContainer({ maxLimitRequestRatio: { cpu: '4' } })],
      pod: podOf([container('c', { requests: { cpu: '1' } })]),
      why: 'cpu max limit to request ratio per Container is 4, but no limit is specified or limit is 0',
    },
    {
      name: 'outside two ranges: told of the first',
      ranges: [[{ type: 'Pod', max: { cpu: '1' } }], [{ type: 'Pod', max: { memory: '1Gi' } }]],
      pod: podOf([container('c', { limits: { cpu: '2', memory: '2Gi' } })]),
      why: 'maximum cpu usage per Pod is 1, but limit is 2',
    },
  ]) {
    test(`${name}: ${why ?? 'accepted'}`, async () => {
      const ns = await limited(...ranges)
      const made = await scene.client.post(`${ns}/pods`, pod)
      if (why === null) expect(made.status, made.text).toBe(201)
      else expect(answer(made)).toEqual(refused('pods', 'p', why))
    })
  }

  test('is not looked at again when it is updated, nor after the limits are gone', async () => {
    const ns = await limited()
    await scene.make(`${ns}/pods`, podOf([container('c')]))
    await scene.make(`${ns}/limitranges`, { metadata: { name: 'r' }, spec: { limits: ofPod } })
    const patch = { metadata: { labels: { a: 'b' } } }
    expect((await scene.client.merge(`${ns}/pods/p`, patch)).status).toBe(200)
    const another = { ...podOf([container('c')]), metadata: { name: 'q' } }
    expect((await scene.client.post(`${ns}/pods`, another)).status).toBe(403)
    await scene.client.delete(`${ns}/limitranges/r`)
    expect((await scene.client.post(`${ns}/pods`, another)).status).toBe(201)
  })
})

describe('a claim', () => {
  const bounds = [
    { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '5Gi' } },
  ]
  const claim = (storage: string, storageClassName = 'grows') => ({
    metadata: { name: 'c' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName,
      resources: { requests: { storage } },
    },
  })
  for (const { storage, why } of [
    { storage: '1Gi', why: null },
    { storage: '5Gi', why: null },
    {
      storage: '1Mi',
      why: 'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi',
    },
    {
      storage: '6Gi',
      why: 'maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi',
    },
  ]) {
    test(`of ${storage}: ${why ?? 'accepted'}`, async () => {
      const ns = await limited(bounds)
      const made = await scene.client.post(`${ns}/persistentvolumeclaims`, claim(storage))
      if (why === null) expect(made.status, made.text).toBe(201)
      else expect(answer(made)).toEqual(refused('persistentvolumeclaims', 'c', why))
    })
  }

  test('that grows too much is refused; one that is being deleted is not', async () => {
    await scene.make('/apis/storage.orch.io/v1/storageclasses', {
      metadata: { name: 'grows' },
      provisioner: 'example.com/p',
      allowVolumeExpansion: true,
    })
    const ns = await limited(bounds)
    const path = `${ns}/persistentvolumeclaims/c`
    await scene.make(`${ns}/persistentvolumeclaims`, claim('2Gi'))
    await scene.client.merge(`${path}/status`, { status: { phase: 'Bound' } })
    const grown = { spec: { resources: { requests: { storage: '6Gi' } } } }
    expect(answer(await scene.client.merge(path, grown))).toEqual(
      refused(
        'persistentvolumeclaims',
        'c',
        'maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi',
      ),
    )
    await scene.client.delete(path)
    expect((await scene.client.merge(path, grown)).status).toBe(200)
  })
})
