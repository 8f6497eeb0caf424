/** A file that is rotated when it gets large: older ones are kept under the time of their rotation. */
import {
  chmodSync,
  closeSync,
  createReadStream,
  createWriteStream,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  write,
  writeSync,
} from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Clock } from '../base/clock.ts'

const DAY_MS = 24 * 3_600_000
const MEBIBYTE = 1 << 20
/** Size at which a file is rotated when none is configured. */
const DEFAULT_MEBIBYTES = 100

export interface LogFileOptions {
  readonly path: string
  readonly maxAgeDays: number
  readonly maxBackups: number
  readonly maxSizeMb: number
  readonly compress: boolean
}

interface LogFileDeps {
  readonly clock: Clock
  /** Called with what went wrong with older files, which stops nothing. */
  readonly onFault: (error: unknown) => void
}

/** One log file. Events of one server are the only writes. */
export class LogFile {
  readonly #options: LogFileOptions
  readonly #deps: LogFileDeps
  #fd: number
  #size: number
  #tidying: Promise<void> = Promise.resolve()

  /** Opens or makes the file. Throws when that is not possible. */
  constructor(options: LogFileOptions, deps: LogFileDeps) {
    this.#options = options
    this.#deps = deps
    mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 })
    this.#fd = openSync(options.path, 'a', 0o600)
    this.#size = fstatSync(this.#fd).size
    this.#tidy()
  }

  /** Appends at once. Throws when the file cannot be written. */
  writeNow(text: string): void {
    const bytes = Buffer.from(text)
    this.#makeRoom(bytes)
    for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at)
    this.#size += bytes.length
  }

  /** Appends; only one write at a time. */
  async write(bytes: Buffer): Promise<void> {
    this.#makeRoom(bytes)
    for (let at = 0; at < bytes.length;) {
      const from = at
      at += await new Promise<number>((resolve, reject) =>
        write(this.#fd, bytes, from, (error, count) => (error ? reject(error) : resolve(count))),
      )
    }
    this.#size += bytes.length
  }

  async close(): Promise<void> {
    await this.#tidying
    if (this.#fd === -1) return
    closeSync(this.#fd)
    this.#fd = -1
  }

  /** Rotates a file that is too full for so many bytes. */
  #makeRoom({ length }: Buffer): void {
    const { maxSizeMb } = this.#options
    const limit = (maxSizeMb === 0 ? DEFAULT_MEBIBYTES : maxSizeMb) * MEBIBYTE
    if (this.#size > 0 && this.#size + length > limit) this.#rotate()
  }

  #rotate(): void {
    const { path } = this.#options
    const { mode } = fstatSync(this.#fd)
    renameSync(path, this.#backupPath())
    const fd = openSync(path, 'a', mode & 0o777)
    // The mask of the process does not apply: the file is as the one before.
    chmodSync(path, mode & 0o777)
    closeSync(this.#fd)
    this.#fd = fd
    this.#size = 0
    this.#tidy()
  }

  #backupPath(): string {
    const { path } = this.#options
    const taken = new Set(readdirSync(dirname(path)))
    for (let ms = this.#deps.clock.now(); ; ms++) {
      const name = this.#parts.prefix + stampOf(ms) + this.#parts.suffix
      if (!taken.has(name) && !taken.has(`${name}.gz`)) return join(dirname(path), name)
    }
  }

  get #parts(): { readonly prefix: string; readonly suffix: string } {
    const suffix = extname(this.#options.path)
    return { prefix: `${basename(this.#options.path, suffix)}-`, suffix }
  }

  /** Removes and compresses older files in the background. */
  #tidy(): void {
    this.#tidying = this.#tidying.then(async () => {
      try {
        await this.#tidyNow()
      } catch (error) {
        this.#deps.onFault(error)
      }
    })
  }

  async #tidyNow(): Promise<void> {
    const { path, maxAgeDays, maxBackups, compress } = this.#options
    if (maxAgeDays === 0 && maxBackups === 0 && !compress) return
    const now = this.#deps.clock.now()
    for (const [i, { name, ms }] of this.#backups().entries()) {
      const file = join(dirname(path), name)
      const isOld = maxAgeDays > 0 && now - ms > maxAgeDays * DAY_MS
      if (isOld || (maxBackups > 0 && i >= maxBackups)) rmSync(file, { force: true })
      else if (compress && !name.endsWith('.gz')) await compressed(file)
    }
  }

  /** Older files, the newest first. */
  #backups(): { readonly name: string; readonly ms: number }[] {
    const { prefix, suffix } = this.#parts
    return readdirSync(dirname(this.#options.path))
      .flatMap((name) => {
        const end = name.endsWith('.gz') ? `${suffix}.gz` : suffix
        if (!name.startsWith(prefix) || !name.endsWith(end)) return []
        const ms = msOf(name.slice(prefix.length, name.length - end.length))
        return Number.isNaN(ms) ? [] : [{ name, ms }]
      })
      .sort((a, b) => b.ms - a.ms)
  }
}

/** A time in the name of a file: `2024-01-02T03-04-05.006`. */
const stampOf = (ms: number) => new Date(ms).toISOString().replaceAll(':', '-').slice(0, -1)

const msOf = (stamp: string): number =>
  /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}$/.test(stamp)
    ? Date.parse(`${stamp.slice(0, 10)}${stamp.slice(10).replaceAll('-', ':')}Z`)
    : NaN

async function compressed(file: string): Promise<void> {
  // Under another name until it is whole: a stop in between leaves the file as it was.
  const part = `${file}.part`
  await pipeline(createReadStream(file), createGzip(), createWriteStream(part, { mode: 0o600 }))
  renameSync(part, `${file}.gz`)
  rmSync(file)
}
