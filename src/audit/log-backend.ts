import type { Clock } from '../base/clock.ts'
import { plainMessage } from '../base/plain-reason.ts'
import type { Backend, Losses, Mode } from './backend.ts'
import { Batches, type BatchOptions } from './batches.ts'
import type { AuditEvent } from './event.ts'
import { legacyLine } from './legacy-line.ts'
import { fits, type TruncationOptions } from './truncation.ts'

/** Where lines go. */
export interface LineSink {
  /** Throws when the line cannot be written. */
  writeNow(text: string): void
  /** Only one at a time. */
  write(text: string): Promise<void>
  close(): Promise<void>
}

export interface LogBackendOptions {
  readonly mode: Mode
  readonly format: 'json' | 'legacy'
  readonly batch: BatchOptions
  /** Null: events of any size. */
  readonly truncation: TruncationOptions | null
}

interface LogBackendDeps {
  readonly sink: LineSink
  readonly clock: Clock
  readonly losses: Losses
}

/** Lines of one write: batches of the file are joined, which readers do not see. */
const JOINED = 10_000

/** Writes a line for each event. */
export class LogBackend implements Backend {
  readonly name = 'log'
  readonly mode: Mode
  readonly #options: LogBackendOptions
  readonly #deps: LogBackendDeps
  readonly #batches: Batches<string> | null

  constructor(options: LogBackendOptions, deps: LogBackendDeps) {
    this.mode = options.mode
    this.#options = options
    this.#deps = deps
    const { batch, mode } = options
    const maxSize = batch.throttle === null ? Math.max(batch.maxSize, JOINED) : batch.maxSize
    const isJoined = batch.maxWaitMs === 0 && batch.throttle === null
    this.#batches =
      mode === 'batch'
        ? new Batches(isJoined ? { ...batch, maxSize } : batch, {
            clock: deps.clock,
            concurrent: false,
            deliver: (lines) => this.#deliver(lines),
          })
        : null
  }

  store(event: AuditEvent): boolean {
    const { truncation, format } = this.#options
    const { losses } = this.#deps
    if (truncation !== null && !fits(event, truncation)) {
      losses.lost('log', 1, 'the event is too large')
      return false
    }
    const line = format === 'json' ? event.line : legacyLine(event)
    if (this.#batches === null) return this.#writeNow(line)
    if (this.#batches.add(line)) return true
    losses.lost('log', 1, 'the buffer is full')
    return false
  }

  async close(): Promise<void> {
    await this.#batches?.close()
    await this.#deps.sink.close()
  }

  #writeNow(line: string): boolean {
    try {
      this.#deps.sink.writeNow(line)
      return true
    } catch (error) {
      this.#deps.losses.lost('log', 1, plainMessage(error))
      return false
    }
  }

  async #deliver(lines: readonly string[]): Promise<void> {
    try {
      await this.#deps.sink.write(lines.join(''))
    } catch (error) {
      this.#deps.losses.lost('log', lines.length, plainMessage(error))
    }
  }
}
