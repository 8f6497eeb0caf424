import type { Clock } from '../base/clock.ts'
import { plainMessage } from '../base/plain-reason.ts'
import type { Backend, LineStore, Losses, Mode } from './backend.ts'
import { Batches, type BatchOptions } from './batches.ts'
import type { AuditEvent } from './event.ts'
import { legacyLine } from './legacy-line.ts'
import { LineBuffer } from './line-buffer.ts'
import type { LineTemplate, LineValues } from './line-template.ts'
import { fits, type TruncationOptions } from './truncation.ts'

/** Where lines go. */
export interface LineSink {
  /** Throws when the line cannot be written. */
  writeNow(text: string): void
  /** Only one at a time. */
  write(bytes: Buffer): Promise<void>
  close(): Promise<void>
}

export interface LogBackendOptions {
  readonly mode: Mode
  readonly format: 'json' | 'legacy'
  readonly batch: BatchOptions
  /** Null: events of any size. */
  readonly truncation: TruncationOptions | null
  /** Whether lines without bodies are made of parts that are kept, and joined while they wait. */
  readonly joinsLines: boolean
}

interface LogBackendDeps {
  readonly sink: LineSink
  readonly clock: Clock
  readonly losses: Losses
}

/** Lines of one write at most, where neither size nor rate of batches is limited. */
const JOINED = 10_000

const joined = (batch: BatchOptions): BatchOptions =>
  batch.maxWaitMs === 0 && batch.throttle === null
    ? { ...batch, maxSize: Math.max(batch.maxSize, JOINED) }
    : batch

/** Writes a line for each event. */
export class LogBackend implements Backend {
  readonly name = 'log'
  readonly mode: Mode
  readonly #options: LogBackendOptions
  readonly #deps: LogBackendDeps
  readonly #batches: Batches<string> | null = null
  /** In mode `batch`, unless the size or the rate of batches is limited: readers do not see where a batch ends. */
  readonly #buffer: LineBuffer | null = null
  readonly lines?: LineStore

  constructor(options: LogBackendOptions, deps: LogBackendDeps) {
    this.mode = options.mode
    this.#options = options
    this.#deps = deps
    const { batch, mode, format, truncation, joinsLines } = options
    const isLines = joinsLines && format === 'json' && truncation === null
    const store = (line: string, isPlain: boolean) => this.#storeLine(line, isPlain)
    if (isLines) this.lines = { store }
    if (mode !== 'batch') return
    const { sink, losses, clock } = deps
    if (joinsLines && batch.maxWaitMs === 0 && batch.throttle === null) {
      this.#buffer = new LineBuffer({
        clock,
        bufferSize: batch.bufferSize,
        write: (bytes) => sink.write(bytes),
        failed: (lines, error) => losses.lost('log', lines, plainMessage(error)),
      })
      const buffer = this.#buffer
      const copy = (template: LineTemplate, values: LineValues) =>
        buffer.copy(template, values) || this.#isFull()
      if (isLines) this.lines = { store, copy }
    } else
      this.#batches = new Batches(joined(batch), {
        clock,
        concurrent: false,
        deliver: (lines) => this.#deliver(lines),
      })
  }

  store(event: AuditEvent): boolean {
    const { truncation, format } = this.#options
    if (truncation !== null && !fits(event, truncation)) {
      this.#deps.losses.lost('log', 1, 'the event is too large')
      return false
    }
    return this.#storeLine(format === 'json' ? event.line : legacyLine(event), false)
  }

  #storeLine(line: string, isPlain: boolean): boolean {
    const isStored =
      this.#buffer?.add(line, isPlain) ?? this.#batches?.add(line) ?? this.#writeNow(line)
    return isStored || (this.mode === 'batch' && this.#isFull())
  }

  #isFull(): false {
    this.#deps.losses.lost('log', 1, 'the buffer is full')
    return false
  }

  async close(): Promise<void> {
    await this.#buffer?.close()
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
      await this.#deps.sink.write(Buffer.from(lines.join('')))
    } catch (error) {
      this.#deps.losses.lost('log', lines.length, plainMessage(error))
    }
  }
}
