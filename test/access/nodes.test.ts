/**
 * Agents of nodes with their client certificates: the Node authorizer and the plugin NodeRestriction together confine
 * them to their node.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client, Reply } from '../client.ts'
import { forbidden as refusal, missing } from '../plugin-server.fixture.ts'
import { inNamespace, Realm, rule } from './realm.fixture.ts'

const NS = 'default'
const PODS = inNamespace(NS, 'pods')
const CLAIMS = inNamespace(NS, 'persistentvolumeclaims')
const LEASES = '/apis/coordination.orch.io/v1/namespaces/orch-node-lease/leases'
const CSI_NODES = '/apis/storage.orch.io/v1/csinodes'
const MIRROR = 'orch.io/config.mirror'

let realm: Realm
/** Agents of two nodes, one of a node without a name, and one whose group is missing. */
let one: Client
let two: Client
let nameless: Client
let user: Client
/** May also do by RBAC what only the plugin can refuse. */
let wide: Client
const uids: Record<string, string> = {}

const containers = [{ name: 'c', image: 'i' }]
const boundPod = (name: string, nodeName: string, spec: object = {}) => ({
  metadata: { name, labels: { app: name } },
  spec: { containers, nodeName, ...spec },
})

beforeAll(async () => {
  realm = await Realm.start(() => ({
    controllers: false,
    enableAdmissionPlugins: ['NodeRestriction'],
    disableAdmissionPlugins: ['ServiceAccount', 'DefaultTolerationSeconds', 'Priority'],
  }))
  one = realm.user('system:node:n1', 'system:nodes')
  two = realm.user('system:node:n2', 'system:nodes')
  nameless = realm.user('system:node:', 'system:nodes')
  user = realm.user('system:node:n1')
  wide = realm.user('system:node:wide', 'system:nodes', 'wide')
  await realm.allow({ group: 'wide' }, [
    rule('create,update,patch,delete pods,pods/binding,pods/ephemeralcontainers,nodes'),
    rule('get,create,update,patch,delete,deletecollection persistentvolumeclaims,serviceaccounts'),
    rule('create persistentvolumeclaims/status,serviceaccounts/token'),
    rule('create,update,delete coordination.orch.io:leases'),
    rule('create,update,delete storage.orch.io:csinodes'),
  ])
  // The agent without a name is refused by the plugin only where somebody lets it in.
  await realm.allow({ user: 'system:node:' }, rule('patch nodes/status,configmaps'))
  for (const name of ['n1', 'n2', 'wide']) {
    uids[name] = (await realm.made('/api/v1/nodes', { metadata: { name } })).metadata.uid
  }
  for (const name of ['mine', 'theirs', 'idle']) {
    await realm.made(inNamespace(NS, 'secrets'), { metadata: { name } })
    await realm.made(inNamespace(NS, 'configmaps'), { metadata: { name } })
    await realm.made(inNamespace(NS, 'serviceaccounts'), { metadata: { name } })
    await realm.made(CLAIMS, {
      metadata: { name },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })
  }
  for (const [name, node] of [
    ['mine', 'n1'],
    ['theirs', 'n2'],
  ] as const) {
    const volumes = [
      { name: 's', secret: { secretName: name } },
      { name: 'c', configMap: { name } },
      { name: 'p', persistentVolumeClaim: { claimName: name } },
    ]
    const pod = boundPod(name, node, { volumes, serviceAccountName: name })
    uids[`pod-${name}`] = (await realm.made(PODS, pod)).metadata.uid
  }
  await realm.made(PODS, { metadata: { name: 'waiting' }, spec: { containers } })
  await realm.made(LEASES, { metadata: { name: 'n2' }, spec: {} })
  await realm.made(CSI_NODES, { metadata: { name: 'n2' }, spec: { drivers: [] } })
})
afterAll(() => realm.close())

const forbidden = (kind: string, name: string, why: string, group = '') =>
  refusal(kind, name, why, group === '' ? '' : `${group}.orch.io`)

/** The refusal of the authorizer. */
const unauthorized = (what: string, kind: string, name: string, why: string, group = '') => {
  const body = refusal(kind.split('/')[0]!, name, '', group)
  const shown = `User "system:node:n1" cannot ${what}`
  return {
    ...body,
    message: expect.stringMatching(new RegExp(`^.* is forbidden: ${shown}.*${why}`)),
  }
}
const NO_PATH = "no relationship found between node 'n1' and this object"

interface Row {
  readonly name: string
  readonly send: () => Promise<Reply>
  /** The whole answer of a refusal; or the code of success. */
  readonly answer: unknown
}
const check = (rows: readonly Row[]) => {
  for (const { name, send, answer } of rows) {
    test(name, async () => {
      const { status, body, text } = await send()
      if (typeof answer === 'number') expect([status, text]).toEqual([answer, text])
      else expect(body).toEqual(answer)
    })
  }
}
const evict = (name: string) => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } })
const token = (ref?: object) => ({
  spec: { audiences: [], ...(ref ? { boundObjectRef: ref } : {}) },
})
const podRef = (name: string, uid?: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name,
  ...(uid === undefined ? {} : { uid }),
})
const tokenOf = (account: string) => inNamespace(NS, `serviceaccounts/${account}/token`)

describe('what a node needs it may read, and nothing else', () => {
  const READABLE = ['secrets', 'configmaps', 'persistentvolumeclaims']
  check(
    READABLE.flatMap((kind) => [
      {
        name: `${kind} of its pods`,
        send: () => one.get(inNamespace(NS, `${kind}/mine`)),
        answer: 200,
      },
      {
        name: `${kind} of pods on another node`,
        send: () => one.get(inNamespace(NS, `${kind}/theirs`)),
        answer: unauthorized('get resource', kind, 'theirs', NO_PATH),
      },
      {
        name: `${kind} of no pod`,
        send: () => one.get(inNamespace(NS, `${kind}/idle`)),
        answer: unauthorized('get resource', kind, 'idle', NO_PATH),
      },
    ]),
  )
  check([
    { name: 'pods', send: () => one.get(PODS), answer: 200 },
    { name: 'nodes', send: () => one.get('/api/v1/nodes/n2'), answer: 200 },
    {
      name: 'the name without the group is a user like any other',
      send: () => user.get(inNamespace(NS, 'secrets/mine')),
      answer: unauthorized('get resource', 'secrets', 'mine', ''),
    },
    {
      name: 'the lease of another node',
      send: () => one.get(`${LEASES}/n2`),
      answer: unauthorized(
        'get resource',
        'leases',
        'n2',
        'can only access node lease with the same name as the requesting node',
        'coordination.orch.io',
      ),
    },
  ])
})

describe('pods', () => {
  const owner = (more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Node',
    name: 'n1',
    uid: uids['n1'],
    controller: true,
    ...more,
  })
  const mirror = (name: string, spec: object = {}, ...owners: object[]) => ({
    metadata: {
      name,
      annotations: { [MIRROR]: 'x' },
      ownerReferences: owners.length === 0 ? [owner()] : owners,
    },
    spec: { containers, nodeName: 'n1', ...spec },
  })
  const only = (what: string) => `node "n1" can only create pods with ${what}`
  const OWNER = 'owner reference set to itself'
  const refers = (what: string) => `node "n1" can not create pods that reference ${what}`
  const rows: readonly { name: string; body: () => object; why: string | null }[] = [
    { name: 'a mirror pod', body: () => mirror('m'), why: null },
    {
      name: 'without the annotation',
      body: () => boundPod('p', 'n1'),
      why: `pod does not have "${MIRROR}" annotation, node "n1" can only create mirror pods`,
    },
    {
      name: 'of another node',
      body: () => mirror('p', { nodeName: 'n2' }),
      why: only('spec.nodeName set to itself'),
    },
    {
      name: 'of no node',
      body: () => mirror('p', { nodeName: undefined }),
      why: only('spec.nodeName set to itself'),
    },
    {
      name: 'without an owner',
      body: () => {
        const { metadata, spec } = mirror('p')
        return { metadata: { ...metadata, ownerReferences: [] }, spec }
      },
      why: only(`an ${OWNER}`),
    },
    {
      name: 'with two owners',
      body: () => mirror('p', {}, owner(), owner({ controller: false, uid: uids['n2'] })),
      why: only(`a single ${OWNER}`),
    },
    {
      name: 'of another owner',
      body: () => mirror('p', {}, owner({ name: 'n2' })),
      why: only(`an ${OWNER}`),
    },
    {
      name: 'of an owner that is no controller',
      body: () => mirror('p', {}, owner({ controller: false })),
      why: only(`a controller ${OWNER}`),
    },
    {
      name: 'of an owner that it blocks',
      body: () => mirror('p', {}, owner({ blockOwnerDeletion: true })),
      why: 'node "n1" must not set blockOwnerDeletion on an owner reference',
    },
    {
      name: 'of an owner of the past',
      body: () => mirror('p', {}, owner({ uid: 'x' })),
      why: 'node n1 UID mismatch: expected x got <uid>',
    },
    {
      name: 'with an account',
      body: () => mirror('p', { serviceAccountName: 'mine' }),
      why: refers('a service account'),
    },
    {
      name: 'with a secret',
      body: () => mirror('p', { imagePullSecrets: [{ name: 'mine' }] }),
      why: refers('secrets'),
    },
    {
      name: 'with a config map',
      body: () => mirror('p', { volumes: [{ name: 'v', configMap: { name: 'mine' } }] }),
      why: refers('configmaps'),
    },
    {
      name: 'with a claim',
      body: () =>
        mirror('p', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'mine' } }] }),
      why: refers('persistentvolumeclaims'),
    },
    {
      name: 'with a claim to be made',
      body: () =>
        mirror('p', {
          volumes: [
            {
              name: 'v',
              ephemeral: {
                volumeClaimTemplate: {
                  spec: {
                    accessModes: ['ReadWriteOnce'],
                    resources: { requests: { storage: '1Gi' } },
                  },
                },
              },
            },
          ],
        }),
      why: refers('persistentvolumeclaims'),
    },
  ]
  for (const { name, body, why } of rows) {
    test(`a create ${name}`, async () => {
      const answer = await one.post(PODS, body())
      if (why === null) expect(answer.status).toBe(201)
      else expect(answer.body).toEqual(forbidden('pods', 'p', why.replace('<uid>', uids['n1']!)))
    })
  }
  test('a create for a node that does not exist', async () => {
    const gone = realm.user('system:node:gone', 'system:nodes')
    const { body } = await gone.post(
      PODS,
      mirror('p', { nodeName: 'gone' }, owner({ name: 'gone', uid: 'x' })),
    )
    expect(body).toEqual(missing('nodes', 'gone'))
  })

  check([
    {
      name: 'a delete of another node',
      send: () => one.delete(`${PODS}/theirs`),
      answer: forbidden(
        'pods',
        'theirs',
        'node "n1" can only delete pods with spec.nodeName set to itself',
      ),
    },
    {
      name: 'a delete of a pod without a node',
      send: () => one.delete(`${PODS}/waiting`),
      answer: forbidden(
        'pods',
        'waiting',
        'node "n1" can only delete pods with spec.nodeName set to itself',
      ),
    },
    {
      name: 'a delete of no pod',
      send: () => one.delete(`${PODS}/none`),
      answer: missing('pods', 'none'),
    },
    { name: 'a delete of its own', send: () => one.delete(`${PODS}/m`), answer: 200 },
    {
      name: 'an update',
      send: () => wide.merge(`${PODS}/mine`, { metadata: { labels: { a: 'b' } } }),
      answer: forbidden(
        'pods',
        'mine',
        'unexpected operation "UPDATE", node "wide" can only create and delete mirror pods',
      ),
    },
    {
      name: 'a status of another node',
      send: () => one.merge(`${PODS}/theirs/status`, { status: { message: 'x' } }),
      answer: forbidden(
        'pods',
        'theirs',
        'node "n1" can only update pod status for pods with spec.nodeName set to itself',
      ),
    },
    {
      name: 'a status of its own',
      send: () => one.merge(`${PODS}/mine/status`, { status: { message: 'x' } }),
      answer: 200,
    },
    {
      name: 'labels with the status',
      send: () => one.merge(`${PODS}/mine/status`, { metadata: { labels: { app: 'other' } } }),
      answer: forbidden('pods', 'mine', 'node "n1" cannot update labels through pod status'),
    },
    {
      name: 'an eviction on another node',
      send: () => one.post(`${PODS}/theirs/eviction`, evict('theirs')),
      answer: forbidden(
        'pods',
        'theirs',
        'node n1 can only evict pods with spec.nodeName set to itself',
      ),
    },
    {
      name: 'an eviction of no pod',
      send: () => one.post(`${PODS}/none/eviction`, evict('none')),
      answer: missing('pods', 'none'),
    },
    {
      name: 'an eviction of its own',
      send: () => two.post(`${PODS}/theirs/eviction?dryRun=All`, evict('theirs')),
      answer: 201,
    },
    {
      name: 'a binding',
      send: () =>
        wide.post(`${PODS}/waiting/binding`, {
          metadata: { name: 'waiting' },
          target: { kind: 'Node', name: 'wide' },
        }),
      answer: forbidden(
        'pods',
        'waiting',
        `unexpected pod subresource "binding", only 'status' and 'eviction' are allowed`,
      ),
    },
  ])
})

describe('nodes', () => {
  const labels = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, 'x']))
  const allowed = labels(
    ...['orch.io/hostname', 'orch.io/os', 'orch.io/arch', 'beta.orch.io/os', 'beta.orch.io/arch'],
    ...['beta.orch.io/instance-type', 'node.orch.io/instance-type', 'topology.orch.io/zone'],
    ...['topology.orch.io/region', 'failure-domain.beta.orch.io/zone'],
    ...['failure-domain.beta.orch.io/region', 'nodeagent.orch.io/x', 'sub.nodeagent.orch.io/x'],
    ...['node.orch.io/x', 'sub.node.orch.io/x', 'plain', 'example.com/x', 'xorch.io/x'],
  )
  const closed = labels(
    ...['orch.io/x', 'node-restriction.orch.io/x', 'a.node-restriction.orch.io/x'],
    ...['node-role.orch.io/master', 'apps.orch.io/x', 'orch.io/hostname2'],
  )
  const CLOSED = Object.keys(closed).sort().join(', ')
  const path = '/api/v1/nodes/n1'
  const taint = { key: 'a', effect: 'NoSchedule' }
  check([
    {
      name: 'a create of itself with open labels',
      send: async () => {
        const three = realm.user('system:node:n3', 'system:nodes')
        return three.post('/api/v1/nodes', { metadata: { name: 'n3', labels: allowed } })
      },
      answer: 201,
    },
    {
      name: 'a create with closed labels',
      send: () => one.post('/api/v1/nodes', { metadata: { name: 'n1', labels: closed } }),
      answer: forbidden(
        'nodes',
        'n1',
        `node "n1" is not allowed to set the following labels: ${CLOSED}`,
      ),
    },
    {
      name: 'a create of another',
      send: () => one.post('/api/v1/nodes', { metadata: { name: 'n4' } }),
      answer: forbidden('nodes', 'n4', 'node "n1" is not allowed to modify node "n4"'),
    },
    {
      name: 'a create with a source of configuration',
      send: () =>
        one.post('/api/v1/nodes', { metadata: { name: 'n1' }, spec: { configSource: {} } }),
      answer: forbidden(
        'nodes',
        'n1',
        'node "n1" is not allowed to create pods with a non-nil configSource',
      ),
    },
    {
      name: 'an update of another',
      send: () => one.merge('/api/v1/nodes/n2', { spec: { unschedulable: true } }),
      answer: forbidden('nodes', 'n2', 'node "n1" is not allowed to modify node "n2"'),
    },
    {
      name: 'a status of another',
      send: () => one.merge('/api/v1/nodes/n2/status', { status: { phase: 'Running' } }),
      answer: forbidden('nodes', 'n2', 'node "n1" is not allowed to modify node "n2"'),
    },
    {
      name: 'a status of its own',
      send: () => one.merge(`${path}/status`, { status: { nodeInfo: { machineID: 'm' } } }),
      answer: 200,
    },
    {
      name: 'open labels',
      send: () => one.merge(path, { metadata: { labels: allowed } }),
      answer: 200,
    },
    {
      name: 'closed labels',
      send: () => one.merge(path, { metadata: { labels: closed } }),
      answer: forbidden('nodes', 'n1', `is not allowed to modify labels: ${CLOSED}`),
    },
    {
      name: 'closed labels with the status',
      send: () => one.merge(`${path}/status`, { metadata: { labels: labels('orch.io/x') } }),
      answer: forbidden('nodes', 'n1', 'is not allowed to modify labels: orch.io/x'),
    },
    {
      name: 'a closed label of the administrator stays',
      send: async () => {
        await realm.admin.merge(path, { metadata: { labels: labels('orch.io/role') } })
        return one.merge(path, { metadata: { labels: { 'orch.io/role': null } } })
      },
      answer: forbidden('nodes', 'n1', 'is not allowed to modify labels: orch.io/role'),
    },
    {
      name: 'other changes beside a closed label',
      send: () => one.merge(path, { metadata: { annotations: { a: 'b' } } }),
      answer: 200,
    },
    {
      name: 'taints',
      send: () => one.merge(path, { spec: { taints: [taint] } }),
      answer: forbidden('nodes', 'n1', 'node "n1" is not allowed to modify taints'),
    },
    {
      name: 'a source of configuration',
      send: () => one.merge(path, { spec: { configSource: { configMap: { name: 'x' } } } }),
      answer: forbidden(
        'nodes',
        'n1',
        'node "n1" is not allowed to update configSource to a new non-nil configSource',
      ),
    },
    {
      name: 'a delete of itself',
      send: () => wide.delete('/api/v1/nodes/wide'),
      answer: forbidden('nodes', 'wide', 'node "wide" is not allowed to delete node "wide"'),
    },
    {
      name: 'an agent without a name',
      send: () => nameless.merge(`${path}/status`, { status: {} }),
      answer: forbidden('nodes', 'n1', 'could not determine node from user "system:node:"'),
    },
    {
      name: 'an agent without a name elsewhere',
      send: () => nameless.merge(inNamespace(NS, 'configmaps/mine'), { data: { a: 'b' } }),
      answer: forbidden('configmaps', 'mine', 'could not determine node from user "system:node:"'),
    },
  ])
})

describe('claims', () => {
  const status = `${CLAIMS}/mine/status`
  test('capacity and conditions of those of its pods', async () => {
    const conditions = [{ type: 'FileSystemResizePending', status: 'True' }]
    const sent = { status: { capacity: { storage: '2Gi' }, conditions } }
    const { body } = await one.merge(status, sent)
    expect(body.status).toMatchObject(sent.status)
  })
  test('nothing else of them', async () => {
    const { body } = await one.merge(status, { status: { phase: 'Lost' } })
    expect(body).toEqual(
      forbidden(
        'persistentvolumeclaims',
        'mine',
        [
          'node "n1" is not allowed to update fields other than status.capacity and status.conditions:   core.PersistentVolumeClaim{',
          '- \tStatus: {"phase":"Pending"},',
          '+ \tStatus: {"phase":"Lost"},',
          '  \t... // 2 identical fields',
          '  }',
          '',
        ].join('\n'),
      ),
    )
    const labelled = await one.merge(status, { metadata: { labels: { a: 'b' } } })
    expect(labelled.body.code).toBe(403)
  })
  check([
    {
      name: 'a claim of another node',
      send: () => one.merge(`${CLAIMS}/theirs/status`, { status: {} }),
      answer: unauthorized('patch resource', 'persistentvolumeclaims/status', 'theirs', NO_PATH),
    },
    {
      name: 'a claim itself',
      send: () => wide.delete(`${CLAIMS}/idle`),
      answer: forbidden('persistentvolumeclaims', 'idle', 'may only update PVC status'),
    },
  ])
})

describe('tokens', () => {
  const path = tokenOf('mine')
  const no = (why: string) => forbidden('serviceaccounts', 'mine', why)
  check([
    {
      name: 'for a pod of the node',
      send: () => one.post(path, token(podRef('mine', uids['pod-mine']))),
      answer: 201,
    },
    {
      name: 'for no pod',
      send: () => one.post(path, token()),
      answer: no('node requested token not bound to a pod'),
    },
    {
      name: 'for a secret',
      send: () => one.post(path, token({ ...podRef('mine'), kind: 'Secret' })),
      answer: no('node requested token not bound to a pod'),
    },
    {
      name: 'for a pod without a uid',
      send: () => one.post(path, token(podRef('mine'))),
      answer: no('node requested token with a pod binding without a uid'),
    },
    {
      name: 'for a pod of the past',
      send: () => one.post(path, token(podRef('mine', 'x'))),
      answer: no(
        'the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
      ),
    },
    {
      name: 'for an absent pod',
      send: () => one.post(path, token(podRef('none', 'x'))),
      answer: missing('pods', 'none'),
    },
    {
      name: 'for a pod of another node',
      send: () => one.post(path, token(podRef('theirs', uids['pod-theirs']))),
      answer: no('node requested token bound to a pod scheduled on a different node'),
    },
    {
      name: 'of an account of no pod there',
      send: () => one.post(tokenOf('theirs'), token(podRef('mine', uids['pod-mine']))),
      answer: unauthorized('create resource', 'serviceaccounts/token', 'theirs', NO_PATH),
    },
  ])
})

describe('leases and storage drivers', () => {
  const lease = (name: string) => ({ metadata: { name }, spec: {} })
  const csi = (name: string) => ({ metadata: { name }, spec: { drivers: [] } })
  const OWN_LEASE = 'can only access node lease with the same name as the requesting node'
  const OWN_CSI = 'can only access CSINode with the same name as the requesting node'
  check([
    { name: 'a lease of its own', send: () => one.post(LEASES, lease('n1')), answer: 201 },
    {
      name: 'a lease of another',
      send: () => one.post(LEASES, lease('n3')),
      answer: forbidden('leases', 'n3', OWN_LEASE, 'coordination'),
    },
    {
      name: 'a lease elsewhere',
      send: () =>
        wide.post('/apis/coordination.orch.io/v1/namespaces/default/leases', lease('wide')),
      answer: forbidden(
        'leases',
        'wide',
        'can only access leases in the "orch-node-lease" system namespace',
        'coordination',
      ),
    },
    {
      name: 'a delete of the lease of another',
      send: () => wide.delete(`${LEASES}/n2`),
      answer: forbidden('leases', 'n2', OWN_LEASE, 'coordination'),
    },
    { name: 'drivers of its own', send: () => one.post(CSI_NODES, csi('n1')), answer: 201 },
    {
      name: 'drivers of another',
      send: () => one.post(CSI_NODES, csi('n3')),
      answer: forbidden('csinodes', 'n3', OWN_CSI, 'storage'),
    },
    {
      name: 'a delete of the drivers of another',
      send: () => wide.delete(`${CSI_NODES}/n2`),
      answer: forbidden('csinodes', 'n2', OWN_CSI, 'storage'),
    },
  ])
})

test('users that are no nodes are not concerned', async () => {
  const { status } = await realm.admin.merge('/api/v1/nodes/n2', {
    spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
    metadata: { labels: { 'orch.io/x': 'y' } },
  })
  expect(status).toBe(200)
})
