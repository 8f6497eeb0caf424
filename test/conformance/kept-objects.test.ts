/**
 * Objects that a server keeps: its namespaces, and the Lease by which it is known, which is renewed while it lives and
 * collected by others when it has expired.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import { formatMicroTime } from '../../src/base/time.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'
const NOW = Date.parse('2026-01-02T03:04:05Z')
const clock = new ManualClock(NOW)
let server: RunningServer
let client: Client
beforeAll(async () => {
  server = await startServer({
    vocabulary: 'kubernetes',
    controllers: false,
    clock,
    featureGates: { APIServerIdentity: true },
    identityLease: { durationSeconds: 60, renewSeconds: 7 },
  })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

interface Lease {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly spec: Readonly<Record<string, unknown>>
}

/** The Leases, as soon as they are as wanted. */
async function until(isRight: (leases: readonly Lease[]) => boolean): Promise<readonly Lease[]> {
  for (;;) {
    const { items } = (await client.get(LEASES)).body as { items: readonly Lease[] }
    if (isRight(items)) return items
    await new Promise(setImmediate)
  }
}

const OWN = /^kube-apiserver-[\da-f]{26}$/
const LABELS = { 'k8s.io/component': 'kube-apiserver' }

test('the Lease names the server, and is renewed', async () => {
  const [lease, ...others] = await until((leases) => leases.length > 0)
  expect(others).toEqual([])
  const { name, labels } = lease!.metadata
  expect(name).toMatch(OWN)
  expect(labels).toEqual(LABELS)
  expect(lease!.spec).toEqual({
    holderIdentity: expect.stringMatching(new RegExp(`^${name}_[\\da-f-]{36}$`)),
    leaseDurationSeconds: 60,
    renewTime: formatMicroTime(NOW),
  })
  clock.advance(6_999)
  clock.advance(1)
  const renewed = formatMicroTime(NOW + 7_000)
  const [next] = await until(([one]) => one?.spec.renewTime === renewed)
  expect(next!.spec).toEqual({ ...lease!.spec, renewTime: renewed })
})

test('Leases of others are collected when they have expired, or say nothing of that', async () => {
  const [own] = await until((leases) => leases.length === 1)
  const from = clock.now()
  const add = (name: string, spec: object, labels: object = LABELS) =>
    client.post(LEASES, { metadata: { name, labels }, spec })
  const lasts = (seconds: number) => ({
    holderIdentity: 'x',
    leaseDurationSeconds: seconds,
    renewTime: formatMicroTime(from),
  })
  await add('over', lasts(30))
  await add('silent', {})
  await add('living', lasts(3600))
  await add('of-others', lasts(30), {})
  // The next round; its own Lease is renewed before.
  clock.advance(60_000)
  const left = await until((leases) => leases.length === 3)
  expect(left.map(({ metadata }) => metadata.name).sort()).toEqual(
    [own!.metadata.name, 'living', 'of-others'].sort(),
  )
})

test('the Lease is made again when somebody deletes it', async () => {
  const leases = await until((found) => found.length > 0)
  const { name } = leases.find(({ metadata }) => OWN.test(metadata.name))!.metadata
  await client.delete(`${LEASES}/${name}`)
  clock.advance(7_000)
  await until((found) => found.some(({ metadata }) => metadata.name === name))
})

test('a system namespace that is gone is made again within a minute', async () => {
  const path = '/api/v1/namespaces/kube-node-lease'
  const { body: live } = await client.get(path)
  await client.delete(path)
  const { body: leaving } = await client.get(path)
  await client.ask('PUT', `${path}/finalize`, { body: { ...leaving, spec: { finalizers: [] } } })
  expect((await client.get(path)).status).toBe(404)
  clock.advance(60_000)
  for (;;) {
    const { status, body } = await client.get(path)
    if (status === 200) {
      expect(body.metadata.uid).not.toBe(live.metadata.uid)
      return
    }
    await new Promise(setImmediate)
  }
})
