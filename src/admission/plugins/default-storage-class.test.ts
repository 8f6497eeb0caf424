import { afterEach, beforeAll, afterAll, expect, test } from 'vitest'
import { answer, NS, refusal, Scene } from '../../../test/admission-scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.start()
})
afterAll(() => scene.close())

const CLASSES = '/apis/storage.orch.io/v1/storageclasses'
const CLAIMS = `${NS}/persistentvolumeclaims`
const MARK = 'storageclass.orch.io/is-default-class'
const BETA_MARK = 'storageclass.beta.orch.io/is-default-class'
const OLD = 'volume.beta.orch.io/storage-class'

const storageClass = (name: string, annotations: object) => ({
  metadata: { name, annotations },
  provisioner: 'example.com/p',
})
const claim = (spec: object = {}, annotations: object = {}) => ({
  metadata: { name: 'c', annotations },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
})
afterEach(async () => {
  await scene.client.merge(`${CLAIMS}/c`, { metadata: { finalizers: null } })
  await scene.client.delete(`${CLAIMS}/c`)
  await scene.client.delete(CLASSES)
})

const two = [
  storageClass('a', { [MARK]: 'true' }),
  storageClass('b', { [BETA_MARK]: 'true' }),
  storageClass('c', {}),
]

for (const { name, classes, given, expected } of [
  { name: 'without classes', classes: [], given: claim(), expected: undefined },
  {
    name: 'without a default',
    classes: [storageClass('a', { [MARK]: 'yes' }), storageClass('b', { [BETA_MARK]: 'false' })],
    given: claim(),
    expected: undefined,
  },
  {
    name: 'with a default',
    classes: [storageClass('a', {}), storageClass('b', { [MARK]: 'true' })],
    given: claim(),
    expected: 'b',
  },
  {
    name: 'with a default by the beta annotation',
    classes: [storageClass('b', { [BETA_MARK]: 'true' })],
    given: claim(),
    expected: 'b',
  },
  {
    name: 'with a class of its own, also beside two defaults',
    classes: two,
    given: claim({ storageClassName: 'x' }),
    expected: 'x',
  },
  {
    name: 'with the empty class',
    classes: two,
    given: claim({ storageClassName: '' }),
    expected: '',
  },
  {
    name: 'with a class by annotation',
    classes: two,
    given: claim({}, { [OLD]: 'x' }),
    expected: undefined,
  },
  {
    name: 'with the empty class by annotation',
    classes: two,
    given: claim({}, { [OLD]: '' }),
    expected: undefined,
  },
]) {
  test(`a claim ${name} gets ${String(expected)}`, async () => {
    await scene.make(CLASSES, ...classes)
    const { status, body } = await scene.client.post(CLAIMS, given)
    expect([status, body.spec.storageClassName]).toEqual([201, expected])
  })
}

test('two defaults refuse claims until one is none any more', async () => {
  await scene.make(CLASSES, ...two)
  const why = 'Internal error occurred: 2 default StorageClasses were found'
  expect(answer(await scene.client.post(CLAIMS, claim()))).toEqual([
    403,
    refusal('', 'persistentvolumeclaims', 'c', why),
  ])
  await scene.client.merge(`${CLASSES}/a`, { metadata: { annotations: { [MARK]: 'false' } } })
  const made = await scene.client.post(CLAIMS, claim())
  expect([made.status, made.body.spec.storageClassName]).toEqual([201, 'b'])
})
