import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { JsonClient } from '../client/json-call.ts'
import type { Backend, Losses, Mode } from './backend.ts'
import { Batches, type BatchOptions } from './batches.ts'
import type { AuditEvent } from './event.ts'
import { fits, partsOf, type TruncationOptions } from './truncation.ts'

const TRIES = 5
const DELAY_FACTOR = 1.5
const DELAY_JITTER = 0.2
/** How long the end of the server waits for the webhook, milliseconds. */
const CLOSE_MS = 5_000

export interface WebhookBackendOptions {
  readonly mode: Mode
  readonly batch: BatchOptions
  /** Null: events of any size. */
  readonly truncation: TruncationOptions | null
  /** Delay before the second try, milliseconds. */
  readonly initialBackoffMs: number
  /** That of the lists of events. */
  readonly apiVersion: string
}

interface WebhookBackendDeps {
  /** Tries once. */
  readonly client: Pick<JsonClient, 'call' | 'close'>
  readonly clock: Clock
  readonly ids: Pick<Ids, 'fraction'>
  readonly losses: Losses
}

/** Posts events to another server. */
export class WebhookBackend implements Backend {
  readonly name = 'webhook'
  readonly mode: Mode
  readonly #options: WebhookBackendOptions
  readonly #deps: WebhookBackendDeps
  readonly #batches: Batches<string> | null
  readonly #closing = new AbortController()

  constructor(options: WebhookBackendOptions, deps: WebhookBackendDeps) {
    this.mode = options.mode
    this.#options = options
    this.#deps = deps
    this.#batches =
      options.mode === 'batch'
        ? new Batches(options.batch, {
            clock: deps.clock,
            concurrent: true,
            deliver: async (items) => void (await this.#post(items)),
          })
        : null
  }

  store(event: AuditEvent): boolean | Promise<boolean> {
    const { truncation } = this.#options
    const { losses } = this.#deps
    if (truncation !== null && !fits(event, truncation)) {
      losses.lost('webhook', 1, 'the event is too large')
      return false
    }
    const item = `{${event.body}`
    if (this.#batches === null) return this.#post([item])
    if (this.#batches.add(item)) return true
    losses.lost('webhook', 1, 'the buffer is full')
    return false
  }

  /** Tries once more to deliver what is left. */
  async close(): Promise<void> {
    this.#closing.abort()
    let cancel = () => {}
    const late = new Promise<void>((resolve) => {
      cancel = this.#deps.clock.after(CLOSE_MS, resolve)
    })
    await Promise.race([this.#batches?.close() ?? Promise.resolve(), late])
    cancel()
    this.#deps.client.close()
  }

  /** False when some were lost. */
  async #post(items: readonly string[]): Promise<boolean> {
    const { truncation, apiVersion } = this.#options
    const parts = truncation === null ? [items] : partsOf(items, truncation.maxBatchBytes)
    const stored = await Promise.all(
      parts.map((part) => {
        const head = `{"kind":"EventList","apiVersion":${JSON.stringify(apiVersion)},"metadata":{},"items":[`
        return this.#try(`${head}${part.join(',')}]}`, part.length)
      }),
    )
    return stored.every(Boolean)
  }

  /** Every failure is tried again: the webhook may be back soon. */
  async #try(text: string, count: number): Promise<boolean> {
    const { client, losses } = this.#deps
    for (let attempt = 1; ; attempt++) {
      try {
        await client.call({ text, ignoresAnswer: true })
        return true
      } catch (error) {
        if (attempt < TRIES && !this.#closing.signal.aborted) {
          await this.#pause(attempt)
          continue
        }
        losses.lost('webhook', count, error instanceof Error ? error.message : String(error))
        return false
      }
    }
  }

  #pause(attempt: number): Promise<void> {
    const { clock, ids } = this.#deps
    const base = this.#options.initialBackoffMs * DELAY_FACTOR ** (attempt - 1)
    const { signal } = this.#closing
    return new Promise((resolve) => {
      const end = () => {
        cancel()
        signal.removeEventListener('abort', end)
        resolve()
      }
      const cancel = clock.after(Math.round(base * (1 + DELAY_JITTER * ids.fraction())), end)
      if (signal.aborted) end()
      else signal.addEventListener('abort', end, { once: true })
    })
  }
}
