import { hookContext, keyOf, placeOf, type Api } from './api/context.ts'
import { decodeStored } from './api/objects.ts'
import type { Served } from './schema/catalogue.ts'
import type { Typed } from './schema/object-meta.ts'
import type { ObjectHandler, ObjectSource, ResourceName } from './schema/object-source.ts'
import { followVersions } from './store/cache/follow.ts'
import type { Version } from './store/cache/version.ts'

/**
 * Objects out of the server's own memory, decoded once for each of their versions. What a handler throws goes to
 * `onError` and does not reach the commit that it was told of.
 */
export function objectSource(api: Api, onError: (error: unknown) => void = () => {}): ObjectSource {
  const decoded = new WeakMap<Version, Typed>()

  const storedForm = ({ group, resource }: ResourceName): Served | undefined => {
    const hub = api.catalogue.entry(group, resource)?.versions[0]
    return hub?.virtual === null ? hub : undefined
  }
  const decode = <T extends Typed>(served: Served, version: Version): T => {
    let object = decoded.get(version)
    if (!object) decoded.set(version, (object = decodeStored(served, version, hookContext(api))))
    // Who asks for a resource knows its kind.
    return object as T
  }
  return {
    async get<T extends Typed>(name: ResourceName, namespace: string, objectName: string) {
      const served = storedForm(name)
      if (!served || objectName === '') return null
      const { keyPrefix } = served
      const table = api.cache.loaded(keyPrefix) ?? (await api.cache.table(keyPrefix))
      const version = table.get(keyOf(served, namespace, objectName))
      return version ? decode<T>(served, version) : null
    },
    fresh: () => api.cache.fresh(),
    async follow<T extends Typed>(name: ResourceName, handler: ObjectHandler<T>) {
      const served = storedForm(name)
      if (!served) return () => {}
      // Not remembered: whoever follows keeps what it needs, and most keep little.
      const read = (version: Version) => decodeStored<T>(served, version, hookContext(api))
      const guarded = <R>(work: () => R): R | null => {
        try {
          return work()
        } catch (error) {
          onError(error)
          return null
        }
      }
      const tell = (event: 'set' | 'removed', version: Version) =>
        void guarded(() => handler[event](read(version)))
      const tellName = (version: Version) =>
        void guarded(() =>
          handler.named?.(placeOf(served, version.key), () => guarded(() => read(version))),
        )
      return followVersions(api.cache, served.keyPrefix, {
        set: handler.named ? tellName : (version) => tell('set', version),
        removed: (version) => tell('removed', version),
      })
    },
  }
}
