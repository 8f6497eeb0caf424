/** Traces of requests, sent to a real collector. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { parse } from 'protobufjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lineLog } from '../../src/base/log.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import {
  apiService,
  APISERVICES,
  conditionOf,
  ExtensionServer,
  extensionCa,
  localService,
  publishedOf,
} from '../aggregation/extension-server.fixture.ts'
import { recordCalls } from '../grpc-recorder.ts'
import { hasEtcd, startEtcd, type Etcd } from '../store/etcd.ts'
import { scene } from './webhooks.fixture.ts'

/** The part of the protocol that is used. */
const { root } = parse(`syntax = "proto3";
message AnyValue { string string_value = 1; int64 int_value = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
}
message ScopeSpans { repeated Span spans = 2; }
message ResourceSpans { repeated ScopeSpans scope_spans = 2; }
message Request { repeated ResourceSpans resource_spans = 1; }`)

interface Seen {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parent: string
  readonly attributes: Readonly<Record<string, string | number>>
}

/** A collector that remembers. */
class Collector {
  readonly spans: Seen[] = []
  readonly #server = new Server()
  port = 0

  async start(): Promise<void> {
    const raw = (bytes: Buffer) => bytes
    this.#server.addService(
      {
        Export: {
          path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
          requestStream: false,
          responseStream: false,
          ...{ requestSerialize: raw, requestDeserialize: raw },
          ...{ responseSerialize: raw, responseDeserialize: raw },
        },
      },
      {
        Export: (call: { request: Buffer }, done: (error: null, answer: Buffer) => void) => {
          this.#take(call.request)
          done(null, Buffer.alloc(0))
        },
      },
    )
    this.port = await new Promise((resolve, reject) =>
      this.#server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      ),
    )
  }

  stop(): void {
    this.#server.forceShutdown()
  }

  #take(bytes: Buffer): void {
    const type = root.lookupType('Request')
    const request = type.toObject(type.decode(bytes), { longs: Number, defaults: true })
    const hex = (id: Uint8Array) => Buffer.from(id).toString('hex')
    for (const span of request.resourceSpans[0].scopeSpans[0].spans) {
      this.spans.push({
        name: span.name,
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parent: hex(span.parentSpanId),
        attributes: Object.fromEntries(
          span.attributes.map((a: any) => [a.key, a.value.stringValue || a.value.intValue]),
        ),
      })
    }
  }
}

const collector = new Collector()
let folder: string
let file: string
beforeAll(async () => {
  await collector.start()
  folder = await mkdtemp(join(tmpdir(), 'tracing-'))
  file = join(folder, 'tracing.yaml')
})
afterAll(async () => {
  collector.stop()
  await rm(folder, { recursive: true })
})

const configure = (members: string) =>
  writeFile(
    file,
    `apiVersion: apiserver.config.k8s.io/v1alpha1\nkind: TracingConfiguration\n${members}`,
  )

const started = (options: Parameters<typeof startServer>[0] = {}): Promise<RunningServer> =>
  startServer({
    vocabulary: 'kubernetes',
    controllers: false,
    featureGates: { APIServerTracing: true },
    tracingConfigFile: file,
    ...options,
  })

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

test('sampled requests have spans, below those of their clients', async () => {
  await configure(`endpoint: 127.0.0.1:${collector.port}\nsamplingRatePerMillion: 0\n`)
  const server = await started()
  const client = new Client(server)
  const path = '/api/v1/namespaces/default/secrets/none?pretty=secret'
  const traceparent = (flags: string) => ({ traceparent: `00-${TRACE}-${PARENT}-${flags}` })
  await client.ask('GET', path, { headers: { ...traceparent('01'), 'audit-id': 'one' } })
  await client.ask('GET', path, { headers: traceparent('00') })
  await client.ask('GET', path)
  client.close()
  // What is left is sent at the end.
  await server.close()
  const [whole, ...parts] = collector.spans
  expect(collector.spans.map(({ name }) => name).sort()).toEqual([
    'APIServer',
    'authenticate',
    'get',
    'respond',
  ])
  const server_ = collector.spans.find(({ name }) => name === 'APIServer')!
  expect([whole, ...parts].every((span) => span?.traceId === TRACE)).toBe(true)
  expect(server_.parent).toBe(PARENT)
  for (const span of collector.spans) if (span !== server_) expect(span.parent).toBe(server_.spanId)
  expect(server_.attributes).toMatchObject({
    'http.method': 'GET',
    'http.target': '/api/v1/namespaces/default/secrets/none',
    'http.status_code': 404,
    'audit-id': 'one',
    resource: 'secrets',
    verb: 'get',
  })
})

test('calls of webhooks continue the trace, and the store has a span', async () => {
  collector.spans.length = 0
  await configure(`endpoint: 127.0.0.1:${collector.port}\n`)
  const hooks = await scene({
    vocabulary: 'kubernetes',
    controllers: false,
    featureGates: { APIServerTracing: true },
    tracingConfigFile: file,
  })
  await hooks.configure('mutating', 'm', { name: 'm.example.com' })
  await hooks.configure('validating', 'v', { name: 'v.example.com' })
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01` }
  const maps = '/api/v1/namespaces/default/configmaps'
  await hooks.client.post(maps, { metadata: { name: 'traced' } }, { headers })
  const received = hooks.webhooks.take()
  await hooks.client.post(maps, { metadata: { name: 'untraced' } })
  const others = hooks.webhooks.take()
  await hooks.close()
  expect(others.map((one) => one.headers.traceparent)).toEqual([undefined, undefined])
  const named = (name: string) => collector.spans.find((span) => span.name === name)!
  expect(collector.spans.map(({ name }) => name).sort()).toEqual([
    'APIServer',
    'Call mutating webhook',
    'Call validating webhook',
    'SerializeObject',
    'authenticate',
    'create',
    'etcd',
    'respond',
  ])
  for (const span of collector.spans)
    if (span.name !== 'APIServer') expect(span.parent).toBe(named('APIServer').spanId)
  expect(received.map((one) => one.headers.traceparent)).toEqual(
    ['Call mutating webhook', 'Call validating webhook'].map(
      (name) => `00-${TRACE}-${named(name).spanId}-01`,
    ),
  )
  expect(named('Call mutating webhook').attributes).toEqual({ webhook: 'm.example.com' })
})

describe.skipIf(!hasEtcd)('with a store in etcd and an extension server', () => {
  const GV = 'ext.example.com/v1'
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01` }
  let etcd: Etcd
  let calls: Awaited<ReturnType<typeof recordCalls>>
  let server: RunningServer
  let client: Client
  let backend: ExtensionServer
  beforeAll(async () => {
    collector.spans.length = 0
    await configure(`endpoint: 127.0.0.1:${collector.port}\n`)
    etcd = await startEtcd()
    calls = await recordCalls(etcd.url)
    const store = { etcd: { servers: [calls.url], prefix: '/registry' } }
    server = await started({ ...store, controllers: true, proxiesToLoopback: true })
    await server.settled()
    client = new Client(server)
    const published = await publishedOf(client)
    backend = await ExtensionServer.start(published['requestheader-client-ca-file']!)
    await client.post('/api/v1/namespaces/default/services', localService('ext'))
    const service = { namespace: 'default', name: 'ext', port: backend.port }
    const caBundle = Buffer.from(extensionCa).toString('base64')
    await client.post(APISERVICES, apiService(GV, { service, caBundle }))
    await conditionOf(client, 'v1.ext.example.com', ({ status }) => status === 'True')
  })
  afterAll(async () => {
    client?.close()
    await backend?.close()
    await server?.close()
    await calls?.close()
    await etcd?.close()
  })

  const maps = '/api/v1/namespaces/default/configmaps'
  const TXN = '/etcdserverpb.KV/Txn'
  const RANGE = '/etcdserverpb.KV/Range'
  for (const { what, ask, method } of [
    { what: 'create', ask: ['POST', maps, { metadata: { name: 'a' } }], method: TXN },
    { what: 'get', ask: ['GET', `${maps}/a`], method: RANGE },
    {
      what: 'update',
      ask: ['PUT', `${maps}/a`, { metadata: { name: 'a', labels: { a: '1' } } }],
      method: TXN,
    },
    { what: 'delete', ask: ['DELETE', `${maps}/a`], method: TXN },
  ] as const) {
    test(`the store continues the trace of a ${what}`, async () => {
      calls.calls.length = 0
      const [verb, path, body] = ask
      expect((await client.ask(verb, path, { headers, body })).status).toBeLessThan(300)
      const traced = calls.calls.filter(({ traceparent }) => traceparent !== undefined)
      expect(traced.map((one) => one.method)).toContain(method)
      for (const { traceparent } of traced)
        expect(traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-01$`))
    })
  }

  test('and none without one', async () => {
    calls.calls.length = 0
    await client.ask('POST', maps, { body: { metadata: { name: 'b' } } })
    await client.ask('GET', `${maps}/b`, { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } })
    expect(calls.calls.length).toBeGreaterThan(1)
    expect(calls.calls.filter(({ traceparent }) => traceparent !== undefined)).toEqual([])
  })

  test('extension servers continue it', async () => {
    backend.requests.length = 0
    const unsampled = `00-${TRACE}-${PARENT}-00`
    await client.ask('GET', `/apis/${GV}/a`, { headers })
    await client.ask('GET', `/apis/${GV}/b`, { headers: { traceparent: unsampled } })
    await client.ask('GET', `/apis/${GV}/c`)
    const [sampled, ...others] = backend.ofUsers.map((one) => one.headers.traceparent)
    expect(sampled).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-01$`))
    expect(others).toEqual([unsampled, undefined])
    await server.close()
    const span = collector.spans.find(({ name }) => name === 'Proxy')
    expect([span?.traceId, sampled?.includes(String(span?.spanId))]).toEqual([TRACE, true])
  })
})

test.each([
  { members: 'endpoint: x\n', why: 'endpoint: Invalid value: "x": must be a host and a port' },
  { members: 'rate: 1\n', why: 'strict decoding error: unknown field "rate"' },
])('a broken file stops the start: $members', async ({ members, why }) => {
  await configure(members)
  await expect(started()).rejects.toThrow(`tracingConfigFile: ${file}: ${why}`)
})

test('without the feature gate the file is ignored, and the log says so', async () => {
  const lines: string[] = []
  const log = lineLog({ format: 'text', level: 0, now: () => 0, write: (l) => void lines.push(l) })
  const server = await started({ featureGates: {}, log })
  await server.close()
  expect(lines.join('')).toContain(
    '--tracing-config-file is ignored: the feature gate APIServerTracing is off',
  )
})
