import type { Databases } from './layout.ts'

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

  get isEmpty(): boolean {
    return this.#writes.length === 0
  }

  [Symbol.iterator](): Iterator<Write> {
    return this.#writes[Symbol.iterator]()
  }

  /** Adds what another list has. */
  add(others: WriteList): void {
    for (const write of others.#writes) this.#writes.push(write)
  }

  /** Bytes of all keys and values. */
  get bytes(): number {
    return this.#writes.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0)
  }

  put(to: keyof Databases, key: Buffer, value: Buffer): void {
    this.#writes.push({ database: to, key, value })
  }

  remove(from: keyof Databases, key: Buffer): void {
    this.#writes.push({ database: from, key, value: null })
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
