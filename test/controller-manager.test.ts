/** The controllers as programs of their own, against a server in another process. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as later } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../src/client/client.ts'
import { serveHealth } from '../src/cli/commands/health-server.ts'
import { connect } from '../src/client/connect.ts'
import type { ElectionLease } from '../src/client/leader-election.ts'
import { loadKubeconfig } from '../src/client/kubeconfig.ts'

const ROOT = join(import.meta.dirname, '..')
const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' }
const ACCOUNTS = { group: '', version: 'v1', resource: 'serviceaccounts' }
const LEASES = { group: 'coordination.orch.io', version: 'v1', resource: 'leases' }

let dir = ''
const children: ChildProcess[] = []
let client: Client
const kubeconfig = () => join(dir, 'data', 'admin.kubeconfig')

function program(name: string, ...args: string[]): ChildProcess {
  const file = join(ROOT, 'bin', `${name}.ts`)
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], { cwd: ROOT })
  children.push(child)
  return child
}

/** Runs the controllers. */
const manager = (): ChildProcess =>
  program(
    'orch-controller-manager',
    ...['--kubeconfig', kubeconfig(), '--use-service-account-credentials'],
    ...['--root-ca-file', join(dir, 'data', 'pki', 'ca.crt')],
    ...['--service-account-private-key-file', join(dir, 'data', 'pki', 'sa.key')],
    ...['--leader-elect-lease-duration=3s', '--leader-elect-renew-deadline=2s'],
    ...['--leader-elect-retry-period=500ms', '--secure-port=0'],
  )

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'controller-manager-'))
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

test('two of them do the work of one, and when one is killed the other goes on', async () => {
  const first = manager()
  const led = await until(holder, (one) => one.holder !== '')
  const second = manager()
  await client.resource(NAMESPACES).create({ metadata: { name: 'a' } })
  await until(
    () => accountIn('a'),
    (one) => one !== null,
  )
  // By the account of its controller, which it made to ask for its token.
  const own = client.resource(ACCOUNTS).in('orch-system')
  expect((await own.find('service-account-controller'))?.metadata?.name).toBe(
    'service-account-controller',
  )

  first.kill('SIGKILL')
  await client.resource(NAMESPACES).create({ metadata: { name: 'b' } })
  await until(
    () => accountIn('b'),
    (one) => one !== null,
  )
  const next = await holder()
  expect(next.holder).not.toBe(led.holder)
  expect(next.transitions).toBe(1)

  // Who is asked to end gives the lead up at once.
  second.kill('SIGTERM')
  const [code] = (await once(second, 'close')) as [number]
  expect(code).toBe(0)
  expect(await holder()).toEqual({ holder: '', transitions: 1 })
})

test('health is served, and why there is none', async () => {
  let why: string | null = null
  const place = { host: '127.0.0.1', port: 0, cert: '', key: '' }
  const health = await serveHealth(place, { fault: () => why })
  const ask = (path: string) =>
    new Promise<[number, string]>((resolve, reject) => {
      get(`${health.url}${path}`, { agent: false }, (answer) => {
        let text = ''
        answer.on('data', (data: Buffer) => (text += data.toString()))
        answer.on('end', () => resolve([answer.statusCode!, text]))
      }).on('error', reject)
    })
  expect([await ask('/healthz'), await ask('/readyz?verbose'), await ask('/x')]).toEqual([
    [200, 'ok'],
    [200, 'ok'],
    [404, '404 page not found\n'],
  ])
  why = 'the lease was not renewed in its time'
  expect(await ask('/livez')).toEqual([500, why])
  await health.close()
})
