/** What is served at one moment: never changed, so that whoever holds it sees all of it or nothing. */
import { placeOfPrefix } from '../base/store-keys.ts'
import type { Served, ServedGroup } from './catalogue.ts'

/** One resource with all versions of its objects. */
export interface ResourceEntry {
  /** The stored one first; those are there too that no request finds, since they may be stored. */
  readonly versions: readonly [Served, ...Served[]]
  /** Those that requests find; none: the objects are kept, and nobody sees them. */
  readonly served: readonly Served[]
}

/** An entry, and on whose word it is there. */
export interface OwnedEntry extends ResourceEntry {
  readonly owner: string
}

/** Two owners want the same place. */
export class CatalogueConflict extends Error {
  override readonly name = 'CatalogueConflict'
}

interface VersionTable {
  readonly byName: ReadonlyMap<string, Served>
  /** By name; the same array as long as nothing in it changes. */
  readonly list: readonly Served[]
}

interface GroupTable {
  readonly byVersion: ReadonlyMap<string, VersionTable>
  /** By resource; those that are not served are there too. */
  readonly entries: ReadonlyMap<string, OwnedEntry>
  /** Null when nothing of the group is served. */
  readonly served: ServedGroup | null
}

const NOTHING: readonly Served[] = []

/** What is served at one moment. */
export class CatalogueSnapshot {
  readonly generation: number
  readonly #groups: ReadonlyMap<string, GroupTable>
  readonly #rank: ReadonlyMap<string, number>
  #order: readonly ServedGroup[] | null = null

  private constructor(
    generation: number,
    groups: ReadonlyMap<string, GroupTable>,
    rank: ReadonlyMap<string, number>,
  ) {
    this.generation = generation
    this.#groups = groups
    this.#rank = rank
  }

  /** Nothing at all; `order`: groups that come first in lists, in this order. */
  static empty(order: readonly string[]): CatalogueSnapshot {
    return new CatalogueSnapshot(0, new Map(), new Map(order.map((group, i) => [group, i])))
  }

  find(group: string, version: string, resource: string): Served | undefined {
    return this.#groups.get(group)?.byVersion.get(version)?.byName.get(resource)
  }

  hasVersion(group: string, version: string): boolean {
    return this.#groups.get(group)?.byVersion.has(version) ?? false
  }

  get groups(): readonly ServedGroup[] {
    return (this.#order ??= this.#ordered())
  }

  group(name: string): ServedGroup | undefined {
    return this.#groups.get(name)?.served ?? undefined
  }

  resources(group: string, version: string): readonly Served[] {
    return this.#groups.get(group)?.byVersion.get(version)?.list ?? NOTHING
  }

  entry(group: string, resource: string): OwnedEntry | undefined {
    return this.#groups.get(group)?.entries.get(resource)
  }

  entryAt(keyPrefix: string): OwnedEntry | undefined {
    const place = placeOfPrefix(keyPrefix)
    const entry = place && this.entry(place.group, place.plural)
    return entry?.versions[0].keyPrefix === keyPrefix ? entry : undefined
  }

  *entries(): Generator<OwnedEntry> {
    for (const [group, { entries }] of this.#groups) {
      // What is known in two groups stands in both.
      for (const entry of entries.values()) if (entry.versions[0].group === group) yield entry
    }
  }

  /** The same with entries taken out and put in; groups that are not concerned stay as they are. Throws CatalogueConflict. */
  with(removed: readonly OwnedEntry[], added: readonly OwnedEntry[]): CatalogueSnapshot {
    const groups = new Map(this.#groups)
    const touched = new Set([...removed, ...added].flatMap(groupsOf))
    for (const group of touched) {
      const before = this.#groups.get(group)
      const entries = new Map(before?.entries)
      for (const entry of removed)
        if (groupsOf(entry).includes(group)) entries.delete(entry.versions[0].resource)
      for (const entry of added) {
        if (!groupsOf(entry).includes(group)) continue
        const { resource } = entry.versions[0]
        const present = entries.get(resource)
        if (present) throw twice(`${resource}${group === '' ? '' : `.${group}`}`, present, entry)
        entries.set(resource, entry)
      }
      if (entries.size === 0) groups.delete(group)
      else groups.set(group, tableOf(group, entries, before))
    }
    return new CatalogueSnapshot(this.generation + 1, groups, this.#rank)
  }

  #ordered(): ServedGroup[] {
    const rankOf = ({ group }: ServedGroup) => this.#rank.get(group) ?? this.#rank.size
    return [...this.#groups.values()]
      .flatMap(({ served }) => served ?? [])
      .sort((a, b) => rankOf(a) - rankOf(b) || (a.group < b.group ? -1 : 1))
  }
}

const groupsOf = ({ versions }: ResourceEntry): string[] => [
  ...new Set(versions.map(({ group }) => group)),
]

const twice = (what: string, present: OwnedEntry, wanted: OwnedEntry) =>
  new CatalogueConflict(
    `${what} of ${JSON.stringify(wanted.owner)} is there already, of ${JSON.stringify(present.owner)}`,
  )

function tableOf(
  group: string,
  entries: ReadonlyMap<string, OwnedEntry>,
  before: GroupTable | undefined,
): GroupTable {
  const lists = new Map<string, Served[]>()
  const kinds = new Map<string, OwnedEntry>()
  for (const entry of entries.values()) {
    for (const served of entry.served) {
      if (served.group !== group) continue
      const kind = `kind ${served.kind} of ${served.groupVersion}`
      const present = kinds.get(kind)
      if (present) throw twice(kind, present, entry)
      kinds.set(kind, entry)
      const list = lists.get(served.version)
      if (list) list.push(served)
      else lists.set(served.version, [served])
    }
  }
  const byVersion = new Map<string, VersionTable>()
  for (const [version, list] of lists)
    byVersion.set(version, versionTable(list, before?.byVersion.get(version)))
  const versions = [...byVersion.keys()].sort(byVersionPriority)
  const same = before?.served && sameItems(before.served.versions, versions)
  return {
    byVersion,
    entries,
    served: versions.length === 0 ? null : same ? before.served : { group, versions },
  }
}

function versionTable(list: Served[], before: VersionTable | undefined): VersionTable {
  list.sort((a, b) => (a.resource < b.resource ? -1 : 1))
  if (before && sameItems(before.list, list)) return before
  return { list, byName: new Map(list.map((served) => [served.resource, served])) }
}

const sameItems = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i])

const VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/

/** Stable before beta before alpha, newer first. */
function byVersionPriority(a: string, b: string): number {
  const rank = (text: string): readonly number[] => {
    const m = VERSION.exec(text)
    if (!m) return [0, 0, 0]
    return [m[2] === undefined ? 3 : m[2] === 'beta' ? 2 : 1, Number(m[1]), Number(m[3] ?? 0)]
  }
  const [x, y] = [rank(a), rank(b)]
  for (let i = 0; i < 3; i++) if (x[i] !== y[i]) return y[i]! - x[i]!
  return a < b ? -1 : a > b ? 1 : 0
}
