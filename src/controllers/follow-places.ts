import type { Api } from '../api/context.ts'
import type { Served } from '../schema/catalogue.ts'
import { followVersions } from '../store/cache/follow.ts'
import type { Version } from '../store/cache/version.ts'

/** Where an object is. */
export interface Place {
  /** Empty for cluster scope. */
  readonly namespace: string
  readonly name: string
}

/** Told of objects by their place; nothing is decoded. Must not throw. */
export interface PlaceHandler {
  /** Every object at the start, then each created or changed one. */
  set?(place: Place, version: Version): void
  /** An object that is gone, in its last state. */
  removed?(place: Place, version: Version): void
}

/** Follows a resource of which few objects matter. Returns what ends it. */
export function followPlaces(
  api: Api,
  { hub: { keyPrefix } }: Served,
  handler: PlaceHandler,
): Promise<() => void> {
  return followVersions(api.cache, keyPrefix, {
    set: (version) => handler.set?.(placeOf(version.key, keyPrefix), version),
    removed: (version) => handler.removed?.(placeOf(version.key, keyPrefix), version),
  })
}

/** One text for a place, for queues and maps. */
export const textOf = ({ namespace, name }: Place): string => `${namespace}/${name}`

/** The place that a text stands for. */
export function placeIn(text: string): Place {
  const slash = text.indexOf('/')
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) }
}

function placeOf(key: string, prefix: string): Place {
  const rest = key.slice(prefix.length)
  return rest.includes('/') ? placeIn(rest) : { namespace: '', name: rest }
}
