import {
  Compacted,
  FutureRevision,
  type Event,
  type Item,
  type Page,
  type RangeOptions,
  type Revision,
} from '../engine.ts'
import type { Call, Connection } from './connection.ts'
import { isCompacted } from './errors.ts'
import type { History } from './history.ts'
import type { Layout } from './layout.ts'
import {
  decodeRange,
  encodeRange,
  itemOf,
  type KeyValue,
  type RangeRequest,
  type RangeResponse,
} from './messages.ts'
import type { Position } from './position.ts'

/** Keys of one request where the caller gives no limit, and at most. */
const PAGE = 1_000
const MOST_ITEMS = 10_001
const KEYS_PAGE = 10_000

/** Reads keys of etcd as they are, in etcd's own terms. */
export const readRange = (
  connection: Connection,
  request: RangeRequest,
  { timeoutMs, key, traceparent }: Pick<Call<unknown>, 'timeoutMs' | 'key' | 'traceparent'> = {},
): Promise<RangeResponse> =>
  connection.call({
    method: '/etcdserverpb.KV/Range',
    request: encodeRange(request),
    decode: decodeRange,
    operation: request.end === undefined ? 'get' : 'list',
    ...(key === undefined ? {} : { key }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(traceparent ? { traceparent } : {}),
  })

/** Dependencies of reads. */
export interface ReadsOptions {
  readonly connection: Connection
  readonly layout: Layout
  readonly history: History
  readonly position: Position
}

/** States and changes of the past and present, as far as etcd still has them. */
export class Reads {
  readonly #connection: Connection
  readonly #layout: Layout
  readonly #history: History
  readonly #position: Position

  constructor({ connection, layout, history, position }: ReadsOptions) {
    this.#connection = connection
    this.#layout = layout
    this.#history = history
    this.#position = position
  }

  /** A key at a revision. Throws Compacted and FutureRevision. */
  async get(key: string, at: Revision): Promise<Item | null> {
    const { items } = await this.#readAt(at, { key: this.#layout.toEtcd(key) }, key)
    return items[0] ? itemOf(key, items[0]) : null
  }

  /** Keys under a prefix at a revision. Throws Compacted and FutureRevision. */
  async range(prefix: string, at: Revision, options: RangeOptions): Promise<Page> {
    this.#checkReadable(at)
    const limit = options.limit ?? Infinity
    const items: Item[] = []
    const span = this.#layout.span(prefix, options.start)
    let next = span?.from
    while (span && next !== undefined) {
      // One more shows whether there are more.
      const asked = limit === Infinity ? PAGE : Math.min(MOST_ITEMS, limit - items.length + 1)
      const page = await this.#readAt(at, { key: next, end: span.end, limit: asked }, prefix)
      for (const kv of page.items) {
        const key = this.#layout.toKey(kv.key)
        if (key === null) continue
        if (items.length >= limit) return { items, at, more: true }
        items.push(itemOf(key, kv))
      }
      next = page.more && page.items.length > 0 ? `${page.items.at(-1)!.key}\0` : undefined
    }
    return { items, at, more: false }
  }

  /** Changes after a revision. Throws Compacted. */
  async *changes(prefix: string, from: Revision, to: Revision): AsyncGenerator<readonly Event[]> {
    const position = this.#position
    if (from < position.oldest) throw new Compacted(position.oldest)
    const last = Math.min(to, position.changed)
    if (from >= last) return
    const { root: key, end } = this.#layout
    try {
      for await (const changes of this.#history.read({ key, end, from: from + 1 }, last)) {
        const events = changes.flatMap(({ deleted, item, before: old }): Event[] => {
          const name = this.#layout.toKey(item.key)
          if (name === null || !name.startsWith(prefix)) return []
          const before = old ? itemOf(name, old) : null
          const at = item.changed
          return deleted
            ? [{ at, key: name, value: null, created: before?.created ?? at, before }]
            : [{ at, key: name, value: item.value, created: item.created, before }]
        })
        if (events.length > 0) yield events
      }
    } catch (error) {
      if (error instanceof Compacted) position.raiseFloor(error.oldest)
      throw error
    }
  }

  /** All keys of the store at a revision, without their values. */
  async *keys(at: Revision): AsyncGenerator<KeyValue> {
    let next = this.#layout.root
    for (;;) {
      const { end } = this.#layout
      const request = { key: next, end, limit: KEYS_PAGE, at, keysOnly: true }
      const page = await readRange(this.#connection, request)
      for (const kv of page.items) {
        const key = this.#layout.toKey(kv.key)
        if (key !== null) yield { ...kv, key }
      }
      if (!page.more || page.items.length === 0) return
      next = `${page.items.at(-1)!.key}\0`
    }
  }

  #checkReadable(at: Revision): void {
    const { known, notified, oldest } = this.#position
    if (at > known) throw new FutureRevision(notified)
    if (at < oldest) throw new Compacted(oldest)
  }

  /** Reads the state of a revision, also when etcd has only younger ones that are no different. */
  async #readAt(at: Revision, request: RangeRequest, name: string): Promise<RangeResponse> {
    const position = this.#position
    for (;;) {
      this.#checkReadable(at)
      const { known } = position
      try {
        const read = { ...request, at: at >= position.changed ? known : at }
        return await readRange(this.#connection, read, { key: name })
      } catch (error) {
        if (!isCompacted(error)) throw error
        position.raiseFloor(await this.#history.floor(this.#layout.marker))
        // Of a state that may still be the newest, a younger revision is made to read it at.
        if (at >= position.changed && known === position.known)
          await position.catchUp(position.floor)
      }
    }
  }
}
