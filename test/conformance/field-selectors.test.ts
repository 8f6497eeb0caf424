/** Field selectors of every kind: what each selects, and what is said about the others. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { orch } from '../../src/vocabulary/orch.ts'
import { Client } from '../client.ts'
import { factsOf } from '../facts.ts'
import { collectionOf, manifests, objectOf } from '../manifests.fixture.ts'

type Json = Record<string, any>

const { kinds: facts } = factsOf<{ kinds: Record<string, { accepted: string[] }> }>(
  'fields-selectable.json',
)

interface Selectable {
  /** Group version and resource. */
  readonly key: string
  readonly kind: string
  readonly object: Json
  readonly status?: Json
  /** What the object has under each label; for `metadata` ones see below. */
  readonly labels: Readonly<Record<string, string>>
  readonly noNamespace?: true
  /** What is said about a label that it does not know. */
  readonly refusal?: (label: string) => string
}

const own = (label: string) => `field label not supported: ${label}`
const standard = (label: string) =>
  `${JSON.stringify(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`

const pod = { containers: [{ name: 'c', image: 'registry.example/image:1' }] }
const involved = {
  kind: 'Pod',
  namespace: 'default',
  name: 'p',
  uid: 'u-1',
  apiVersion: 'v1',
  resourceVersion: '7',
  fieldPath: 'spec.containers{c}',
}
const under = (prefix: string, object: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [`${prefix}.${key}`, value]))
const csr = manifests(orch).find((m) => m.resource === 'certificatesigningrequests')!
const job = manifests(orch).find((m) => m.resource === 'jobs')!

const special: readonly Selectable[] = [
  {
    key: 'v1 pods',
    kind: 'Pod',
    object: {
      spec: {
        ...pod,
        nodeName: 'n',
        restartPolicy: 'Never',
        schedulerName: 's',
        serviceAccountName: 'default',
      },
    },
    status: {
      phase: 'Running',
      podIP: '10.1.2.3',
      podIPs: [{ ip: '10.1.2.3' }, { ip: 'fd00::3' }],
      nominatedNodeName: 'm',
    },
    labels: {
      'status.phase': 'Running',
      'spec.nodeName': 'n',
      'spec.restartPolicy': 'Never',
      'spec.schedulerName': 's',
      'spec.serviceAccountName': 'default',
      'status.podIP': '10.1.2.3',
      // Known, but no value is kept for it.
      'status.podIPs': '',
      'status.nominatedNodeName': 'm',
      'spec.host': 'n',
    },
  },
  {
    key: 'v1 nodes',
    kind: 'Node',
    object: { spec: { unschedulable: true } },
    labels: { 'spec.unschedulable': 'true' },
    noNamespace: true,
  },
  {
    key: 'v1 namespaces',
    kind: 'Namespace',
    object: {},
    labels: { 'status.phase': 'Active' },
    noNamespace: true,
  },
  {
    key: 'v1 replicationcontrollers',
    kind: 'ReplicationController',
    object: {
      spec: { selector: { a: 'b' }, template: { metadata: { labels: { a: 'b' } }, spec: pod } },
    },
    status: { replicas: 3 },
    labels: { 'status.replicas': '3' },
  },
  {
    key: 'v1 secrets',
    kind: 'Secret',
    object: { type: 'example.com/a=b' },
    labels: { type: String.raw`example.com/a\=b` },
  },
  {
    key: 'v1 events',
    kind: 'Event',
    object: {
      involvedObject: involved,
      reason: 'Tested',
      type: 'Warning',
      source: { component: 'part' },
      reportingComponent: 'example.com/part',
    },
    labels: {
      ...under('involvedObject', involved),
      reason: 'Tested',
      type: 'Warning',
      source: 'part',
      reportingComponent: 'example.com/part',
    },
  },
  {
    key: 'events.orch.io/v1 events',
    kind: 'Event',
    object: {
      eventTime: '2024-01-01T00:00:00.000000Z',
      reportingController: 'example.com/part',
      reportingInstance: 'part-1',
      action: 'Test',
      reason: 'Tested',
      type: 'Normal',
      regarding: involved,
    },
    labels: {
      ...under('regarding', involved),
      reason: 'Tested',
      type: 'Normal',
      reportingController: 'example.com/part',
    },
  },
  {
    key: 'batch/v1 jobs',
    kind: 'Job',
    object: job.content,
    status: { succeeded: 2 },
    labels: { 'status.successful': '2' },
    refusal: (label) => `field label ${JSON.stringify(label)} not supported for Job`,
  },
  {
    key: 'certificates.orch.io/v1 certificatesigningrequests',
    kind: 'CertificateSigningRequest',
    object: csr.content,
    labels: { 'spec.signerName': 'example.com/signer' },
    noNamespace: true,
  },
]

const all = manifests(orch)
const manifestOf = (key: string) => all.find((m) => `${m.apiVersion} ${m.resource}` === key)!
const factName = (apiVersion: string, kind: string): string => {
  const [group = '', version] = apiVersion.includes('/')
    ? apiVersion.replace('.orch.io', '').split('/')
    : ['core', apiVersion]
  const ref = {
    'rbac.authorization': 'rbac',
    'flowcontrol.apiserver': 'flowcontrol',
    'internal.apiserver': 'apiserverinternal',
  }[group]
  return `${ref ?? group}.${version}/${kind}`
}

let server: RunningServer
let client: Client
beforeAll(async () => {
  server = await startServer({ runtimeConfig: { 'api/all': true }, controllers: ['api'] })
  // Pods need the account that a controller creates.
  await server.settled()
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

async function select(collection: string, selector: string): Promise<string[]> {
  const { status, body, text } = await client.get(
    `${collection}?fieldSelector=${encodeURIComponent(selector)}`,
  )
  expect(status, text).toBe(200)
  return body.items.map((item: Json) => item.metadata.name)
}

/** One label with its value, in all ways of asking. */
async function check(collection: string, name: string, label: string, value: string) {
  const got = {
    equal: (await select(collection, `${label}=${value}`)).includes(name),
    twice: (await select(collection, `${label}==${value}`)).includes(name),
    unequal: (await select(collection, `${label}!=${value}`)).includes(name),
    other: (await select(collection, `${label}=other`)).includes(name),
    notOther: (await select(collection, `${label}!=other,metadata.name=${name}`)).includes(name),
  }
  expect({ label, ...got }).toEqual({
    label,
    equal: true,
    twice: true,
    unequal: false,
    other: false,
    notOther: true,
  })
}

async function refused(collection: string, label: string, message: string) {
  const query = `fieldSelector=${encodeURIComponent(label)}%3Dx`
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'BadRequest',
    code: 400,
  }
  const list = await client.get(`${collection}?${query}`)
  expect([label, list.status, list.body]).toEqual([label, 400, status])
  return { query, status }
}

const everyLabel = [...new Set(special.flatMap(({ labels }) => Object.keys(labels)))]

describe('kinds with labels of their own', () => {
  for (const { key, kind, object, status, labels, noNamespace, refusal = own } of special) {
    test(key, async () => {
      const manifest = manifestOf(key)
      const collection = collectionOf(manifest)
      const name = key.startsWith('events') ? 'chosen-too' : 'chosen'
      const made = await client.post(collection, { ...object, metadata: { name } })
      expect(made.status, made.text).toBe(201)
      if (status) {
        const put = await client.put(`${collection}/${name}/status`, { ...made.body, status })
        expect(put.status, put.text).toBe(200)
      }
      const known: Record<string, string> = {
        'metadata.name': name,
        ...(noNamespace ? {} : { 'metadata.namespace': 'default' }),
        ...labels,
      }
      for (const [label, value] of Object.entries(known)) {
        await check(collection, name, label, value)
      }
      const { accepted } = facts[factName(manifest.apiVersion, kind)]!
      expect(Object.keys(known).sort()).toEqual([...accepted].sort())
      const unknown = [
        ...everyLabel,
        'metadata.namespace',
        'metadata.uid',
        'constructor',
        '__proto__',
      ]
      for (const label of unknown)
        if (!Object.hasOwn(known, label)) await refused(collection, label, refusal(label))
      const { query, status: body } = await refused(collection, 'x', refusal('x'))
      const watch = await client.get(`${collection}?watch=1&${query}`)
      expect([watch.status, watch.body]).toEqual([400, body])
      if (kind === 'Namespace') return
      const sweep = await client.delete(`${collection}?${query}`)
      expect([sweep.status, sweep.body]).toEqual([400, body])
    })
  }
})

describe('other kinds: name and namespace', () => {
  const others = all.filter((m) => !special.some((s) => s.key === `${m.apiVersion} ${m.resource}`))
  for (const manifest of others) {
    test(`${manifest.apiVersion} ${manifest.resource}`, async () => {
      const collection = collectionOf(manifest)
      const name = manifest.name ?? 'minimal'
      // Another version may have made it already.
      const made = await client.post(collection, objectOf(manifest))
      expect([201, 409]).toContain(made.status)
      await check(collection, name, 'metadata.name', name)
      const namespace = manifest.namespaced ? 'default' : ''
      await check(collection, name, 'metadata.namespace', namespace)
      expect(facts[factName(manifest.apiVersion, manifest.kind)]!.accepted).toEqual([
        'metadata.name',
        'metadata.namespace',
      ])
      const { query, status } = await refused(
        collection,
        'spec.nodeName',
        standard('spec.nodeName'),
      )
      await refused(collection, 'constructor', standard('constructor'))
      const watch = await client.get(`${collection}?watch=1&${query}`)
      expect([watch.status, watch.body]).toEqual([400, status])
      const sweep = await client.delete(`${collection}?${query}`)
      expect([sweep.status, sweep.body]).toEqual([400, status])
    })
  }

  test('component statuses', async () => {
    const path = '/api/v1/componentstatuses'
    expect(await select(path, 'metadata.name=store-0')).toEqual(['store-0'])
    expect(await select(path, 'metadata.name=other')).toEqual([])
    await refused(path, 'type', standard('type'))
  })
})

describe('what is selected changes', () => {
  const pods = '/api/v1/namespaces/default/pods'

  test('a source of events without a component is the one that reports', async () => {
    const events = '/api/v1/namespaces/default/events'
    await client.post(events, {
      metadata: { name: 'reported' },
      involvedObject: involved,
      reportingComponent: 'example.com/reporter',
    })
    expect(await select(events, 'source=example.com/reporter')).toEqual(['reported'])
  })

  test('terms add up, and values may hold signs', async () => {
    const secrets = '/api/v1/namespaces/default/secrets'
    await client.post(secrets, { metadata: { name: 'signs' }, type: 'a,b=c\\d' })
    expect(await select(secrets, String.raw`type=a\,b\=c\\d,metadata.name!=other`)).toEqual([
      'signs',
    ])
    expect(await select(secrets, String.raw`type=a\,b\=c\\d,type!=a\,b\=c\\d`)).toEqual([])
    expect(await select(secrets, 'metadata.name=signs,metadata.name=other')).toEqual([])
    expect(await select(secrets, ',metadata.name=signs,')).toEqual(['signs'])
  })

  test('across namespaces', async () => {
    await client.post('/api/v1/namespaces', { metadata: { name: 'elsewhere' } })
    for (const namespace of ['default', 'elsewhere'])
      await client.post(`/api/v1/namespaces/${namespace}/configmaps`, {
        metadata: { name: 'twin' },
      })
    const { body } = await client.get(
      '/api/v1/configmaps?fieldSelector=metadata.name%3Dtwin,metadata.namespace!%3Ddefault',
    )
    expect(body.items.map((i: Json) => i.metadata.namespace)).toEqual(['elsewhere'])
    expect(
      await select('/api/v1/namespaces/elsewhere/configmaps', 'metadata.namespace=default'),
    ).toEqual([])
  })

  test('a watch tells what comes in and what goes out', async () => {
    const name = 'moving'
    const watch = await client.watch(
      `${pods}?watch=1&fieldSelector=status.phase%3DRunning,metadata.name%3D${name}`,
    )
    const made = await client.post(pods, { metadata: { name }, spec: pod })
    const move = async (phase: string) =>
      client.put(`${pods}/${name}/status`, { ...made.body, metadata: { name }, status: { phase } })
    const came = await move('Running')
    await client.merge(`${pods}/${name}`, { metadata: { labels: { a: 'b' } } })
    const went = await move('Succeeded')
    const events = [await watch.next(), await watch.next(), await watch.next()]
    expect(events.map((e) => [e?.type, e?.object.status.phase])).toEqual([
      ['ADDED', 'Running'],
      ['MODIFIED', 'Running'],
      ['DELETED', 'Running'],
    ])
    expect(events[0]!.object).toEqual(came.body)
    expect(events[2]!.object.metadata.resourceVersion).toBe(went.body.metadata.resourceVersion)
    watch.close()
  })

  test('a sweep takes only what is selected', async () => {
    for (const [name, type] of [
      ['sweep-a', 'example.com/go'],
      ['sweep-b', 'example.com/stay'],
    ])
      await client.post('/api/v1/namespaces/default/secrets', { metadata: { name }, type })
    const { body } = await client.delete(
      '/api/v1/namespaces/default/secrets?fieldSelector=type%3Dexample.com/go',
    )
    expect(body.items.map((i: Json) => i.metadata.name)).toEqual(['sweep-a'])
    const left = await select('/api/v1/namespaces/default/secrets', 'type=example.com/stay')
    expect(left).toEqual(['sweep-b'])
  })
})
