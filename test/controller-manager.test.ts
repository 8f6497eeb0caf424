/** The controllers as programs of their own, against a server in another process. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as later } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../src/client/client.ts'
import { connect } from '../src/client/connect.ts'
import type { ElectionLease } from '../src/client/leader-election.ts'
import { loadKubeconfig } from '../src/client/kubeconfig.ts'
import { freePort } from './ports.ts'
import { programOf } from './program.ts'

const ROOT = join(import.meta.dirname, '..')
const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' }
const MAPS = { group: '', version: 'v1', resource: 'configmaps' }
const ACCOUNTS = { group: '', version: 'v1', resource: 'serviceaccounts' }
const LEASES = { group: 'coordination.orch.io', version: 'v1', resource: 'leases' }

let dir = ''
const children: ChildProcess[] = []
let client: Client
const kubeconfig = () => join(dir, 'data', 'admin.kubeconfig')

function program(name: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [...programOf(name), ...args], { cwd: ROOT })
  children.push(child)
  let said = ''
  child.stderr!.on('data', (data: Buffer) => (said = (said + data.toString()).slice(-2000)))
  child.once('close', (code) => {
    if (code !== null && code !== 0) failure = `${name} has ended with ${code}: ${said}`
  })
  return child
}
/** What a program said that ended although nobody asked it to. */
let failure: string | null = null

/** Runs the controllers. */
const manager = (port = 0): ChildProcess =>
  program(
    'orch-controller-manager',
    ...['--kubeconfig', kubeconfig(), '--use-service-account-credentials'],
    ...['--service-account-private-key-file', join(dir, 'data', 'pki', 'sa.key')],
    // A busy machine has to be able to renew in time.
    ...['--leader-elect-lease-duration=8s', '--leader-elect-renew-deadline=6s'],
    ...['--leader-elect-retry-period=500ms', '--bind-address=127.0.0.1'],
    `--secure-port=${port}`,
  )

/** What a program says and how it ends whose server is absent; it begins with the file, since it waits. */
let left: Promise<readonly [code: number | null, said: string]>

async function leftAlone(): Promise<readonly [number | null, string]> {
  const server = `https://127.0.0.1:${await freePort()}`
  const clusters = [{ name: 'c', cluster: { server } }]
  const contexts = [{ name: 'c', context: { cluster: 'c', user: 'u' } }]
  const users = [{ name: 'u', user: { token: 'x' } }]
  const config = { apiVersion: 'v1', kind: 'Config', clusters, contexts, users }
  await writeFile(join(dir, 'absent'), JSON.stringify({ ...config, 'current-context': 'c' }))
  const flags = ['--kubeconfig', join(dir, 'absent'), '--secure-port=0', '-v=0']
  const child = spawn(process.execPath, [...programOf('orch-controller-manager'), ...flags], {
    cwd: ROOT,
  })
  children.push(child)
  let said = ''
  child.stderr.on('data', (data: Buffer) => (said += data.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return [code, said.replaceAll(server.slice('https://'.length), 'SERVER')]
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'controller-manager-'))
  left = leftAlone()
  const flags = ['--data-dir', join(dir, 'data'), '--secure-port=0', '--controllers=server']
  const server = program('orch', 'server', ...flags)
  await once(server.stdout!, 'data')
  client = await connect({ config: await loadKubeconfig(kubeconfig()) })
})
afterAll(async () => {
  client.close()
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  await rm(dir, { recursive: true, force: true })
})

/** Reads again and again until it is what is wanted; the test's time is the bound. */
async function until<T>(read: () => Promise<T>, isRight: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read()
    if (isRight(value)) return value
    if (failure !== null) throw new Error(failure)
    await later(25)
  }
}

const holder = async () => {
  const lease = await client
    .resource<ElectionLease>(LEASES)
    .in('orch-system')
    .find('orch-controller-manager')
  return { holder: lease?.spec?.holderIdentity ?? '', transitions: lease?.spec?.leaseTransitions }
}
const accountIn = (namespace: string) => client.resource(ACCOUNTS).in(namespace).find('default')

const ask = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<[number, unknown]>((resolve, reject) => {
    const options = { agent: false, rejectUnauthorized: false, headers, method } as const
    request(url, options, (answer) => {
      let text = ''
      answer.on('data', (data: Buffer) => (text += data.toString()))
      answer.on('end', () => {
        const isJson = answer.headers['content-type'] === 'application/json' && text !== ''
        resolve([answer.statusCode!, isJson ? JSON.parse(text) : text])
      })
    })
      .on('error', reject)
      .end()
  })

const GRAPH = '/debug/controllers/garbagecollector/graph'

let monitoring: Promise<{ authorization: string }> | null = null
/** Credentials of an account that may read two pages. */
const monitor = () => (monitoring ??= makeMonitor())

async function makeMonitor(): Promise<{ authorization: string }> {
  const roles = 'rbac.authorization.orch.io'
  const of = (resource: string) =>
    client.resource<object>({ group: roles, version: 'v1', resource })
  await client
    .resource<object>(ACCOUNTS)
    .in('default')
    .create({ metadata: { name: 'monitor' } })
  await of('clusterroles').create({
    metadata: { name: 'monitor' },
    rules: [{ nonResourceURLs: ['/configz', '/metrics', GRAPH], verbs: ['get'] }],
  })
  await of('clusterrolebindings').create({
    metadata: { name: 'monitor' },
    roleRef: { apiGroup: roles, kind: 'ClusterRole', name: 'monitor' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'monitor' }],
  })
  const answer = await client
    .resource<object>(ACCOUNTS)
    .in('default')
    .sub('token')
    .create<{ status: { token: string } }>('monitor', { spec: {} })
  return { authorization: `Bearer ${answer.status.token}` }
}

const SERVICES = { group: '', version: 'v1', resource: 'services' }
const PODS = { group: '', version: 'v1', resource: 'pods' }
const ENDPOINTS = { group: '', version: 'v1', resource: 'endpoints' }
const SLICES = { group: 'discovery.orch.io', version: 'v1', resource: 'endpointslices' }
const EVENTS = { group: '', version: 'v1', resource: 'events' }
const COUNT = 8

/** Creates services and pods behind all of them; calls in the middle. */
async function load(inTheMiddle: () => void): Promise<void> {
  const pods = client.resource<object>(PODS).in('load')
  for (let i = 0; i < COUNT; i++) {
    await client
      .resource<object>(SERVICES)
      .in('load')
      .create({
        metadata: { name: `s${i}` },
        spec: { selector: { app: 'x' }, ports: [{ port: 80 }] },
      })
    await pods.create({
      metadata: { name: `p${i}`, labels: { app: 'x' } },
      spec: { containers: [{ name: 'c', image: 'x' }] },
    })
    const podIP = `10.1.0.${i}`
    await pods.sub('status').patch(`p${i}`, { status: { podIP, podIPs: [{ ip: podIP }] } })
    if (i === COUNT / 2) inTheMiddle()
  }
}

interface WithEndpoints {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> }
  readonly endpoints: readonly { readonly addresses: readonly string[] }[]
}
interface WithSubsets {
  readonly subsets?: readonly { readonly notReadyAddresses?: readonly unknown[] }[]
}

/** Numbers of addresses: in the slices of each service, and in Endpoints. */
async function addresses() {
  const slices = await client.resource<WithEndpoints>(SLICES).in('load').list()
  const endpoints = await client.resource<WithSubsets>(ENDPOINTS).in('load').list()
  const names = slices.items.map(
    ({ metadata, endpoints: list }) =>
      `${metadata.labels['orch.io/service-name']} ${new Set(list.map((one) => one.addresses[0])).size}/${list.length}`,
  )
  return {
    slices: names.sort(),
    endpoints: endpoints.items.map(({ subsets }) => subsets?.[0]?.notReadyAddresses?.length),
  }
}

interface WithAttached {
  readonly status: { readonly volumesAttached?: readonly { readonly name: string }[] }
}

/** A pod with a bound CSI volume gets it attached to its node, by the account of the controller alone. */
async function attaches(): Promise<void> {
  const of = (resource: string) => client.resource<object>({ group: '', version: 'v1', resource })
  const spec = { accessModes: ['ReadWriteOnce'], storageClassName: '' }
  const storage = '1Gi'
  const managed = 'volumes.orch.io/controller-managed-attach-detach'
  await of('nodes').create({ metadata: { name: 'n', annotations: { [managed]: 'true' } } })
  await of('persistentvolumes').create({
    metadata: { name: 'v' },
    spec: { ...spec, capacity: { storage }, csi: { driver: 'd.example.com', volumeHandle: 'h' } },
  })
  await of('persistentvolumeclaims')
    .in('load')
    .create({ metadata: { name: 'c' }, spec: { ...spec, resources: { requests: { storage } } } })
  await of('pods')
    .in('load')
    .create({
      metadata: { name: 'with-volume' },
      spec: {
        nodeName: 'n',
        containers: [{ name: 'c', image: 'x' }],
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
      },
    })
  const attachments = client.resource<{ readonly metadata: { readonly name: string } }>({
    ...{ group: 'storage.orch.io', version: 'v1', resource: 'volumeattachments' },
  })
  const { items } = await until(
    () => attachments.list(),
    (found) => found.items.length === 1,
  )
  await attachments.sub('status').patch(items[0]!.metadata.name, { status: { attached: true } })
  const node = await until(
    () => client.resource<WithAttached>({ group: '', version: 'v1', resource: 'nodes' }).get('n'),
    ({ status }) => status.volumesAttached !== undefined,
  )
  expect(node.status.volumesAttached).toEqual([
    { name: 'orch.io/csi/d.example.com^h', devicePath: '' },
  ])
}

async function electionEvents(): Promise<string[]> {
  const { items } = await client
    .resource<{ readonly reason: string; readonly message: string }>(EVENTS)
    .in('orch-system')
    .list()
  return items.flatMap(({ reason, message }) => (reason === 'LeaderElection' ? [message] : []))
}

test('two of them do the work of one, and when one is killed under load the other goes on', async () => {
  const first = manager()
  const led = await until(holder, (one) => one.holder !== '')
  const port = await freePort()
  const second = manager(port)
  await client.resource(NAMESPACES).create({ metadata: { name: 'load' } })
  await until(
    () => accountIn('load'),
    (one) => one !== null,
  )
  // By the account of its controller, which it made to ask for its token.
  const own = client.resource(ACCOUNTS).in('orch-system')
  expect((await own.find('service-account-controller'))?.metadata?.name).toBe(
    'service-account-controller',
  )

  // The authority of the kubeconfig, since no other is given.
  const published = await until(
    () => client.resource<{ readonly data: object }>(MAPS).in('load').find('orch-root-ca.crt'),
    (one) => one !== null,
  )
  const ca = await readFile(join(dir, 'data', 'pki', 'ca.crt'), 'utf8')
  expect(published?.data).toEqual({ 'ca.crt': ca })

  await load(() => first.kill('SIGKILL'))
  await client.resource(NAMESPACES).create({ metadata: { name: 'b' } })
  await until(
    () => accountIn('b'),
    (one) => one !== null,
  )
  const next = await holder()
  expect(next.holder).not.toBe(led.holder)
  expect(next.transitions).toBe(1)
  // Each service has one slice and one Endpoints with every pod once: what the first had begun was not done twice.
  const all = {
    slices: Array.from({ length: COUNT }, (_, i) => `s${i} ${COUNT}/${COUNT}`),
    endpoints: Array.from({ length: COUNT }, () => COUNT),
  }
  await until(addresses, (found) => JSON.stringify(found) === JSON.stringify(all))
  await attaches()

  const url = `https://127.0.0.1:${port}`
  expect(await ask(`${url}/healthz`)).toEqual([200, 'ok'])
  const [code403] = await ask(`${url}/metrics`)
  expect(code403).toBe(403)
  const [code200, metrics] = await ask(`${url}/metrics`, await monitor())
  expect([code200, /^workqueue_adds_total\{name="endpoint"\} \d+$/m.test(String(metrics))]).toEqual(
    [200, true],
  )

  // A slice and its service, which is its owner.
  const slices = await client.resource<{ metadata: { uid: string; name: string } }>(SLICES).list()
  const slice = slices.items.find(({ metadata }) => metadata.name.startsWith('s0-'))!.metadata
  const authorized = await monitor()
  // The collector may still be reading what there is.
  const graph = await until(
    async () => String((await ask(`${url}${GRAPH}?uid=${slice.uid}`, authorized))[1]),
    (text) => text.includes('EndpointSlice'),
  )
  expect([graph.match(/kind="\w+"/g), graph.match(/\d -> \d/g)?.length]).toEqual([
    ['kind="EndpointSlice"', 'kind="Service"'],
    1,
  ])
  expect((await ask(`${url}${GRAPH}`))[0]).toBe(403)

  // Who is asked to end gives the lead up at once, and says so.
  second.kill('SIGTERM')
  const [code] = (await once(second, 'close')) as [number]
  expect(code).toBe(0)
  expect((await electionEvents()).sort()).toEqual(
    [
      `${led.holder} became leader`,
      `${next.holder} became leader`,
      `${next.holder} stopped leading`,
    ].sort(),
  )
  expect(await holder()).toEqual({ holder: '', transitions: 1 })
}, 90_000)

test('without a server it ends after ten seconds, and says why', async () => {
  const [code, said] = await left
  const reason = 'Get "https://SERVER/healthz": dial tcp SERVER: connect: connection refused'
  expect([code, said.split('\n').slice(1)]).toEqual([
    1,
    [`orch-controller-manager: the server was not healthy within 10 seconds: ${reason}`, ''],
  ])
}, 30_000)
