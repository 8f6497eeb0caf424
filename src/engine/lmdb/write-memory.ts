/** Bytes of a block; a list that is larger has one of its own. */
const BLOCK_BYTES = 512 << 10
/** Blocks that are kept for later: as many as hold what waits in both halves of the journal, and are not full. */
const MOST_SPARE = 7

/** Memory of lists of writes, one behind the other. */
export interface MemoryBlock {
  readonly memory: Buffer
  /** Up to where it is taken. */
  used: number
  /** How many lists are in it. */
  lists: number
}

/** Memory of lists of writes, which is used again when all lists of a block have given it back. */
export class WriteMemory {
  #current: MemoryBlock | null = null
  readonly #spare: MemoryBlock[] = []

  /** A block with room for so many bytes behind `used`, for one more list. */
  take(bytes: number): MemoryBlock {
    let block = this.#current
    if (!block || block.memory.length - block.used < bytes)
      block = this.#current = this.#another(bytes)
    block.lists++
    return block
  }

  /** Takes back what a list has of a block. */
  give(block: MemoryBlock): void {
    block.lists--
    if (block.lists > 0) return
    block.used = 0
    const isKept = block.memory.length === BLOCK_BYTES && this.#spare.length < MOST_SPARE
    if (block !== this.#current && isKept) this.#spare.push(block)
  }

  #another(bytes: number): MemoryBlock {
    const spare = bytes <= BLOCK_BYTES ? this.#spare.pop() : undefined
    return (
      spare ?? {
        memory: Buffer.allocUnsafeSlow(Math.max(bytes, BLOCK_BYTES)),
        used: 0,
        lists: 0,
      }
    )
  }
}
