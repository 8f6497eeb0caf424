/** The greatest cost of a checked expression, node by node, from the sizes that its inputs may have. */
import type { CallNode, LoopNode, Node, SelectNode } from './ast.ts'
import {
  either,
  ENDLESS,
  type EstimatedValue,
  exactly,
  ONE,
  plus,
  type Range,
  times,
  UNBOUNDED,
  ZERO,
} from './cost-rule.ts'
import type { DeclaredType } from './declared-type.ts'
import type { EnvironmentOptions } from './environment.ts'
import { unescapedName } from './field-names.ts'
import { NEW_LIST } from './loop-code.ts'
import { isOptional, type Type } from './type.ts'
import { lengthOf } from './values.ts'

const NEW_MAP = 30

type Facts = Pick<
  EnvironmentOptions,
  'resultsHaveSizes' | 'presenceCostsOperand' | 'libraryValuesCompareAtOnce'
>

/** Steps from a variable to what derives from it: the variable, then fields and what loops go over. */
type Path = readonly string[]

const ITEMS = '@items'
const KEYS = '@keys'
const VALUES = '@values'

/**
 * The greatest cost of one evaluation. `root` is the declared type of the variables. As in the reference, the first step
 * of a path is not looked at: what begins with anything else than a variable is sized as if it began with one.
 */
export const greatestCost = (node: Node, root: DeclaredType, facts: Facts): number =>
  new Estimator(root, facts).cost(node).max

class Estimator {
  readonly #root: DeclaredType
  readonly #facts: Facts
  /** What the variables of loops around go over, and the step from there; the innermost last. */
  readonly #locals: {
    readonly name: string
    readonly range: Node
    readonly step: string | null
  }[] = []
  readonly #paths = new Map<Node, Path>()
  readonly #sizes = new Map<Node, Range>()

  constructor(root: DeclaredType, facts: Facts) {
    this.#root = root
    this.#facts = facts
  }

  cost(node: Node): Range {
    switch (node.op) {
      case 'literal':
        return ZERO
      case 'name':
        return this.#name(node, node.name)
      case 'select':
        return this.#select(node)
      case 'call':
        return this.#call(node)
      case 'list':
        return this.#sum(exactly(NEW_LIST), node.items)
      case 'map':
        return this.#sum(
          exactly(NEW_MAP),
          node.entries.flatMap(({ key, value }) => [key, value]),
        )
      case 'loop':
        return this.#loop(node)
      case 'message':
        return ZERO
    }
  }

  #sum(own: Range, parts: readonly Node[]): Range {
    return parts.reduce((sum, part) => plus(sum, this.cost(part)), own)
  }

  #name(node: Node, name: string): Range {
    const local = this.#locals.findLast((one) => one.name === name)
    if (!local) this.#paths.set(node, [name])
    else if (local.step !== null) this.#extend(node, local.range, local.step)
    return ONE
  }

  #extend(node: Node, from: Node, step: string): void {
    this.#paths.set(node, [...(this.#paths.get(from) ?? []), step])
  }

  #select(node: SelectNode): Range {
    if (node.meaning) return this.#name(node, node.meaning.name)
    if (node.isTest) return this.#facts.presenceCostsOperand ? this.cost(node.operand) : ZERO
    const cost = this.cost(node.operand)
    this.#extend(node, node.operand, node.field)
    const { kind } = node.operand.type!
    return kind === 'map' || kind === 'object' || kind === 'param' ? plus(cost, ONE) : cost
  }

  #call(node: CallNode): Range {
    const parts = node.receiver ? [node.receiver, ...node.args] : node.args
    const costs = parts.map((part) => this.cost(part))
    const [first, second, third] = costs as [Range, Range, Range]
    switch (node.name) {
      case '_&&_':
      case '_||_':
        return { min: first.min, max: plus(first, second).max }
      case '_?_:_':
        this.#sizes.set(node, either(this.#sizeOf(parts[1]!), this.#sizeOf(parts[2]!)))
        return plus(first, either(second, third))
      case '_[_]': {
        const step = node.overloads?.at(-1)?.id === 'index_map' ? VALUES : ITEMS
        this.#extend(node, parts[0]!, step)
      }
    }
    const all = costs.reduce(plus, ZERO)
    return plus(all, this.#overloadsOf(node, parts))
  }

  #overloadsOf(node: CallNode, parts: readonly Node[]): Range {
    const { overloads } = node
    if (!overloads || overloads.length === 0) return node.name === '_?._' ? ONE : ZERO
    if (this.#comparesAtOnce(node, parts)) return ONE
    const values = parts.map((part) => this.#estimated(part))
    let cost: Range | null = null
    let size: Range | null = null
    for (const { cost: rule } of overloads) {
      const found = rule.estimate(values)
      cost = cost === null ? found.cost : either(cost, found.cost)
      if (!found.size || (!found.isSizeOfAll && !this.#facts.resultsHaveSizes)) continue
      size = size === null ? found.size : either(size, found.size)
    }
    if (size) this.#sizes.set(node, size)
    return cost!
  }

  /** Whether values of libraries are compared, which have no parts. */
  #comparesAtOnce({ name }: CallNode, parts: readonly Node[]): boolean {
    if (!this.#facts.libraryValuesCompareAtOnce || (name !== '_==_' && name !== '_!=_'))
      return false
    return parts.every(({ type }) => type!.kind === 'opaque' && !isOptional(type!))
  }

  #loop(node: LoopNode): Range {
    const around = plus(this.cost(node.range), this.cost(node.init))
    const outer = this.#locals.length
    const steps = stepsOf(node)
    node.names.forEach((name, i) => this.#locals.push({ name, range: node.range, step: steps[i]! }))
    const once = plus(this.cost(node.step), this.cost(node.condition))
    this.#locals.length = outer
    const end = this.cost(node.result)
    return plus(plus(around, end), times(this.#sizeOf(node.range), once))
  }

  #estimated(node: Node): EstimatedValue {
    const type = node.type!
    const size = this.#sizeOf(node)
    const literal = node.op === 'literal' && node.is === 'int' ? Number(node.value) : null
    if (type.kind !== 'list') {
      return { size, itemTextSize: undefined, itemSize: UNBOUNDED, literal }
    }
    const item = type.of[0]!
    const path = this.#paths.get(node)
    const itemSize = (path && this.#sizeAt([...path, ITEMS])) ?? UNBOUNDED
    return { size, itemTextSize: isText(item) ? itemSize : null, itemSize, literal }
  }

  #sizeOf(node: Node): Range {
    return (
      this.#sizes.get(node) ??
      sizeOfWritten(node) ??
      this.#sizeAt(this.#paths.get(node)) ??
      (isScalar(node.type!) ? ONE : UNBOUNDED)
    )
  }

  /** The declared size of what a path leads to. */
  #sizeAt(path: Path | undefined): Range | null {
    if (path === undefined || path.length === 0) return null
    let type: DeclaredType | undefined = this.#root
    for (const step of path.slice(1)) {
      // Keys of maps are texts without a size.
      if (type?.is === 'map' && step === KEYS) type = KEY
      else type = type && stepInto(type, step)
    }
    if (type === undefined) return null
    return { min: 0, max: type.is === 'object' ? 0 : Math.min(type.max, ENDLESS) }
  }
}

const isText = ({ kind }: Type): boolean => kind === 'string' || kind === 'bytes'

const SCALARS: ReadonlySet<string> = new Set('bool int uint double timestamp duration'.split(' '))

const isScalar = ({ kind }: Type): boolean => SCALARS.has(kind)

/** The size of what is written out. */
function sizeOfWritten(node: Node): Range | null {
  if (node.op === 'list') return exactly(node.items.length)
  if (node.op === 'map') return exactly(node.entries.length)
  if (node.op !== 'literal') return null
  const { value } = node
  if (typeof value === 'string') return exactly(lengthOf(value))
  if (value instanceof Uint8Array) return exactly(value.length)
  return ONE
}

const KEY: DeclaredType = { is: 'string', max: 0, least: 2 }

function stepInto(type: DeclaredType, step: string): DeclaredType | undefined {
  if (step === ITEMS || step === VALUES) {
    return type.is === 'list' || type.is === 'map' ? type.of : undefined
  }
  if (type.is !== 'object') return undefined
  const name = unescapedName(step, type.fields)
  return name === undefined ? undefined : type.fields.get(name)?.type
}

/** The steps from what a loop goes over to its variables; null for what has no size. */
function stepsOf({ range, names }: LoopNode): readonly (string | null)[] {
  const { kind } = range.type!
  if (names.length === 1) return [kind === 'list' ? ITEMS : kind === 'map' ? KEYS : null]
  return kind === 'list' ? [null, ITEMS] : kind === 'map' ? [KEYS, VALUES] : [null, null]
}
