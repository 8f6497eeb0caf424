/** Brings objects that the store has in another version into today's storage version. */
import { readStorageTag } from '../base/storage-tag.ts'
import { DecodeError } from '../schema/codec.ts'
import type { Catalogue, Served } from '../schema/catalogue.ts'
import { parseJson } from '../schema/json-text.ts'
import { StatusError } from '../schema/errors.ts'
import type { Cache } from '../store/cache/cache.ts'
import { tagOf } from '../store/cache/record.ts'
import type { StorageForm } from '../store/cache/storage-form.ts'
import { TransformError } from '../store/encryption/unreadable.ts'
import { hookContext, type Api } from './context.ts'
import { asVersion, decodeDocument, decodeServed, encodeObject, toHub } from './objects.ts'

/** What the cache asks for each of its tables: the form of a resource by the prefix of its keys. */
export function storageForms(
  catalogue: Pick<Catalogue, 'entryAt'>,
  api: () => Api,
): (prefix: string) => StorageForm | null {
  const forms = new WeakMap<Served, StorageForm>()
  return (prefix) => {
    const hub = catalogue.entryAt(prefix)?.versions[0]
    if (!hub) return null
    let form = forms.get(hub)
    if (!form) forms.set(hub, (form = new ResourceForm(hub, api)))
    return form
  }
}

/** Lets the tables of a cache go and come with the resources of the catalogue. Returns what ends that. */
export const renewTables = (cache: Cache, catalogue: Catalogue): (() => void) =>
  catalogue.subscribe(({ added, changed, removed }) => {
    for (const { versions } of [...removed, ...added]) cache.renew(versions[0].keyPrefix)
    for (const { before, now } of changed) {
      const [hub] = now.versions
      if (hub !== before.versions[0]) cache.renew(hub.keyPrefix)
    }
  })

class ResourceForm implements StorageForm {
  readonly tag: Uint8Array
  readonly of: Served
  readonly #hub: Served
  readonly #api: () => Api

  constructor(hub: Served, api: () => Api) {
    this.tag = hub.storageTag
    this.of = hub
    this.#hub = hub
    this.#api = api
  }

  convert(record: Uint8Array, key: string): Uint8Array {
    const { version } = readStorageTag(tagOf(record))
    const hub = this.#hub
    const from = version === hub.version ? hub : hub.versions.find((one) => one.version === version)
    if (!from)
      throw new TransformError(
        key,
        `it was stored in version ${JSON.stringify(version)}, which this server does not know`,
      )
    const c = hookContext(this.#api())
    const document = parseJson(asVersion(Buffer.from(record), 0).json())
    try {
      const object =
        from === hub
          ? decodeDocument(hub, document, c)
          : toHub(from, decodeServed(from, document, c).object, c)
      return encodeObject(hub, object)
    } catch (error) {
      if (error instanceof DecodeError || error instanceof StatusError)
        throw new TransformError(
          key,
          `it was stored in version ${JSON.stringify(version)} and cannot be converted: ${error.message}`,
        )
      throw error
    }
  }
}
