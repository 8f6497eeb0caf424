/** Longer pages end early. */
const ROOM_BYTES = 256 << 10

/**
 * Memory for the values of one page after the other. Values on their way into another place need no memory of their own,
 * which would be garbage at once and keep the collector busy.
 */
export class PageRoom {
  #memory: Buffer | null = null
  #used = 0

  /** Forgets the values of the page before, which must not be read from then on. */
  clear(): void {
    this.#used = 0
  }

  /** A copy of a value; null when there is no room left for it. */
  copy(value: Uint8Array): Buffer | null {
    this.#memory ??= Buffer.allocUnsafeSlow(ROOM_BYTES)
    const end = this.#used + value.length
    if (end > ROOM_BYTES) return null
    this.#memory.set(value, this.#used)
    const copied = this.#memory.subarray(this.#used, end)
    this.#used = end
    return copied
  }
}
