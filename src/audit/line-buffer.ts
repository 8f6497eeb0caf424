/** Joins the lines of many requests into few writes: each write wakes a thread, which costs more than a request does. */
import type { Clock } from '../base/clock.ts'
import type { LineTemplate, LineValues } from './line-template.ts'

/** Bytes of one write. */
const CHUNK = 128 << 10
/** Lines that are copied at once, and characters from which on they are. */
const JOINED = 32
const JOINED_CHARS = 32 << 10
/** How long a line waits for others, milliseconds. */
const WAIT_MS = 20

interface LineBufferDeps {
  readonly clock: Clock
  /** Lines that wait at most. */
  readonly bufferSize: number
  /** Writes whole lines; only one call at a time. The bytes are overwritten afterwards. */
  write(bytes: Buffer): Promise<void>
  /** A write failed. */
  failed(lines: number, error: unknown): void
}

interface Chunk {
  readonly bytes: Buffer
  used: number
  lines: number
}

/** Lines in memory, with a bound. */
export class LineBuffer {
  readonly #deps: LineBufferDeps
  /** Lines that are not yet copied. */
  #text = ''
  #joined = 0
  /** Whether they are ASCII, which is faster to copy. */
  #isPlain = true
  #chunk: Chunk = { bytes: Buffer.alloc(0), used: 0, lines: 0 }
  #full: Chunk[] = []
  #spare: Buffer | null = null
  #waiting = 0
  #cancelWait: (() => void) | null = null
  /** Lines have waited long enough. */
  #isDue = false
  #writing: Promise<void> | null = null

  constructor(deps: LineBufferDeps) {
    this.#deps = deps
  }

  /** `isPlain`: the line is known to be ASCII. False when the buffer is full. */
  add(line: string, isPlain: boolean): boolean {
    if (this.#waiting >= this.#deps.bufferSize) return false
    this.#waiting++
    this.#text += line
    if (!isPlain) this.#isPlain = false
    if (++this.#joined >= JOINED || this.#text.length >= JOINED_CHARS) this.#copy()
    this.#wait()
    return true
  }

  /** Adds a line from a template. False when the buffer is full. */
  copy(template: LineTemplate, values: LineValues): boolean {
    if (this.#waiting >= this.#deps.bufferSize) return false
    this.#waiting++
    if (this.#joined > 0) this.#copy()
    const { length } = template.bytes
    if (length > this.#chunk.bytes.length - this.#chunk.used) this.#next(length)
    const chunk = this.#chunk
    template.write(chunk.bytes, chunk.used, values)
    chunk.used += length
    chunk.lines++
    this.#wait()
    return true
  }

  /** Writes what is left. */
  async close(): Promise<void> {
    this.#cancelWait?.()
    this.#cancelWait = null
    do {
      this.#isDue = true
      this.#begin()
      await this.#writing
    } while (this.#waiting > 0)
  }

  #wait(): void {
    this.#cancelWait ??= this.#deps.clock.after(WAIT_MS, () => {
      this.#cancelWait = null
      this.#isDue = true
      this.#begin()
    })
  }

  /** Copies the lines that were added into the chunk. */
  #copy(): void {
    const text = this.#text
    if (text === '') return
    const needed = this.#isPlain ? text.length : Buffer.byteLength(text)
    if (needed > this.#chunk.bytes.length - this.#chunk.used) this.#next(needed)
    const chunk = this.#chunk
    chunk.bytes.write(text, chunk.used, needed, this.#isPlain ? 'latin1' : 'utf8')
    chunk.used += needed
    chunk.lines += this.#joined
    this.#text = ''
    this.#joined = 0
    this.#isPlain = true
  }

  /** Begins a chunk with room for so many bytes. */
  #next(needed: number): void {
    if (this.#chunk.used > 0) this.#full.push(this.#chunk)
    const bytes =
      this.#spare !== null && needed <= CHUNK
        ? this.#spare
        : Buffer.allocUnsafeSlow(Math.max(CHUNK, needed))
    if (bytes === this.#spare) this.#spare = null
    this.#chunk = { bytes, used: 0, lines: 0 }
    if (this.#full.length > 0) this.#begin()
  }

  #begin(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null
    })
  }

  async #writeAll(): Promise<void> {
    for (let chunk = this.#take(); chunk !== null; chunk = this.#take()) {
      this.#waiting -= chunk.lines
      try {
        await this.#deps.write(chunk.bytes.subarray(0, chunk.used))
      } catch (error) {
        this.#deps.failed(chunk.lines, error)
      }
      if (chunk.bytes.length === CHUNK) this.#spare = chunk.bytes
    }
  }

  /** The next chunk to write; null when there is none, or when it is to become fuller. */
  #take(): Chunk | null {
    const full = this.#full.shift()
    if (full !== undefined) return full
    if (!this.#isDue) return null
    this.#isDue = false
    this.#copy()
    const chunk = this.#full.shift()
    if (chunk !== undefined) {
      this.#isDue = true
      return chunk
    }
    if (this.#chunk.used === 0) return null
    const last = this.#chunk
    this.#chunk = { bytes: this.#spare ?? Buffer.alloc(0), used: 0, lines: 0 }
    this.#spare = null
    return last
  }
}
