import type { Revision } from '../engine.ts'
import type { KeyValue, WatchedChange } from './messages.ts'

/** Known state around a gap in the history. Keys are those of etcd. */
export interface Gap {
  /** Keys before it, with the revision they were made at. */
  readonly before: ReadonlyMap<string, Revision>
  /** Keys at its end. */
  readonly after: ReadonlySet<string>
  /** Keys at its end that were changed within it. */
  readonly changed: readonly KeyValue[]
  /** Its last revision. */
  readonly end: Revision
}

/** The fewest changes, in order, that lead from the state before a gap to the one after it. */
export function changesOf({ before, after, changed, end }: Gap): readonly WatchedChange[] {
  const changes: WatchedChange[] = []
  for (const key of before.keys()) if (!after.has(key)) changes.push(deletion(key, end))
  for (const item of changed) {
    const created = before.get(item.key)
    // Deleted and created again meanwhile: a watch must see that it is another object.
    if (created !== undefined && created !== item.created)
      changes.push(deletion(item.key, item.created))
    changes.push({ deleted: false, item, before: null })
  }
  return changes.sort((a, b) => a.item.changed - b.item.changed)
}

const deletion = (key: string, changed: Revision): WatchedChange => ({
  deleted: true,
  item: { key, value: Buffer.alloc(0), created: 0, changed, version: 0, lease: '0' },
  before: null,
})
