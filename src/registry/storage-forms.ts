/** Converts stored objects of another version to the current storage version. */
import { readStorageTag } from '../base/storage-tag.ts'
import { DecodeError } from '../codec/codec.ts'
import type { Catalogue, ResourceEntry } from '../catalogue/catalogue.ts'
import type { ResourceVersions } from '../catalogue/catalogue-snapshot.ts'
import { parseJson } from '../codec/json-text.ts'
import { StatusError } from '../meta/errors.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { WatchCache } from '../cache/watch-cache.ts'
import { tagOf } from '../engine/record.ts'
import type { StorageForm } from '../cache/storage-form.ts'
import { TransformError } from '../engine/encryption/unreadable.ts'
import { hookContext, type HookDependencies } from './context.ts'
import { storedObjects } from './conversion.ts'
import {
  asVersion,
  decodeDocument,
  decodeStoredVersion,
  encodeObject,
  convertToStorage,
} from './objects.ts'

/** Storage form of each ResourceCache, by the prefix of its keys. */
export function storageForms(
  catalogue: Pick<Catalogue, 'entryAt'>,
  api: () => HookDependencies,
): (prefix: string) => StorageForm | null {
  const forms = new WeakMap<ResourceEntry, StorageForm>()
  return (prefix) => {
    const storage = catalogue.entryAt(prefix)?.versions[0]
    if (!storage) return null
    let form = forms.get(storage)
    if (!form) forms.set(storage, (form = new ResourceForm(storage, api)))
    return form
  }
}

/** Adds and removes resource caches with the resources of the catalogue. Returns a function that stops this. */
export const renewTables = (cache: WatchCache, catalogue: Catalogue): (() => void) =>
  catalogue.subscribe(({ added, changed, removed }) => {
    for (const { versions } of [...removed, ...added]) cache.renew(versions[0].keyPrefix)
    for (const { before, now } of changed)
      if (isOther(before, now)) cache.renew(now.versions[0].keyPrefix)
  })

/** Whether objects are decoded differently. Watches of a version that is no longer served end, too. */
const isOther = (before: ResourceVersions, now: ResourceVersions): boolean =>
  before.versions.some((one, i) => now.versions[i] !== one) ||
  before.versions.length !== now.versions.length ||
  before.served.some(
    (one) => !now.served.some(({ groupVersion }) => groupVersion === one.groupVersion),
  )

class ResourceForm implements StorageForm {
  readonly tag: Uint8Array
  readonly of: ResourceEntry
  readonly prepare?: (records: readonly Uint8Array[]) => Promise<void>
  readonly #storage: ResourceEntry
  readonly #api: () => HookDependencies
  /** Converted records by their source; or why the conversion failed. */
  readonly #ready = new WeakMap<Uint8Array, Uint8Array | string>()

  constructor(storage: ResourceEntry, api: () => HookDependencies) {
    this.tag = storage.storageTag
    this.of = storage
    this.#storage = storage
    this.#api = api
    if (storage.versions.some(({ conversion }) => conversion?.waiting))
      this.prepare = (records) => this.#prepare(records)
  }

  convert(record: Uint8Array, key: string): Uint8Array {
    const { version } = readStorageTag(tagOf(record))
    const from = this.#versionNamed(version)
    if (!from)
      throw new TransformError(
        key,
        `it was stored in version ${JSON.stringify(version)}, which this server does not know`,
      )
    const ready = this.#ready.get(record)
    if (ready !== undefined && typeof ready !== 'string') return ready
    try {
      if (ready !== undefined) throw new DecodeError([], ready)
      const storage = this.#storage
      const c = hookContext(this.#api())
      const document = documentOf(record)
      const object =
        from === storage
          ? decodeDocument(storage, document, c)
          : convertToStorage(from, decodeStoredVersion(from, document, c), c)
      return encodeObject(storage, object)
    } catch (error) {
      if (error instanceof DecodeError || error instanceof StatusError)
        throw new TransformError(
          key,
          `it was stored in version ${JSON.stringify(version)} and cannot be converted: ${error.message}`,
        )
      throw error
    }
  }

  #versionNamed(version: string): ResourceEntry | undefined {
    const storage = this.#storage
    return version === storage.version
      ? storage
      : storage.versions.find((one) => one.version === version)
  }

  async #prepare(records: readonly Uint8Array[]): Promise<void> {
    const c = hookContext(this.#api())
    const byVersion = new Map<ResourceEntry, { record: Uint8Array; object: Typed }[]>()
    for (const record of records) {
      const from = this.#versionNamed(readStorageTag(tagOf(record)).version)
      if (!from?.conversion?.waiting) continue
      try {
        const object = decodeStoredVersion(from, documentOf(record), c)
        const of = byVersion.get(from) ?? []
        byVersion.set(from, of)
        of.push({ record, object })
      } catch (error) {
        if (!(error instanceof StatusError)) throw error
        this.#ready.set(record, error.message)
      }
    }
    for (const [from, of] of byVersion) {
      const objects = of.map(({ object }) => object)
      const stored = await storedObjects(from, from.conversion!.waiting!, objects)
      for (const [i, { record }] of of.entries())
        this.#ready.set(record, encodeObject(this.#storage, stored[i]!))
    }
  }
}

const documentOf = (record: Uint8Array): unknown =>
  parseJson(asVersion(Buffer.from(record), 0).json())
