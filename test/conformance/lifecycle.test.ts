/** Objects from creation to their end (seed 1, States and transitions), over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

const NS = '/api/v1/namespaces/default/configmaps'
const PVC = '/api/v1/namespaces/default/persistentvolumeclaims'
let server: RunningServer
let client: Client

beforeAll(async () => {
  server = await startServer({ controllers: false })
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

describe('create', () => {
  test('the server fills name, uid, time and version, and keeps what is the client’s', async () => {
    const { status, body } = await client.post(NS, {
      metadata: {
        name: 'full',
        uid: 'mine',
        creationTimestamp: '2001-01-01T00:00:00Z',
        deletionTimestamp: '2001-01-01T00:00:00Z',
        labels: { b: '2', a: '1' },
      },
      data: { k: 'v' },
    })
    expect(status).toBe(201)
    const { uid, resourceVersion, creationTimestamp, managedFields: _, ...rest } = body.metadata
    expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(resourceVersion).toMatch(/^\d+$/)
    expect(Math.abs(Date.parse(creationTimestamp) - Date.now())).toBeLessThan(60_000)
    expect({ ...body, metadata: rest }).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'full', namespace: 'default', labels: { a: '1', b: '2' } },
      data: { k: 'v' },
    })
  })

  test('a generated name has the base and five characters', async () => {
    const { body } = await client.post(NS, { metadata: { generateName: 'gen-' } })
    expect(body.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    const long = await client.post(NS, { metadata: { generateName: 'x'.repeat(80) } })
    expect(long.body.metadata.name.length).toBe(63)
  })

  test('twice is a conflict', async () => {
    await client.post(NS, { metadata: { name: 'twice' } })
    const { status, body } = await client.post(NS, { metadata: { name: 'twice' } })
    expect(status).toBe(409)
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'configmaps "twice" already exists',
      reason: 'AlreadyExists',
      details: { name: 'twice', kind: 'configmaps' },
      code: 409,
    })
  })

  test('a resourceVersion does not belong there', async () => {
    const { status, body } = await client.post(NS, {
      metadata: { name: 'rv', resourceVersion: '1' },
    })
    expect([status, body.message]).toEqual([
      500,
      'resourceVersion should not be set on objects to be created',
    ])
  })

  test('a dry run does everything but store', async () => {
    const { status, body } = await client.post(`${NS}?dryRun=All`, { metadata: { name: 'dry' } })
    expect([status, body.metadata.name, body.metadata.resourceVersion ?? '']).toEqual([
      201,
      'dry',
      '',
    ])
    expect((await client.get(`${NS}/dry`)).status).toBe(404)
    expect((await client.post(`${NS}?dryRun=All`, { metadata: { name: 'Bad' } })).status).toBe(422)
  })

  test('keys that mean something to JavaScript are ordinary', async () => {
    const raw =
      '{"metadata":{"name":"proto"},"data":{"__proto__":"1","constructor":"2","toString":"3"}}'
    const { status, text } = await client.ask('POST', NS, { raw })
    expect(status).toBe(201)
    expect(text).toContain('"data":{"__proto__":"1","constructor":"2","toString":"3"}')
    expect(({} as Record<string, unknown>)['1']).toBeUndefined()
  })
})

describe('update', () => {
  test('without a version it overwrites; with an old one it is refused', async () => {
    const first = (await client.post(NS, { metadata: { name: 'up' }, data: { n: '1' } })).body
    const second = await client.put(`${NS}/up`, { metadata: { name: 'up' }, data: { n: '2' } })
    expect([second.status, second.body.data]).toEqual([200, { n: '2' }])
    expect(second.body.metadata.uid).toBe(first.metadata.uid)
    const stale = await client.put(`${NS}/up`, { ...first, data: { n: '3' } })
    expect(stale.status).toBe(409)
    expect(stale.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'Operation cannot be fulfilled on configmaps "up": the object has been modified; please apply your changes to the latest version and try again',
      reason: 'Conflict',
      details: { name: 'up', kind: 'configmaps' },
      code: 409,
    })
  })

  test('what changes nothing is not written', async () => {
    const { body } = await client.post(NS, { metadata: { name: 'same' }, data: { n: '1' } })
    const again = await client.put(`${NS}/same`, body)
    expect(again.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion)
    const patched = await client.merge(`${NS}/same`, { data: { n: '1' } })
    expect(patched.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion)
  })

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

  test('another uid is another object', async () => {
    await client.post(NS, { metadata: { name: 'uid' } })
    const { status, body } = await client.put(`${NS}/uid`, {
      metadata: { name: 'uid', uid: 'other' },
    })
    expect([status, body.reason]).toEqual([409, 'Conflict'])
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

  test('many patches of one object at a time all take effect', async () => {
    await client.post(NS, { metadata: { name: 'race' } })
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        client.merge(`${NS}/race`, { data: { [`k${i}`]: 'v' } }),
      ),
    )
    expect(replies.map((r) => r.status)).toEqual(Array.from({ length: 40 }, () => 200))
    expect(Object.keys((await client.get(`${NS}/race`)).body.data).length).toBe(40)
  })

  test('a JSON patch that fails its test changes nothing and says little', async () => {
    await client.post(NS, { metadata: { name: 'tested' }, data: { a: '1' } })
    const { status, body } = await client.json(`${NS}/tested`, [
      { op: 'replace', path: '/data/a', value: '2' },
      { op: 'test', path: '/data/a', value: '9' },
    ])
    expect([status, body]).toEqual([
      422,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'the server rejected our request due to an error in our request',
        reason: 'Invalid',
        details: {},
        code: 422,
      },
    ])
    expect((await client.get(`${NS}/tested`)).body.data).toEqual({ a: '1' })
  })
})

describe('delete', () => {
  test('an object without finalizers is gone', async () => {
    const { body: made } = await client.post(NS, { metadata: { name: 'gone' } })
    const { status, body } = await client.delete(`${NS}/gone`)
    expect([status, body]).toEqual([
      200,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'gone', kind: 'configmaps', uid: made.metadata.uid },
      },
    ])
    expect((await client.delete(`${NS}/gone`)).status).toBe(404)
  })

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

  test('preconditions must hold', async () => {
    const { body } = await client.post(NS, { metadata: { name: 'pre' } })
    const { uid, resourceVersion } = body.metadata
    const del = (preconditions: object) =>
      client.ask('DELETE', `${NS}/pre`, { body: { preconditions } })
    const wrongUid = await del({ uid: 'x' })
    expect([wrongUid.status, wrongUid.body.message]).toEqual([
      409,
      `Operation cannot be fulfilled on ConfigMap "pre": the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    ])
    expect((await del({ resourceVersion: '1' })).status).toBe(409)
    expect((await del({ uid, resourceVersion })).status).toBe(200)
  })

  test('a dry run leaves it', async () => {
    await client.post(NS, { metadata: { name: 'stays' } })
    expect((await client.delete(`${NS}/stays?dryRun=All`)).status).toBe(200)
    expect((await client.get(`${NS}/stays`)).status).toBe(200)
  })

  test('a collection goes by selector, and answers with what it was', async () => {
    for (const name of ['c1', 'c2', 'c3']) {
      await client.post(NS, { metadata: { name, labels: { set: name === 'c3' ? 'no' : 'yes' } } })
    }
    const { status, body } = await client.delete(`${NS}?labelSelector=set%3Dyes`)
    expect([
      status,
      body.kind,
      body.items.map((i: { metadata: { name: string } }) => i.metadata.name),
    ]).toEqual([200, 'ConfigMapList', ['c1', 'c2']])
    const left = await client.get(`${NS}?labelSelector=set`)
    expect(left.body.items.map((i: { metadata: { name: string } }) => i.metadata.name)).toEqual([
      'c3',
    ])
  })

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
  test('selectors turn leaving and entering into DELETED and ADDED, with the old content', async () => {
    const watch = await client.watch(`${NS}?watch=1&labelSelector=w%3D1`)
    const { body: a } = await client.post(NS, {
      metadata: { name: 'w', labels: { w: '1' } },
      data: { n: '1' },
    })
    const { body: b } = await client.merge(`${NS}/w`, {
      metadata: { labels: { w: '2' } },
      data: { n: '2' },
    })
    await client.merge(`${NS}/w`, { data: { n: '3' } })
    const { body: d } = await client.merge(`${NS}/w`, { metadata: { labels: { w: '1' } } })
    await client.delete(`${NS}/w`)
    const events = [await watch.next(), await watch.next(), await watch.next(), await watch.next()]
    expect(events[0]).toEqual({ type: 'ADDED', object: a })
    expect(events[1]).toEqual({
      type: 'DELETED',
      object: { ...a, metadata: { ...a.metadata, resourceVersion: b.metadata.resourceVersion } },
    })
    expect(events[2]).toEqual({ type: 'ADDED', object: d })
    expect([events[3]?.type, events[3]?.object.data]).toEqual(['DELETED', { n: '3' }])
    expect(Number(events[3]?.object.metadata.resourceVersion)).toBeGreaterThan(
      Number(d.metadata.resourceVersion),
    )
    watch.close()
  })

  test('one object by name, one namespace, all namespaces', async () => {
    const byName = await client.watch(`${NS}?watch=1&fieldSelector=metadata.name%3Dn1`)
    const deprecated = await client.watch('/api/v1/watch/namespaces/default/configmaps/n1')
    const all = await client.watch('/api/v1/configmaps?watch=1&labelSelector=many')
    for (const name of ['n2', 'n1'])
      await client.post(NS, { metadata: { name, labels: { many: '' } } })
    await client.post('/api/v1/namespaces/orch-public/configmaps', {
      metadata: { name: 'n3', labels: { many: '' } },
    })
    expect([await byName.names(1), await deprecated.names(1), await all.names(3)]).toEqual([
      ['ADDED n1'],
      ['ADDED n1'],
      ['ADDED n2', 'ADDED n1', 'ADDED n3'],
    ])
    for (const watch of [byName, deprecated, all]) watch.close()
  })

  test('timeoutSeconds ends the stream', async () => {
    const watch = await client.watch(`${NS}?watch=1&timeoutSeconds=1&labelSelector=nothing`)
    expect(await watch.next()).toBeNull()
  })

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
