import { createRequire } from 'node:module'

type Engine = typeof import('@marcbachmann/cel-js')
type Environment = InstanceType<Engine['Environment']>

let engine: Engine | null = null

/** The library below, loaded when the first expression is met. */
export function celEngine(): Engine {
  engine ??= createRequire(import.meta.url)('@marcbachmann/cel-js') as Engine
  return engine
}

/** Creates a duration of the library's own class. */
export type MakeDuration = (nanoseconds: bigint) => object

let duration: MakeDuration | null = null

/** Creates durations of the library, which does not export their class. */
export function durations(): MakeDuration {
  if (duration) return duration
  const sample = celEngine().evaluate("duration('0s')") as object
  const Duration = sample.constructor as new (seconds: bigint, nanos: number) => object
  duration = (nanoseconds) =>
    new Duration(nanoseconds / 1_000_000_000n, Number(nanoseconds % 1_000_000_000n))
  return duration
}

/** A declared type as the library holds it on a checked node. */
export interface CheckedType {
  readonly name: string
  readonly kind: string
  readonly hasDynType: boolean
  readonly valueType?: CheckedType
  readonly keyType?: CheckedType
}

/** Data that the library stores with a macro. */
export interface Macro {
  readonly args?: readonly Node[]
  readonly macroHasProps?: readonly Node[]
  typeCheck: (checker: Checker, macro: Macro, context: unknown) => CheckedType
  evaluate: Evaluate
}

/** The library's type checker, as far as macros get it. */
export interface Checker {
  check(node: Node, context: unknown): CheckedType
}

type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown

/** The library's evaluator, as far as comprehensions need it. */
export interface Runner {
  run(node: Node, context: unknown): unknown
}

/** The variables of a step of a comprehension. */
export interface LoopContext {
  /** What the steps so far gave, for steps that add to it. */
  accuValue: unknown
  /** The context of the loop, whose other variables are those of a context. */
  reuse(context: unknown): LoopContext
  setIterValue(item: unknown, evaluator: Runner): void
}

/** A comprehension. */
export interface Comprehension {
  readonly kind?: string
  readonly iterable: Node
  readonly iterVarName: string
  readonly init: Node
  readonly step: Node
  /** Whether an error in a step ends the loop. */
  readonly errorsAreFatal: boolean
  /** Whether the loop goes on after a value. */
  readonly condition?: (value: unknown) => boolean
  readonly result: (value: unknown) => unknown
  readonly iterCtx: LoopContext
}

/** The members of a parsed expression's node that we use. */
export interface Node {
  readonly op: string
  args: unknown
  readonly pos: number
  readonly checkedType?: CheckedType
  handle?: (...values: unknown[]) => unknown
  readonly meta: {
    readonly alternate?: Node
    readonly macro?: Macro
    readonly evaluate: Evaluate
  }
  setMeta(key: string, value: unknown): Node
}

/** A parsed expression. */
export interface Parsed {
  (context: ReadonlyMap<string, unknown>): unknown
  readonly ast: Node
  check(): { readonly valid: boolean; readonly type?: string; readonly error?: Error }
}

/** Parses in an environment; throws Error. */
export const parseIn = (environment: Environment, source: string): Parsed =>
  environment.parse(source) as unknown as Parsed

/** A call: its name, its receiver and its arguments. */
export interface Call {
  readonly name: string
  readonly receiver: Node | null
  readonly args: readonly Node[]
}

/** The call of a node that is one. */
export function callOf({ op, args }: Node): Call | null {
  if (op === 'call') {
    const [name, given] = args as [string, Node[]]
    return { name, receiver: null, args: given }
  }
  if (op !== 'rcall') return null
  const [name, receiver, given] = args as [string, Node, Node[]]
  return { name, receiver, args: given }
}

/** Child nodes; for a macro, those of its expansion. */
export function childrenOf(node: Node): readonly Node[] {
  const { alternate, macro } = node.meta
  if (alternate) return [alternate]
  if (macro) return macro.args ?? []
  const call = callOf(node)
  if (call) return call.receiver ? [call.receiver, ...call.args] : call.args
  const { op, args } = node
  if (op === 'comprehension') {
    const { iterable, init, step } = args as Comprehension
    return [iterable, init, step]
  }
  if (op === 'map') return (args as [Node, Node][]).flat()
  if (op === '.') return [(args as [Node])[0]]
  if (op === '!_' || op === '-_' || op === 'accuPush') return [args as Node]
  return op === 'value' || op === 'id' || !Array.isArray(args) ? [] : (args as Node[])
}
