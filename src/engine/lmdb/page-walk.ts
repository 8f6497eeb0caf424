import { readSync } from 'node:fs'
import { Pace } from '../../base/event-loop.ts'
import {
  FIRST_PAGE,
  HEADER_BYTES,
  NUMBERS,
  readTree,
  TREE_BYTES,
  type Meta,
  type Tree,
} from './meta-page.ts'

/** How much of a file is walked: down to the leaves' numbers, or all that is reached. */
export type Walk = 'branches' | 'all'

/** The file that is walked, and the state of it. */
export interface Walked {
  readonly fd: number
  readonly meta: Meta
  /** Whole pages that the file has. */
  readonly pages: number
  readonly how: Walk
}

/** Type of a page, in its header. */
const IS = { branch: 1, leaf: 2, overflow: 4 } as const
/** Bits that LMDB keeps for itself while a transaction runs. */
const PASSING = 0xe000
const NODE_BYTES = 8
/** Entry of a leaf for a value that has pages of its own. */
const OVERFLOW_BYTES = 24
const NODE_OVERFLOW = 1
const NODE_TREE = 2
/** Bits of a tree whose keys or values are ordered in a way of their own; numbers as keys is one. */
const ORDERS = 0x7e
/** Bytes of a key of the free list, the number of a transaction. */
const NUMBER_BYTES = 8
/** No tree gets that deep; LMDB itself takes 32. */
const MAX_DEPTH = 32
const READ_BYTES = 1 << 20

/**
 * Follows the trees of a file by reading it, never through a map, where missing pages would end the process: all
 * pages must be in the file, be reached once, have their own number and be what they should be. Throws DamagedPage.
 */
export async function walkPages(walked: Walked): Promise<void> {
  const walk = new PageWalk(walked)
  const { free, main } = walked.meta
  await walk.follow(free)
  for (const tree of await walk.follow(main, { named: true })) await walk.follow(tree)
}

/** A page that is not as it must be. */
export class DamagedPage extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DamagedPage'
  }
}

class PageWalk {
  readonly #walked: Walked
  /** A bit for each page that was reached. */
  readonly #reached: Uint8Array
  readonly #buffer: Buffer
  readonly #header = Buffer.alloc(HEADER_BYTES)
  /** A walk may take long, and a signal that asks for its end must be heard. */
  readonly #pace = new Pace()

  constructor(walked: Walked) {
    this.#walked = walked
    this.#reached = new Uint8Array((walked.pages >> 3) + 1)
    this.#buffer = Buffer.alloc(Math.max(READ_BYTES, walked.meta.pageBytes))
  }

  /** Walks a tree level by level; returns the trees that the leaves of one with names refer to. */
  async follow(tree: Tree, { named = false } = {}): Promise<readonly Tree[]> {
    const trees: Tree[] = []
    if ((tree.flags & ORDERS) !== (tree === this.#walked.meta.free ? NUMBERS : 0))
      throw new DamagedPage(`${tree.name} has another order`)
    if (tree.root === null) return trees
    if (tree.depth < 1 || tree.depth > MAX_DEPTH)
      throw new DamagedPage(`${tree.name} has ${tree.depth} levels`)
    let level: number[] = [tree.root]
    this.#reach(tree.root, 1, tree)
    for (let depth = 1; depth < tree.depth; depth++) {
      const next: number[] = []
      await this.#read(level, (number, page) => this.#branch(tree, number, page, next))
      level = next
    }
    const isRoot = tree.depth === 1
    if (this.#walked.how === 'branches' && !named && !isRoot) return trees
    await this.#read(level, (number, page) => {
      this.#leaf(tree, number, page, named ? trees : null)
    })
    return trees
  }

  /** Records that a tree refers to a run of pages. */
  #reach(first: number, count: number, tree: Tree): void {
    const { pages, meta } = this.#walked
    const last = first + count - 1
    if (!(first >= FIRST_PAGE && count >= 1 && last <= meta.lastPage))
      throw new DamagedPage(`${tree.name} leads to page ${first}, which cannot be`)
    if (last >= pages)
      throw new DamagedPage(`page ${Math.max(first, pages)} of ${tree.name} is missing`)
    for (let page = first; page <= last; page++) {
      const bit = 1 << (page & 7)
      const byte = this.#reached[page >> 3]!
      if ((byte & bit) !== 0) throw new DamagedPage(`page ${page} of ${tree.name} is in two places`)
      this.#reached[page >> 3] = byte | bit
    }
  }

  /** Reads pages in the order in which they lie in the file, neighbours at once. */
  async #read(numbers: number[], see: (number: number, page: Buffer) => void): Promise<void> {
    numbers.sort((a, b) => a - b)
    const { pageBytes } = this.#walked.meta
    const atOnce = Math.floor(this.#buffer.length / pageBytes)
    for (let i = 0; i < numbers.length;) {
      const first = numbers[i]!
      let count = 1
      while (count < atOnce && numbers[i + count] === first + count) count++
      this.#fill(this.#buffer, first * pageBytes, count * pageBytes, first)
      for (let j = 0; j < count; j++)
        see(first + j, this.#buffer.subarray(j * pageBytes, (j + 1) * pageBytes))
      i += count
      const pause = this.#pace.pause()
      if (pause) await pause
    }
  }

  #fill(buffer: Buffer, position: number, bytes: number, page: number): void {
    for (let done = 0; done < bytes;) {
      const read = readSync(this.#walked.fd, buffer, done, bytes - done, position + done)
      if (read === 0) throw new DamagedPage(`page ${page} is missing`)
      done += read
    }
  }

  #checkHeader(tree: Tree, number: number, header: Buffer, kind: keyof typeof IS): void {
    const own = header.readBigUInt64LE(0)
    if (own !== BigInt(number))
      throw new DamagedPage(`page ${number} of ${tree.name} says that it is page ${own}`)
    if ((header.readUInt16LE(18) & ~PASSING) !== IS[kind])
      throw new DamagedPage(`page ${number} of ${tree.name} is no ${kind} page`)
    const { meta } = this.#walked
    const written = header.readBigUInt64LE(8)
    if (written > meta.transaction)
      throw new DamagedPage(`page ${number} of ${tree.name} is of a later transaction`)
    // Each transaction writes these two anew.
    const isNew = (tree === meta.free || tree === meta.main) && number === tree.root
    if (isNew && written !== meta.transaction)
      throw new DamagedPage(`page ${number} of ${tree.name} is of an earlier transaction`)
  }

  /** Where the entries of a page begin. */
  #entries(tree: Tree, number: number, page: Buffer): readonly number[] {
    const lower = page.readUInt16LE(20)
    const upper = page.readUInt16LE(22)
    if (lower > upper || lower % 2 !== 0 || HEADER_BYTES + upper > page.length)
      throw new DamagedPage(`page ${number} of ${tree.name} has entries that cannot be`)
    const entries: number[] = []
    for (let at = 0; at < lower; at += 2) {
      const entry = HEADER_BYTES + page.readUInt16LE(HEADER_BYTES + at)
      if (entry < HEADER_BYTES + upper) throw this.#badEntry(tree, number)
      this.#checkEnd(tree, number, page, entry + NODE_BYTES)
      entries.push(entry)
    }
    return entries
  }

  #badEntry(tree: Tree, number: number): DamagedPage {
    return new DamagedPage(`page ${number} of ${tree.name} has entries that cannot be`)
  }

  #checkEnd(tree: Tree, number: number, page: Buffer, end: number): void {
    if (end > page.length) throw this.#badEntry(tree, number)
  }

  /** The free list is one of transactions: a page of another tree in its place shows by its keys. */
  #checkKey(tree: Tree, number: number, page: Buffer, at: number): void {
    const { meta } = this.#walked
    if (tree !== meta.free) return
    this.#checkEnd(tree, number, page, at + NODE_BYTES + NUMBER_BYTES)
    const isNumber = page.readUInt16LE(at + 6) === NUMBER_BYTES
    if (!isNumber || page.readBigUInt64LE(at + NODE_BYTES) > meta.transaction)
      throw this.#badEntry(tree, number)
  }

  #branch(tree: Tree, number: number, page: Buffer, next: number[]): void {
    this.#checkHeader(tree, number, page, 'branch')
    const entries = this.#entries(tree, number, page)
    if (entries.length === 0) throw this.#badEntry(tree, number)
    for (const at of entries) {
      this.#checkEnd(tree, number, page, at + NODE_BYTES + page.readUInt16LE(at + 6))
      // The first key of a branch is not used.
      if (at !== entries[0]) this.#checkKey(tree, number, page, at)
      const child = page.readUIntLE(at, 6)
      this.#reach(child, 1, tree)
      next.push(child)
    }
  }

  #leaf(tree: Tree, number: number, page: Buffer, trees: Tree[] | null): void {
    this.#checkHeader(tree, number, page, 'leaf')
    for (const at of this.#entries(tree, number, page)) {
      const bytes = page.readUInt32LE(at)
      const flags = page.readUInt16LE(at + 4)
      const value = at + NODE_BYTES + page.readUInt16LE(at + 6)
      const isOverflow = flags === NODE_OVERFLOW
      this.#checkKey(tree, number, page, at)
      this.#checkEnd(tree, number, page, value + (isOverflow ? OVERFLOW_BYTES : bytes))
      if (tree === this.#walked.meta.main && flags !== NODE_TREE) {
        throw this.#badEntry(tree, number)
      } else if (isOverflow) {
        this.#overflow(tree, page.subarray(value, value + OVERFLOW_BYTES), bytes)
      } else if (flags === NODE_TREE && trees !== null && bytes === TREE_BYTES) {
        const name = page.toString('utf8', at + NODE_BYTES, value).replaceAll('\0', '')
        trees.push(readTree(`the database ${name}`, page.subarray(value)))
      } else if (flags !== 0) {
        throw this.#badEntry(tree, number)
      }
    }
  }

  #overflow(tree: Tree, record: Buffer, bytes: number): void {
    const { pageBytes } = this.#walked.meta
    const first = Number(record.readBigUInt64LE(0))
    const count = Number(record.readBigUInt64LE(16))
    this.#reach(first, count, tree)
    // The first page alone has a header.
    this.#fill(this.#header, first * pageBytes, HEADER_BYTES, first)
    this.#checkHeader(tree, first, this.#header, 'overflow')
    const pages = this.#header.readUInt32LE(20)
    if (pages !== count || HEADER_BYTES + bytes > count * pageBytes)
      throw new DamagedPage(`page ${first} of ${tree.name} begins a value of another length`)
  }
}
