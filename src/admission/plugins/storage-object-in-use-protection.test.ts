import { afterAll, beforeAll, expect, test } from 'vitest'
import { CORE, NS, Scene } from '../../../test/admission-scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.start()
})
afterAll(() => scene.close())

const CLAIMS = `${NS}/persistentvolumeclaims`
const VOLUMES = `${CORE}/persistentvolumes`
const PVC = 'orch.io/pvc-protection'
const PV = 'orch.io/pv-protection'
const claim = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
}
const volume = {
  accessModes: ['ReadWriteOnce'],
  capacity: { storage: '1Gi' },
  hostPath: { path: '/x' },
}

for (const { name, path, spec, given, finalizers } of [
  { name: 'a claim', path: CLAIMS, spec: claim, given: undefined, finalizers: [PVC] },
  { name: 'a volume', path: VOLUMES, spec: volume, given: undefined, finalizers: [PV] },
  {
    name: 'a claim with others',
    path: CLAIMS,
    spec: claim,
    given: ['example.com/a'],
    finalizers: ['example.com/a', PVC],
  },
  {
    name: 'a claim that has it',
    path: CLAIMS,
    spec: claim,
    given: [PVC, 'example.com/a'],
    finalizers: [PVC, 'example.com/a'],
  },
  {
    name: 'a volume with that of claims',
    path: VOLUMES,
    spec: volume,
    given: [PVC],
    finalizers: [PVC, PV],
  },
  {
    name: 'another object',
    path: `${NS}/configmaps`,
    spec: undefined,
    given: undefined,
    finalizers: undefined,
  },
]) {
  test(`${name} is created with ${JSON.stringify(finalizers)}`, async () => {
    const object = { metadata: { generateName: 'x-', finalizers: given }, spec }
    const { status, body } = await scene.client.post(path, object)
    expect([status, body.metadata.finalizers]).toEqual([201, finalizers])
  })
}

test('an applied claim is a new one too, and stays until the finalizer is gone', async () => {
  const apply = { headers: { 'content-type': 'application/apply-patch+yaml' } }
  const object = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'a' },
    spec: claim,
  }
  const made = await scene.client.ask('PATCH', `${CLAIMS}/a?fieldManager=m`, {
    ...apply,
    body: object,
  })
  expect([made.status, made.body.metadata.finalizers]).toEqual([201, [PVC]])
  expect((await scene.client.delete(`${CLAIMS}/a`)).status).toBe(200)
  expect((await scene.client.get(`${CLAIMS}/a`)).body.metadata.deletionTimestamp).toBeDefined()
  expect((await scene.client.merge(`${CLAIMS}/a`, { metadata: { finalizers: null } })).status).toBe(
    200,
  )
  expect((await scene.client.get(`${CLAIMS}/a`)).status).toBe(404)
})
