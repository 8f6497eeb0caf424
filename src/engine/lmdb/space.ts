import { closeSync, existsSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { OWNER_FILE } from '../../base/folders.ts'
import { StoreFull, UnusableDataDir } from '../engine.ts'
import { DATA_FILE, RESERVE_FILE } from './layout.ts'

/** Bytes that stay free: room for the inner pages of a transaction, and for other writers. */
const RESERVED_BYTES = 4 << 20
/** Bytes that stay free of writes that make room. */
const LAST_BYTES = 512 << 10
/** Bytes of the reserve file, given up for writes that make room when others have filled the disk. */
const RESERVE_BYTES = 4 << 20
/** Pages that one value may touch besides its own. */
const VALUE_BYTES = 32 << 10
/** Pages that are written anew for one that is removed. */
const REMOVAL_BYTES = 16 << 10
/** Bytes that others are not expected to take within `LOOK_EVERY_MS`: a look is valid so long while there are more. */
const PLENTY_BYTES = 256 << 20
const LOOK_EVERY_MS = 50
/** Bytes that the library writes through a map when it opens a file, and would end the process over. */
const OPENING_BYTES = 64 << 10

/** Upper estimate of the space of one write: of a value of so many bytes, or of a removal (null). */
export const spaceFor = (valueBytes: number | null): number =>
  valueBytes === null ? REMOVAL_BYTES : VALUE_BYTES + 2 * valueBytes

/** Room on the file system of a directory, as far as writes may use it. */
export class Space {
  readonly #dir: string
  /** Whether there is to be a reserve and there is none. */
  #isReserveDue = false
  /** Bytes that may be written until a time without another look. */
  #plenty = 0
  #plentyUntilMs = 0

  constructor(dir: string) {
    this.#dir = dir
  }

  /**
   * Throws StoreFull when there is no room for a transaction of so many bytes. Called before each one: the library does
   * not outlive every page that it fails to write. One that `frees` may use the last free bytes, and the reserve.
   * Where there is plenty of room, it looks at the file system every now and then only.
   */
  check(bytes: number, { frees = false } = {}): void {
    this.#plenty -= bytes
    const nowMs = performance.now()
    if (this.#plenty > 0 && nowMs < this.#plentyUntilMs) return
    const needed = bytes + (frees ? LAST_BYTES : RESERVED_BYTES)
    const free = this.#free()
    this.#plenty = this.#isReserveDue ? 0 : free - needed - PLENTY_BYTES
    this.#plentyUntilMs = nowMs + LOOK_EVERY_MS
    if (free >= needed) {
      if (this.#isReserveDue && !frees && free >= needed + 2 * RESERVE_BYTES) this.keepReserve()
      return
    }
    if (frees && this.#giveUpReserve() && this.#free() >= needed) return
    throw new StoreFull(
      `no space left for ${this.#dir}: ${Math.floor(free / 1024)} KiB are free; nothing was written`,
    )
  }

  /** Throws UnusableDataDir when the data file cannot be opened, or made, for want of room. */
  checkOpening(): void {
    const path = join(this.#dir, DATA_FILE)
    const needed = !existsSync(path)
      ? RESERVED_BYTES
      : existsSync(`${path}-lock`)
        ? 0
        : OPENING_BYTES
    const free = this.#free()
    if (free >= needed || (this.#giveUpReserve() && this.#free() >= needed)) return
    throw new UnusableDataDir(
      `data directory ${this.#dir} cannot be used: no space left, ${Math.floor(free / 1024)} KiB of at least ${needed / 1024} are free; make room or choose another with --data-dir`,
    )
  }

  /** Whether small objects can be made. Throws StoreFull. */
  checkWritable(): void {
    this.#plenty = 0
    this.check(2 * VALUE_BYTES)
  }

  /** Takes a reserve, where there is plenty of room. */
  keepReserve(): void {
    const path = join(this.#dir, RESERVE_FILE)
    this.#isReserveDue = false
    if (existsSync(path)) return
    this.#isReserveDue = true
    if (this.#free() < RESERVED_BYTES + 2 * RESERVE_BYTES) return
    const fd = openSync(path, 'wx', OWNER_FILE)
    try {
      // Data that the file system cannot compress.
      const bytes = randomBytes(RESERVE_BYTES)
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at)
      this.#isReserveDue = false
    } catch {
      rmSync(path, { force: true })
    } finally {
      closeSync(fd)
    }
  }

  #giveUpReserve(): boolean {
    const path = join(this.#dir, RESERVE_FILE)
    if (!existsSync(path)) return false
    rmSync(path, { force: true })
    this.#isReserveDue = true
    return true
  }

  #free(): number {
    const { bavail, bsize } = statfsSync(this.#dir)
    return bavail * bsize
  }
}
