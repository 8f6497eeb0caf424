import { Pace } from '../base/turn.ts'
import { parseJson } from '../schema/json-text.ts'
import type { Served } from '../schema/catalogue.ts'
import type { Typed } from '../schema/object-meta.ts'
import { claimChanges } from './claims.ts'
import { hookContext, keyOf, type Api } from './context.ts'
import { isGoing } from './going.ts'
import { asVersion, decodeDocument, decodeStored, encodeObject } from './objects.ts'

/** Which object the server itself changes. */
export interface Place {
  readonly served: Served
  readonly namespace: string
  readonly name: string
}

/**
 * Changes one object by the server's own word: `change` alters the copy it is given, or throws, and is called again
 * when the object changed meanwhile. Returns the object before, or null when there is none. Nothing is written on a
 * dry run.
 */
export async function modifyObject<T extends Typed>(
  api: Api,
  place: Place,
  change: (object: T) => void,
  options: { readonly dryRun?: boolean; readonly attempts?: number } = {},
): Promise<{ readonly done: boolean; readonly object: T } | null> {
  const { served } = place
  const key = keyOf(served, place.namespace, place.name)
  const table = await api.cache.table(served.hub)
  const c = hookContext(api)
  return api.turns.take(key, async () => {
    for (let left = options.attempts ?? Infinity; left > 0; left--) {
      const live = table.get(key)
      if (!live) return null
      const pace = new Pace()
      const document = parseJson(live.json())
      await pace.pause()
      const old = decodeDocument<T>(served, document, c)
      await pace.pause()
      const next = decodeDocument<T>(served, document, c)
      await pace.pause()
      change(next)
      if (options.dryRun === true) return { done: true, object: next }
      const record = encodeObject(served, next)
      if (asVersion(record, live.revision).json().equals(live.json()))
        return { done: true, object: next }
      const commit = await api.cache.commit(
        [
          { key, value: record, ifChangedAt: live.revision, frees: isGoing(next) },
          ...claimChanges(api.pools, served, old, next, key),
        ],
        table,
      )
      if (commit.done) return { done: true, object: next }
    }
    const live = table.get(key)
    return live ? { done: false, object: decodeStored<T>(served, live, c) } : null
  })
}
