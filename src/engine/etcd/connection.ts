import { systemClock, type Clock } from '../../base/clock.ts'
import type { Dial } from '../../base/dial.ts'
import { EtcdUnavailable, isPassing, refusalOf } from './errors.ts'
import { type GrpcError, status } from './grpc/status.ts'
import { decodeWatch, type WatchResponse } from './messages.ts'
import { openBuiltin } from './grpc/client.ts'
import type { MessageStream, OpenTransport, Transport, UnaryCall } from './transport.ts'

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

/** One call: the encoding of its request and response, and the conditions of a retry. */
export interface Call<T> extends UnaryCall<T> {
  /** A call that changes something is tried again only when it surely did not arrive. */
  readonly writes?: boolean
  readonly timeoutMs?: number
  /** What it does, in a word, and to a key of which resource; for metrics. */
  readonly operation?: string
  readonly key?: string
}

interface Endpoint {
  readonly server: string
  readonly client: Transport
  /** Until when it is passed over, in the machine's time. */
  outUntil: number
}

const FIRST_WAIT_MS = 50
const MAX_WAIT_MS = 1_000
/** How long a member that could not be reached is passed over: to find out again may take as long as a connect. */
const OUT_MS = 5_000
// A member that is cut off from the others ends its watches instead of falling silent.
const HAS_LEADER = { hasleader: 'true' }

/** Calls to whichever member responds. */
export class Connection {
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

  /** Retries until there is a response, a refusal or no time left. Throws EtcdUnavailable and EtcdRefusal. */
  async call<T>(ask: Call<T>): Promise<T> {
    const timeoutMs = ask.timeoutMs ?? this.#options.requestTimeoutMs
    // The transport knows only the machine's time.
    const deadline = systemClock.now() + timeoutMs
    let waitMs = FIRST_WAIT_MS
    let last: GrpcError | null = null
    for (let tries = 1; ; tries++) {
      if (this.#over) throw this.#over
      const { server, client } = this.#endpoints[this.#current]!
      // Of several members, one that is silent must not use up the time of the others.
      const share = ask.writes ? timeoutMs : timeoutMs / this.#endpoints.length
      try {
        return await this.#call(client, ask, Math.min(deadline - systemClock.now(), share))
      } catch (error) {
        const failure = error as GrpcError
        if (!isPassing(failure)) throw refusalOf(failure, server)
        const unsent = failure.isUnsent
        this.leave(server, { isOut: unsent })
        // A timeout while waiting for a connection is less helpful than the error of the connection.
        if (failure.code !== status.DEADLINE_EXCEEDED || !last) last = failure
        const late = systemClock.now() + waitMs >= deadline
        if ((ask.writes && !unsent) || late)
          throw unavailable(last, { server, timeoutMs, writes: ask.writes === true && !unsent })
      }
      if (tries % this.#endpoints.length === 0) {
        await new Promise<void>((resolve) => systemClock.after(waitMs, resolve))
        waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)
      }
    }
  }

  /** Calls one member only, once. */
  async callOne<T>(server: string, ask: Call<T>): Promise<T> {
    const { client } = this.#endpoints.find((endpoint) => endpoint.server === server)!
    const timeoutMs = ask.timeoutMs ?? this.#options.requestTimeoutMs
    try {
      return await this.#call(client, ask, timeoutMs)
    } catch (error) {
      const failure = error as GrpcError
      if (!isPassing(failure)) throw refusalOf(failure, server)
      throw unavailable(failure, { server, timeoutMs, writes: false })
    }
  }

  async #call<T>(client: Transport, ask: Call<T>, timeoutMs: number): Promise<T> {
    const end = this.#options.observe?.(ask)
    try {
      const answer = await client.call(ask, timeoutMs)
      end?.(0)
      return answer
    } catch (error) {
      end?.((error as GrpcError).code)
      throw error
    }
  }

  /** Opens a stream for watches to the member in use. */
  watch(): { readonly server: string; readonly stream: WatchStream } {
    if (this.#over) throw this.#over
    const { server, client } = this.#endpoints[this.#current]!
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

function unavailable(
  error: GrpcError,
  { server, timeoutMs, writes }: { server: string; timeoutMs: number; writes: boolean },
): EtcdUnavailable {
  const why =
    error.code === status.DEADLINE_EXCEEDED
      ? `did not answer within ${timeoutMs} ms`
      : error.isUnsent
        ? `cannot be reached: ${error.details}`
        : `cannot serve now: ${error.details}`
  return new EtcdUnavailable(
    `etcd at ${server} ${why}${writes ? '; the write may have happened or not' : ''}`,
    writes ? 'unknown' : 'none',
    { cause: error },
  )
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
