import type { Clock } from '../base/clock.ts'
import { CallError } from './call-error.ts'
import { pause } from './retry.ts'
import type { Transport } from './transport.ts'

/** How many requests a client makes. */
export interface RequestRate {
  /** Sustained requests per second; 0 or less: unlimited. */
  readonly perSecond: number
  /** At once, after a rest. */
  readonly burst: number
}

/** A transport whose requests wait for their turn: the first come first, each at its time. */
export function rateLimited(inner: Transport, rate: RequestRate, clock: Clock): Transport {
  if (rate.perSecond <= 0) return inner
  const bucket = new Bucket(rate, clock)
  return {
    ...('follow' in inner && inner.follow ? { follow: inner.follow.bind(inner) } : {}),
    ...(inner.presence ? { presence: inner.presence.bind(inner) } : {}),
    ...(inner.generation ? { generation: inner.generation.bind(inner) } : {}),
    ...(inner.onGeneration ? { onGeneration: inner.onGeneration.bind(inner) } : {}),
    async send(request) {
      await bucket.turn(request.signal ?? null)
      return inner.send(request)
    },
    async watch(request, sink) {
      await bucket.turn(request.signal ?? null)
      return inner.watch(request, sink)
    },
    async discover(signal) {
      await bucket.turn(signal ?? null)
      return inner.discover(signal)
    },
    close() {
      bucket.end()
      inner.close()
    },
  }
}

/** Tokens that come back with time; those that are taken ahead make later ones wait. */
class Bucket {
  readonly #rate: RequestRate
  readonly #clock: Clock
  #tokens: number
  #atMs: number
  readonly #ending = new AbortController()

  constructor(rate: RequestRate, clock: Clock) {
    this.#rate = rate
    this.#clock = clock
    this.#tokens = Math.max(rate.burst, 1)
    this.#atMs = clock.now()
  }

  /** Releases all waiting requests. */
  end(): void {
    this.#ending.abort(new CallError('the client was closed', { isRetryable: false }))
  }

  /** Resolves when the next request may begin; rejects when the signal is aborted before. */
  async turn(signal: AbortSignal | null): Promise<void> {
    const { perSecond, burst } = this.#rate
    const now = this.#clock.now()
    const regained = (Math.max(now - this.#atMs, 0) * perSecond) / 1000
    this.#tokens = Math.min(this.#tokens + regained, Math.max(burst, 1)) - 1
    this.#atMs = now
    if (this.#tokens >= 0) return
    const ended = this.#ending.signal
    const either = signal ? AbortSignal.any([signal, ended]) : ended
    await pause(this.#clock, (-this.#tokens * 1000) / perSecond, either)
  }
}
