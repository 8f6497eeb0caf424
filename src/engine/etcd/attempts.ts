import { systemClock } from '../../base/clock.ts'
import { EtcdUnavailable, isPassing, refusalOf } from './errors.ts'
import { type GrpcError, status } from './grpc/status.ts'
import type { CallListener, Transport, UnaryCall } from './transport.ts'

/** One call: the encoding of its request and response, and the conditions of a retry. */
export interface Call<T> extends UnaryCall<T> {
  /** A call that changes something is tried again only when it surely did not arrive. */
  readonly writes?: boolean
  readonly timeoutMs?: number
  /** What it does, in a word, and to a key of which resource; for metrics. */
  readonly operation?: string
  readonly key?: string
}

/** A member, and the way to it. */
export interface Member {
  readonly server: string
  readonly client: Transport
}

/** The members that a call is tried at. */
export interface Members {
  readonly count: number
  /** Throws when there is no use in calling any. */
  readonly current: Member
  leave(server: string, options: { readonly isOut: boolean }): void
  /** Begins a call to one of them. */
  ask<T>(client: Transport, ask: Call<T>, timeoutMs: number, listener: CallListener<T>): void
}

const FIRST_WAIT_MS = 50
const MAX_WAIT_MS = 1_000

/** One call, until there is a response, a refusal or no time left. Ends with EtcdUnavailable or EtcdRefusal. */
export class Attempts<T> implements CallListener<T> {
  readonly #members: Members
  readonly #ask: Call<T>
  readonly #listener: CallListener<T, unknown>
  readonly #timeoutMs: number
  /** In the machine's time: the transport knows no other. */
  readonly #deadline: number
  #waitMs = FIRST_WAIT_MS
  #last: GrpcError | null = null
  #tries = 0
  #server = ''

  constructor(
    members: Members,
    ask: Call<T>,
    timeoutMs: number,
    listener: CallListener<T, unknown>,
  ) {
    this.#members = members
    this.#ask = ask
    this.#listener = listener
    this.#timeoutMs = timeoutMs
    this.#deadline = systemClock.now() + timeoutMs
  }

  begin(): void {
    const ask = this.#ask
    const members = this.#members
    let member: Member
    try {
      member = members.current
    } catch (error) {
      this.#listener.failed(error)
      return
    }
    this.#tries++
    this.#server = member.server
    // Of several members, one that is silent must not use up the time of the others.
    const share = ask.writes ? this.#timeoutMs : this.#timeoutMs / members.count
    members.ask(member.client, ask, Math.min(this.#deadline - systemClock.now(), share), this)
  }

  answered(answer: T): void {
    this.#listener.answered(answer)
  }

  failed(failure: GrpcError): void {
    const server = this.#server
    if (!isPassing(failure)) return this.#listener.failed(refusalOf(failure, server))
    const writes = this.#ask.writes === true
    const unsent = failure.isUnsent
    this.#members.leave(server, { isOut: unsent })
    // A timeout while waiting for a connection is less helpful than the error of the connection.
    if (failure.code !== status.DEADLINE_EXCEEDED || !this.#last) this.#last = failure
    const late = systemClock.now() + this.#waitMs >= this.#deadline
    if ((writes && !unsent) || late) {
      const how = { server, timeoutMs: this.#timeoutMs, writes: writes && !unsent }
      return this.#listener.failed(unavailable(this.#last, how))
    }
    // What ended the call is over before the next one begins.
    if (this.#tries % this.#members.count !== 0) return queueMicrotask(() => this.begin())
    systemClock.after(this.#waitMs, () => this.begin())
    this.#waitMs = Math.min(this.#waitMs * 2, MAX_WAIT_MS)
  }
}

/** The error of a call that no member answered. */
export function unavailable(
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
