/**
 * Stands in for the connection of the store in etcd, so that the same engine runs over the lean client. A prototype: it
 * asks one member and never twice, and speaks no TLS.
 */
import type { ServiceError } from '@grpc/grpc-js'
import type { Ask, ConnectionOptions } from '../../src/store/etcd/connection.ts'
import { EtcdUnavailable, isPassing, refusalOf } from '../../src/store/etcd/errors.ts'
import { decodeWatch, type WatchResponse } from '../../src/store/etcd/messages.ts'
import { LeanClient, type LeanStream } from './client.ts'

/** Calls to one member. */
export class Connection {
  readonly server: string
  readonly #client: LeanClient
  readonly #timeoutMs: number
  #over: Error | null = null

  constructor(options: ConnectionOptions) {
    this.server = options.servers[0] ?? ''
    this.#client = new LeanClient(this.server)
    this.#timeoutMs = options.requestTimeoutMs
  }

  leave(): void {}

  async ask<T>(ask: Ask<T>): Promise<T> {
    if (this.#over !== null) throw this.#over
    try {
      const timeoutMs = ask.timeoutMs ?? this.#timeoutMs
      return await this.#client.call(ask.method, ask.request, ask.decode, timeoutMs)
    } catch (error) {
      const failure = error as ServiceError
      if (!isPassing(failure)) throw refusalOf(failure, this.server)
      throw new EtcdUnavailable(`etcd at ${this.server}: ${failure.details}`, 'unknown', {
        cause: error,
      })
    }
  }

  askOne<T>(_server: string, ask: Ask<T>): Promise<T> {
    return this.ask(ask)
  }

  watch(): { readonly server: string; readonly stream: LeanStream<WatchResponse> } {
    if (this.#over !== null) throw this.#over
    const stream = this.#client.stream('/etcdserverpb.Watch/Watch', decodeWatch, {
      hasleader: 'true',
    })
    return { server: this.server, stream }
  }

  giveUp(error: Error): void {
    this.#over ??= error
  }

  close(): void {
    this.giveUp(new Error('the store is closed'))
    this.#client.close()
  }
}
