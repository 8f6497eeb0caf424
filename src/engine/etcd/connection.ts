import { systemClock, type Clock } from '../../base/clock.ts'
import type { Dial } from '../../base/dial.ts'
import { Attempts, unavailable, type Call, type Member, type Members } from './attempts.ts'
import { isPassing, refusalOf } from './errors.ts'
import type { GrpcError } from './grpc/status.ts'
import { decodeWatch, type WatchResponse } from './messages.ts'
import { openBuiltin } from './grpc/client.ts'
import type { CallListener, MessageStream, OpenTransport, Transport } from './transport.ts'

export type { Call } from './attempts.ts'

/** Where etcd is and how long to wait for it. */
export interface ConnectionOptions {
  /** URLs of members; one is used at a time, the next when it does not respond. */
  readonly servers: readonly string[]
  /** PEM certificates that vouch for the servers; absent: those of the system. */
  readonly ca?: Buffer
  /** PEM certificate of this client, with `key`. */
  readonly cert?: Buffer
  readonly key?: Buffer
  /** Opens connections; without it the platform does. */
  readonly dial?: Dial | undefined
  readonly requestTimeoutMs: number
  readonly clock: Clock
  /** Called for each call; optional. */
  readonly observe?: ObserveCall
  /** Makes the transport to a member; our own unless specified otherwise. */
  readonly open?: OpenTransport
}

/** Told of a call that begins; told the status of its end by calling what it returns. */
export type ObserveCall = (
  call: Pick<Call<unknown>, 'method' | 'operation' | 'key'>,
) => (code: number) => void

/** A stream of watch frames. */
export type WatchStream = MessageStream<WatchResponse>

interface Endpoint extends Member {
  /** Until when it is passed over, in the machine's time. */
  outUntil: number
}

/** How long a member that could not be reached is passed over: to find out again may take as long as a connect. */
const OUT_MS = 5_000
// A member that is cut off from the others ends its watches instead of falling silent.
const HAS_LEADER = { hasleader: 'true' }

/** Calls to whichever member responds. */
export class Connection implements Members {
  readonly #endpoints: readonly Endpoint[]
  readonly #options: ConnectionOptions
  #current = 0
  #over: Error | null = null

  constructor(options: ConnectionOptions) {
    if (options.servers.length === 0) throw new Error('--etcd-servers must be specified')
    this.#options = options
    this.#endpoints = options.servers.map((server) => ({
      server,
      client: clientOf(server, options),
      outUntil: 0,
    }))
  }

  /** The member that is used now. */
  get server(): string {
    return this.#endpoints[this.#current]!.server
  }

  /**
   * Changes to the next member, if `server` is still the one in use. One that could not be reached is not used for a
   * while, if another is left.
   */
  leave(server: string, { isOut = false } = {}): void {
    const count = this.#endpoints.length
    const now = systemClock.now()
    if (isOut)
      for (const one of this.#endpoints) if (one.server === server) one.outUntil = now + OUT_MS
    if (server !== this.server) return
    let next = this.#current + 1
    while (next <= this.#current + count && this.#endpoints[next % count]!.outUntil > now) next++
    this.#current = next > this.#current + count ? (this.#current + 1) % count : next % count
  }

  /** The member that is called now. */
  get current(): Member {
    if (this.#over) throw this.#over
    return this.#endpoints[this.#current]!
  }

  get count(): number {
    return this.#endpoints.length
  }

  /** Retries until there is a response, a refusal or no time left. Throws EtcdUnavailable and EtcdRefusal. */
  call<T>(ask: Call<T>): Promise<T> {
    return new Promise((answered, failed) => this.begin(ask, { answered, failed }))
  }

  /** The same without a promise; the listener may be told before this returns. */
  begin<T>(ask: Call<T>, listener: CallListener<T, unknown>): void {
    const timeoutMs = ask.timeoutMs ?? this.#options.requestTimeoutMs
    new Attempts(this, ask, timeoutMs, listener).begin()
  }

  /** Calls one member only, once. */
  async callOne<T>(server: string, ask: Call<T>): Promise<T> {
    const { client } = this.#endpoints.find((endpoint) => endpoint.server === server)!
    const timeoutMs = ask.timeoutMs ?? this.#options.requestTimeoutMs
    try {
      return await new Promise<T>((answered, failed) =>
        this.ask(client, ask, timeoutMs, { answered, failed }),
      )
    } catch (error) {
      const failure = error as GrpcError
      if (!isPassing(failure)) throw refusalOf(failure, server)
      throw unavailable(failure, { server, timeoutMs, writes: false })
    }
  }

  /** Calls a member once, and counts it. */
  ask<T>(client: Transport, ask: Call<T>, timeoutMs: number, listener: CallListener<T>): void {
    const end = this.#options.observe?.(ask)
    client.begin(ask, timeoutMs, end ? new Observed(listener, end) : listener)
  }

  /** Opens a stream for watches to the member in use. */
  watch(): { readonly server: string; readonly stream: WatchStream } {
    const { server, client } = this.current
    const stream = client.stream('/etcdserverpb.Watch/Watch', decodeWatch, HAS_LEADER)
    return { server, stream }
  }

  /** Something that a member should have sent is missing: a connection whose member is silent ends. */
  probe(): void {
    for (const { client } of this.#endpoints) client.probe()
  }

  /** Fails every further call with an error. */
  giveUp(error: Error): void {
    this.#over ??= error
  }

  /** Ends the connections and every call on them. */
  close(): void {
    this.giveUp(new Error('the store is closed'))
    for (const { client } of this.#endpoints) client.close()
  }
}

/** Tells also who counts calls. */
class Observed<T> implements CallListener<T> {
  readonly #listener: CallListener<T>
  readonly #end: (code: number) => void

  constructor(listener: CallListener<T>, end: (code: number) => void) {
    this.#listener = listener
    this.#end = end
  }

  answered(answer: T): void {
    this.#end(0)
    this.#listener.answered(answer)
  }

  failed(error: GrpcError): void {
    this.#end(error.code)
    this.#listener.failed(error)
  }
}

function clientOf(
  server: string,
  { ca, cert, key, dial, open = openBuiltin }: ConnectionOptions,
): Transport {
  let url: URL
  try {
    url = new URL(server.includes('://') ? server : `http://${server}`)
  } catch {
    throw new Error(`--etcd-servers: ${server} is not a URL`)
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`--etcd-servers: ${server} has neither the scheme http nor https`)
  // Errors show addresses.
  if (url.username !== '' || url.password !== '')
    throw new Error(`--etcd-servers: ${url.host} is given with a user, which is not supported`)
  return open(url.origin, { ca, cert, key, dial })
}
