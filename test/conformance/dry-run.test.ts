/** Which resourceVersion the answers of dry runs carry: none where nothing is there yet, else the one that stays. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Ask, type Reply } from '../client.ts'

const NS = 'namespaces/default'
const DRY = 'dryRun=All'
let server: RunningServer
let client: Client
let serial = 0

beforeAll(async () => {
  server = await startServer({ controllers: false })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const template = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
}

/** Kinds that a PUT may create among them. */
const PLACES = [
  {
    path: `/api/v1/${NS}/configmaps`,
    kind: 'ConfigMap',
    apiVersion: 'v1',
    content: { data: { a: '1' } },
    puts: false,
  },
  {
    path: `/api/v1/${NS}/services`,
    kind: 'Service',
    apiVersion: 'v1',
    content: { spec: { ports: [{ port: 80 }] } },
    puts: true,
  },
  { path: `/api/v1/${NS}/endpoints`, kind: 'Endpoints', apiVersion: 'v1', content: {}, puts: true },
  {
    path: `/apis/coordination.orch.io/v1/${NS}/leases`,
    kind: 'Lease',
    apiVersion: 'coordination.orch.io/v1',
    content: { spec: { holderIdentity: 'a' } },
    puts: true,
  },
  {
    path: '/apis/rbac.authorization.orch.io/v1/clusterroles',
    kind: 'ClusterRole',
    apiVersion: 'rbac.authorization.orch.io/v1',
    content: { rules: [] },
    puts: true,
  },
  {
    path: `/apis/apps/v1/${NS}/deployments`,
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    content: { spec: { selector: { matchLabels: { a: 'b' } }, template } },
    puts: false,
  },
  {
    path: `/apis/autoscaling/v1/${NS}/horizontalpodautoscalers`,
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v1',
    content: { spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'x' } } },
    puts: false,
  },
]

const typed = (type: string, body: unknown): Ask => ({
  body,
  headers: { 'content-type': `application/${type}` },
})

for (const { path, kind, apiVersion, content, puts } of PLACES) {
  const whole = (name: string, metadata: object = {}) => ({
    kind,
    apiVersion,
    metadata: { name, ...metadata },
    ...content,
  })
  const name = () => `dry-${++serial}`
  const apply = (at: string, query = DRY) =>
    client.ask(
      'PATCH',
      `${at}?fieldManager=m&force=true&${query}`,
      typed('apply-patch+yaml', whole(at.slice(path.length + 1))),
    )

  describe(kind, () => {
    const creates: Record<string, (name: string) => Promise<Reply>> = {
      POST: (of) => client.post(`${path}?${DRY}`, whole(of)),
      apply: (of) => apply(`${path}/${of}`),
      ...(puts ? { PUT: (of: string) => client.put(`${path}/${of}?${DRY}`, whole(of)) } : {}),
    }
    for (const [way, create] of Object.entries(creates)) {
      test(`${way} that creates: none`, async () => {
        const of = name()
        const reply = await create(of)
        expect(reply.status, reply.text).toBe(201)
        const { metadata } = reply.body
        expect(Object.keys(metadata)).not.toContain('resourceVersion')
        expect([metadata.name, typeof metadata.uid, typeof metadata.creationTimestamp]).toEqual([
          of,
          'string',
          'string',
        ])
        expect((await client.get(`${path}/${of}`)).status).toBe(404)
      })
    }

    test('a generated name: none', async () => {
      const { body } = await client.post(`${path}?${DRY}`, {
        ...whole(''),
        metadata: { generateName: 'dry-' },
      })
      expect(body.metadata.resourceVersion).toBe(undefined)
      expect(body.metadata.name).toMatch(/^dry-.{5}$/)
    })

    test('other forms of the answer: none', async () => {
      const as = (shape: string) => `application/json;as=${shape};g=meta.orch.io;v=v1`
      for (const accept of ['application/yaml', as('PartialObjectMetadata'), as('Table')]) {
        const reply = await client.post(`${path}?${DRY}`, whole(name()), { headers: { accept } })
        expect([accept, reply.status, reply.text.includes('resourceVersion')]).toEqual([
          accept,
          201,
          false,
        ])
      }
    })

    const changes: Record<string, (at: string, version: string) => Promise<Reply>> = {
      PUT: (at, resourceVersion) =>
        client.put(
          `${at}?${DRY}`,
          whole(at.slice(path.length + 1), { resourceVersion, labels: { x: 'y' } }),
        ),
      'merge patch': (at) => client.merge(`${at}?${DRY}`, { metadata: { labels: { x: 'y' } } }),
      'JSON patch': (at) =>
        client.json(`${at}?${DRY}`, [{ op: 'add', path: '/metadata/labels', value: { x: 'y' } }]),
      'strategic merge patch': (at) =>
        client.ask(
          'PATCH',
          `${at}?${DRY}`,
          typed('strategic-merge-patch+json', { metadata: { labels: { x: 'y' } } }),
        ),
      apply: (at) => apply(at),
      'an empty patch': (at) => client.merge(`${at}?${DRY}`, {}),
    }
    for (const [way, change] of Object.entries(changes)) {
      test(`${way} that changes: the one that stays`, async () => {
        const of = name()
        const at = `${path}/${of}`
        const made = await client.post(path, whole(of))
        expect(made.status, made.text).toBe(201)
        const { resourceVersion } = made.body.metadata
        const reply = await change(at, resourceVersion)
        expect([reply.status, reply.body.metadata.resourceVersion]).toEqual([200, resourceVersion])
        expect((await client.get(at)).body).toEqual(made.body)
      })
    }

    test('a deletion: the one that stays', async () => {
      for (const finalizers of [undefined, ['a.io/b']]) {
        const of = name()
        const at = `${path}/${of}`
        const made = await client.post(path, whole(of, { finalizers }))
        expect(made.status, made.text).toBe(201)
        const reply = await client.delete(`${at}?${DRY}`)
        expect(reply.status).toBe(200)
        if (reply.body.kind !== 'Status')
          expect(reply.body.metadata.resourceVersion).toBe(made.body.metadata.resourceVersion)
        expect((await client.get(at)).body).toEqual(made.body)
      }
    })
  })
}
