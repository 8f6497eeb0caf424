/** Plugins of one server go by objects that the other has made. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Client } from '../client.ts'
import { hasEtcd } from '../store/etcd.ts'
import { startPair, type Pair } from './pair.ts'

const SOON = { timeout: 1_000, interval: 10 }
const CORE = '/api/v1/namespaces/default'
const CLASSES = '/apis/storage.orch.io/v1/storageclasses'
const INGRESS_CLASSES = '/apis/networking.orch.io/v1/ingressclasses'
const container = { name: 'a', image: 'a' }
const claim = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
}

let pair: Pair
beforeAll(async () => {
  if (hasEtcd)
    pair = await startPair({ controllers: false, disableAdmissionPlugins: ['ServiceAccount'] })
})
afterAll(() => pair?.close())

interface Row {
  readonly name: string
  /** What one server stores. */
  readonly stored: { readonly at: string; readonly object: { metadata: { name: string } } }
  /** A dry run of a create on the other. */
  readonly at: string
  readonly create: object
  /** What it answers, before and with the stored object. */
  readonly seen: (answer: Awaited<ReturnType<Client['post']>>) => unknown
  readonly before: unknown
  readonly after: unknown
}

const rows: readonly Row[] = [
  {
    name: 'LimitRanger: defaults of a limit range',
    stored: {
      at: `${CORE}/limitranges`,
      object: {
        metadata: { name: 'l' },
        ...{ spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '7m' } }] } },
      },
    },
    at: `${CORE}/pods`,
    create: { metadata: { name: 'p' }, spec: { containers: [container] } },
    seen: ({ body }) => body.spec.containers[0].resources,
    before: {},
    after: { requests: { cpu: '7m' } },
  },
  {
    name: 'LimitRanger: limits of a limit range',
    stored: {
      at: `${CORE}/limitranges`,
      object: {
        metadata: { name: 'm' },
        ...{ spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '1Mi' } }] } },
      },
    },
    at: `${CORE}/persistentvolumeclaims`,
    create: { metadata: { name: 'c' }, spec: claim },
    seen: ({ status, body }) => [status, body.message],
    before: [201, undefined],
    after: [
      403,
      'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Mi, but request is 1Gi',
    ],
  },
  {
    name: 'DefaultStorageClass',
    stored: {
      at: CLASSES,
      object: {
        metadata: {
          name: 'fast',
          ...{ annotations: { 'storageclass.orch.io/is-default-class': 'true' } },
        },
        ...{ provisioner: 'example.com/p' },
      },
    },
    at: `${CORE}/persistentvolumeclaims`,
    create: { metadata: { name: 'c' }, spec: claim },
    seen: ({ body }) => body.spec.storageClassName,
    before: undefined,
    after: 'fast',
  },
  {
    name: 'DefaultIngressClass',
    stored: {
      at: INGRESS_CLASSES,
      object: {
        metadata: {
          name: 'front',
          ...{ annotations: { 'ingressclass.orch.io/is-default-class': 'true' } },
        },
        ...{ spec: { controller: 'example.com/c' } },
      },
    },
    at: '/apis/networking.orch.io/v1/namespaces/default/ingresses',
    create: {
      metadata: { name: 'i' },
      spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
    },
    seen: ({ body }) => body.spec.ingressClassName,
    before: undefined,
    after: 'front',
  },
  {
    name: 'Priority',
    stored: {
      at: '/apis/scheduling.orch.io/v1/priorityclasses',
      object: { metadata: { name: 'high' }, ...{ value: 7, globalDefault: true } },
    },
    at: `${CORE}/pods`,
    create: { metadata: { name: 'p' }, spec: { containers: [container] } },
    seen: ({ body }) => body.spec.priority,
    before: 0,
    after: 7,
  },
  {
    name: 'RuntimeClass',
    stored: {
      at: '/apis/node.orch.io/v1/runtimeclasses',
      object: {
        metadata: { name: 'r' },
        ...{ handler: 'h', overhead: { podFixed: { cpu: '3m' } } },
      },
    },
    at: `${CORE}/pods`,
    create: { metadata: { name: 'p' }, spec: { runtimeClassName: 'r', containers: [container] } },
    seen: ({ status, body }) => [status, body.spec?.overhead ?? body.message],
    before: [403, 'pods "p" is forbidden: pod rejected: RuntimeClass "r" not found'],
    after: [201, { cpu: '3m' }],
  },
]

for (const { name, stored, at, create, seen, before, after } of rows) {
  test.skipIf(!hasEtcd)(`${name}, within a second, and until it is deleted`, async () => {
    const answer = async () => seen(await pair.late.post(`${at}?dryRun=All`, create))
    expect(await answer()).toEqual(before)
    expect((await pair.prompt.post(stored.at, stored.object)).status).toBe(201)
    await vi.waitFor(async () => expect(await answer()).toEqual(after), SOON)
    const path = `${stored.at}/${stored.object.metadata.name}`
    expect((await pair.prompt.delete(path)).status).toBe(200)
    await vi.waitFor(async () => expect(await answer()).toEqual(before), SOON)
  })
}
