import { afterAll, beforeAll, expect, test } from 'vitest'
import { answer, NS, refusal, Scene } from '../../../test/admission-scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.start()
  const provisioner = 'example.com/p'
  await scene.make(
    CLASSES,
    { metadata: { name: 'grows' }, provisioner, allowVolumeExpansion: true },
    { metadata: { name: 'stays' }, provisioner, allowVolumeExpansion: false },
    { metadata: { name: 'unset' }, provisioner },
  )
})
afterAll(() => scene.close())

const CLASSES = '/apis/storage.orch.io/v1/storageclasses'
const CLAIMS = `${NS}/persistentvolumeclaims`
const OLD = 'volume.beta.orch.io/storage-class'
const NO_CLASS =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize'
const storage = (size: string) => ({ resources: { requests: { storage: size } } })

for (const { name, spec, annotations, size, why } of [
  { name: 'grows', spec: { storageClassName: 'grows' }, size: '2Gi', why: null },
  { name: 'keeps its size', spec: { storageClassName: 'stays' }, size: '1Gi', why: null },
  {
    name: 'keeps it in other words',
    spec: { storageClassName: 'stays' },
    size: '1024Mi',
    why: null,
  },
  {
    name: 'of a class that says no',
    spec: { storageClassName: 'stays' },
    size: '2Gi',
    why: NO_CLASS,
  },
  {
    name: 'of a class that says nothing',
    spec: { storageClassName: 'unset' },
    size: '2Gi',
    why: NO_CLASS,
  },
  {
    name: 'of a class that is gone',
    spec: { storageClassName: 'absent' },
    size: '2Gi',
    why: NO_CLASS,
  },
  { name: 'without a class', spec: { storageClassName: '' }, size: '2Gi', why: NO_CLASS },
  {
    name: 'whose annotation names a class that grows',
    spec: {},
    annotations: { [OLD]: 'grows' },
    size: '2Gi',
    why: null,
  },
]) {
  test(`a bound claim ${name}: ${why ?? 'accepted'}`, async () => {
    const { body } = await scene.client.post(CLAIMS, {
      metadata: { generateName: 'c-', annotations },
      spec: { accessModes: ['ReadWriteOnce'], ...storage('1Gi'), ...spec },
    })
    const path = `${CLAIMS}/${body.metadata.name}`
    const bound = await scene.client.merge(`${path}/status`, { status: { phase: 'Bound' } })
    expect(bound.status).toBe(200)
    const resized = await scene.client.merge(path, { spec: storage(size) })
    if (why === null) expect(resized.status).toBe(200)
    else
      expect(answer(resized)).toEqual([
        403,
        refusal('', 'persistentvolumeclaims', body.metadata.name, why),
      ])
    expect((await scene.client.get(path)).body.spec.resources.requests.storage).toBe(
      why === null && size === '2Gi' ? '2Gi' : '1Gi',
    )
  })
}

test('a claim that is not bound is refused by its own rules before', async () => {
  await scene.make(CLAIMS, {
    metadata: { name: 'pending' },
    spec: { accessModes: ['ReadWriteOnce'], ...storage('1Gi'), storageClassName: 'grows' },
  })
  const { status, body } = await scene.client.merge(`${CLAIMS}/pending`, { spec: storage('2Gi') })
  expect([status, body.reason, body.details.causes.length]).toEqual([422, 'Invalid', 1])
})
