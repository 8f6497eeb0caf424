/** What comparisons of typed values are made of. */
import { FieldSet, type FieldNode } from './field-set.ts'
import { fieldElement, type PathElement } from './field-path.ts'
import { isObject } from './json-value.ts'
import { itemsOf, memberTopology, TypedValueError } from './typed-items.ts'
import { DEDUCED, type MapTopology, resolve, type Topology } from '../notation/topology.ts'

/** How two values of one topology differ, in paths. */
export interface Comparison {
  readonly added: FieldSet
  readonly removed: FieldSet
  readonly modified: FieldSet
}

const SIDES = ['added', 'removed', 'modified'] as const
type Side = (typeof SIDES)[number]

/** How a value differs from another. */
export interface Change {
  /** The change of the value itself. */
  readonly self: Side | null
  readonly below: Comparison
}

const NOTHING: Comparison = {
  added: FieldSet.empty,
  removed: FieldSet.empty,
  modified: FieldSet.empty,
}
export const NO_CHANGE: Change = { self: null, below: NOTHING }
export const MODIFIED: Change = { self: 'modified', below: NOTHING }

/** The step to a member of a map. */
export const stepTo = (topology: MapTopology, key: string): PathElement =>
  topology.fields.get(key)?.element ?? fieldElement(key)

export function fail(text: string): never {
  throw new TypedValueError([text])
}

/** The change of a value that only one of both objects has. */
export function wholeChange(topology: Topology, before: unknown, after: unknown): Change {
  return before === undefined
    ? { self: 'added', below: { ...NOTHING, added: everyPath(topology, after) } }
    : { self: 'removed', below: { ...NOTHING, removed: everyPath(topology, before) } }
}

/**
 * The change of a value that became one of another kind. Only undeclared values do: their parts are added or removed one
 * by one, and the value itself changes.
 */
export function becameOther(topology: Topology, before: unknown, after: unknown): Change {
  const removed = everyPath(topology, before)
  const added = everyPath(topology, after)
  return { self: 'modified', below: { added, removed, modified: FieldSet.empty } }
}

/** The paths to all parts of an added or removed value, including containers. */
function everyPath(topology: Topology, value: unknown): FieldSet {
  const resolved = resolve(topology, value)
  const nodes = new Map<string, FieldNode>()
  if (resolved.is === 'map' && !resolved.atomic && isObject(value)) {
    for (const key of Object.keys(value)) {
      const inner = value[key]
      if (inner === undefined) continue
      const element = stepTo(resolved, key)
      const below = everyPath(memberTopology(resolved, key) ?? DEDUCED, inner)
      nodes.set(element.text, { element, member: true, below })
    }
  } else if (resolved.is === 'list' && resolved.relation !== 'atomic' && Array.isArray(value)) {
    for (const [text, { element, value: inner }] of itemsOf(resolved, value, fail)) {
      nodes.set(text, { element, member: true, below: everyPath(resolved.of(), inner) })
    }
  }
  return FieldSet.byText(nodes)
}

/** Collects the changes of a value's parts. */
export class Changes {
  readonly #nodes: Record<Side, Map<string, FieldNode> | null> = {
    added: null,
    removed: null,
    modified: null,
  }

  add(element: PathElement, change: Change | null): void {
    if (!change) return
    for (const side of SIDES) {
      const member = change.self === side
      const below = change.below[side]
      if (!member && below.isEmpty) continue
      const nodes = (this.#nodes[side] ??= new Map())
      nodes.set(element.text, { element, member, below })
    }
  }

  /** null: there are none. */
  finish(): Change | null {
    const { added, removed, modified } = this.#nodes
    if (!added && !removed && !modified) return null
    const setOf = (nodes: Map<string, FieldNode> | null) =>
      nodes ? FieldSet.byText(nodes) : FieldSet.empty
    return {
      self: null,
      below: { added: setOf(added), removed: setOf(removed), modified: setOf(modified) },
    }
  }
}
