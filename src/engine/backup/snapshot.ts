import type { Engine, Item, Revision } from '../engine.ts'

/** One state of a store, read at leisure while others write. */
export interface Snapshot {
  readonly revision: Revision
  /** Words that the data depends on, as the store was made with. */
  readonly format: Readonly<Record<string, string>>
  /** How many items there are. */
  readonly objects: number
  /** Everything, in order of key, some at a time. */
  items(): AsyncIterable<readonly Item[]>
  /** Releases the state. May be called twice. */
  close(): Promise<void>
}

const PAGE = 500

/** The state of an engine at its newest revision, for those that have no quicker way. */
export async function snapshotOf(
  engine: Engine,
  format: Readonly<Record<string, string>> = {},
): Promise<Snapshot> {
  const revision = engine.revision()
  let objects = 0
  for await (const page of itemsOf(engine, revision)) objects += page.length
  return {
    revision,
    format,
    objects,
    items: () => itemsOf(engine, revision),
    close: async () => {},
  }
}

/** Everything at a revision, in order of key. Throws Compacted when history is shorter than this takes. */
export async function* itemsOf(engine: Engine, at: Revision): AsyncGenerator<readonly Item[]> {
  let start = ''
  for (;;) {
    const { items, more } = await engine.range('', { at, start, limit: PAGE })
    const last = items.at(-1)
    if (last) yield items
    if (!more || !last) return
    // The least key after the last one.
    start = `${last.key}\0`
  }
}
