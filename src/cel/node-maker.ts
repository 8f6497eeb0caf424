/** Makes the nodes of expressions, no deeper than they may be. */
import type {
  CallNode,
  EntryNode,
  ListNode,
  LiteralNode,
  LoopNode,
  MapNode,
  MessageNode,
  NameNode,
  Node,
  SelectNode,
} from './ast.ts'

/** What a loop consists of. */
export type LoopParts = Omit<LoopNode, 'op' | 'at' | 'depth' | 'type'>

/** Makes nodes. */
export class NodeMaker {
  readonly #maxDepth: number
  readonly #tooDeep: () => never

  /** `tooDeep` reports that a node is deeper than `maxDepth`. */
  constructor(maxDepth: number, tooDeep: () => never) {
    this.#maxDepth = maxDepth
    this.#tooDeep = tooDeep
  }

  /** A value. */
  literal(at: number, is: LiteralNode['is'], value: unknown): LiteralNode {
    return { op: 'literal', at, depth: 1, is, value }
  }

  /** A name. */
  name(at: number, name: string): NameNode {
    return { op: 'name', at, depth: 1, name }
  }

  /** A field of a value. */
  select(at: number, operand: Node, field: string, isTest = false): SelectNode {
    return { op: 'select', at, depth: this.#above([operand]), operand, field, isTest }
  }

  /** A call. */
  call(at: number, name: string, args: readonly Node[], receiver: Node | null = null): CallNode {
    const depth = this.#above(receiver ? [receiver, ...args] : args)
    return { op: 'call', at, depth, name, receiver, args }
  }

  /** A list. */
  list(at: number, items: readonly Node[], optional: readonly number[] = []): ListNode {
    return { op: 'list', at, depth: this.#above(items), items, optional }
  }

  /** A map. */
  map(at: number, entries: readonly EntryNode[]): MapNode {
    return { op: 'map', at, depth: this.#aboveEntries(entries), entries }
  }

  /** A message. */
  message(at: number, name: string, fields: readonly EntryNode[]): MessageNode {
    return { op: 'message', at, depth: this.#aboveEntries(fields), name, fields }
  }

  /** A loop. */
  loop(at: number, parts: LoopParts): LoopNode {
    const { range, init, condition, step, result } = parts
    const depth = this.#above([range, init, condition, step, result])
    return { op: 'loop', at, depth, ...parts }
  }

  #aboveEntries(entries: readonly EntryNode[]): number {
    return this.#above(entries.flatMap(({ key, value }) => [key, value]))
  }

  #above(nodes: readonly Node[]): number {
    let depth = 0
    for (const node of nodes) if (node.depth > depth) depth = node.depth
    if (depth >= this.#maxDepth) this.#tooDeep()
    return depth + 1
  }
}
