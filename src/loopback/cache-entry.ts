import { placeOf, type ReadDependencies } from '../registry/context.ts'
import type { Entry } from '../client/entry.ts'
import type { MemberNames } from '../client/member-names.ts'
import { META_GROUP } from '../client/meta-group.ts'
import { objectBytes } from '../http/represent.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { parseOutline } from '../codec/json-outline.ts'
import { parseJson } from '../codec/json-text.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import { mentionsMember } from './mentions-member.ts'

/** How objects of the cache are read. */
export interface CacheReading {
  readonly api: ReadDependencies
  readonly served: ResourceEntry
  readonly metadataOnly: boolean
}

/** An object as a new JSON value. */
export function readVersion({ api, served, metadataOnly }: CacheReading, version: StoredObject) {
  if (!metadataOnly) return parseJson(objectBytes(api, served, version))
  const { conversion } = served
  // Objects that another module converts keep name and owners of the stored bytes.
  const isOwnForm = conversion === null || conversion.same || conversion.waiting !== undefined
  const metadata: unknown = isOwnForm
    ? parseJson(version.metadata())
    : (parseJson(objectBytes(api, served, version)) as { metadata: unknown }).metadata
  return { kind: 'PartialObjectMetadata', apiVersion: `${META_GROUP}/v1`, metadata }
}

const UID = Buffer.from('"uid":"')
const QUOTE = 0x22

/** An object of the cache; nothing is decoded before it is accessed. */
export class CacheEntry<T> implements Entry<T> {
  readonly #reading: CacheReading
  readonly #version: StoredObject
  /** Revision of the deletion, for a deleted object. */
  readonly #revision: number
  #object: T | undefined
  /** Names that it is known not to have outside of its metadata. */
  #lacks: MemberNames | undefined

  constructor(reading: CacheReading, version: StoredObject, revision: number = version.revision) {
    this.#reading = reading
    this.#version = version
    this.#revision = revision
  }

  get namespace(): string {
    return placeOf(this.#reading.served, this.#version.key).namespace
  }

  get name(): string {
    return placeOf(this.#reading.served, this.#version.key).name
  }

  get key(): string {
    return this.#version.key.slice(this.#reading.served.keyPrefix.length)
  }

  /** It is among the first members of metadata, and only names precede it. */
  get uid(): string {
    const metadata = this.#version.metadata()
    const at = metadata.indexOf(UID)
    if (at === -1) return ''
    const start = at + UID.length
    return metadata.toString('latin1', start, metadata.indexOf(QUOTE, start))
  }

  get object(): T {
    const version = this.#version
    const shown =
      this.#revision === version.revision ? version : version.withRevision(this.#revision)
    // The caller chose the resource, and with it the type of its objects.
    return (this.#object ??= readVersion(this.#reading, shown) as T)
  }

  without(...names: readonly string[]): T {
    const { api, served, metadataOnly } = this.#reading
    if (this.#object !== undefined || metadataOnly || this.#revision !== this.#version.revision)
      return this.object
    return parseOutline(objectBytes(api, served, this.#version), names) as T
  }

  mayHave(names: MemberNames): boolean {
    return mentionsMember(this.#version.metadata(), names)
  }

  mayHaveOutside(names: MemberNames): boolean {
    // Several handlers ask for the same names, and most objects have none of them.
    if (this.#lacks === names) return false
    const version = this.#version
    const has = names.isIn(version.json(), version.metaStart + version.metaLength)
    if (!has) this.#lacks = names
    return has
  }

  mayContain(text: string): boolean {
    return this.#version.json().includes(text)
  }
}
