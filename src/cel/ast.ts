/** Parsed expressions: macros are expanded, and the checker adds what it finds. */
import type { Overload } from './function-declaration.ts'
import type { Type } from './type.ts'

interface Base {
  /** Index in the source. */
  readonly at: number
  /** Height of the tree below. */
  readonly depth: number
  /** Set by the checker. */
  type?: Type
}

/** A value that is written out. */
export interface LiteralNode extends Base {
  readonly op: 'literal'
  readonly is: 'null' | 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes'
  readonly value: unknown
}

/** What a name refers to: a variable of the environment or of a comprehension, or a type. */
export type NameMeaning =
  | { readonly is: 'variable'; readonly name: string }
  | { readonly is: 'local'; readonly name: string }
  | { readonly is: 'type'; readonly name: string }

/** A name. */
export interface NameNode extends Base {
  readonly op: 'name'
  readonly name: string
  meaning?: NameMeaning
}

/** A field of a value, or whether it has it. */
export interface SelectNode extends Base {
  readonly op: 'select'
  readonly operand: Node
  readonly field: string
  readonly isTest: boolean
  /** Set where the whole chain is one name with dots. */
  meaning?: NameMeaning
}

/** A call of a function, of which operators are some. */
export interface CallNode extends Base {
  readonly op: 'call'
  /** The checker replaces it where the receiver is the first part of the name. */
  name: string
  receiver: Node | null
  readonly args: readonly Node[]
  overloads?: readonly Overload[]
}

/** A list; `optional` are the indexes of items that are left out when they are empty optionals. */
export interface ListNode extends Base {
  readonly op: 'list'
  readonly items: readonly Node[]
  readonly optional: readonly number[]
}

/** An entry of a map. */
export interface EntryNode {
  readonly key: Node
  readonly value: Node
  readonly isOptional: boolean
  readonly at: number
}

/** A map. */
export interface MapNode extends Base {
  readonly op: 'map'
  readonly entries: readonly EntryNode[]
}

/** A message with fields, of which no type is known here. */
export interface MessageNode extends Base {
  readonly op: 'message'
  readonly name: string
  readonly fields: readonly EntryNode[]
}

/** Macros that make comprehensions. */
export type LoopKind =
  | 'all'
  | 'exists'
  | 'exists_one'
  | 'map'
  | 'filter'
  | 'bind'
  | 'transformList'
  | 'transformMap'
  | 'transformMapEntry'

/** A comprehension: a loop with an accumulator. */
export interface LoopNode extends Base {
  readonly op: 'loop'
  readonly kind: LoopKind
  readonly range: Node
  /** One name, or two: index or key, and value. */
  readonly names: readonly string[]
  readonly init: Node
  readonly condition: Node
  readonly step: Node
  readonly result: Node
  /** What was written, for the evaluation: the condition of a step, if any, and what it gives. */
  readonly when: Node | null
  readonly body: Node | null
  /** The name of the accumulator. */
  readonly accumulator: string
}

/** A node of an expression. */
export type Node =
  | LiteralNode
  | NameNode
  | SelectNode
  | CallNode
  | ListNode
  | MapNode
  | MessageNode
  | LoopNode
