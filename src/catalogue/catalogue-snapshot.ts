/** The catalogue at one moment: immutable, so that its readers see a change completely or not at all. */
import { placeOfPrefix } from '../base/store-keys.ts'
import type { ResourceEntry, ServedGroup } from './catalogue.ts'
import { byVersionPriority } from './version-priority.ts'

/** One resource with all versions of its objects. */
export interface ResourceVersions {
  /** The storage version first; includes versions that are not served, since they may be stored. */
  readonly versions: readonly [ResourceEntry, ...ResourceEntry[]]
  /** Versions that requests find; none: the objects are stored, but not visible. */
  readonly served: readonly ResourceEntry[]
}

/** An entry and its owner. */
export interface OwnedEntry extends ResourceVersions {
  readonly owner: string
}

/** Two owners publish the same resource. */
export class CatalogueConflict extends Error {
  override readonly name = 'CatalogueConflict'
}

/** Resources of one group version. */
class VersionTable {
  readonly byName: ReadonlyMap<string, ResourceEntry>
  readonly byKind: ReadonlyMap<string, OwnedServed>
  #list: readonly ResourceEntry[] | null = null

  constructor(
    byName: ReadonlyMap<string, ResourceEntry>,
    byKind: ReadonlyMap<string, OwnedServed>,
  ) {
    this.byName = byName
    this.byKind = byKind
  }

  /** By name; computed on first access. */
  get list(): readonly ResourceEntry[] {
    return (this.#list ??= [...this.byName.values()].sort((a, b) =>
      a.resource < b.resource ? -1 : 1,
    ))
  }
}

/** One version of an entry. */
interface OwnedServed {
  readonly served: ResourceEntry
  readonly entry: OwnedEntry
}

interface GroupTable {
  readonly byVersion: ReadonlyMap<string, VersionTable>
  /** By resource; includes entries that are not served. */
  readonly entries: ReadonlyMap<string, OwnedEntry>
  /** Null when nothing of the group is served. */
  readonly served: ServedGroup | null
}

/** Changes in one group. */
interface GroupChange {
  readonly removed: OwnedEntry[]
  readonly added: OwnedEntry[]
}

const NOTHING: readonly ResourceEntry[] = []

/** The catalogue at one moment. */
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

  /** An empty catalogue; `order`: groups that come first in lists, in this order. */
  static empty(order: readonly string[]): CatalogueSnapshot {
    return new CatalogueSnapshot(0, new Map(), new Map(order.map((group, i) => [group, i])))
  }

  find(group: string, version: string, resource: string): ResourceEntry | undefined {
    return this.#groups.get(group)?.byVersion.get(version)?.byName.get(resource)
  }

  findKind(group: string, version: string, kind: string): ResourceEntry | undefined {
    return this.#groups.get(group)?.byVersion.get(version)?.byKind.get(kind)?.served
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

  resources(group: string, version: string): readonly ResourceEntry[] {
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
      // An entry of two groups is in both.
      for (const entry of entries.values()) if (entry.versions[0].group === group) yield entry
    }
  }

  /** A copy with entries removed and added; other groups are shared. Throws CatalogueConflict. */
  with(removed: readonly OwnedEntry[], added: readonly OwnedEntry[]): CatalogueSnapshot {
    const changes = new Map<string, GroupChange>()
    const changeOf = (group: string) => {
      const change = changes.get(group) ?? { removed: [], added: [] }
      changes.set(group, change)
      return change
    }
    for (const entry of removed)
      for (const group of groupsOf(entry)) changeOf(group).removed.push(entry)
    for (const entry of added)
      for (const group of groupsOf(entry)) changeOf(group).added.push(entry)
    const groups = new Map(this.#groups)
    for (const [group, change] of changes) {
      const table = changed(group, this.#groups.get(group) ?? EMPTY, change)
      if (table.entries.size === 0) groups.delete(group)
      else groups.set(group, table)
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

const EMPTY: GroupTable = { byVersion: new Map(), entries: new Map(), served: null }

const groupsOf = ({ versions }: ResourceVersions): readonly string[] => {
  const [{ group }] = versions
  return versions.every((one) => one.group === group)
    ? [group]
    : [...new Set(versions.map((one) => one.group))]
}

const twice = (what: string, present: OwnedEntry, wanted: OwnedEntry) =>
  new CatalogueConflict(
    `${what} of ${JSON.stringify(wanted.owner)} is there already, of ${JSON.stringify(present.owner)}`,
  )

function changed(group: string, before: GroupTable, change: GroupChange): GroupTable {
  const entries = new Map(before.entries)
  for (const { versions } of change.removed) entries.delete(versions[0].resource)
  for (const entry of change.added) {
    const { resource } = entry.versions[0]
    const present = entries.get(resource)
    if (present) throw twice(`${resource}${group === '' ? '' : `.${group}`}`, present, entry)
    entries.set(resource, entry)
  }
  const byVersion = new Map(before.byVersion)
  const gone = servedByVersion(group, change.removed)
  const come = servedByVersion(group, change.added)
  for (const version of versionsIn(group, change)) {
    const table = changedVersion(before.byVersion.get(version), {
      gone: gone.get(version) ?? [],
      come: come.get(version) ?? [],
    })
    if (table.byName.size === 0) byVersion.delete(version)
    else byVersion.set(version, table)
  }
  const versions = [...byVersion.keys()].sort(byVersionPriority)
  const same = before.served && sameItems(before.served.versions, versions)
  return {
    byVersion,
    entries,
    served: versions.length === 0 ? null : same ? before.served : { group, versions },
  }
}

/** Versions of a group that become served or stop being served. */
function versionsIn(group: string, { removed, added }: GroupChange): ReadonlySet<string> {
  const servedIn = (entries: readonly OwnedEntry[]) =>
    new Set(entries.flatMap(({ served }) => served.filter((one) => one.group === group)))
  const before = servedIn(removed)
  const now = servedIn(added)
  const versions = new Set<string>()
  for (const served of before) if (!now.has(served)) versions.add(served.version)
  for (const served of now) if (!before.has(served)) versions.add(served.version)
  return versions
}

/** A resource in one version, and the entry that it belongs to. */
interface ServedOf {
  readonly served: ResourceEntry
  readonly entry: OwnedEntry
}

function servedByVersion(
  group: string,
  entries: readonly OwnedEntry[],
): ReadonlyMap<string, readonly ServedOf[]> {
  const byVersion = new Map<string, ServedOf[]>()
  for (const entry of entries) {
    for (const served of entry.served) {
      if (served.group !== group) continue
      const list = byVersion.get(served.version)
      if (list) list.push({ served, entry })
      else byVersion.set(served.version, [{ served, entry }])
    }
  }
  return byVersion
}

function changedVersion(
  before: VersionTable | undefined,
  { gone, come }: { readonly gone: readonly ServedOf[]; readonly come: readonly ServedOf[] },
): VersionTable {
  const byName = new Map(before?.byName)
  const byKind = new Map(before?.byKind)
  for (const { served } of gone) {
    byName.delete(served.resource)
    byKind.delete(served.kind)
  }
  for (const { served, entry } of come) {
    const present = byKind.get(served.kind)
    if (present) throw twice(`kind ${served.kind} of ${served.groupVersion}`, present.entry, entry)
    byName.set(served.resource, served)
    byKind.set(served.kind, { served, entry })
  }
  return new VersionTable(byName, byKind)
}

const sameItems = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i])
