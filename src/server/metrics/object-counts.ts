import { yieldToEventLoop } from '../../base/event-loop.ts'
import { tablePrefixOf } from '../../base/store-keys.ts'
import type { WatchCache } from '../../cache/watch-cache.ts'
import type { Engine, Event } from '../../engine/engine.ts'

const PAGE = 500

/**
 * Numbers of stored objects. The cache knows those of the resources that it holds. The others are counted once, page by
 * page, and then kept current by the changes: they need not be read for a number.
 */
export class ObjectCounts {
  readonly #engine: Engine
  readonly #cache: WatchCache
  readonly #counted = new Map<string, Promise<{ objects: number }>>()
  /** Changes of resources that are being counted. */
  readonly #counting = new Map<string, Event[]>()
  readonly #unsubscribe: () => void

  constructor(engine: Engine, cache: WatchCache) {
    this.#engine = engine
    this.#cache = cache
    this.#unsubscribe = engine.subscribe((events) => this.#take(events))
  }

  /** Number of objects of the resource whose keys have a prefix. Rejects when the store does not respond. */
  async count(prefix: string): Promise<number> {
    const loaded = this.#cache.loaded(prefix)
    if (loaded) return loaded.size
    let counted = this.#counted.get(prefix)
    if (!counted) {
      counted = this.#count(prefix)
      this.#counted.set(prefix, counted)
      counted.catch(() => this.#counted.delete(prefix))
    }
    return (await counted).objects
  }

  close(): void {
    this.#unsubscribe()
  }

  async #count(prefix: string): Promise<{ objects: number }> {
    const missed: Event[] = []
    this.#counting.set(prefix, missed)
    try {
      let start: string | undefined
      let at: number | undefined
      let objects = 0
      for (;;) {
        const page = await this.#engine.range(prefix, {
          limit: PAGE,
          ...(start === undefined ? {} : { start }),
          ...(at === undefined ? {} : { at }),
        })
        at ??= page.at
        objects += page.items.length
        if (!page.more) break
        start = `${page.items.at(-1)!.key}\0`
        await yieldToEventLoop()
      }
      const counted = { objects }
      for (const event of missed) if (event.at > at) change(counted, event)
      return counted
    } finally {
      this.#counting.delete(prefix)
    }
  }

  #take(events: readonly Event[]): void {
    if (this.#counted.size === 0) return
    for (const event of events) {
      const prefix = tablePrefixOf(event.key)
      const counting = this.#counting.get(prefix)
      if (counting) counting.push(event)
      else
        this.#counted.get(prefix)?.then(
          (counted) => change(counted, event),
          () => {},
        )
    }
  }
}

function change(counted: { objects: number }, { at, value, created }: Event): void {
  if (value === null) counted.objects--
  else if (created === at) counted.objects++
}
