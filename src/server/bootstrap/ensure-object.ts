import { keyOf, type Api } from '../../registry/context.ts'
import { InternalWriter } from '../../registry/internal-writer.ts'
import { Decoding, type JsonObject } from '../../codec/codec.ts'
import type { ResourceEntry } from '../../catalogue/catalogue.ts'
import { StatusError } from '../../meta/errors.ts'
import type { Typed } from '../../meta/object-meta.ts'

/** An object that must be there. */
export interface DesiredObject {
  /** Empty for cluster scope. */
  readonly namespace: string
  /** The object to make, with its name. */
  readonly object: JsonObject & { readonly metadata: JsonObject & { readonly name: string } }
  /** Members to set on an existing object, perhaps computed from it; none by default. */
  readonly members?: JsonObject | ((present: Typed) => JsonObject)
}

/** Creates an object of the server, or updates an existing one. Throws StatusError when it is refused. */
export async function ensureObject(
  api: Api,
  served: ResourceEntry,
  { namespace, object, members = {} }: DesiredObject,
): Promise<void> {
  const writer = new InternalWriter(api)
  const { name } = object.metadata
  const table = await api.cache.resourceCache(served.storage)
  if (!table.get(keyOf(served, namespace, name))) {
    try {
      await writer.create({ served, namespace, object })
      return
    } catch (error) {
      // Another server may have been faster, which is as good.
      if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists') throw error
    }
  }
  const membersOf = typeof members === 'function' ? members : () => members
  if (typeof members !== 'function' && Object.keys(members).length === 0) return
  try {
    await writer.change({ served, namespace, name }, (present) => {
      const asked = membersOf(present)
      const { kind, groupVersion: apiVersion } = served
      const wanted = served.codec.decode({ kind, apiVersion, ...asked }, new Decoding())
      for (const key of Object.keys(asked)) (present as unknown as JsonObject)[key] = wanted[key]
    })
  } catch (error) {
    // It was deleted meanwhile: the next attempt creates it.
    if (!(error instanceof StatusError) || error.code !== 404) throw error
  }
}
