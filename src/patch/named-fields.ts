import { type FieldNode, FieldSet } from './field-set.ts'
import type { PathElement } from './field-path.ts'
import { DEDUCED, type Topology } from '../notation/topology.ts'

/**
 * The set with the declared fields on the way to its paths: of `spec.strategy.type` also `spec` and `spec.strategy`.
 * Items and keys of maps on the way stay out, because the owner of a nested field need not have created them.
 */
export function withNamedFields(set: FieldSet, topology: Topology): FieldSet {
  return FieldSet.of(
    Array.from(set.nodes.values(), ({ element, member, below }) => ({
      element,
      member: member || (!below.isEmpty && isDeclared(topology, element)),
      below: withNamedFields(below, behind(topology, element)),
    })),
  )
}

/**
 * The set adapted to declarations that have become coarser since it was written: the owners of parts of a value that is
 * now atomic own the value. The same object when nothing changes.
 */
export function withAtomicValues(set: FieldSet, topology: Topology): FieldSet {
  if (adapted.get(set) === topology) return set
  const all = withAtoms(set, topology)
  if (all === set && !set.isEmpty) adapted.set(set, topology)
  return all
}

/** Sets that need no change, with the topology for which that was found; most outlive a write unchanged. */
const adapted = new WeakMap<FieldSet, Topology>()

function withAtoms(set: FieldSet, topology: Topology): FieldSet {
  let all: Map<string, FieldNode> | null = null
  for (const [text, node] of set.nodes) {
    const { element, below } = node
    if (below.isEmpty) continue
    const of = behind(topology, element)
    const isWhole = isAtomic(of)
    const behindIt = isWhole ? FieldSet.empty : withAtoms(below, of)
    if (behindIt === below) continue
    all ??= new Map(set.nodes)
    all.set(text, { element, member: isWhole || node.member, below: behindIt })
  }
  return all === null ? set : FieldSet.byText(all)
}

const isAtomic = (topology: Topology) =>
  topology.is === 'scalar' ||
  (topology.is === 'list' && topology.relation === 'atomic') ||
  (topology.is === 'map' && topology.atomic)

const isDeclared = (topology: Topology, element: PathElement) =>
  topology.is === 'map' && element.is === 'field' && topology.fields.has(element.name)

/** The topology behind a step. */
function behind(topology: Topology, element: PathElement): Topology {
  if (topology.is === 'map' && element.is === 'field') {
    return (topology.fields.get(element.name)?.of ?? topology.rest)?.() ?? DEDUCED
  }
  return topology.is === 'list' && element.is === 'key' ? topology.of() : DEDUCED
}
