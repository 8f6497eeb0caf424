/** Webhooks that convert badly, late, too much or not at all, and those behind a service. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { systemClock, type Clock } from '../../src/base/clock.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { issue } from '../../src/pki/issue.ts'
import { Client } from '../client.ts'
import { cron, CRONS, define, definition, version, type Json } from './definitions.fixture.ts'

const V2 = CRONS.replace('/v1/', '/v2/')
const HOUR_MS = 3_600_000
const MOST_BYTES = 32 << 20
/** In the range of the services; the first address is that of the server. */
const HOST = '127.0.0.2'

interface Review {
  readonly kind: string
  readonly apiVersion: string
  readonly request: {
    readonly uid: string
    readonly desiredAPIVersion: string
    readonly objects: readonly (Json & { readonly metadata: Json })[]
  }
}
type Answer = (response: ServerResponse, review: Review) => void

/** A clock whose limits of half a minute pass when they are told to. */
class LimitClock implements Clock {
  readonly limits: (() => void)[] = []
  now(): number {
    return systemClock.now()
  }
  after(ms: number, call: () => void): () => void {
    if (ms !== 30_000) return systemClock.after(ms, call)
    this.limits.push(call)
    return () => {}
  }
}

const json = (body: unknown): Answer => sent(JSON.stringify(body))
const sent =
  (text: string | Buffer, code = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(text)
const review =
  (objects: (review: Review) => readonly unknown[]): Answer =>
  (response, asked) => {
    const { kind, apiVersion, request } = asked
    const result = { status: 'Success' }
    const convertedObjects = objects(asked)
    json({ kind, apiVersion, response: { uid: request.uid, result, convertedObjects } })(
      response,
      asked,
    )
  }
const all = ({ request: { objects, desiredAPIVersion } }: Review) =>
  objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion }))
const changed = (more: Json) =>
  review((asked) => all(asked).map((one) => ({ ...one, metadata: { ...one.metadata, ...more } })))

/** A document in a document, and so on. */
const nested = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)

let hook: Server
let ca: string
let port: number
let answer: Answer = review(all)
let asked = 0
const clock = new LimitClock()
let server: RunningServer
let client: Client

const clientConfig = (to: object, caBundle = ca) => ({
  ...to,
  caBundle: Buffer.from(caBundle).toString('base64'),
})
const converting = (plural: string, kind: string, config: object) =>
  definition(plural, kind, {
    conversion: {
      strategy: 'Webhook',
      webhook: { clientConfig: config, conversionReviewVersions: ['v1'] },
    },
    versions: [
      version('v1', { storage: true, subresources: { status: {} } }),
      version('v2', { subresources: { status: {} } }),
    ],
  })

beforeAll(async () => {
  const times = { notBeforeMs: Date.now() - HOUR_MS, notAfterMs: Date.now() + HOUR_MS }
  const authority = issue({ ...times, subject: { commonName: 'authority' }, use: 'authority' })
  ca = authority.cert
  const own = issue({
    ...times,
    subject: { commonName: 'webhook' },
    use: 'server',
    hosts: [HOST, 'converter.default.svc'],
    issuer: authority,
  })
  hook = createServer(own, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      asked++
      answer(response, JSON.parse(Buffer.concat(parts).toString('utf8')) as Review)
    })
  })
  hook.listen(0, HOST)
  await once(hook, 'listening')
  port = (hook.address() as AddressInfo).port
  server = await startServer({ clock, serviceClusterIpRange: '127.0.0.0/24' })
  client = new Client(server)
  const url = `https://${HOST}:${port}/convert`
  await define(client, converting('crontabs', 'CronTab', clientConfig({ url })))
  for (const name of ['a', 'b']) await client.post(CRONS, cron(name))
})
afterAll(async () => {
  client.close()
  await server.close()
  hook.closeAllConnections()
  hook.close()
})

/** Changes the objects: what was converted before is kept. */
let count = 0
const change = async () => {
  count = (count % 10) + 1
  for (const name of ['a', 'b'])
    await client.merge(`${CRONS}/${name}`, { spec: { replicas: count } })
}

const told = (kind: string) =>
  `Internal error occurred: conversion webhook for stable.example.com/v1, Kind=${kind} failed: `

describe('an answer', () => {
  for (const { name, reply, why } of [
    {
      name: 'of a server that fails',
      reply: sent('{"message":"no"}', 500),
      why: /the server answered 500 Internal Server Error$/,
    },
    {
      name: 'that leads elsewhere',
      reply: sent('', 302, { location: 'https://x.example/' }),
      why: /302/,
    },
    { name: 'that is no JSON', reply: sent('<html>'), why: /./ },
    {
      name: 'that ends early',
      reply: sent('{"kind":', 200, { 'content-length': '100' }),
      why: /./,
    },
    { name: 'that is cut off', reply: (response) => void response.socket!.destroy(), why: /./ },
    { name: 'without an end to its depth', reply: sent(nested(200_000)), why: /./ },
    {
      name: 'of 100 MB',
      reply: (response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const part = Buffer.alloc(1 << 20, 0x20)
        let left = 100
        const more = () => {
          while (left-- > 0) if (!response.write(part)) return void response.once('drain', more)
          response.end('{}')
        }
        more()
      },
      why: new RegExp(`${MOST_BYTES}`),
    },
    {
      name: 'with more objects',
      reply: review((one) => [...all(one), ...all(one)]),
      why: /^returned 4 objects, expected 2$/,
    },
    {
      name: 'in another version for one of them',
      reply: review((one) =>
        all(one).map((object, i) => (i === 1 ? { ...object, apiVersion: 'x/v9' } : object)),
      ),
      why: /^invalid converted object at index 1: invalid apiVersion \(expected stable\.example\.com\/v2, received "x\/v9"\)$/,
    },
    {
      name: 'in another order',
      reply: review((one) => all(one).toReversed()),
      why: /^invalid converted object at index 0: invalid metadata\.name \(expected "a", received "b"\)$/,
    },
    {
      name: 'with another uid',
      reply: changed({ uid: 'x' }),
      why: /^invalid converted object at index 0: invalid metadata\.uid /,
    },
    {
      name: 'with another namespace',
      reply: changed({ namespace: 'other' }),
      why: /^invalid converted object at index 0: invalid metadata\.namespace \(expected "default", received "other"\)$/,
    },
    {
      name: 'with no metadata',
      reply: review((one) => all(one).map((object) => ({ ...object, metadata: undefined }))),
      why: /^invalid converted object at index 0: missing metadata$/,
    },
    {
      name: 'with something that is no object',
      reply: review(() => [null, 1]),
      why: /^invalid converted object at index 0: it is no object$/,
    },
  ] as readonly { name: string; reply: Answer; why: RegExp }[])
    test(`${name} fails that request alone`, async () => {
      await change()
      answer = reply
      const { status, body } = await client.get(V2)
      expect([status, body.kind, body.reason]).toEqual([500, 'Status', 'InternalError'])
      const message = body.message as string
      expect(message.slice(0, told('CronTab').length)).toBe(told('CronTab'))
      expect(message.slice(told('CronTab').length)).toMatch(why)
      expect(message.length).toBeLessThan(1_000)
      expect((await client.get(CRONS)).body.items).toHaveLength(2)
      answer = review(all)
      expect((await client.get(V2)).body.items).toHaveLength(2)
    })

  test('keeps what only the server sets, whatever it says', async () => {
    answer = changed({
      creationTimestamp: '1999-01-01T00:00:00Z',
      resourceVersion: '1',
      generation: 99,
      deletionTimestamp: '1999-01-01T00:00:00Z',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'x' }],
      managedFields: [],
    })
    await change()
    const [stored, shown] = [await client.get(`${CRONS}/a`), await client.get(`${V2}/a`)]
    expect(shown.body.metadata).toEqual(stored.body.metadata)
  })

  test('that never comes holds its own request, and ends it after half a minute', async () => {
    await change()
    const before = asked
    answer = () => {}
    const late = client.get(`${V2}/a`)
    await vi.waitFor(() => expect(asked).toBe(before + 1), { timeout: 10_000, interval: 5 })
    expect((await client.get(`${CRONS}/a`)).status).toBe(200)
    expect((await client.merge(`${CRONS}/a`, { spec: { cron: '1' } })).status).toBe(200)
    // Work that repeats sets its next timer.
    for (const pass of clock.limits.splice(0)) pass()
    const { status, body } = await late
    expect([status, body.message]).toEqual([500, expect.stringMatching(/30s|timeout|in time/i)])
    answer = review(all)
    expect((await client.get(`${V2}/a`)).status).toBe(200)
  })

  test('that is bad stores nothing of a write', async () => {
    answer = changed({ uid: 'x' })
    const body = { ...cron('late'), apiVersion: 'stable.example.com/v2' }
    expect((await client.post(V2, body)).status).toBe(500)
    expect((await client.get(`${CRONS}/late`)).status).toBe(404)
    answer = review(all)
  })
})

describe('while a webhook is of no use', () => {
  const bad = sent('', 500)
  const v2 = (name: string, spec: Json) => ({
    ...cron(name),
    apiVersion: 'stable.example.com/v2',
    spec,
  })
  const wrong = { cron: 'x', replicas: 99 }
  const causes = [
    {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: "x": spec.cron in body should match \'^[0-9* ]+$\'',
      field: 'spec.cron',
    },
    {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: 99: spec.replicas in body should be less than or equal to 10',
      field: 'spec.replicas',
    },
  ]
  beforeAll(async () => {
    answer = review(all)
    await client.delete(`${CRONS}/held`)
    // Its fields have an owner in the version that is not stored.
    const made = await client.post(V2, v2('held', { cron: '1' }))
    expect([made.status, made.body.metadata.managedFields[0].apiVersion]).toEqual([
      201,
      'stable.example.com/v2',
    ])
  })
  afterAll(() => {
    answer = review(all)
  })

  test('an invalid object is refused for what is wrong with it', async () => {
    answer = bad
    const { status, body } = await client.post(V2, v2('wrong', wrong))
    expect([status, body.reason, body.details.causes]).toEqual([422, 'Invalid', causes])
    const valid = await client.post(V2, v2('right', { cron: '1' }))
    expect([valid.status, valid.body.reason]).toEqual([500, 'InternalError'])
  })

  test('an object has to keep the rules of the version in which it is sent', async () => {
    // What is stored would be valid.
    answer = review((asked) => all(asked).map((one) => ({ ...one, spec: { cron: '1' } })))
    const { status, body } = await client.post(V2, v2('wrong', wrong))
    expect([status, body.reason, body.details.causes]).toEqual([422, 'Invalid', causes])
    answer = review(all)
  })

  test('writes in the stored version go on, and owners in other versions stay', async () => {
    answer = bad
    const before = (await client.get(`${CRONS}/held`)).body.metadata.managedFields
    for (const [path, change] of [
      [`${CRONS}/held`, { metadata: { labels: { a: 'b' } } }],
      [`${CRONS}/held`, { metadata: { finalizers: ['plain'] } }],
      [`${CRONS}/held/status`, { status: { phase: 'Up' } }],
      [`${CRONS}/held`, { spec: { replicas: 2 } }],
      [`${CRONS}/held`, { metadata: { finalizers: null } }],
    ] as const) {
      const { status, text } = await client.merge(path, change)
      expect([path, status, status === 200 ? '' : text]).toEqual([path, 200, ''])
    }
    const { metadata } = (await client.get(`${CRONS}/held`)).body
    expect(metadata.managedFields).toEqual(expect.arrayContaining(before))
    expect(metadata.managedFields.some((entry: Json) => entry['subresource'] === 'status')).toBe(
      true,
    )
    answer = review(all)
  })

  test('nothing is deleted through the version that it does not make', async () => {
    await change()
    answer = bad
    for (const path of [`${V2}/held`, V2]) {
      const { status, body } = await client.delete(path)
      expect([path, status, body.reason]).toEqual([path, 500, 'InternalError'])
    }
    expect((await client.get(`${CRONS}/held`)).status).toBe(200)
    answer = review(all)
  })

  test('what it answered before is not shown for long, and what it answers again is', async () => {
    expect((await client.get(`${V2}/held`)).status).toBe(200)
    answer = bad
    const shown = async (code: number) => expect((await client.get(`${V2}/held`)).status).toBe(code)
    await vi.waitFor(() => shown(500), { timeout: 20_000, interval: 50 })
    answer = review(all)
    await shown(200)
    expect((await client.delete(`${V2}/held`)).status).toBe(200)
  })
})

describe('a webhook behind a service', () => {
  const SERVICES = '/api/v1/namespaces/default/services'
  const GATES = CRONS.replace('crontabs', 'gates')
  const GATES_V2 = V2.replace('crontabs', 'gates')
  const service = () => ({ service: { namespace: 'default', name: 'converter', path: '/c', port } })
  const gate = { ...cron('a'), kind: 'Gate' }
  beforeAll(async () => {
    answer = review(all)
    await define(client, converting('gates', 'Gate', clientConfig(service())))
    await client.post(GATES, gate)
  })

  const refusal = async () => {
    const { status, body } = await client.get(`${GATES_V2}/a`)
    return [status, (body.message as string).replace(told('Gate'), '')]
  }
  for (const { name, spec, why } of [
    { name: 'that is not there', spec: null, why: 'service "converter" not found' },
    {
      name: 'without an address',
      spec: { clusterIP: 'None', ports: [{ port: 0 }] },
      why: 'cannot route to service with ClusterIP "None"',
    },
    {
      name: 'without the port',
      spec: { clusterIP: HOST, ports: [{ port: 1 }] },
      why: 'no service port PORT found for service "converter"',
    },
  ])
    test(`is not found behind one ${name}`, async () => {
      await client.delete(`${SERVICES}/converter`)
      if (spec) {
        // 0 stands for the port of the webhook, which is not known yet.
        const ports = spec.ports.map((one) => ({ port: one.port || port }))
        const metadata = { name: 'converter' }
        const made = await client.post(SERVICES, { metadata, spec: { ...spec, ports } })
        expect(made.status, made.text).toBe(201)
      }
      expect(await refusal()).toEqual([500, why.replace('PORT', String(port))])
    })

  test('is called at the address of the service, by the name of the service', async () => {
    await client.delete(`${SERVICES}/converter`)
    const spec = { clusterIP: HOST, ports: [{ port }] }
    await client.post(SERVICES, { metadata: { name: 'converter' }, spec })
    expect((await client.get(`${GATES_V2}/a`)).body).toMatchObject({
      apiVersion: 'stable.example.com/v2',
      kind: 'Gate',
    })
  })

  test('has to prove its name to the certificate of the definition', async () => {
    const other = issue({
      notBeforeMs: Date.now() - HOUR_MS,
      notAfterMs: Date.now() + HOUR_MS,
      subject: { commonName: 'other' },
      use: 'authority',
    })
    const path = '/apis/apiextensions.orch.io/v1/customresourcedefinitions/gates.stable.example.com'
    const conversion = (config: object) => ({
      spec: {
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: config, conversionReviewVersions: ['v1'] },
        },
      },
    })
    const wrong = await client.merge(path, conversion(clientConfig(service(), other.cert)))
    expect(wrong.status, wrong.text).toBe(200)
    const [status, why] = await refusal()
    expect([status, why]).toEqual([500, expect.stringMatching(/certificate/)])
    await client.merge(path, conversion(clientConfig(service())))
    expect((await client.get(`${GATES_V2}/a`)).status).toBe(200)
  })
})
