import type { Databases } from './layout.ts'
import { spaceFor } from './space.ts'
import type { MemoryBlock, WriteMemory } from './write-memory.ts'

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

const DATABASES: readonly (keyof Databases)[] = ['values', 'heads', 'meta', 'expiries']
/** Bytes in front of the key of each write. */
const HEAD_BYTES = 8
const FIRST_BYTES = 1_024

/**
 * Writes that are collected before any is handed over, so that an error until then leaves nothing behind. They lie one
 * behind the other in memory, as in the journal, so that the garbage collector has little to do with those that wait:
 *
 *     database (1), 1 for a removal (1), length of the key (2), of the value (4), key, value
 *
 * Numbers are little-endian.
 */
export class WriteList implements Writes {
  readonly #shared: WriteMemory | null
  #block: MemoryBlock
  #from: number
  #end: number
  #space = 0

  /** A list in memory of its own, or in shared memory that is to be given back: {@link release}. */
  constructor(shared: WriteMemory | null = null) {
    this.#shared = shared
    this.#block = this.#take(FIRST_BYTES)
    this.#from = this.#end = this.#block.used
  }

  /** The list that lies in memory. */
  static of(packed: Buffer): WriteList {
    const list = new WriteList()
    list.#block = { memory: packed, used: packed.length, lists: 1 }
    list.#end = packed.length
    for (let at = 0; at < packed.length; at = endOf(packed, at))
      list.#space += spaceFor(isRemoval(packed, at) ? null : valueBytes(packed, at))
    return list
  }

  get isEmpty(): boolean {
    return this.#end === this.#from
  }

  /** The list as it lies in memory, until something is added. */
  get packed(): Buffer {
    return this.#block.memory.subarray(this.#from, this.#end)
  }

  /** Bytes of it. */
  get bytes(): number {
    return this.#end - this.#from
  }

  /** Upper estimate of the space that the writes take in the file. */
  get space(): number {
    return this.#space
  }

  get all(): readonly Write[] {
    const all: Write[] = []
    const { memory } = this.#block
    for (let at = this.#from; at < this.#end; at = endOf(memory, at)) all.push(writeAt(memory, at))
    return all
  }

  put(to: keyof Databases, key: Buffer, value: Buffer): void {
    const at = this.reserve(to, key.length, value.length)
    this.memory.set(key, at)
    this.memory.set(value, at + key.length)
  }

  remove(from: keyof Databases, key: Buffer): void {
    const at = this.#add(from, key.length, null)
    this.memory.set(key, at)
  }

  /** Adds a write. Returns where in {@link memory} its key and then its value are to be written. */
  reserve(to: keyof Databases, keyBytes: number, valueBytes: number): number {
    return this.#add(to, keyBytes, valueBytes)
  }

  /** Where the list lies, until something is added. */
  get memory(): Buffer {
    return this.#block.memory
  }

  /** Where something lies in the list, for {@link copy}, from its place in {@link memory}. */
  placeOf(at: number): number {
    return at - this.#from
  }

  /** A copy of some bytes of the list. */
  copy(place: number, bytes: number): Buffer {
    const from = this.#from + place
    return Buffer.from(this.memory.subarray(from, from + bytes))
  }

  /** Hands everything over, inside a batch of the library, whose outcome is that of each write. */
  handOver(stores: Databases): void {
    const { memory } = this.#block
    for (let at = this.#from; at < this.#end; at = endOf(memory, at)) {
      const { database, key, value } = writeAt(memory, at)
      if (value === null) void stores[database].remove(key)
      else void stores[database].put(key, value)
    }
  }

  /** Gives shared memory back: the last use of a list. */
  release(): void {
    this.#shared?.give(this.#block)
  }

  #add(database: keyof Databases, keyBytes: number, valueBytes: number | null): number {
    const at = this.#room(HEAD_BYTES + keyBytes + (valueBytes ?? 0))
    const { memory } = this.#block
    memory[at] = DATABASES.indexOf(database)
    memory[at + 1] = valueBytes === null ? 1 : 0
    memory.writeUInt16LE(keyBytes, at + 2)
    memory.writeUInt32LE(valueBytes ?? 0, at + 4)
    this.#space += spaceFor(valueBytes)
    return at + HEAD_BYTES
  }

  /** Takes so many bytes behind the list. */
  #room(bytes: number): number {
    // Another list may have been begun behind this one.
    if (this.#block.used !== this.#end || this.#block.memory.length - this.#end < bytes)
      this.#move(bytes)
    const at = this.#end
    this.#end = this.#block.used = at + bytes
    return at
  }

  /** Moves the list to where there are more bytes. */
  #move(more: number): void {
    const { packed } = this
    const to = this.#take(2 * packed.length + more)
    to.memory.set(packed, to.used)
    this.#shared?.give(this.#block)
    this.#block = to
    this.#from = to.used
    this.#end = to.used += packed.length
  }

  #take(bytes: number): MemoryBlock {
    return this.#shared?.take(bytes) ?? { memory: Buffer.allocUnsafe(bytes), used: 0, lists: 1 }
  }
}

const isRemoval = (memory: Buffer, at: number): boolean => memory[at + 1] === 1
const keyBytes = (memory: Buffer, at: number): number => memory.readUInt16LE(at + 2)
const valueBytes = (memory: Buffer, at: number): number => memory.readUInt32LE(at + 4)

/** Where the write behind one begins. */
const endOf = (memory: Buffer, at: number): number =>
  at + HEAD_BYTES + keyBytes(memory, at) + valueBytes(memory, at)

function writeAt(memory: Buffer, at: number): Write {
  const start = at + HEAD_BYTES
  const keyEnd = start + keyBytes(memory, at)
  return {
    database: DATABASES[memory[at]!]!,
    key: memory.subarray(start, keyEnd),
    value: isRemoval(memory, at) ? null : memory.subarray(keyEnd, endOf(memory, at)),
  }
}
