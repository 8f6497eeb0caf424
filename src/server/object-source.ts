import { parseOutline } from '../codec/json-outline.ts'
import { hookContext, keyOf, placeOf, type Api } from '../registry/context.ts'
import { decodeDocument, decodeStored } from '../registry/objects.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { ObjectHandler, ObjectSource } from '../catalogue/object-source.ts'
import type { ResourceName } from '../meta/resource-name.ts'
import { followLater, followVersions, type VersionHandler } from '../cache/follow.ts'
import { ResourceCacheGone, type StorageForm } from '../cache/storage-form.ts'
import type { StoredObject } from '../cache/stored-object.ts'

/**
 * Objects from the server's watch cache, each version decoded once. Errors of handlers are passed to `onError` and do
 * not reach the commit that they were notified of.
 */
export function objectSource(api: Api, onError: (error: unknown) => void = () => {}): ObjectSource {
  const decoded = new WeakMap<StoredObject, Typed>()
  const keys = new LastKeys()

  const decode = <T extends Typed>(served: ResourceEntry, version: StoredObject): T => {
    let object = decoded.get(version)
    if (!object) decoded.set(version, (object = decodeStored(served, version, hookContext(api))))
    // The caller chose the resource, and with it the kind.
    return object as T
  }
  return {
    async get<T extends Typed>(name: ResourceName, namespace: string, objectName: string) {
      for (;;) {
        const served = storedForm(api, name)
        if (!served || objectName === '') return null
        try {
          const table = api.cache.loaded(served) ?? (await api.cache.resourceCache(served))
          const version = table.get(keyOf(served, namespace, objectName))
          return version ? decode<T>(served, version) : null
        } catch (error) {
          // It has left, or is in another form: the next round sees that.
          if (!(error instanceof ResourceCacheGone) || storedForm(api, name) === served) throw error
        }
      }
    },
    known<T extends Typed>(name: ResourceName, namespace: string, objectName: string) {
      const served = storedForm(api, name)
      const table = served && api.cache.loaded(served)
      if (!table || objectName === '') return
      const version = table.get(keys.of(served, namespace, objectName))
      return version ? decode<T>(served, version) : null
    },
    fresh: () => api.cache.fresh(),
    async follow<T extends Typed>(name: ResourceName, handler: ObjectHandler<T>) {
      const guarded = <R>(work: () => R): R | null => {
        try {
          return work()
        } catch (error) {
          onError(error)
          return null
        }
      }
      const handlers = versionHandlerOf(api, name, handler, guarded)
      const served = storedForm(api, name)
      if (served) return followVersions(api.cache, served.keyPrefix, handlers)
      let end = () => {}
      const unsubscribe = api.catalogue.subscribe(() => {
        const late = storedForm(api, name)
        if (!late) return
        unsubscribe()
        end = followLater(api.cache, late.keyPrefix, handlers)
      })
      return () => {
        unsubscribe()
        end()
      }
    },
  }
}

/** A key, and what it is of. */
interface KnownKey {
  readonly namespace: string
  readonly name: string
  readonly key: string
}

/** The last key of each resource: plugins ask for the same namespace and account again and again. */
class LastKeys {
  readonly #last = new WeakMap<ResourceEntry, KnownKey>()

  of(served: ResourceEntry, namespace: string, name: string): string {
    const last = this.#last.get(served)
    if (last?.name === name && last.namespace === namespace) return last.key
    const key = keyOf(served, namespace, name)
    this.#last.set(served, { namespace, name, key })
    return key
  }
}

/** Resources that are not served are there too, since they may be stored. */
function storedForm(api: Api, { group, resource }: ResourceName): ResourceEntry | undefined {
  const storage = api.catalogue.entry(group, resource)?.versions[0]
  return storage?.virtual === null ? storage : undefined
}

/** Notifies a handler of objects in their storage form at the time. */
function versionHandlerOf<T extends Typed>(
  api: Api,
  name: ResourceName,
  handler: ObjectHandler<T>,
  guarded: <R>(work: () => R) => R | null,
): VersionHandler {
  // The forms of the server are those of its catalogue; where there are none, there is one only.
  const servedIn = (form: StorageForm | null) =>
    (form?.of as ResourceEntry | undefined) ?? storedForm(api, name)!
  // Not remembered: handlers keep the parts that they need, and most keep little.
  const read = (version: StoredObject, form: StorageForm | null) =>
    decodeStored<T>(servedIn(form), version, hookContext(api))
  return {
    onUpdate(version, form) {
      if (!handler.named) guarded(() => handler.set(read(version, form)))
      else
        guarded(() =>
          handler.named!(placeOf(servedIn(form), version.key), {
            revision: version.revision,
            read: () => guarded(() => read(version, form)),
            readWithout: (...names) =>
              guarded(() =>
                decodeDocument<T>(
                  servedIn(form),
                  parseOutline(version.json(), names),
                  hookContext(api),
                ),
              ),
            outline: (...names) => guarded(() => parseOutline(version.json(), names)),
            mentions: (text) => version.json().lastIndexOf(text) >= 0,
          }),
        )
    },
    onDelete: (version, form) => void guarded(() => handler.removed(read(version, form))),
  }
}
