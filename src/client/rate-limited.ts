import type { Clock } from '../base/clock.ts'
import { CallError } from './call-error.ts'
import { pause } from './retry.ts'
import { TokenBucket, type BucketRate } from './token-bucket.ts'
import type { Transport } from './transport.ts'

/** How many requests a client makes; with 0 or less in a second: any number. */
export type RequestRate = BucketRate

/** A transport whose requests wait for their turn: the first come first, each at its time. */
export function rateLimited(inner: Transport, rate: RequestRate, clock: Clock): Transport {
  if (rate.perSecond <= 0) return inner
  const turns = new Turns(rate, clock)
  return {
    ...('follow' in inner && inner.follow ? { follow: inner.follow.bind(inner) } : {}),
    ...(inner.presence ? { presence: inner.presence.bind(inner) } : {}),
    ...(inner.generation ? { generation: inner.generation.bind(inner) } : {}),
    ...(inner.onGeneration ? { onGeneration: inner.onGeneration.bind(inner) } : {}),
    async send(request) {
      await turns.turn(request.signal ?? null)
      return inner.send(request)
    },
    async watch(request, sink) {
      await turns.turn(request.signal ?? null)
      return inner.watch(request, sink)
    },
    async discover(signal) {
      await turns.turn(signal ?? null)
      return inner.discover(signal)
    },
    close() {
      turns.end()
      inner.close()
    },
  }
}

/** The turns of requests. */
class Turns {
  readonly #tokens: TokenBucket
  readonly #clock: Clock
  readonly #ending = new AbortController()

  constructor(rate: RequestRate, clock: Clock) {
    this.#tokens = new TokenBucket(rate, clock)
    this.#clock = clock
  }

  /** Releases all waiting requests. */
  end(): void {
    this.#ending.abort(new CallError('the client was closed', { isRetryable: false }))
  }

  /** Resolves when the next request may begin; rejects when the signal is aborted before. */
  async turn(signal: AbortSignal | null): Promise<void> {
    const waitMs = this.#tokens.take()
    if (waitMs === 0) return
    const ended = this.#ending.signal
    const either = signal ? AbortSignal.any([signal, ended]) : ended
    await pause(this.#clock, waitMs, either)
  }
}
