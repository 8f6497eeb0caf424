/**
 * Is there an order of the operations on one object, each at a moment between its call and its answer,
 * that a register with creation, deletion and compare-and-set by revision could have gone through?
 */
import type { Committed, Operation, Seen } from './history.ts'

/** The value that stands in the object; null for none. Each value is written once at most. */
type State = string | null

/** Revision and uid of each value, as told by answers and watches. */
type Bindings = ReadonlyMap<string, Seen>

interface Configuration {
  readonly state: State
  /** Operations under way that have taken effect. */
  readonly applied: ReadonlySet<number>
}

/**
 * Sweeps over calls and answers with every configuration that is possible so far; an answer leaves those
 * in which its operation has taken effect. Returns what is wrong with the history of one object.
 */
export function findLinearization(
  operations: readonly Operation[],
  log: readonly Committed[] = [],
): string | null {
  const bindings = new Map<string, Seen>()
  const contradiction = bind(operations, log, bindings)
  if (contradiction !== null) return contradiction
  const moments = operations
    .flatMap((operation, index) => [
      { at: operation.invoked, index, ends: false },
      { at: operation.completed, index, ends: true },
    ])
    .filter(({ at }) => at !== Infinity)
    .sort((a, b) => a.at - b.at)
  const open = new Set<number>()
  let configurations = new Map<string, Configuration>([
    [idOf(null, []), { state: null, applied: new Set() }],
  ])
  for (const { index, ends } of moments) {
    if (!ends) {
      open.add(index)
      continue
    }
    const operation = operations[index]!
    const next = new Map<string, Configuration>()
    for (const { state, applied } of reachable(configurations, open, operations, bindings, index)) {
      // What was not answered may have had no effect at all.
      if (!applied.has(index) && operation.outcome.is !== 'unknown') continue
      const rest = new Set(applied)
      rest.delete(index)
      next.set(idOf(state, rest), { state, applied: rest })
    }
    open.delete(index)
    if (next.size === 0) {
      const states = [
        ...new Set([...configurations.values()].map(({ state }) => state ?? 'absent')),
      ]
      return `${tell(operation)} fits no order; before it the object was one of: ${states.join(', ')}`
    }
    configurations = next
  }
  return null
}

/** All that can be reached before operation `until` is answered. */
function reachable(
  from: ReadonlyMap<string, Configuration>,
  open: ReadonlySet<number>,
  operations: readonly Operation[],
  bindings: Bindings,
  until: number,
): Iterable<Configuration> {
  const found = new Map(from)
  const queue = [...from.values()]
  for (;;) {
    const here = queue.pop()
    if (!here) return found.values()
    // Later operations can be put off until their own answer.
    if (here.applied.has(until)) continue
    for (const index of open) {
      if (here.applied.has(index)) continue
      const state = apply(operations[index]!, here.state, bindings)
      if (state === undefined) continue
      const applied = new Set(here.applied).add(index)
      const id = idOf(state, applied)
      if (found.has(id)) continue
      const there = { state, applied }
      found.set(id, there)
      queue.push(there)
    }
  }
}

const idOf = (state: State, applied: Iterable<number>) =>
  `${state ?? ''}|${[...applied].sort((a, b) => a - b).join(',')}`

/** The state after an operation; undefined when it cannot have been told this in that state. */
export function apply(operation: Operation, state: State, bindings: Bindings): State | undefined {
  const { kind, outcome, expected } = operation
  const present = state === null ? undefined : bindings.get(state)
  const matches = expected === undefined || present?.revision === expected
  switch (outcome.is) {
    case 'listed':
      return state
    case 'absent':
      return state === null ? null : undefined
    case 'exists':
      return state === null ? undefined : state
    case 'conflict':
      return state === null || matches ? undefined : state
    case 'deleted':
      if (state === null || !matches) return undefined
      return present === undefined || present.uid === outcome.uid ? null : undefined
    case 'done':
      if (kind === 'get') return state === outcome.seen.value ? state : undefined
      break
    case 'unknown':
      if (kind === 'delete') return state !== null && matches ? null : undefined
      if (kind === 'get' || kind === 'list') return state
  }
  const value = operation.value!
  if (kind === 'create' ? state !== null : state === null || !matches) return undefined
  const written = bindings.get(value)
  if (written && present) {
    if (kind === 'update' && written.uid !== present.uid) return undefined
    if (written.revision <= present.revision) return undefined
  }
  return value
}

/** Gathers what is known of each value; returns a contradiction. */
export function bind(
  operations: readonly Operation[],
  log: readonly Committed[],
  into: Map<string, Seen>,
): string | null {
  const values = new Map<number, string>()
  const one = (seen: Seen): string | null => {
    const known = into.get(seen.value)
    if (known && (known.revision !== seen.revision || known.uid !== seen.uid))
      return `value ${seen.value} was seen as ${known.uid} at ${known.revision} and as ${seen.uid} at ${seen.revision}`
    const other = values.get(seen.revision)
    if (other !== undefined && other !== seen.value)
      return `revision ${seen.revision} has the values ${other} and ${seen.value}`
    into.set(seen.value, seen)
    values.set(seen.revision, seen.value)
    return null
  }
  for (const { outcome, value, kind } of operations) {
    if (outcome.is !== 'done') continue
    if (kind !== 'get' && outcome.seen.value !== value)
      return `a write of ${value} was answered with ${outcome.seen.value}`
    const wrong = one(outcome.seen)
    if (wrong !== null) return wrong
  }
  for (const change of log) {
    if (change.type === 'DELETED') continue
    const wrong = one(change)
    if (wrong !== null) return wrong
  }
  return null
}

/** An operation in words. */
export function tell(operation: Operation): string {
  const { kind, key, value, expected, invoked, completed, outcome } = operation
  const told =
    outcome.is === 'done'
      ? `${outcome.seen.value} at ${outcome.seen.revision}`
      : outcome.is === 'listed'
        ? `${outcome.items.size} at ${outcome.at}`
        : outcome.is
  const asked = [value, expected === undefined ? undefined : `if at ${expected}`]
  return `${kind} ${key} ${asked.filter((part) => part !== undefined).join(' ')} [${invoked}, ${completed}] = ${told}`
}
