/**
 * A catalogue that changes while it is read.
 *
 * Example: the owners are the built-in kinds (K) and two custom resource definitions (D, E). `pods` and so on are the
 * versions of one resource; a quote marks an entry that was made anew.
 *
 *     call                              generation   served                  listeners get
 *     publish(K, [pods, nodes])         1            pods nodes              added pods nodes
 *     publish(D, [shirts])              2            pods nodes shirts       added shirts
 *     publish(D, [shirts])              2            the same                nothing: the entries are the same
 *     publish(D, [shirts'])             3            pods nodes shirts'      changed shirts to shirts'
 *     publish(E, [shirts])              3            throws CatalogueConflict: D serves that resource
 *     publishAll([[D, []], [E, [s]]])   4            pods nodes s            removed shirts', added s
 *
 * A listener may publish as well. The new snapshot is in force at once, but other listeners get its change only after
 * the one that they are getting, so that all of them see every change in order of generation:
 *
 *     publish(D, [shirts])      generation 2
 *       listener 1 gets 2, and calls publish(D, [shirts']): generation 3, change 3 is queued
 *       listener 2 gets 2       (a lookup of its own finds generation 3 already)
 *       listener 1 gets 3
 *       listener 2 gets 3
 */
import type { Catalogue, ResourceEntry, ServedGroup } from './catalogue.ts'
import { CatalogueSnapshot, type OwnedEntry, type ResourceVersions } from './catalogue-snapshot.ts'
import type { ShapeClass } from '../notation/shape.ts'

/** Result of one change of the catalogue. */
export interface CatalogueChange {
  /** The generation after the change. */
  readonly generation: number
  readonly added: readonly ResourceVersions[]
  /** Entries of the same resource, before and after. */
  readonly changed: readonly { readonly before: ResourceVersions; readonly now: ResourceVersions }[]
  readonly removed: readonly ResourceVersions[]
}

/** Called for each change, in order of subscription. Must not throw. */
export type CatalogueListener = (change: CatalogueChange) => void

/**
 * Holds the current snapshot, and replaces it as a whole: a lookup sees a change completely or not at all. For several
 * lookups over several iterations of the event loop, use `now`.
 */
export class LiveCatalogue implements Catalogue {
  #now: CatalogueSnapshot
  readonly #body: (shape: ShapeClass<unknown>) => ResourceEntry
  readonly #byOwner = new Map<string, readonly OwnedEntry[]>()
  readonly #listeners = new Set<CatalogueListener>()
  /** Changes that are still to be reported, in order; a listener may add the next one. */
  readonly #untold: CatalogueChange[] = []

  /** `order`: groups that come first in lists; `body` makes entries of kinds that are not resources. */
  constructor(order: readonly string[], body: (shape: ShapeClass<unknown>) => ResourceEntry) {
    this.#now = CatalogueSnapshot.empty(order)
    this.#body = body
  }

  get generation(): number {
    return this.#now.generation
  }

  get now(): CatalogueSnapshot {
    return this.#now
  }

  get groups(): readonly ServedGroup[] {
    return this.#now.groups
  }

  group(name: string): ServedGroup | undefined {
    return this.#now.group(name)
  }

  find(group: string, version: string, resource: string): ResourceEntry | undefined {
    return this.#now.find(group, version, resource)
  }

  findKind(group: string, version: string, kind: string): ResourceEntry | undefined {
    return this.#now.findKind(group, version, kind)
  }

  hasVersion(group: string, version: string): boolean {
    return this.#now.hasVersion(group, version)
  }

  resources(group: string, version: string): readonly ResourceEntry[] {
    return this.#now.resources(group, version)
  }

  entry(group: string, resource: string): ResourceVersions | undefined {
    return this.#now.entry(group, resource)
  }

  entryAt(keyPrefix: string): ResourceVersions | undefined {
    return this.#now.entryAt(keyPrefix)
  }

  entries(): Iterable<ResourceVersions> {
    return this.#now.entries()
  }

  body(shape: ShapeClass<unknown>): ResourceEntry {
    return this.#body(shape)
  }

  subscribe(listener: CatalogueListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Replaces all entries of an owner; an empty list removes them. Entries that are passed again stay unchanged. Throws
   * CatalogueConflict, and changes nothing then.
   */
  publish(owner: string, entries: readonly ResourceVersions[]): void {
    this.publishAll([[owner, entries]])
  }

  /** The same for several owners in one change. */
  publishAll(
    published: readonly (readonly [owner: string, entries: readonly ResourceVersions[]])[],
  ): void {
    const difference = new Difference()
    const next = published.map(([owner, entries]) => {
      const before = this.#byOwner.get(owner) ?? []
      return [owner, difference.take(owner, before, entries)] as const
    })
    const { removed, added, changed } = difference
    if (removed.length + added.length + changed.length === 0) return
    this.#now = this.#now.with(
      [...removed, ...changed.map(({ before }) => before)],
      [...added, ...changed.map(({ now }) => now)],
    )
    for (const [owner, entries] of next) {
      if (entries.length > 0) this.#byOwner.set(owner, entries)
      else this.#byOwner.delete(owner)
    }
    this.#tell({ generation: this.#now.generation, added, changed, removed })
  }

  #tell(change: CatalogueChange): void {
    this.#untold.push(change)
    // A caller that is already notifying listeners also reports this change.
    if (this.#untold.length > 1) return
    while (this.#untold[0]) {
      for (const listener of this.#listeners) listener(this.#untold[0])
      this.#untold.shift()
    }
  }
}

/** Difference between the old and new entries of owners. */
class Difference {
  readonly added: OwnedEntry[] = []
  readonly removed: OwnedEntry[] = []
  readonly changed: { readonly before: OwnedEntry; readonly now: OwnedEntry }[] = []

  /** Replaces the entries of an owner. */
  take(
    owner: string,
    before: readonly OwnedEntry[],
    entries: readonly ResourceVersions[],
  ): readonly OwnedEntry[] {
    if (before.length === 0) return this.#addAll(owner, entries)
    const left = new Map(before.map((entry) => [entry.versions[0].keyPrefix, entry]))
    const next = entries.map(({ versions, served }): OwnedEntry => {
      const now = { owner, versions, served }
      const { keyPrefix } = versions[0]
      const was = left.get(keyPrefix)
      left.delete(keyPrefix)
      if (!was) this.added.push(now)
      else if (isSame(was, now)) return was
      else this.changed.push({ before: was, now })
      return now
    })
    this.removed.push(...left.values())
    return next
  }

  #addAll(owner: string, entries: readonly ResourceVersions[]): readonly OwnedEntry[] {
    const next = entries.map(({ versions, served }): OwnedEntry => ({ owner, versions, served }))
    this.added.push(...next)
    return next
  }
}

const isSame = (a: ResourceVersions, b: ResourceVersions): boolean =>
  sameItems(a.versions, b.versions) && sameItems(a.served, b.served)

const sameItems = (a: readonly ResourceEntry[], b: readonly ResourceEntry[]): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i])
