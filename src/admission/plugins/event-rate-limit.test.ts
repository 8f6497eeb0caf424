import { afterEach, describe, expect, test } from 'vitest'
import {
  NS,
  serverConfigured,
  serverWith,
  startFault,
  type PluginServer,
} from '../../../test/plugin-server.fixture.ts'
import { ManualClock } from '../../base/clock.ts'

const APIVERSION = 'eventratelimit.admission.k8s.io/v1alpha1'
const config = (...limits: unknown[]) => ({ apiVersion: APIVERSION, kind: 'Configuration', limits })
const EVENTS = `${NS}/events`

let count = 0
const event = (involvedObject: object = {}, more: object = {}) => ({
  metadata: { name: `e${count++}` },
  involvedObject: { namespace: 'default', kind: 'Pod', name: 'p', ...involvedObject },
  source: { component: 'agent' },
  ...more,
})
const exceeded = (why: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `Too many requests: ${why}`,
  reason: 'TooManyRequests',
  code: 429,
})
const reached = (type: string, key: string) => `limit reached on type ${type} for key ${key}`

let clock: ManualClock
let started: PluginServer | null = null
const start = async (...limits: unknown[]) => {
  clock = new ManualClock()
  started = await serverConfigured('EventRateLimit', config(...limits), { clock })
}
afterEach(async () => {
  await started?.close()
  started = null
})
const send = async (body: object = event(), path = EVENTS) => {
  const answer = await started!.admin.post(path, body)
  return answer.status === 201 ? 201 : answer
}

describe('limits', () => {
  test('of the server: a burst, then so many in a second', async () => {
    await start({ type: 'Server', qps: 2, burst: 3 })
    expect([await send(), await send(), await send()]).toEqual([201, 201, 201])
    const refused = await started!.admin.post(EVENTS, event())
    expect(refused.body).toEqual(exceeded(reached('Server', '')))
    expect(refused.headers['retry-after']).toBeUndefined()
    clock.advance(499)
    expect(await send()).not.toBe(201)
    clock.advance(1)
    expect(await send()).toBe(201)
    clock.advance(3_600_000)
    expect([await send(), await send(), await send()]).toEqual([201, 201, 201])
    expect(await send()).not.toBe(201)
  })

  test('of a namespace', async () => {
    await start({ type: 'Namespace', qps: 1, burst: 1 })
    const other = '/api/v1/namespaces/kube-public/events'
    const there = event({ namespace: 'kube-public' })
    expect([await send(), await send(there, other)]).toEqual([201, 201])
    expect(await send()).toMatchObject({ body: exceeded(reached('Namespace', 'default')) })
  })

  test('of a user', async () => {
    await start({ type: 'User', qps: 1, burst: 1 })
    const as = (user: string) => ({
      headers: { 'impersonate-user': user, 'impersonate-group': 'system:masters' },
    })
    const { admin } = started!
    expect((await admin.post(EVENTS, event(), as('bob'))).status).toBe(201)
    expect((await admin.post(EVENTS, event(), as('eve'))).status).toBe(201)
    expect((await admin.post(EVENTS, event(), as('bob'))).body).toEqual(
      exceeded(reached('User', 'bob')),
    )
  })

  test('of source and object', async () => {
    await start({ type: 'SourceAndObject', qps: 1, burst: 1 })
    const uid = 'f0000000-0000-4000-8000-000000000001'
    expect([await send(), await send(event({ uid, apiVersion: 'v1' }))]).toEqual([201, 201])
    expect(await send(event({ uid, apiVersion: 'v1' }))).toMatchObject({
      body: exceeded(reached('SourceAndObject', `agentPoddefaultp${uid}v1`)),
    })
    const source = { component: 'agent', host: 'h' }
    expect(await send(event({}, { source }))).toBe(201)
    // Another text with the same parts in sum is another key only where the reference's is.
    expect(await send(event({ name: 'x'.repeat(2000) }))).toBe(201)
    expect(await send(event({ name: 'x'.repeat(2000) }))).not.toBe(201)
  })

  test('all count, and all that are exceeded are named', async () => {
    await start(
      { type: 'Namespace', qps: 1, burst: 1 },
      { type: 'Server', qps: 1, burst: 2 },
      { type: 'User', qps: 1, burst: 2 },
    )
    expect(await send()).toBe(201)
    expect(await send()).toMatchObject({ body: exceeded(reached('Namespace', 'default')) })
    const { body } = await started!.admin.post(EVENTS, event())
    expect(body).toEqual(
      exceeded(
        `[${reached('Namespace', 'default')}, ${reached('Server', '')}, ${reached('User', 'kubernetes-admin')}]`,
      ),
    )
  })

  test('remember the keys that were used last, and no more', async () => {
    await start({ type: 'SourceAndObject', qps: 1, burst: 1, cacheSize: 2 })
    const of = (name: string) => send(event({ name }))
    expect([await of('a'), await of('b')]).toEqual([201, 201])
    expect(await of('a')).not.toBe(201)
    // b goes, a stays.
    expect([await of('c'), await of('b')]).toEqual([201, 201])
    expect(await of('b')).not.toBe(201)
  })
})

describe('what counts', () => {
  test('no dry run, and nothing but events', async () => {
    await start({ type: 'Server', qps: 1, burst: 1 })
    const { admin } = started!
    for (let i = 0; i < 3; i++) {
      expect((await admin.post(`${EVENTS}?dryRun=All`, event())).status).toBe(201)
      expect((await admin.post(`${NS}/configmaps`, { metadata: { name: `m${i}` } })).status).toBe(
        201,
      )
    }
    expect(await send()).toBe(201)
  })

  test('updates, and events of either group', async () => {
    await start({ type: 'Server', qps: 1, burst: 2 })
    const made = event()
    expect(await send(made)).toBe(201)
    const { admin } = started!
    expect((await admin.merge(`${EVENTS}/${made.metadata.name}`, { count: 2 })).status).toBe(200)
    expect((await admin.merge(`${EVENTS}/${made.metadata.name}`, { count: 3 })).status).toBe(429)
    const other = await admin.post('/apis/events.k8s.io/v1/namespaces/default/events', {
      metadata: { name: 'other' },
      eventTime: '2024-01-02T03:04:05.000000Z',
      reportingController: 'k8s.io/c',
      reportingInstance: 'i',
      action: 'a',
      reason: 'r',
      type: 'Normal',
      regarding: { namespace: 'default' },
    })
    expect(other.body).toEqual(exceeded(reached('Server', '')))
  })
})

describe('configuration', () => {
  const one = { type: 'Server', qps: 1, burst: 1 }
  const at = 'plugins[0].configuration: '
  for (const { name, given, why } of [
    { name: 'no limit', given: config(), why: 'limits: Required value' },
    { name: 'no document', given: 3, why: 'expected a Configuration' },
    {
      name: 'another kind',
      given: { ...config(one), kind: 'Limits' },
      why: `no kind "Limits" is registered for version "${APIVERSION}"`,
    },
    {
      name: 'another version',
      given: { ...config(one), apiVersion: 'v1' },
      why: 'no kind "Configuration" is registered for version "v1"',
    },
    {
      name: 'unknown members',
      given: { ...config({ ...one, size: 3 }), more: 1 },
      why: 'strict decoding error: unknown field "more", unknown field "limits[0].size"',
    },
    { name: 'no list', given: { ...config(), limits: {} }, why: 'limits: must be a list' },
    { name: 'no object', given: config('x'), why: 'limits[0]: must be an object' },
    {
      name: 'a broken number',
      given: config({ ...one, qps: 1.5 }),
      why: 'limits[0].qps: must be a whole number of 32 bits',
    },
    {
      name: 'everything out of range',
      given: config(one, { type: 'Pod', cacheSize: -1 }),
      why: '[limits[1].type: Unsupported value: "Pod": supported values: "Namespace", "Server", "SourceAndObject", "User", limits[1].burst: Invalid value: 0: must be positive, limits[1].qps: Invalid value: 0: must be positive, limits[1].cacheSize: Invalid value: -1: must not be negative]',
    },
  ]) {
    test(name, async () => {
      expect(await startFault('EventRateLimit', given)).toBe(at + why)
    })
  }

  test('there must be one', async () => {
    await expect(serverWith(['EventRateLimit'])).rejects.toThrow(
      new Error(
        'enableAdmissionPlugins plugin "EventRateLimit" needs a configuration, by admissionConfigFile',
      ),
    )
  })
})
