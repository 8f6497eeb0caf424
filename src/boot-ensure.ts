import { contextOnce, hookContext, keyOf, type Api, type Call } from './api/context.ts'
import { modifyObject } from './api/modify.ts'
import { createObject } from './api/write.ts'
import { Decoding, type JsonObject } from './schema/codec.ts'
import type { Served } from './schema/catalogue.ts'
import { StatusError } from './schema/errors.ts'
import type { Typed } from './schema/object-meta.ts'

/** An object that must be there. */
export interface Wanted {
  /** Empty for cluster scope. */
  readonly namespace: string
  /** The object to make, with its name. */
  readonly object: JsonObject & { readonly metadata: JsonObject & { readonly name: string } }
  /** Members that a present object is given anew, perhaps as it is found; none without. */
  readonly members?: JsonObject | ((present: Typed) => JsonObject)
}

const SERVER = { name: 'system:apiserver', uid: '', groups: ['system:masters'], extra: {} }
const OPTIONS = { dryRun: false, fieldManager: '', fieldValidation: 'Ignore' } as const

/** Makes an object of the server's own, or brings a present one up to date. Throws StatusError when it is refused. */
export async function ensureObject(
  api: Api,
  served: Served,
  { namespace, object, members = {} }: Wanted,
): Promise<void> {
  const { name } = object.metadata
  const table = await api.cache.table(served.hub.keyPrefix)
  const decode = (value: JsonObject) =>
    served.codec.decode(
      { kind: served.kind, apiVersion: served.groupVersion, ...value },
      new Decoding(),
    ) as unknown as Typed
  if (!table.get(keyOf(served, namespace, name))) {
    const fresh = decode(object)
    served.strategy.fill?.(fresh, hookContext(api))
    try {
      await createObject(api, callOf(api, served, namespace), fresh, OPTIONS)
      return
    } catch (error) {
      // Another server may have been faster, which is as good.
      if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists') throw error
    }
  }
  const membersOf = typeof members === 'function' ? members : () => members
  if (typeof members !== 'function' && Object.keys(members).length === 0) return
  await modifyObject(api, { served, namespace, name }, (present) => {
    const old = structuredClone(present)
    const asked = membersOf(present)
    const wanted = decode(asked) as unknown as JsonObject
    for (const key of Object.keys(asked))
      (present as unknown as JsonObject)[key] = structuredClone(wanted[key])
    served.strategy.onUpdate?.(present, old, hookContext(api))
  })
}

const callOf = (api: Api, served: Served, namespace: string): Call => ({
  served,
  subresource: '',
  namespace,
  name: '',
  query: new Map(),
  user: SERVER,
  userAgent: '',
  body: () => Promise.reject(new Error('the server sends no body to itself')),
  context: contextOnce(api, SERVER, served),
  warn: () => {},
  signal: () => new AbortController().signal,
})
