import type { Expiries, Expiry, TimeToLive } from '../expiry.ts'
import type { Environment } from './environment.ts'
import { META, TIME_BYTES } from './layout.ts'
import { decodeHead, placeKey, readPlaceKey, type Place } from './value-record.ts'
import type { Writes } from './writes.ts'

/** One expiry as it is on disk: under its time (6 bytes, big-endian) and place of the change (10), its key. */
export interface StoredExpiry extends Expiry {
  readonly at: Buffer
}

const MAX_TIME_MS = 2 ** 48 - 1
const ADOPT_BATCH = 1_000

/** Expiries in a database of their own, written in the transactions of their values. */
export class LmdbExpiries implements Expiries<StoredExpiry> {
  readonly #file: Environment
  readonly #ttlMs: TimeToLive
  readonly settle: () => Promise<void>

  /** `settle` brings to the file whatever was committed before. */
  constructor(file: Environment, ttlMs: TimeToLive, settle: () => Promise<void>) {
    this.#file = file
    this.#ttlMs = ttlMs
    this.settle = settle
  }

  /** Writes the expiry of a key beside its value, if it has one; returns the time. */
  add(writes: Writes, key: string, place: Place, nowMs: number): number | undefined {
    const ttlMs = this.#ttlMs(key)
    if (ttlMs === undefined) return undefined
    const timeMs = Math.min(Math.ceil(nowMs + ttlMs), MAX_TIME_MS)
    writes.put(
      'expiries',
      Buffer.concat([timeKey(timeMs), placeKey(place.revision, place.index)]),
      Buffer.from(key),
    )
    return timeMs
  }

  /**
   * In a store that was written without recorded expiries, such as one restored from a backup, the time of present keys
   * begins now.
   */
  async adopt(nowMs: number): Promise<void> {
    if (this.#file.meta.get(META.expiring) !== undefined) return
    let start: Buffer | undefined
    for (;;) {
      const found: [key: string, place: Place][] = []
      let seen = 0
      const range = { limit: ADOPT_BATCH, ...(start === undefined ? {} : { start }) }
      for (const { key, value } of this.#file.heads.getRange(range)) {
        seen++
        start = Buffer.concat([key, Buffer.from([0])])
        const name = key.toString('utf8')
        if (this.#ttlMs(name) === undefined) continue
        const head = decodeHead(value)
        if (!head.deleted) found.push([name, head])
      }
      const isLast = seen < ADOPT_BATCH
      if (found.length > 0 || isLast) {
        await this.#file.transact((writes) => {
          for (const [name, place] of found) this.add(writes, name, place, nowMs)
          if (isLast) writes.put('meta', META.expiring, Buffer.from('1'))
        })
      }
      if (isLast) return
    }
  }

  next(): number | undefined {
    for (const at of this.#file.expiries.getKeys({ limit: 1 })) return readTime(at)
    return undefined
  }

  due(nowMs: number, limit: number): readonly StoredExpiry[] {
    const due: StoredExpiry[] = []
    const end = timeKey(Math.floor(nowMs) + 1)
    for (const { key: at, value } of this.#file.expiries.getRange({ end, limit })) {
      const { revision } = readPlaceKey(at.subarray(TIME_BYTES))
      due.push({ timeMs: readTime(at), key: value.toString('utf8'), changed: revision, at })
    }
    return due
  }

  async drop(expiries: readonly StoredExpiry[]): Promise<void> {
    await this.#file.transact((writes) => {
      for (const { at } of expiries) writes.remove('expiries', at)
    })
  }
}

function timeKey(timeMs: number): Buffer {
  const key = Buffer.allocUnsafe(TIME_BYTES)
  key.writeUIntBE(Math.min(timeMs, MAX_TIME_MS), 0, TIME_BYTES)
  return key
}

const readTime = (at: Buffer): number => at.readUIntBE(0, TIME_BYTES)
