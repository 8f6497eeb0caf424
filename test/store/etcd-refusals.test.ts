/** Every code that etcd may end a write with, and the Status that a client gets for it. */
import * as grpc from '@grpc/grpc-js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/log.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { hasEtcd, NO_ETCD, startEtcd, type Etcd } from './etcd.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const AS_IT_IS = (bytes: Buffer) => bytes

/** An etcd in front of another, whose transactions end as they are told to. */
class Front {
  fault: { readonly code: number; readonly details: string } | null = null
  readonly #server = new grpc.Server()
  readonly #behind: grpc.Client
  url = ''

  constructor(target: string) {
    this.#behind = new grpc.Client(target, grpc.credentials.createInsecure())
    const unary = ['KV/Range', 'KV/Put', 'KV/Txn', 'KV/Compact', 'Lease/LeaseGrant']
    for (const name of unary) this.#add(name, false)
    this.#add('Watch/Watch', true)
  }

  async listen(): Promise<void> {
    const port = await new Promise<number>((resolve, reject) =>
      this.#server.bindAsync(
        '127.0.0.1:0',
        grpc.ServerCredentials.createInsecure(),
        (error, bound) => (error ? reject(error) : resolve(bound)),
      ),
    )
    this.url = `http://127.0.0.1:${port}`
  }

  close(): void {
    this.#server.forceShutdown()
    this.#behind.close()
  }

  #add(name: string, isStream: boolean): void {
    const path = `/etcdserverpb.${name}`
    const method = {
      path,
      requestStream: isStream,
      responseStream: isStream,
      requestSerialize: AS_IT_IS,
      requestDeserialize: AS_IT_IS,
      responseSerialize: AS_IT_IS,
      responseDeserialize: AS_IT_IS,
    }
    const handler = isStream ? this.#stream(path) : this.#unary(path)
    this.#server.addService({ [name]: method }, { [name]: handler })
  }

  #unary(path: string): grpc.handleUnaryCall<Buffer, Buffer> {
    return (call, answer) => {
      if (this.fault && path.endsWith('Txn')) return answer(this.fault)
      this.#behind.makeUnaryRequest(path, AS_IT_IS, AS_IT_IS, call.request, (error, value) =>
        error ? answer(error) : answer(null, value),
      )
    }
  }

  #stream(path: string): grpc.handleBidiStreamingCall<Buffer, Buffer> {
    return (call) => {
      const behind = this.#behind.makeBidiStreamRequest(path, AS_IT_IS, AS_IT_IS)
      call.on('data', (bytes: Buffer) => behind.write(bytes))
      call.on('end', () => behind.end())
      call.on('cancelled', () => behind.cancel())
      behind.on('data', (bytes: Buffer) => call.write(bytes))
      behind.on('error', () => call.end())
    }
  }
}

const UNREACHABLE = 'the store cannot be reached at this time, please try again'
const unavailable = {
  code: 503,
  reason: 'ServiceUnavailable',
  message: UNREACHABLE,
  details: { retryAfterSeconds: 1 },
}
/** It may have happened. */
const open = { code: 504, reason: 'Timeout', message: `Timeout: ${UNREACHABLE}`, details: {} }
const refused = {
  code: 500,
  reason: 'InternalError',
  message: 'Internal error occurred: the store refuses the request',
  details: { causes: [{ message: 'the store refuses the request' }] },
}
const large = {
  code: 413,
  reason: 'RequestEntityTooLarge',
  message: 'Request entity too large: the store takes no objects of this size',
}
const full = { ...unavailable, message: 'the store has no space left, nothing was written' }

const TEXT = 'etcdserver: it is so'
const ROWS: readonly (readonly [code: number, name: string, details: string, status: object])[] = [
  [1, 'CANCELLED', TEXT, open],
  [2, 'UNKNOWN', TEXT, open],
  [3, 'INVALID_ARGUMENT', TEXT, refused],
  [3, 'INVALID_ARGUMENT', 'etcdserver: request is too large', large],
  [3, 'INVALID_ARGUMENT', 'etcdserver: too many operations in txn request', large],
  [4, 'DEADLINE_EXCEEDED', TEXT, open],
  [5, 'NOT_FOUND', TEXT, refused],
  [6, 'ALREADY_EXISTS', TEXT, refused],
  [7, 'PERMISSION_DENIED', 'etcdserver: permission denied', unavailable],
  [8, 'RESOURCE_EXHAUSTED', 'etcdserver: mvcc: database space exceeded', full],
  [8, 'RESOURCE_EXHAUSTED', 'etcdserver: too many requests', unavailable],
  [8, 'RESOURCE_EXHAUSTED', 'grpc: received message larger than max (3 vs. 2)', large],
  [9, 'FAILED_PRECONDITION', 'etcdserver: not capable', unavailable],
  [10, 'ABORTED', TEXT, unavailable],
  [11, 'OUT_OF_RANGE', TEXT, refused],
  [12, 'UNIMPLEMENTED', TEXT, unavailable],
  [13, 'INTERNAL', TEXT, open],
  [14, 'UNAVAILABLE', 'etcdserver: no leader', open],
  [15, 'DATA_LOSS', 'etcdserver: corrupt cluster', unavailable],
  [16, 'UNAUTHENTICATED', 'etcdserver: invalid auth token', unavailable],
]

describe.skipIf(!hasEtcd)(`a write that etcd refuses${hasEtcd ? '' : ` (${NO_ETCD})`}`, () => {
  let etcd: Etcd
  let front: Front
  let server: RunningServer
  let client: Client
  const logged: string[] = []
  beforeAll(async () => {
    etcd = await startEtcd()
    front = new Front(new URL(etcd.url).host)
    await front.listen()
    const note = (message: string, fields?: object) =>
      void logged.push(`${message} ${JSON.stringify(fields)}`)
    server = await startServer({
      etcd: { servers: [front.url], prefix: '/registry' },
      controllers: false,
      log: { ...silentLog, warn: note, error: note },
    })
    await server.settled()
    client = new Client(server)
    expect((await client.post(MAPS, { metadata: { name: 'there' } })).status).toBe(201)
  }, 60_000)
  afterAll(async () => {
    front.fault = null
    client?.close()
    await server?.close()
    front?.close()
    await etcd?.close()
  }, 60_000)
  beforeEach(() => void logged.splice(0))

  test.each(ROWS)('%i %s, %s', async (code, _, details, expected) => {
    const made = { metadata: { name: `n${code}` } }
    for (const write of [
      () => client.post(MAPS, made),
      () => client.merge(`${MAPS}/there`, { data: { a: `${code} ${details}` } }),
      () => client.delete(`${MAPS}/there`),
    ]) {
      front.fault = { code, details }
      const { status, body } = await write()
      front.fault = null
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        ...expected,
      })
      expect(status).toBe(body.code)
      expect((await client.get(`${MAPS}/there`)).status).toBe(200)
    }
    // What etcd said is for the operator, in a line of its own and without a stack.
    const says = code === 4 ? 'did not answer within 10000 ms' : details
    expect(logged.filter((line) => line.includes(says)).length).toBeGreaterThanOrEqual(3)
    expect(logged.filter((line) => /request failed|\.ts:\d+/.test(line))).toEqual([])
  })
})
