/** Sets of paths: the parts of an object that a manager owns. */
import { putInOrder } from '../base/in-order.ts'
import { compareElements, type Path, type PathElement } from './field-path.ts'

/** One step of a set's paths, with the paths behind it. */
export interface FieldNode {
  readonly element: PathElement
  /** The path that ends here is in the set. */
  readonly member: boolean
  readonly below: FieldSet
}

/** A set of paths as a tree; it does not change. */
export class FieldSet {
  // With `this`: the bundler loses the class name here.
  static readonly empty = new this(new Map())
  /** By text of the step, in no order. */
  readonly nodes: ReadonlyMap<string, FieldNode>

  private constructor(nodes: ReadonlyMap<string, FieldNode>) {
    this.nodes = nodes
  }

  /** The set with these steps, by their texts; none of them is without a path. */
  static byText(nodes: ReadonlyMap<string, FieldNode>): FieldSet {
    return nodes.size === 0 ? FieldSet.empty : new FieldSet(nodes)
  }

  /** The set with these steps; of two with the same text both count. */
  static of(nodes: Iterable<FieldNode>): FieldSet {
    const map = new Map<string, FieldNode>()
    for (const node of nodes) {
      if (!node.member && node.below.isEmpty) continue
      const { text } = node.element
      const other = map.get(text)
      map.set(text, other ? united(other, node) : node)
    }
    return FieldSet.byText(map)
  }

  /** The set of these paths. The empty path, the object itself, is in no set. */
  static ofPaths(...paths: readonly Path[]): FieldSet {
    return paths.reduce((set, path) => set.union(single(path)), FieldSet.empty)
  }

  /** The paths that any of the sets has; takes no longer than the sets are large together. */
  static unionOf(sets: readonly FieldSet[]): FieldSet {
    const [first = FieldSet.empty, second, ...others] = sets
    if (others.length === 0) return second ? first.union(second) : first
    const same = new Map<string, FieldNode[]>()
    for (const { nodes } of sets) {
      for (const [text, node] of nodes) {
        const met = same.get(text)
        if (met) met.push(node)
        else same.set(text, [node])
      }
    }
    const all = new Map<string, FieldNode>()
    for (const [text, met] of same) {
      const [{ element, member, below }] = met as [FieldNode, ...FieldNode[]]
      if (met.every((node) => node.below === below && node.member === member)) {
        all.set(text, met[0]!)
        continue
      }
      all.set(text, {
        element,
        member: met.some((node) => node.member),
        below: FieldSet.unionOf(met.map((node) => node.below)),
      })
    }
    return FieldSet.byText(all)
  }

  get isEmpty(): boolean {
    return this.nodes.size === 0
  }

  /** Number of paths. */
  get size(): number {
    let size = 0
    for (const { member, below } of this.nodes.values()) size += below.size + (member ? 1 : 0)
    return size
  }

  /** The steps in their order. */
  sorted(): FieldNode[] {
    const nodes = [...this.nodes.values()]
    return putInOrder(nodes, byElement)
  }

  /** All paths in order; a path precedes those that lead on from it. */
  *paths(before: Path = []): Generator<Path> {
    for (const { element, member, below } of this.sorted()) {
      const path = [...before, element]
      if (member) yield path
      yield* below.paths(path)
    }
  }

  has(path: Path): boolean {
    const [first, ...rest] = path
    if (!first) return false
    const node = this.nodes.get(first.text)
    if (!node) return false
    return rest.length === 0 ? node.member : node.below.has(rest)
  }

  /** The continuations of the paths that begin with a step. */
  below(element: PathElement): FieldSet {
    return this.nodes.get(element.text)?.below ?? FieldSet.empty
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true
    if (this.nodes.size !== other.nodes.size) return false
    for (const [text, { member, below }] of this.nodes) {
      const node = other.nodes.get(text)
      if (!node || node.member !== member || !below.equals(node.below)) return false
    }
    return true
  }

  /** The union of both; this same set when the other adds nothing. */
  union(other: FieldSet): FieldSet {
    if (this.isEmpty || this === other) return other
    let all: Map<string, FieldNode> | null = null
    for (const [text, node] of other.nodes) {
      const mine = this.nodes.get(text)
      const both = mine ? united(mine, node) : node
      if (both !== mine) (all ??= new Map(this.nodes)).set(text, both)
    }
    return all === null ? this : new FieldSet(all)
  }

  /** The paths that both have. */
  intersection(other: FieldSet): FieldSet {
    if (this === other || this.isEmpty || other.isEmpty) return other.isEmpty ? other : this
    const [few, many] = this.nodes.size < other.nodes.size ? [this, other] : [other, this]
    let kept: Map<string, FieldNode> | null = null
    for (const [text, node] of few.nodes) {
      const match = many.nodes.get(text)
      if (!match) continue
      const both = changed(node, node.member && match.member, node.below.intersection(match.below))
      if (both) (kept ??= new Map()).set(text, both)
    }
    return kept ? FieldSet.byText(kept) : FieldSet.empty
  }

  /** The paths that the other does not have; this very set when these are all. */
  difference(other: FieldSet): FieldSet {
    if (this === other) return FieldSet.empty
    return this.#reduced(other, (node, match) =>
      changed(node, node.member && !match.member, node.below.difference(match.below)),
    )
  }

  /** The paths that the other does not have, nor any beginning of them; this very set when these are all. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.#reduced(other, (node, match) =>
      match.member ? null : changed(node, node.member, node.below.recursiveDifference(match.below)),
    )
  }

  /** The paths from which no other path leads on. */
  leaves(): FieldSet {
    return FieldSet.of(
      Array.from(this.nodes.values(), ({ element, member, below }) => ({
        element,
        member: member && below.isEmpty,
        below: below.leaves(),
      })),
    )
  }

  /** Reduces the steps that the other set has too; null omits one. */
  #reduced(
    other: FieldSet,
    reduce: (node: FieldNode, match: FieldNode) => FieldNode | null,
  ): FieldSet {
    if (this.isEmpty || other.isEmpty) return this
    if (this.nodes.size <= other.nodes.size) return this.#rebuilt(other, reduce)
    let left: Map<string, FieldNode> | null = null
    for (const [text, match] of other.nodes) {
      const node = this.nodes.get(text)
      if (!node) continue
      const rest = reduce(node, match)
      if (rest === node) continue
      left ??= new Map(this.nodes)
      if (rest) left.set(text, rest)
      else left.delete(text)
    }
    return left === null ? this : FieldSet.byText(left)
  }

  #rebuilt(
    other: FieldSet,
    reduce: (node: FieldNode, match: FieldNode) => FieldNode | null,
  ): FieldSet {
    let kept: Map<string, FieldNode> | null = null
    for (const [text, node] of this.nodes) {
      const match = other.nodes.get(text)
      const rest = match ? reduce(node, match) : node
      if (rest === node) continue
      kept ??= new Map(this.nodes)
      if (rest) kept.set(text, rest)
      else kept.delete(text)
    }
    return kept ? FieldSet.byText(kept) : this
  }
}

/** The step with other paths behind it: itself when unchanged, null when nothing is left. */
function changed(node: FieldNode, member: boolean, below: FieldSet): FieldNode | null {
  if (member === node.member && below === node.below) return node
  return member || !below.isEmpty ? { element: node.element, member, below } : null
}

const united = (a: FieldNode, b: FieldNode): FieldNode =>
  // Of two with paths something is left.
  changed(a, a.member || b.member, a.below.union(b.below)) ?? a

const byElement = (a: FieldNode, b: FieldNode) => compareElements(a.element, b.element)

function single(path: Path): FieldSet {
  let set = FieldSet.empty
  for (const [i, element] of path.toReversed().entries()) {
    set = FieldSet.of([{ element, member: i === 0, below: set }])
  }
  return set
}
