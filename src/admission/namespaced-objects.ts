import type { Clock } from '../base/clock.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { ResourceName } from '../meta/resource-name.ts'

/** How long a namespace counts as empty after other servers' writes were looked at. */
const FRESH_MS = 30_000

const MAX_FRESH = 10_000

/**
 * The objects of one resource by namespace, for plugins that need all of a namespace. Only names are kept; nothing is
 * read before the first use.
 */
export class NamespacedObjects<T extends Typed> {
  readonly #objects: ObjectSource
  readonly #clock: Clock
  readonly #resource: ResourceName
  readonly #names = new Map<string, Set<string>>()
  /** Empty namespaces, with the time until which they are taken for that. */
  readonly #empty = new Map<string, number>()
  #loading: Promise<void> | null = null
  #isLoaded = false
  #isClosed = false
  #end: (() => void) | null = null

  constructor(objects: ObjectSource, clock: Clock, resource: ResourceName) {
    this.#objects = objects
    this.#clock = clock
    this.#resource = resource
  }

  /** The objects of a namespace, by name; null when there are none. */
  in(namespace: string): readonly T[] | null | Promise<readonly T[] | null> {
    if (!this.#isLoaded) return this.#load().then(() => this.in(namespace))
    if (this.#names.has(namespace)) return this.#read(namespace)
    if ((this.#empty.get(namespace) ?? 0) > this.#clock.now()) return null
    const fresh = this.#objects.fresh?.()
    if (!fresh) return null
    return fresh.then(() => {
      if (this.#names.has(namespace)) return this.#read(namespace)
      if (this.#empty.size >= MAX_FRESH) this.#empty.clear()
      this.#empty.set(namespace, this.#clock.now() + FRESH_MS)
      return null
    })
  }

  close(): void {
    this.#isClosed = true
    this.#end?.()
  }

  async #read(namespace: string): Promise<readonly T[] | null> {
    const found: T[] = []
    for (const name of [...(this.#names.get(namespace) ?? [])].sort()) {
      const object = await this.#objects.get<T>(this.#resource, namespace, name)
      if (object) found.push(object)
    }
    return found.length === 0 ? null : found
  }

  /** A failed attempt is repeated by the next request. */
  #load(): Promise<void> {
    return (this.#loading ??= this.#follow().catch((error: unknown) => {
      this.#loading = null
      throw error
    }))
  }

  async #follow(): Promise<void> {
    const add = (namespace: string, name: string) => {
      const names = this.#names.get(namespace) ?? new Set()
      this.#names.set(namespace, names.add(name))
    }
    this.#end = await this.#objects.follow<T>(this.#resource, {
      set: ({ metadata: { namespace = '', name = '' } }) => add(namespace, name),
      named: ({ namespace, name }) => add(namespace, name),
      removed: ({ metadata: { namespace = '', name = '' } }) => {
        const names = this.#names.get(namespace)
        names?.delete(name)
        if (names?.size === 0) this.#names.delete(namespace)
      },
    })
    this.#isLoaded = true
    if (this.#isClosed) this.#end()
  }
}
