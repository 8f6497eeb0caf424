/**
 * Stands in for the connection of the store in etcd, so that the same engine runs over the well-known gRPC library and
 * one can see what that costs. It asks one member and never twice, and speaks no TLS.
 */
import {
  Client,
  credentials,
  Metadata,
  type ClientDuplexStream,
  type ServiceError,
} from '@grpc/grpc-js'
import type { Ask, ConnectionOptions } from '../../src/engine/etcd/connection.ts'
import { EtcdUnavailable } from '../../src/engine/etcd/errors.ts'
import { decodeWatch, type WatchResponse } from '../../src/engine/etcd/messages.ts'

const same = (bytes: Buffer): Buffer => bytes

type Stream = ClientDuplexStream<Buffer, WatchResponse>

/** Calls to one member. */
export class Connection {
  readonly server: string
  readonly #client: Client
  readonly #timeoutMs: number
  readonly #hasLeader = new Metadata()
  #over: Error | null = null

  constructor(options: ConnectionOptions) {
    this.server = options.servers[0] ?? ''
    this.#client = new Client(new URL(this.server).host, credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
      'grpc.enable_http_proxy': 0,
    })
    this.#timeoutMs = options.requestTimeoutMs
    this.#hasLeader.set('hasleader', 'true')
  }

  leave(): void {}

  ask<T>(ask: Ask<T>): Promise<T> {
    if (this.#over !== null) return Promise.reject(this.#over)
    const deadline = Date.now() + (ask.timeoutMs ?? this.#timeoutMs)
    return new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, answer?: T) => {
        if (!error) return resolve(answer!)
        const text = `etcd at ${this.server}: ${error.details}`
        reject(new EtcdUnavailable(text, 'unknown', { cause: error }))
      }
      this.#client.makeUnaryRequest(ask.method, same, ask.decode, ask.request, { deadline }, done)
    })
  }

  askOne<T>(_server: string, ask: Ask<T>): Promise<T> {
    return this.ask(ask)
  }

  watch(): {
    readonly server: string
    readonly stream: Stream & { send(message: Buffer): void }
  } {
    if (this.#over !== null) throw this.#over
    const stream: Stream = this.#client.makeBidiStreamRequest(
      '/etcdserverpb.Watch/Watch',
      same,
      decodeWatch,
      this.#hasLeader,
    )
    const send = (message: Buffer) => void stream.write(message)
    return { server: this.server, stream: Object.assign(stream, { send }) }
  }

  probe(): void {}

  giveUp(error: Error): void {
    this.#over ??= error
  }

  close(): void {
    this.giveUp(new Error('the store is closed'))
    this.#client.close()
  }
}
