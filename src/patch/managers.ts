/**
 * Which manager owns which fields of one object, and how writes change that.
 *
 * Example: an object in one version, with two managers.
 *
 *     live     image: a, replicas: 3, paused: true
 *     owned    cli (apply): image, replicas      admin (update): paused
 *
 *     write                                 result                         cli              admin
 *     cli applies image: b, replicas: 3     image: b, replicas: 3, paused  image, replicas  paused
 *     cli applies image: b                  image: b, paused               image            paused
 *       (replicas is pruned: cli applied it before, and no other manager owns it)
 *     cli applies image: b, paused: true    image: b, paused               image, paused    paused
 *       (the same value: both own it)
 *     cli applies image: b, paused: false   conflict with admin on paused
 *     the same with force                   image: b, paused: false        image, paused    (no entry)
 *     admin updates image to c              image: c, replicas: 3, paused  replicas         image, paused
 *       (an update takes ownership without conflicts)
 *
 * Each line starts from `live`. Managers may name fields in different versions of the object. Comparisons are then made in
 * the version of each manager, so that a field that was renamed between versions stays owned (`displace`, `pruned`).
 */
import type { Steps } from '../base/steps.ts'
import { pathText } from './field-path.ts'
import { FieldSet } from './field-set.ts'
import { withAtomicValues, withNamedFields } from './named-fields.ts'
import type { Topology } from '../notation/topology.ts'
import type { Comparison } from './changes.ts'
import { compareSteps, merge, ownsExactly, removeItems, toFieldSet } from './typed-value.ts'

/** The fields of one manager. */
export interface Manager {
  readonly set: FieldSet
  /** Group version in which the fields are named. */
  readonly apiVersion: string
  /** By apply, not by another write. */
  readonly applied: boolean
}

/** Managers by a unique identifier. */
export type Managers = ReadonlyMap<string, Manager>

/** The versions of one kind. */
export interface Versions {
  /** null: the version no longer exists. */
  topology(apiVersion: string): Topology | null
  /** The object of one version in the JSON form of another; both are known. */
  convert(object: unknown, from: string, to: string): unknown
  /** Paths that have no owner through the endpoint, with all behind them. */
  ignored(apiVersion: string): FieldSet
}

/** An object as one version has it. */
export interface Versioned {
  readonly object: unknown
  readonly apiVersion: string
}

/** Paths of one owner in the message of an error that only programs see. */
const SHOWN = 100

/** Fields of others that an apply would change, by identifier of the manager. */
export class ApplyConflict extends Error {
  override readonly name = 'ApplyConflict'
  readonly conflicts: ReadonlyMap<string, FieldSet>
  /** When the managers last wrote, RFC 3339, by identifier. */
  readonly times: ReadonlyMap<string, string>

  constructor(
    conflicts: ReadonlyMap<string, FieldSet>,
    times: ReadonlyMap<string, string> = new Map(),
  ) {
    const paths = [...conflicts.values()].flatMap((set) => pathTexts(set, SHOWN))
    super(`conflicts on ${paths.join(', ')}`)
    this.conflicts = conflicts
    this.times = times
  }
}

/**
 * The managers after a write that is no apply: the writer owns added and modified fields, the others lose them, and all
 * lose the removed ones. `known` is the difference of the objects, where it was computed before.
 */
export function* updateManagerSteps(
  versions: Versions,
  live: Versioned,
  next: unknown,
  managers: Managers,
  writer: string,
  known?: Comparison,
): Steps<Managers> {
  const views = new Views(versions, live.apiVersion)
  const { managers: others, change } = yield* displace(
    views,
    live.object,
    next,
    managers,
    { writer, force: true },
    known,
  )
  const before = others.get(writer)?.set ?? FieldSet.empty
  const set = before
    .union(change.modified)
    .union(change.added)
    .difference(change.removed)
    .recursiveDifference(versions.ignored(live.apiVersion))
  return withManager(others, writer, { set, apiVersion: live.apiVersion, applied: false })
}

/** Result of an apply to an object and its managers. */
export interface Applied {
  /** null: unchanged. */
  readonly object: unknown
  readonly managers: Managers
}

/** Who applies, and how. */
export interface Applying {
  /** Its identifier. */
  readonly manager: string
  readonly force: boolean
  /** Paths that stored sets never contain. */
  readonly untracked?: FieldSet
}

/**
 * Applies a configuration: merges it into the live object, removes the fields that the manager applied before and no
 * longer does, and makes it the owner of the configuration's fields. Throws ApplyConflict unless `force`d, and
 * TypedValueError.
 */
export function* applyManagerSteps(
  versions: Versions,
  live: Versioned,
  config: unknown,
  managers: Managers,
  { manager, force, untracked = FieldSet.empty }: Applying,
): Steps<Applied> {
  const { apiVersion } = live
  const views = new Views(versions, apiVersion)
  const topology = views.topology(apiVersion)
  if (!topology) throw new Error(`no topology of ${apiVersion}`)
  const known = reconciled(views, managers)
  const last = known.get(manager)
  yield
  const ignored = versions.ignored(apiVersion)
  const unowned = { whole: ignored, alone: untracked }
  // Most applies name the fields of the last one.
  const isSame = last?.apiVersion === apiVersion && ownsExactly(topology, config, last.set, unowned)
  const set = isSame ? last.set : toFieldSet(topology, config).recursiveDifference(ignored)
  const isKept = isSame && last.applied
  const mine = isKept ? known : new Map(known).set(manager, { set, apiVersion, applied: true })
  yield
  const merged = merge(topology, live.object, config)
  yield
  // Most applies omit nothing of the previous one: then nothing has to be removed.
  const isLess = () =>
    !isSame && last?.set.equals(set) === false && !last.set.difference(set).isEmpty
  const leaves = last && (last.apiVersion !== apiVersion || isLess())
  const object = leaves ? yield* pruned(views, merged, mine, last) : merged
  yield
  const { managers: all, change } = yield* displace(views, live.object, object, mine, {
    writer: manager,
    force,
  })
  yield
  // Another order of items with keys is no change.
  const isOther = !(change.added.isEmpty && change.modified.isEmpty && change.removed.isEmpty)
  return { object: isOther ? object : null, managers: all }
}

/** One object in many versions. */
class Views {
  readonly versions: Versions
  /** The version of the request. */
  readonly own: string

  constructor(versions: Versions, own: string) {
    this.versions = versions
    this.own = own
  }

  topology(apiVersion: string): Topology | null {
    return this.versions.topology(apiVersion)
  }

  in(apiVersion: string, object: unknown): unknown {
    return apiVersion === this.own ? object : this.versions.convert(object, this.own, apiVersion)
  }

  back(apiVersion: string, object: unknown): unknown {
    return apiVersion === this.own ? object : this.versions.convert(object, apiVersion, this.own)
  }
}

function reconciled(views: Views, managers: Managers): Managers {
  let all: Map<string, Manager> | null = null
  for (const [id, manager] of managers) {
    const topology = views.topology(manager.apiVersion)
    const set = topology ? withAtomicValues(manager.set, topology) : manager.set
    if (set !== manager.set) (all ??= new Map(managers)).set(id, { ...manager, set })
  }
  return all ?? managers
}

interface Change extends Comparison {
  /** The fields that the writer owns afterwards: added or modified. */
  readonly taken: FieldSet
}

/** Removes fields that a write changes or removes from the other managers. Throws ApplyConflict unless forced. */
function* displace(
  views: Views,
  live: unknown,
  next: unknown,
  managers: Managers,
  { writer, force }: { readonly writer: string; readonly force: boolean },
  known?: Comparison,
): Steps<{ readonly managers: Managers; readonly change: Comparison }> {
  const changes = new Map<string, Change | null>()
  const changeIn = function* (apiVersion: string): Steps<Change | null> {
    const found = changes.get(apiVersion)
    if (found !== undefined) return found
    const topology = views.topology(apiVersion)
    const isKnown = known !== undefined && apiVersion === views.own
    const comparison = isKnown
      ? known
      : topology
        ? yield* compareSteps(topology, views.in(apiVersion, live), views.in(apiVersion, next))
        : null
    const left = comparison && without(comparison, views.versions.ignored(apiVersion))
    const change = left && takenFrom(left)
    changes.set(apiVersion, change)
    return change
  }
  const own = yield* changeIn(views.own)
  if (!own) throw new Error(`no topology of ${views.own}`)
  let conflicts: Map<string, FieldSet> | null = null
  let left: Map<string, Manager> | null = null
  for (const [id, manager] of managers) {
    if (id === writer) continue
    yield
    const change = yield* changeIn(manager.apiVersion)
    // Entries in versions that no longer exist have no effect.
    if (!change) {
      ;(left ??= new Map(managers)).delete(id)
      continue
    }
    const lost = manager.set.intersection(change.taken)
    if (!lost.isEmpty) (conflicts ??= new Map()).set(id, lost)
    const gone = lost.union(manager.set.intersection(change.removed))
    const set = gone.isEmpty ? manager.set : manager.set.difference(gone)
    if (set.isEmpty) (left ??= new Map(managers)).delete(id)
    else if (set !== manager.set) (left ??= new Map(managers)).set(id, { ...manager, set })
  }
  if (!force && conflicts) throw new ApplyConflict(conflicts)
  if (managers.get(writer)?.set.isEmpty) (left ??= new Map(managers)).delete(writer)
  return { managers: left ?? managers, change: own }
}

function takenFrom({ added, removed, modified }: Comparison): Change {
  return { added, removed, modified, taken: modified.union(added) }
}

const without = ({ added, removed, modified }: Comparison, ignored: FieldSet): Comparison => ({
  added: added.recursiveDifference(ignored),
  removed: removed.recursiveDifference(ignored),
  modified: modified.recursiveDifference(ignored),
})

/** Removes the fields that the manager applied before, unless it or another manager owns them now. */
function* pruned(views: Views, merged: unknown, managers: Managers, last: Manager): Steps<unknown> {
  const topology = views.topology(last.apiVersion)
  if (last.set.isEmpty || !topology) return merged
  const mergedThen = views.in(last.apiVersion, merged)
  const lastNamed = withNamedFields(last.set, topology)
  let object = removeItems(topology, mergedThen, lastNamed)
  yield
  for (const [apiVersion, owned] of ownedIn(managers, last.apiVersion)) {
    object = yield* withOwned(views, mergedThen, object, last.apiVersion, { apiVersion, owned })
    yield
  }
  const before = withNamedFields(toFieldSet(topology, mergedThen), topology)
  yield
  const after = withNamedFields(toFieldSet(topology, object), topology)
  yield
  const gone = before.difference(after).intersection(lastNamed)
  if (gone.isEmpty) return merged
  return views.back(last.apiVersion, removeItems(topology, mergedThen, gone))
}

/** All owned fields by version, those of the given version first: the others may need them for their conversion. */
function ownedIn(managers: Managers, first: string): [string, FieldSet][] {
  const owned = new Map<string, FieldSet[]>([[first, []]])
  for (const { apiVersion, set } of managers.values()) {
    const sets = owned.get(apiVersion)
    if (sets) sets.push(set)
    else owned.set(apiVersion, [set])
  }
  return Array.from(owned, ([apiVersion, sets]) => [apiVersion, FieldSet.unionOf(sets)])
}

/** The pruned object with the owned fields of one version restored; all objects are of version `then`. */
function* withOwned(
  views: Views,
  merged: unknown,
  object: unknown,
  then: string,
  { apiVersion, owned }: { readonly apiVersion: string; readonly owned: FieldSet },
): Steps<unknown> {
  const topology = views.topology(apiVersion)
  if (!topology) return object
  const convert = (value: unknown, from: string, to: string) =>
    from === to ? value : views.versions.convert(value, from, to)
  const full = convert(merged, then, apiVersion)
  const named = (set: FieldSet) => withNamedFields(set, topology)
  yield
  const kept = named(toFieldSet(topology, convert(object, then, apiVersion))).union(named(owned))
  yield
  const gone = named(toFieldSet(topology, full)).difference(kept)
  return convert(removeItems(topology, full, gone), apiVersion, then)
}

/** The managers with one more, or without it when it owns nothing. */
function withManager(managers: Managers, id: string, manager: Manager): Managers {
  const all = new Map(managers)
  if (manager.set.isEmpty) all.delete(id)
  else all.set(id, manager)
  return all
}

/** Paths of a set as in messages, in order; the first `most` of them. */
export function pathTexts(set: FieldSet, most = Infinity): string[] {
  const texts: string[] = []
  for (const path of set.paths()) {
    if (texts.length === most) break
    texts.push(pathText(path))
  }
  return texts
}
