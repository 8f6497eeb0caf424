/**
 * The cheap check of long histories: revisions say in which order changes were made, so it is enough to find,
 * for each operation, the first revision at which its answer is true and that real time allows.
 */
import type { Committed, Operation } from './history.ts'
import { tell } from './linearizable.ts'

/** Which revision, not before `low`, an operation can have been answered at; text when there is none. */
type Placed = number | string

/** What is wrong with a history, given every change of its keys in order of revision. */
export function checkAgainstLog(
  operations: readonly Operation[],
  log: readonly Committed[],
): readonly string[] {
  const wrong: string[] = []
  const states = new States(log)
  const written = new Map<string, Operation>()
  for (const operation of operations) {
    if (operation.value !== undefined) written.set(operation.value, operation)
  }
  for (const change of log) {
    if (change.type !== 'DELETED' && !written.has(change.value))
      wrong.push(`${show(change)} was written by nobody`)
  }
  const taken = new Set<Committed>()
  const sure = states.sureDeletions(operations)
  /** What operations answered before each call must have seen. */
  const lows = new Map<Operation, number>()
  let reached = 0
  const place = (operation: Operation, low: number): void => {
    const deletion = sure.get(operation)
    if (deletion) taken.add(deletion)
    const at = deletion ? after(deletion, low) : states.place(operation, low, taken)
    if (typeof at === 'string') wrong.push(`${tell(operation)}: ${at}`)
    else reached = Math.max(reached, at)
  }
  const moments = operations
    .flatMap((operation) => [
      { at: operation.invoked, operation, ends: false },
      { at: operation.completed, operation, ends: true },
    ])
    .sort((a, b) => a.at - b.at)
  const openDeletions: Operation[] = []
  for (const { operation, ends } of moments) {
    if (!ends) lows.set(operation, reached)
    else if (isOpenDeletion(operation) && !sure.has(operation)) openDeletions.push(operation)
    else place(operation, lows.get(operation)!)
  }
  wrong.push(...states.explainDeletions(openDeletions, lows, taken))
  return wrong
}

/** The states of each key through the log. */
class States {
  readonly #byKey = new Map<string, Committed[]>()
  readonly #byValue = new Map<string, Committed>()
  readonly #deletions = new Map<string, Committed>()
  readonly #before = new Map<Committed, Committed | undefined>()
  readonly #log: readonly Committed[]

  constructor(log: readonly Committed[]) {
    this.#log = log
    for (const change of log) {
      const changes = this.#byKey.get(change.key) ?? []
      this.#before.set(change, changes.at(-1))
      changes.push(change)
      this.#byKey.set(change.key, changes)
      if (change.type === 'DELETED') this.#deletions.set(change.uid, change)
      else this.#byValue.set(change.value, change)
    }
  }

  place(operation: Operation, low: number, taken: Set<Committed>): Placed {
    const { kind, key, outcome, value, expected } = operation
    if (kind !== 'get' && kind !== 'list' && kind !== 'delete') {
      const change = this.#byValue.get(value!)
      if (outcome.is === 'done' || (outcome.is === 'unknown' && change))
        return this.#placeWrite(operation, change, low)
      if (outcome.is === 'unknown') return low
      if (change) return `it was refused, but is ${show(change)}`
    }
    switch (outcome.is) {
      case 'done':
        return this.#first(key, low, (state) => state?.value === outcome.seen.value)
      case 'deleted': {
        const change = this.#deletions.get(outcome.uid)
        if (!change) return `no deletion of ${outcome.uid} was committed`
        if (taken.has(change)) return `${show(change)} was acknowledged twice`
        taken.add(change)
        const before = this.#before.get(change)?.revision
        if (expected !== undefined && before !== expected)
          return `it deleted the object at ${before}`
        return after(change, low)
      }
      case 'listed':
        return this.#placeList(operation, low)
      case 'absent':
        return this.#first(key, low, (state) => state === undefined)
      case 'exists':
        return this.#first(key, low, (state) => state !== undefined)
      case 'conflict':
        return this.#first(key, low, (state) => state !== undefined && state.revision !== expected)
      case 'unknown':
        return low
    }
  }

  #placeWrite(operation: Operation, change: Committed | undefined, low: number): Placed {
    const { kind, key, outcome, expected } = operation
    if (!change) return 'it was acknowledged, but never committed'
    if (change.key !== key) return `it went to ${change.key}`
    if (outcome.is === 'done' && outcome.seen.revision !== change.revision)
      return `it was committed at ${change.revision}`
    const before = this.#before.get(change)
    const present = before && before.type !== 'DELETED' ? before : undefined
    if (kind === 'create' && present) return `it replaced ${show(present)}`
    if (kind === 'update' && !present) return 'it changed an object that was not there'
    if (kind === 'update' && expected !== undefined && present?.revision !== expected)
      return `it replaced ${show(present!)}`
    return after(change, low)
  }

  #placeList({ outcome, key }: Operation, low: number): Placed {
    if (outcome.is !== 'listed') return low
    if (outcome.at < low) return `it tells of ${outcome.at}, older than ${low} that was seen before`
    for (const [name] of this.#byKey) {
      if (!name.startsWith(key)) continue
      const state = this.stateAt(name, outcome.at)
      const item = outcome.items.get(name)
      if (state?.value !== item?.value || state?.revision !== item?.revision)
        return `${name} is ${item ? `${item.value} at ${item.revision}` : 'absent'} in it, ${state ? show(state) : 'absent'} in truth`
    }
    const unknown = [...outcome.items.keys()].find((name) => !this.#byKey.has(name))
    return unknown === undefined ? outcome.at : `it holds ${unknown}, which was never made`
  }

  stateAt(key: string, at: number): Committed | undefined {
    const changes = this.#byKey.get(key) ?? []
    const state = changes[lastNotAfter(changes, at)]
    return state?.type === 'DELETED' ? undefined : state
  }

  /** The first revision from `low` on at which the state of a key is as told. */
  #first(key: string, low: number, holds: (state: Committed | undefined) => boolean): Placed {
    const changes = this.#byKey.get(key) ?? []
    if (holds(this.stateAt(key, low))) return low
    for (let i = lastNotAfter(changes, low) + 1; i < changes.length; i++) {
      const change = changes[i]!
      if (holds(change.type === 'DELETED' ? undefined : change)) return change.revision
    }
    const state = this.stateAt(key, low)
    return `that was never so from ${low} on, when it was ${state ? show(state) : 'absent'}`
  }

  /** Deletions that only one request can have made, though it was not answered. */
  sureDeletions(operations: readonly Operation[]): ReadonlyMap<Operation, Committed> {
    const answered = new Set(
      operations.map(({ outcome }) => (outcome.is === 'deleted' ? outcome.uid : '')),
    )
    const open = operations.filter(isOpenDeletion)
    const sure = new Map<Operation, Committed>()
    for (const change of this.#deletions.values()) {
      if (answered.has(change.uid)) continue
      const [only, ...others] = open.filter((operation) => this.#fits(operation, change))
      if (only && others.length === 0 && !sure.has(only)) sure.set(only, change)
    }
    return sure
  }

  #fits({ key, expected }: Operation, change: Committed): boolean {
    if (key !== change.key) return false
    return expected === undefined || expected === this.#before.get(change)?.revision
  }

  /** Every deletion needs a request of its own; those that were not answered explain the rest. */
  explainDeletions(
    open: readonly Operation[],
    lows: ReadonlyMap<Operation, number>,
    taken: ReadonlySet<Committed>,
  ): readonly string[] {
    const wrong: string[] = []
    // Those that fit one revision only come first.
    const left = new Set(open.toSorted((a, b) => (b.expected ?? 0) - (a.expected ?? 0)))
    for (const change of this.#log) {
      if (change.type !== 'DELETED' || taken.has(change)) continue
      const by = [...left].find(
        (operation) => this.#fits(operation, change) && lows.get(operation)! < change.revision,
      )
      if (by) left.delete(by)
      else wrong.push(`${show(change)} was asked for by nobody`)
    }
    return wrong
  }
}

const isOpenDeletion = ({ kind, outcome }: Operation) =>
  kind === 'delete' && outcome.is === 'unknown'

const after = (change: Committed, low: number): Placed =>
  change.revision > low
    ? change.revision
    : `it was committed at ${change.revision}, but ${low} was seen before the call`

const show = ({ type, key, value, revision }: Committed) => `${type} ${key} ${value} at ${revision}`

/** Place of the last change at or before a revision; -1 for none. */
function lastNotAfter(changes: readonly Committed[], at: number): number {
  let low = 0
  let high = changes.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (changes[middle]!.revision <= at) low = middle + 1
    else high = middle
  }
  return low - 1
}
