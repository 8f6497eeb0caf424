/** Priority and fairness through a real server: its objects, headers, limits, tables and metrics. */
import { connect } from 'node:http2'
import { Agent, request } from 'node:https'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ManualClock, startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Reply } from '../client.ts'
import { Raw } from '../raw.ts'

const GROUP = '/apis/flowcontrol.apiserver.k8s.io/v1beta2'
const SCHEMAS = `${GROUP}/flowschemas`
const LEVELS = `${GROUP}/prioritylevelconfigurations`
const DUMPS = '/debug/api_priority_and_fairness'
const MAPS = '/api/v1/namespaces/default/configmaps'
const AUTO = 'apf.kubernetes.io/autoupdate-spec'

const clock = new ManualClock()
let server: RunningServer
let admin: Client
/** Tokens of service accounts, which may do everything. */
const tokens = new Map<string, string>()

beforeAll(async () => {
  // Few seats: each level has one.
  server = await startServer({
    vocabulary: 'kubernetes',
    clock,
    maxRequestsInFlight: 2,
    maxMutatingRequestsInFlight: 0,
  })
  await server.settled()
  admin = new Client(server)
  await allow(admin, 'system:serviceaccounts')
  for (const name of ['robot', 'narrow', 'refused']) {
    const accounts = '/api/v1/namespaces/default/serviceaccounts'
    await admin.post(accounts, { metadata: { name } })
    const { body } = await admin.post(`${accounts}/${name}/token`, {})
    tokens.set(name, body.status.token)
  }
})
afterAll(async () => {
  admin.close()
  await server.close()
})

/** Gives a group all permissions. */
const allow = (client: Client, group: string) =>
  client.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'everything' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: group }],
  })

const as = (name: string) => new Client(server, { token: tokens.get(name)! })
const nameByUid = async (path: string) => {
  const { items } = (await admin.get(path)).body
  return new Map<string, string>(
    items.map(({ metadata }: { metadata: { uid: string; name: string } }) => [
      metadata.uid,
      metadata.name,
    ]),
  )
}

describe('the objects', () => {
  test('those of the set exist, kept by the server, and no schema dangles', async () => {
    const { items } = (await admin.get(SCHEMAS)).body
    const kept = items.map((item: any) => [
      item.metadata.name,
      item.metadata.annotations,
      item.status.conditions.map(({ type, status, reason }: any) => [type, status, reason].join()),
    ])
    const names = [
      ...['catch-all', 'endpoint-controller', 'exempt', 'global-default'],
      ...['kube-controller-manager', 'kube-scheduler', 'kube-system-service-accounts', 'probes'],
      ...['service-accounts', 'system-leader-election', 'system-node-high', 'system-nodes'],
      'workload-leader-election',
    ]
    expect(kept).toEqual(names.map((name) => [name, { [AUTO]: 'true' }, ['Dangling,False,Found']]))
    const levels = (await admin.get(LEVELS)).body.items as { metadata: { name: string } }[]
    expect(levels.map(({ metadata }) => metadata.name)).toEqual([
      ...['catch-all', 'exempt', 'global-default', 'leader-election', 'node-high', 'system'],
      ...['workload-high', 'workload-low'],
    ])
  })

  test('a schema whose level comes later dangles until then', async () => {
    const spec = { priorityLevelConfiguration: { name: 'late' }, rules: [] }
    await admin.post(SCHEMAS, { metadata: { name: 'early' }, spec })
    const condition = async () => (await admin.get(`${SCHEMAS}/early`)).body.status.conditions?.[0]
    await server.settled()
    expect(await condition()).toEqual({
      type: 'Dangling',
      status: 'True',
      lastTransitionTime: expect.any(String),
      reason: 'NotFound',
      message:
        'This FlowSchema references the PriorityLevelConfiguration object named "late" but there is no such object',
    })
    await admin.post(LEVELS, {
      metadata: { name: 'late' },
      spec: {
        type: 'Limited',
        limited: { assuredConcurrencyShares: 1, limitResponse: { type: 'Reject' } },
      },
    })
    await server.settled()
    expect(await condition()).toMatchObject({ status: 'False', reason: 'Found' })
    await admin.delete(`${SCHEMAS}/early`)
    await admin.delete(`${LEVELS}/late`)
  })

  test('every minute they are repaired, unless users took charge of them', async () => {
    const annotate = (path: string, value: string) =>
      admin.merge(path, { metadata: { annotations: { [AUTO]: value } } })
    const shares = (name: string, assuredConcurrencyShares: number) =>
      admin.merge(`${LEVELS}/${name}`, { spec: { limited: { assuredConcurrencyShares } } })
    await annotate(`${SCHEMAS}/catch-all`, 'false')
    await admin.delete(`${SCHEMAS}/exempt`)
    await admin.delete(`${LEVELS}/node-high`)
    await shares('system', 31)
    await annotate(`${LEVELS}/workload-high`, 'false')
    await shares('workload-high', 41)
    await admin.post(SCHEMAS, {
      metadata: { name: 'former', annotations: { [AUTO]: 'true' } },
      spec: { priorityLevelConfiguration: { name: 'x' } },
    })
    clock.advance(60_000)
    await vi.waitFor(async () => expect((await admin.get(`${SCHEMAS}/former`)).status).toBe(404))
    const found = async (path: string) => {
      const { metadata, spec } = (await admin.get(path)).body
      return [metadata.annotations[AUTO], spec.limited?.assuredConcurrencyShares]
    }
    expect(await found(`${SCHEMAS}/catch-all`)).toEqual(['true', undefined])
    expect(await found(`${SCHEMAS}/exempt`)).toEqual(['true', undefined])
    expect(await found(`${LEVELS}/node-high`)).toEqual(['true', 40])
    expect(await found(`${LEVELS}/system`)).toEqual(['true', 30])
    expect(await found(`${LEVELS}/workload-high`)).toEqual(['false', 41])
    await shares('workload-high', 40)
  })
})

test.each<[string, () => Client, string, number, string, string]>([
  ['the administrator', () => admin, MAPS, 200, 'exempt', 'exempt'],
  ['a probe', () => new Client(server, { anonymous: true }), '/livez', 200, 'probes', 'exempt'],
  [
    'a stranger',
    () => new Client(server, { anonymous: true }),
    MAPS,
    403,
    'global-default',
    'global-default',
  ],
  ['an account', () => as('robot'), MAPS, 200, 'service-accounts', 'workload-low'],
  ['an unknown path', () => as('robot'), '/nothing', 404, 'service-accounts', 'workload-low'],
])('responses to %s name schema and level', async (_, make, path, status, schema, level) => {
  const client = make()
  const reply = await client.get(path)
  const [schemas, levels] = [await nameByUid(SCHEMAS), await nameByUid(LEVELS)]
  expect([
    reply.status,
    schemas.get(reply.headers['x-kubernetes-pf-flowschema-uid'] as string),
    levels.get(reply.headers['x-kubernetes-pf-prioritylevel-uid'] as string),
  ]).toEqual([status, schema, level])
  client.close()
})

test('a user whose credential is refused has no flow', async () => {
  const { status, headers } = await new Client(server, { token: 'x' }).get(MAPS)
  expect([status, headers['x-kubernetes-pf-flowschema-uid']]).toEqual([401, undefined])
})

test('the classification is that of the impersonated user', async () => {
  const { headers } = await admin.get(MAPS, { headers: { 'impersonate-user': 'ann' } })
  const schemas = await nameByUid(SCHEMAS)
  expect(schemas.get(headers['x-kubernetes-pf-flowschema-uid'] as string)).toBe('global-default')
})

/** A request whose body does not come: it holds a seat. */
interface Open {
  /** Sends the body; resolves to the status. */
  finish(): Promise<number>
  /** Closes the connection. */
  cut(): void
}

type Protocol = (name: string) => Open

const BODY = JSON.stringify({ metadata: { generateName: 'm-' } })
const HEADERS = {
  'content-type': 'application/json',
  'content-length': String(BODY.length),
}

const http1: Protocol = (name) => {
  const agent = new Agent({ ca: server.ca })
  const headers = { ...HEADERS, authorization: `Bearer ${tokens.get(name)!}` }
  const message = request(new URL(MAPS, server.url), { method: 'POST', agent, headers })
  const status = new Promise<number>((resolve, reject) => {
    message.once('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    message.once('error', reject)
  })
  status.catch(() => {})
  message.flushHeaders()
  return {
    finish() {
      message.end(BODY)
      return status.finally(() => agent.destroy())
    },
    cut: () => message.destroy(),
  }
}

const http2: Protocol = (name) => {
  const session = connect(server.url, { ca: server.ca })
  const stream = session.request(
    {
      ':method': 'POST',
      ':path': MAPS,
      ...HEADERS,
      authorization: `Bearer ${tokens.get(name)!}`,
    },
    { endStream: false },
  )
  const status = new Promise<number>((resolve, reject) => {
    stream.once('response', (headers) => resolve(headers[':status'] ?? 0))
    stream.once('error', reject)
  })
  status.catch(() => {})
  stream.resume()
  return {
    finish() {
      stream.end(BODY)
      return status.finally(() => session.destroy())
    },
    cut: () => session.destroy(),
  }
}

/** Cells of the lines of a table that begin with a level. */
async function dump(table: string, level: string): Promise<string[][]> {
  const { status, text } = await admin.get(`${DUMPS}/${table}`)
  expect(status).toBe(200)
  const lines = text.split('\n').map((line) => line.split(/, */))
  return lines.filter(([first]) => first === level)
}

/** Resolves when so many requests of a level wait and are executed. */
const until = (level: string, waiting: number, executing: number) =>
  vi.waitFor(async () => {
    const [line = []] = await dump('dump_priority_levels', level)
    expect(line.slice(4, 6)).toEqual([String(waiting), String(executing)])
  })

const refusal = ({ status, headers, text }: Reply) => [
  status,
  headers['retry-after'],
  headers['content-type'],
  text,
]
const REFUSED = [
  429,
  '1',
  'text/plain; charset=utf-8',
  'Too many requests, please try again later.\n',
]

/** A level and a schema of its own for one account. */
async function levelFor(account: string, limitResponse: object): Promise<void> {
  await admin.post(LEVELS, {
    metadata: { name: account },
    spec: { type: 'Limited', limited: { assuredConcurrencyShares: 1, limitResponse } },
  })
  await admin.post(SCHEMAS, {
    metadata: { name: account },
    spec: {
      priorityLevelConfiguration: { name: account },
      matchingPrecedence: 50,
      rules: [
        {
          subjects: [
            { kind: 'ServiceAccount', serviceAccount: { namespace: 'default', name: account } },
          ],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
        },
      ],
    },
  })
}

for (const [title, open] of [
  ['HTTP/1.1', http1],
  ['HTTP/2', http2],
] as const) {
  describe(`without a free seat, over ${title}`, () => {
    test('requests wait, and others of their level too; exempt ones do not', async () => {
      const first = open('robot')
      await until('workload-low', 0, 1)
      const second = open('robot')
      await until('workload-low', 1, 1)
      const robot = as('robot')
      const third = robot.get(MAPS)
      await until('workload-low', 2, 1)
      const details = await dump('dump_requests?includeRequestDetails=1', 'workload-low')
      expect(details.map((line) => [line[1], line[3], line[4], ...line.slice(6)])).toEqual(
        ['create', 'list'].map((verb) => [
          ...['service-accounts', '0', 'system:serviceaccount:default:robot', '1', '0', '0ms'],
          ...['system:serviceaccount:default:robot', verb, MAPS, 'default', '', 'v1'],
          ...['configmaps', ''],
        ]),
      )
      expect((await admin.get(MAPS)).status).toBe(200)
      expect(await first.finish()).toBe(201)
      expect(await second.finish()).toBe(201)
      expect((await third).status).toBe(200)
      await until('workload-low', 0, 0)
      robot.close()
    })

    test('a client that is gone does not wait any longer', async () => {
      const first = open('robot')
      await until('workload-low', 0, 1)
      const second = open('robot')
      await until('workload-low', 1, 1)
      second.cut()
      await until('workload-low', 0, 1)
      first.cut()
      await until('workload-low', 0, 0)
    })
  })
}

test('a full queue rejects requests, and a level without queues all beyond its seats', async () => {
  const queuing = { queues: 1, handSize: 1, queueLengthLimit: 1 }
  await levelFor('narrow', { type: 'Queue', queuing })
  await levelFor('refused', { type: 'Reject' })
  for (const [account, waiting] of [
    ['narrow', 1],
    ['refused', 0],
  ] as const) {
    const client = as(account)
    const open = [http1(account)]
    await until(account, 0, 1)
    if (waiting > 0) open.push(http1(account))
    await until(account, waiting, 1)
    const reply = await client.get(MAPS)
    expect(refusal(reply)).toEqual(REFUSED)
    const schemas = await nameByUid(SCHEMAS)
    expect(schemas.get(reply.headers['x-kubernetes-pf-flowschema-uid'] as string)).toBe(account)
    for (const one of open) expect(await one.finish()).toBe(201)
    expect((await client.get(MAPS)).status).toBe(200)
    client.close()
  }
  const queues = await dump('dump_queues', 'narrow')
  expect(queues.map((line) => line.slice(0, 5))).toEqual([['narrow', '0', '0', '0', '0']])
  const { text } = await admin.get('/metrics')
  for (const line of [
    'rejected_requests_total{flow_schema="narrow",priority_level="narrow",reason="queue-full"} 1',
    'rejected_requests_total{flow_schema="refused",priority_level="refused",reason="concurrency-limit"} 1',
    'dispatched_requests_total{flow_schema="narrow",priority_level="narrow"} 3',
    'request_concurrency_limit{priority_level="narrow"} 1',
    'request_wait_duration_seconds_count{execute="true",flow_schema="narrow",priority_level="narrow"} 3',
    'request_execution_seconds_count{flow_schema="narrow",priority_level="narrow",type="regular"} 3',
  ])
    expect(text).toContain(`\napiserver_flowcontrol_${line}\n`)
})

test('a watch holds its seat until its initial events have been sent', async () => {
  const robot = as('robot')
  const watch = await robot.watch(`${MAPS}?watch=1`)
  expect((await watch.next())?.type).toBe('ADDED')
  await until('workload-low', 0, 0)
  const later = await robot.watch(
    `${MAPS}?watch=1&resourceVersion=${(await robot.get(MAPS)).body.metadata.resourceVersion}`,
  )
  await until('workload-low', 0, 0)
  expect((await robot.get(MAPS)).status).toBe(200)
  for (const one of [watch, later]) one.close()
  robot.close()
})

test('a user with many busy connections is answered, and so is another one', async () => {
  const busy = await Promise.all(
    Array.from({ length: 24 }, () => Raw.open(server, { anonymous: true })),
  )
  const quiet = as('narrow')
  const get = `GET ${MAPS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tokens.get('robot')}\r\n\r\n`
  const answers = (count: number) => (text: string) =>
    text.split('HTTP/1.1 200 OK').length === count + 1 && text.endsWith('}\n')
  for (let count = 1; count <= 4; count++) {
    const sent = busy.map((connection) => connection.send(get))
    expect((await quiet.get(MAPS)).status).toBe(200)
    await Promise.all(sent)
    await Promise.all(busy.map((connection) => connection.until(answers(count))))
  }
  for (const connection of [...busy, quiet]) connection.close()
})

test('only those who may read the tables, and only those that exist', async () => {
  const stranger = new Client(server, { anonymous: true })
  expect((await stranger.get(`${DUMPS}/dump_queues`)).status).toBe(403)
  expect((await admin.get(`${DUMPS}/dump_nothing`)).text).toBe('404 page not found\n')
  const { text, headers } = await admin.get(`${DUMPS}/dump_requests`)
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(text.split('\n')[0]!.split(/, */).slice(0, 4)).toEqual([
    ...['PriorityLevelName', 'FlowSchemaName', 'QueueIndex', 'RequestIndexInQueue'],
  ])
  expect((await admin.get('/')).body.paths.join()).not.toContain('priority_and_fairness')
})

test('without priority and fairness, two plain limits apply', async () => {
  const plain = await startServer({
    vocabulary: 'kubernetes',
    priorityAndFairness: false,
    maxRequestsInFlight: 0,
    maxMutatingRequestsInFlight: 1,
  })
  await plain.settled()
  const root = new Client(plain)
  await allow(root, 'system:unauthenticated')
  const user = new Client(plain, { anonymous: true })
  const agent = new Agent({ ca: plain.ca })
  const held = request(new URL(MAPS, plain.url), { method: 'POST', agent, headers: HEADERS })
  held.on('error', () => {})
  held.flushHeaders()
  const write = () => user.post(MAPS, {}, { headers: { connection: 'close' } })
  await vi.waitFor(async () => expect(refusal(await write())).toEqual(REFUSED))
  expect((await user.get(MAPS)).status).toBe(200)
  expect((await root.post(MAPS, { metadata: { name: 'a' } })).status).toBe(201)
  held.destroy()
  await vi.waitFor(async () => expect((await write()).status).toBe(422))
  const { headers } = await user.get(MAPS)
  expect(headers['x-kubernetes-pf-flowschema-uid']).toBeUndefined()
  expect((await root.get(`${DUMPS}/dump_queues`)).status).toBe(404)
  const lines = (await root.get('/readyz?verbose')).text.split('\n')
  expect(lines.filter((line) => /fairness|flight/.test(line))).toEqual([
    '[+]poststarthook/max-in-flight-filter ok',
    '[+]poststarthook/priority-and-fairness-config-producer ok',
  ])
  for (const client of [root, user]) client.close()
  agent.destroy()
  await plain.close()
})
