import type { ObjectSource } from '../catalogue/object-source.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { ResourceName } from '../meta/resource-name.ts'

/**
 * What a plugin keeps of each object of a resource with few objects, such as classes. It is read when it is first
 * needed, and from then on follows every change.
 *
 *     const defaults = new Followed(objects, CLASSES, (one: StorageClass) => (isDefault(one) ? true : null))
 *     await defaults.load()
 *     defaults.kept.size
 */
export class Followed<T extends Typed, K> {
  readonly #objects: ObjectSource
  readonly #resource: ResourceName
  readonly #keep: (object: T) => K | null
  readonly #kept = new Map<string, K>()
  #loading: Promise<void> | null = null
  #isLoaded = false
  #end: (() => void) | null = null
  #isClosed = false

  /** Objects for which `keep` returns null are left out. */
  constructor(objects: ObjectSource, resource: ResourceName, keep: (object: T) => K | null) {
    this.#objects = objects
    this.#resource = resource
    this.#keep = keep
  }

  /** What is kept, by the key of the object: its name, or `namespace/name`. */
  get kept(): ReadonlyMap<string, K> {
    return this.#kept
  }

  /** Resolves when everything has been read; null when it has. A failed attempt is repeated by the next call. */
  load(): Promise<void> | null {
    if (this.#isLoaded) return null
    return (this.#loading ??= this.#follow().catch((error: unknown) => {
      this.#loading = null
      throw error
    }))
  }

  close(): void {
    this.#isClosed = true
    this.#end?.()
  }

  async #follow(): Promise<void> {
    this.#end = await this.#objects.follow<T>(this.#resource, {
      set: (object) => {
        const kept = this.#keep(object)
        if (kept === null) this.#kept.delete(keyOf(object))
        else this.#kept.set(keyOf(object), kept)
      },
      removed: (object) => void this.#kept.delete(keyOf(object)),
    })
    this.#isLoaded = true
    if (this.#isClosed) this.#end()
  }
}

const keyOf = ({ metadata: { namespace = '', name = '' } }: Typed): string =>
  namespace === '' ? name : `${namespace}/${name}`
