/** Sets of paths: which parts of an object somebody owns. */
import { compareElements, type Path, type PathElement } from './field-path.ts'

/** One step of a set's paths, with what lies behind it. */
export interface FieldNode {
  readonly element: PathElement
  /** The path that ends here is in the set. */
  readonly member: boolean
  readonly below: FieldSet
}

/** A set of paths as a tree; it does not change. */
export class FieldSet {
  // By `this`: what joins the built files loses the name here.
  static readonly empty = new this(new Map())
  /** By text of the step, in no order. */
  readonly nodes: ReadonlyMap<string, FieldNode>

  private constructor(nodes: ReadonlyMap<string, FieldNode>) {
    this.nodes = nodes
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
    return map.size === 0 ? FieldSet.empty : new FieldSet(map)
  }

  /** The set of these paths. The empty path, the object itself, is in no set. */
  static ofPaths(...paths: readonly Path[]): FieldSet {
    return paths.reduce((set, path) => set.union(single(path)), FieldSet.empty)
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
    return [...this.nodes.values()].sort((a, b) => compareElements(a.element, b.element))
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

  /** What the paths that begin with a step lead on to. */
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

  /** The paths that either has. */
  union(other: FieldSet): FieldSet {
    if (this.isEmpty || this === other) return other
    return other.isEmpty ? this : FieldSet.of([...this.nodes.values(), ...other.nodes.values()])
  }

  /** The paths that both have. */
  intersection(other: FieldSet): FieldSet {
    return this.#combined(other, (node, match) =>
      match
        ? {
            element: node.element,
            member: node.member && match.member,
            below: node.below.intersection(match.below),
          }
        : null,
    )
  }

  /** The paths that the other does not have. */
  difference(other: FieldSet): FieldSet {
    return this.#combined(other, (node, match) =>
      match
        ? {
            element: node.element,
            member: node.member && !match.member,
            below: node.below.difference(match.below),
          }
        : node,
    )
  }

  /** The paths that the other does not have, nor any beginning of them. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.#combined(other, (node, match) => {
      if (!match) return node
      if (match.member) return null
      return { ...node, below: node.below.recursiveDifference(match.below) }
    })
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

  /** Makes a set of each step and the other set's step of the same text; null leaves it out. */
  #combined(
    other: FieldSet,
    combine: (node: FieldNode, match: FieldNode | undefined) => FieldNode | null,
  ): FieldSet {
    if (this.isEmpty) return this
    const kept: FieldNode[] = []
    for (const [text, node] of this.nodes) {
      const next = combine(node, other.nodes.get(text))
      if (next) kept.push(next)
    }
    return FieldSet.of(kept)
  }
}

const united = (a: FieldNode, b: FieldNode): FieldNode => ({
  element: a.element,
  member: a.member || b.member,
  below: a.below.union(b.below),
})

function single(path: Path): FieldSet {
  let set = FieldSet.empty
  for (const [i, element] of path.toReversed().entries()) {
    set = FieldSet.of([{ element, member: i === 0, below: set }])
  }
  return set
}
