/** An object that can be in a pool: it knows its own index there. */
export interface InPool {
  /** Written by the pool alone; -1: in none. */
  place: number
}

/**
 * Objects that come and go by the thousand each second. A `Set` makes a new table every so often, and the old ones, once
 * they are in the old generation, keep their former entries from being collected: many times the work for the
 * collector.
 */
export class IndexedPool<T extends InPool> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  /** Adds an object that is in no pool. */
  add(item: T): void {
    item.place = this.#items.length
    this.#items.push(item)
  }

  /** Removes an object that is in this pool or in none. */
  delete(item: T): void {
    const { place } = item
    if (place === -1) return
    const last = this.#items.pop()!
    if (last !== item) {
      this.#items[place] = last
      last.place = place
    }
    item.place = -1
  }

  /** All of them, in no order; the visited object may be removed. */
  *[Symbol.iterator](): Generator<T> {
    for (let i = this.#items.length - 1; i >= 0; i--) {
      const item = this.#items[i]
      if (item) yield item
    }
  }
}
