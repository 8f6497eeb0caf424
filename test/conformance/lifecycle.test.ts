/** Objects from creation to their end (seed 1, States and transitions), over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { CHANGING_PLUGINS } from '../plain-objects.ts'

const NS = '/api/v1/namespaces/default/configmaps'
const PVC = '/api/v1/namespaces/default/persistentvolumeclaims'
let server: RunningServer
let client: Client

beforeAll(async () => {
  server = await startServer({ controllers: false, disableAdmissionPlugins: CHANGING_PLUGINS })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const claim = (name: string) => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
})

describe('delete of a job', () => {
  const JOBS = '/apis/batch/v1/namespaces/default/jobs'
  const job = {
    metadata: { name: 'j' },
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
    },
  }
  const warning =
    '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"'
  for (const { query, wanted, finalizers } of [
    { query: '?propagationPolicy=Background', wanted: undefined, finalizers: null },
    { query: '?orphanDependents=false', wanted: undefined, finalizers: null },
    { query: '', wanted: warning, finalizers: ['orphan'] },
  ]) {
    test(`warns unless it says what becomes of the pods: ${query}`, async () => {
      await client.post(JOBS, job)
      const { headers } = await client.delete(`${JOBS}/j${query}`)
      expect(headers.warning).toBe(wanted)
      const left = await client.get(`${JOBS}/j`)
      expect(left.status === 404 ? null : left.body.metadata.finalizers).toEqual(finalizers)
    })
  }
})

describe('priority classes of the system', () => {
  const CLASSES = '/apis/scheduling.orch.io/v1/priorityclasses'
  test('are there from the start', async () => {
    const { body } = await client.get(CLASSES)
    expect(
      body.items.map((one: { metadata: { name: string }; value: number }) => [
        one.metadata.name,
        one.value,
      ]),
    ).toEqual([
      ['system-cluster-critical', 2_000_000_000],
      ['system-node-critical', 2_000_001_000],
    ])
  })
  test('cannot be deleted one by one', async () => {
    const { status, body } = await client.delete(`${CLASSES}/system-node-critical`)
    expect([status, body.reason, body.message]).toEqual([
      403,
      'Forbidden',
      'priorityclasses.scheduling.orch.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
    ])
  })
})

describe('update', () => {
  test('of an absent object: 404, or created where the kind allows it', async () => {
    expect((await client.put(`${NS}/absent`, { metadata: { name: 'absent' } })).status).toBe(404)
    const path = '/api/v1/namespaces/default/endpoints/made'
    const body = {
      metadata: { name: 'made' },
      subsets: [{ addresses: [{ ip: '10.1.1.1' }], ports: [{ port: 80 }] }],
    }
    const made = await client.put(path, body)
    expect([made.status, made.body.subsets[0].ports]).toEqual([
      201,
      [{ port: 80, protocol: 'TCP' }],
    ])
    expect((await client.put(path, body)).status).toBe(200)
  })

  test('kinds that need a version say so', async () => {
    const path = '/apis/storage.orch.io/v1/csidrivers'
    await client.post(path, { metadata: { name: 'd.example.com' }, spec: {} })
    const { status, body } = await client.put(`${path}/d.example.com`, {
      metadata: { name: 'd.example.com' },
      spec: {},
    })
    expect([status, body.message]).toEqual([
      422,
      'csidrivers.storage.orch.io "d.example.com" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    ])
  })

  test('status and spec are written apart', async () => {
    await client.post(PVC, { ...claim('apart'), status: { phase: 'Bound' } })
    const main = await client.merge(`${PVC}/apart`, {
      status: { phase: 'Lost' },
      metadata: { labels: { a: 'b' } },
    })
    expect([main.body.status, main.body.metadata.labels]).toEqual([
      { phase: 'Pending' },
      { a: 'b' },
    ])
    const part = await client.merge(`${PVC}/apart/status`, {
      status: { phase: 'Bound' },
      spec: { volumeName: 'no' },
    })
    expect([part.body.status, part.body.spec.volumeName]).toEqual([{ phase: 'Bound' }, undefined])
    expect((await client.get(`${PVC}/apart/status`)).body).toEqual(part.body)
  })
})

describe('delete', () => {
  test('finalizers keep it until the last is removed', async () => {
    await client.post(PVC, {
      ...claim('kept'),
      metadata: { name: 'kept', finalizers: ['example.com/a', 'example.com/b'] },
    })
    const first = await client.delete(`${PVC}/kept`)
    expect([
      first.status,
      typeof first.body.metadata.deletionTimestamp,
      first.body.metadata.deletionGracePeriodSeconds,
    ]).toEqual([200, 'string', 0])
    const again = await client.delete(`${PVC}/kept`)
    expect([again.status, again.body.metadata.deletionTimestamp]).toEqual([
      200,
      first.body.metadata.deletionTimestamp,
    ])
    const added = await client.merge(`${PVC}/kept`, {
      metadata: { finalizers: ['example.com/a', 'example.com/c'] },
    })
    expect([added.status, added.body.details.causes[0].reason]).toEqual([
      422,
      'FieldValueForbidden',
    ])
    const taken = await client.post(PVC, claim('kept'))
    expect(taken.body.message).toBe(
      'object is being deleted: persistentvolumeclaims "kept" already exists',
    )
    const less = await client.merge(`${PVC}/kept`, { metadata: { finalizers: ['example.com/b'] } })
    expect([less.status, less.body.metadata.finalizers]).toEqual([200, ['example.com/b']])
    const last = await client.merge(`${PVC}/kept`, { metadata: { finalizers: null } })
    expect(last.status).toBe(200)
    expect((await client.get(`${PVC}/kept`)).status).toBe(404)
    expect((await client.post(PVC, claim('kept'))).status).toBe(201)
  })

  for (const { policy, finalizers } of [
    { policy: 'Orphan', finalizers: ['orphan'] },
    { policy: 'Foreground', finalizers: ['foregroundDeletion'] },
    { policy: 'Background', finalizers: null },
  ]) {
    test(`propagation ${policy} is recorded`, async () => {
      const name = `p-${policy.toLowerCase()}`
      await client.post(PVC, claim(name))
      await client.delete(`${PVC}/${name}?propagationPolicy=${policy}`)
      const left = await client.get(`${PVC}/${name}`)
      expect(left.status === 404 ? null : left.body.metadata.finalizers).toEqual(finalizers)
    })
  }

  test('a pod is given its time', async () => {
    const PODS = '/api/v1/namespaces/default/pods'
    await client.post(PODS, {
      metadata: { name: 'p' },
      spec: {
        nodeName: 'n',
        containers: [{ name: 'c', image: 'i' }],
        terminationGracePeriodSeconds: 30,
      },
    })
    const first = await client.delete(`${PODS}/p`)
    expect([first.status, first.body.metadata.deletionGracePeriodSeconds]).toEqual([200, 30])
    const hurried = await client.delete(`${PODS}/p?gracePeriodSeconds=5`)
    expect(hurried.body.metadata.deletionGracePeriodSeconds).toBe(5)
    const slower = await client.delete(`${PODS}/p?gracePeriodSeconds=60`)
    expect(slower.body.metadata.deletionGracePeriodSeconds).toBe(5)
    expect((await client.delete(`${PODS}/p?gracePeriodSeconds=0`)).status).toBe(200)
    expect((await client.get(`${PODS}/p`)).status).toBe(404)
  })
})

describe('namespaces', () => {
  test('one that ends takes nothing new, and goes when it is finalized', async () => {
    await client.post('/api/v1/namespaces', { metadata: { name: 'brief' } })
    const made = await client.get('/api/v1/namespaces/brief')
    expect([made.body.spec, made.body.status, made.body.metadata.labels]).toEqual([
      { finalizers: ['orch'] },
      { phase: 'Active' },
      { 'orch.io/metadata.name': 'brief' },
    ])
    const ended = await client.delete('/api/v1/namespaces/brief')
    expect([ended.status, ended.body.status.phase]).toEqual([200, 'Terminating'])
    const refused = await client.post('/api/v1/namespaces/brief/configmaps', {
      metadata: { name: 'x' },
    })
    expect([refused.status, refused.body.details.causes]).toEqual([
      403,
      [
        {
          reason: 'NamespaceTerminating',
          message: 'namespace brief is being terminated',
          field: 'metadata.namespace',
        },
      ],
    ])
    const live = (await client.get('/api/v1/namespaces/brief')).body
    const done = await client.put('/api/v1/namespaces/brief/finalize', {
      ...live,
      spec: { finalizers: [] },
    })
    expect(done.status).toBe(200)
    expect((await client.get('/api/v1/namespaces/brief')).status).toBe(404)
  })

  test('the system’s own stay', async () => {
    const { status, body } = await client.delete('/api/v1/namespaces/default')
    expect([status, body.message]).toEqual([
      403,
      'namespaces "default" is forbidden: this namespace may not be deleted',
    ])
  })
})

describe('watch', () => {
  test('field selectors of the kind', async () => {
    const PODS = '/api/v1/namespaces/default/pods'
    const pod = (name: string, nodeName?: string) => ({
      metadata: { name },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        ...(nodeName === undefined ? {} : { nodeName }),
      },
    })
    await client.post(PODS, pod('on-node', 'node-1'))
    await client.post(PODS, pod('free'))
    const names = async (selector: string) =>
      (await client.get(`${PODS}?fieldSelector=${encodeURIComponent(selector)}`)).body.items.map(
        (i: { metadata: { name: string } }) => i.metadata.name,
      )
    expect([
      await names('spec.nodeName=node-1'),
      await names('spec.nodeName='),
      await names('spec.nodeName!=node-1,status.phase=Pending'),
    ]).toEqual([['on-node'], ['free'], ['free']])
    const bad = await client.get(`${PODS}?fieldSelector=spec.color%3Dred`)
    expect([bad.status, bad.body.message]).toEqual([400, 'field label not supported: spec.color'])
    const other = await client.get(`${NS}?fieldSelector=data.x%3Dy`)
    expect(other.body.message).toBe(
      '"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    )
  })
})
