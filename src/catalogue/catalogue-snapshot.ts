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

/** The resources of one group. */
interface GroupTable {
  /** All entries; includes those that are not served. */
  readonly all: Iterable<OwnedEntry>
  /** Null when nothing of the group is served. */
  readonly served: ServedGroup | null
  entry(resource: string): OwnedEntry | undefined
  has(version: string): boolean
  find(version: string, resource: string): ResourceEntry | undefined
  findKind(version: string, kind: string): ResourceEntry | undefined
  /** Those of a version, by name. */
  resources(version: string): readonly ResourceEntry[]
}

/** A group with a single resource, of which there may be thousands. */
class SingleTable implements GroupTable {
  readonly served: ServedGroup | null
  readonly #group: string
  readonly #only: OwnedEntry
  /** Lists that were asked for: the same as long as the group does not change. */
  readonly #lists: (readonly ResourceEntry[])[] = []

  constructor(group: string, only: OwnedEntry, before: ServedGroup | null) {
    this.#group = group
    this.#only = only
    const versions = only.served.flatMap((one) => (one.group === group ? one.version : []))
    this.served = servedGroup(group, versions, before)
  }

  get all() {
    return [this.#only]
  }

  entry(resource: string) {
    return this.#only.versions[0].resource === resource ? this.#only : undefined
  }

  has(version: string) {
    return this.#at(version) !== undefined
  }

  find(version: string, resource: string) {
    const served = this.#at(version)
    return served?.resource === resource ? served : undefined
  }

  findKind(version: string, kind: string) {
    const served = this.#at(version)
    return served?.kind === kind ? served : undefined
  }

  resources(version: string) {
    const served = this.#at(version)
    if (!served) return NOTHING
    return (this.#lists[this.#only.served.indexOf(served)] ??= [served])
  }

  #at(version: string): ResourceEntry | undefined {
    for (const served of this.#only.served)
      if (served.version === version && served.group === this.#group) return served
    return undefined
  }
}

/** A group with several resources. */
class ManyTable implements GroupTable {
  readonly byVersion: ReadonlyMap<string, VersionTable>
  readonly entries: ReadonlyMap<string, OwnedEntry>
  readonly served: ServedGroup | null

  constructor(
    byVersion: ReadonlyMap<string, VersionTable>,
    entries: ReadonlyMap<string, OwnedEntry>,
    served: ServedGroup | null,
  ) {
    this.byVersion = byVersion
    this.entries = entries
    this.served = served
  }

  get all() {
    return this.entries.values()
  }

  entry(resource: string) {
    return this.entries.get(resource)
  }

  has(version: string) {
    return this.byVersion.has(version)
  }

  find(version: string, resource: string) {
    return this.byVersion.get(version)?.byName.get(resource)
  }

  findKind(version: string, kind: string) {
    return this.byVersion.get(version)?.byKind.get(kind)?.served
  }

  resources(version: string) {
    return this.byVersion.get(version)?.list ?? NOTHING
  }
}

/** The same object as before when the versions are. */
function servedGroup(
  group: string,
  versions: string[],
  before: ServedGroup | null,
): ServedGroup | null {
  if (versions.length === 0) return null
  versions.sort(byVersionPriority)
  return before && sameItems(before.versions, versions) ? before : { group, versions }
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
    return this.#groups.get(group)?.find(version, resource)
  }

  findKind(group: string, version: string, kind: string): ResourceEntry | undefined {
    return this.#groups.get(group)?.findKind(version, kind)
  }

  hasVersion(group: string, version: string): boolean {
    return this.#groups.get(group)?.has(version) ?? false
  }

  get groups(): readonly ServedGroup[] {
    return (this.#order ??= this.#ordered())
  }

  group(name: string): ServedGroup | undefined {
    return this.#groups.get(name)?.served ?? undefined
  }

  resources(group: string, version: string): readonly ResourceEntry[] {
    return this.#groups.get(group)?.resources(version) ?? NOTHING
  }

  entry(group: string, resource: string): OwnedEntry | undefined {
    return this.#groups.get(group)?.entry(resource)
  }

  entryAt(keyPrefix: string): OwnedEntry | undefined {
    const place = placeOfPrefix(keyPrefix)
    const entry = place && this.entry(place.group, place.plural)
    return entry?.versions[0].keyPrefix === keyPrefix ? entry : undefined
  }

  *entries(): Generator<OwnedEntry> {
    for (const [group, { all }] of this.#groups) {
      // An entry of two groups is in both.
      for (const entry of all) if (entry.versions[0].group === group) yield entry
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
      const table = changed(group, this.#groups.get(group) ?? null, change)
      if (table) groups.set(group, table)
      else groups.delete(group)
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

/** The group after a change; null when nothing is left. Throws CatalogueConflict. */
function changed(group: string, before: GroupTable | null, change: GroupChange): GroupTable | null {
  const served = before?.served ?? null
  const [first] = change.added
  if (!before && first && change.added.length === 1) return new SingleTable(group, first, served)
  const entries = new Map<string, OwnedEntry>()
  for (const entry of before?.all ?? []) entries.set(entry.versions[0].resource, entry)
  for (const { versions } of change.removed) entries.delete(versions[0].resource)
  for (const entry of change.added) {
    const { resource } = entry.versions[0]
    const present = entries.get(resource)
    if (present) throw twice(`${resource}${group === '' ? '' : `.${group}`}`, present, entry)
    entries.set(resource, entry)
  }
  const [only] = entries.values()
  if (!only) return null
  if (entries.size === 1) return new SingleTable(group, only, served)
  const byVersion =
    before instanceof ManyTable
      ? changedVersions(group, before.byVersion, change)
      : changedVersions(group, new Map(), { removed: [], added: [...entries.values()] })
  return new ManyTable(byVersion, entries, servedGroup(group, [...byVersion.keys()], served))
}

function changedVersions(
  group: string,
  before: ReadonlyMap<string, VersionTable>,
  change: GroupChange,
): ReadonlyMap<string, VersionTable> {
  const byVersion = new Map(before)
  const gone = servedByVersion(group, change.removed)
  const come = servedByVersion(group, change.added)
  for (const version of versionsIn(group, change)) {
    const table = changedVersion(before.get(version), {
      gone: gone.get(version) ?? [],
      come: come.get(version) ?? [],
    })
    if (table.byName.size === 0) byVersion.delete(version)
    else byVersion.set(version, table)
  }
  return byVersion
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
