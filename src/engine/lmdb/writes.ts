import type { Databases } from './layout.ts'
import { spaceFor } from './space.ts'

/** Writes of a transaction, in order. */
export interface Writes {
  put(to: keyof Databases, key: Buffer, value: Buffer): void
  remove(from: keyof Databases, key: Buffer): void
}

/** One of them. */
export interface Write {
  readonly database: keyof Databases
  readonly key: Buffer
  /** Null for a removal. */
  readonly value: Buffer | null
}

/** Writes that are collected before any is handed over, so that an error until then leaves nothing behind. */
export class WriteList implements Writes {
  readonly #writes: Write[] = []
  /** Bytes of all keys and values. */
  bytes = 0
  #space: number | null = null

  get isEmpty(): boolean {
    return this.#writes.length === 0
  }

  get count(): number {
    return this.#writes.length
  }

  get all(): readonly Write[] {
    return this.#writes
  }

  /** Upper estimate of the space that they take in the file. */
  get space(): number {
    return (this.#space ??= spaceFor(this.#writes))
  }

  /** Adds what another list has. */
  add(others: WriteList): void {
    for (const write of others.#writes) this.#writes.push(write)
    this.bytes += others.bytes
    this.#space = null
  }

  put(to: keyof Databases, key: Buffer, value: Buffer): void {
    this.#add({ database: to, key, value })
  }

  remove(from: keyof Databases, key: Buffer): void {
    this.#add({ database: from, key, value: null })
  }

  #add(write: Write): void {
    const { key, value } = write
    this.#writes.push(write)
    this.bytes += key.length + (value?.length ?? 0)
    this.#space = null
  }

  /** Hands everything over, inside a batch of the library. */
  handOver(stores: Databases): void {
    // The batch as a whole reports the outcome.
    for (const { database, key, value } of this.#writes) {
      if (value === null) void stores[database].remove(key)
      else void stores[database].put(key, value)
    }
  }
}
