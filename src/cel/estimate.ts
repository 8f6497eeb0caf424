import type { DeclaredType } from './declared-type.ts'
import { callOf, type Comprehension, type Node } from './engine.ts'
import { escapeFieldName as escapedName } from './field-names.ts'
import { writtenName } from './function-library.ts'

/** More than anything may cost. */
const ENDLESS = 2 ** 64

/** Cost of looking at one character of a text. */
export const PER_CHARACTER = 0.1

/** Cost of one character of a pattern, for each character of the text. */
const PER_PATTERN_CHARACTER = 0.25

/** Cost of making a list. */
export const NEW_LIST = 10

/** Cost of making a map. */
export const NEW_MAP = 30

/** Maximum cost of a part of an expression, and maximum length of its value. */
interface Estimate {
  readonly cost: number
  readonly size: number
  /** Known for values that derive from a variable. */
  readonly type?: DeclaredType | undefined
}

/** Types of the variables in reach. */
type Variables = ReadonlyMap<string, DeclaredType | undefined>

/** A product, capped at a finite bound so that zero times it stays zero. */
const times = (a: number, b: number): number => Math.min(a * b, ENDLESS)

const plus = (...costs: readonly number[]): number =>
  Math.min(
    costs.reduce((sum, one) => sum + one, 0),
    ENDLESS,
  )

const perCharacter = (size: number, factor = PER_CHARACTER): number =>
  size >= ENDLESS ? ENDLESS : Math.ceil(size * factor)

/** The greatest cost of a checked expression. */
export const greatestCost = (node: Node, variables: Variables): number =>
  Math.min(new Estimator(variables).of(node).cost, ENDLESS)

const UNSIZED = new Set(['bool', 'int', 'uint', 'double', 'null'])

class Estimator {
  readonly #variables: Variables

  constructor(variables: Variables) {
    this.#variables = variables
  }

  of(node: Node): Estimate {
    const { alternate, macro } = node.meta
    if (alternate) return this.of(alternate)
    if (macro) return { cost: 0, size: 1 }
    const found = this.#node(node)
    const { type } = found
    if (type) return { ...found, size: sizeOf(type) }
    return found.size >= 0 ? found : { ...found, size: unknownSize(node) }
  }

  #node(node: Node): Estimate {
    const { op, args } = node
    switch (op) {
      case 'value':
        return { cost: 0, size: typeof args === 'string' ? [...args].length : lengthOf(args) }
      case 'id':
        return { cost: 1, size: -1, type: this.#variables.get(args as string) }
      case '.':
        return this.#field(args as [Node, string])
      case '[]':
        return this.#element(args as [Node, Node])
      case 'call':
      case 'rcall':
        return this.#call(node)
      case 'list': {
        const items = (args as Node[]).map((item) => this.of(item))
        return { cost: plus(NEW_LIST, ...items.map(({ cost }) => cost)), size: items.length }
      }
      case 'map': {
        const parts = (args as [Node, Node][]).flat().map((part) => this.of(part))
        return { cost: plus(NEW_MAP, ...parts.map(({ cost }) => cost)), size: parts.length / 2 }
      }
      case 'comprehension':
        return this.#comprehension(args as Comprehension)
      case '?:': {
        const [condition, left, right] = (args as Node[]).map((one) => this.of(one)) as [
          Estimate,
          Estimate,
          Estimate,
        ]
        const cost = plus(condition.cost, Math.max(left.cost, right.cost))
        return { cost, size: Math.max(left.size, right.size) }
      }
      case '!_':
      case '-_':
        return { cost: plus(this.of(args as Node).cost, 1), size: 1 }
      default:
        return this.#operator(node)
    }
  }

  #field([object, name]: [Node, string]): Estimate {
    const { cost, type } = this.of(object)
    const inside = type?.is === 'object' ? fieldOf(type, name) : undefined
    return { cost: plus(cost, 1), size: -1, type: type?.is === 'map' ? type.of : inside }
  }

  #element([collection, index]: [Node, Node]): Estimate {
    const { cost, type } = this.of(collection)
    const inside = type?.is === 'list' || type?.is === 'map' ? type.of : undefined
    return { cost: plus(cost, this.of(index).cost, 1), size: -1, type: inside }
  }

  #operator({ op, args, checkedType }: Node): Estimate {
    const [a, b] = args as [Node, Node]
    const [left, right] = [this.of(a), this.of(b)]
    const cost = plus(left.cost, right.cost)
    const least = Math.min(left.size, right.size)
    switch (op) {
      case '&&':
      case '||':
        return { cost, size: 1 }
      case '==':
      case '!=':
        return { cost: plus(cost, perCharacter(least)), size: 1 }
      case 'in':
        return { cost: plus(cost, b.checkedType?.kind === 'list' ? right.size : 1), size: 1 }
      case '+': {
        const size = plus(left.size, right.size)
        if (checkedType?.kind === 'list') return { cost: plus(cost, 1), size }
        if (!isText(checkedType?.name)) return { cost: plus(cost, 1), size: -1 }
        return { cost: plus(cost, perCharacter(size)), size }
      }
      case '<':
      case '<=':
      case '>':
      case '>=':
        return { cost: plus(cost, isText(a.checkedType?.name) ? perCharacter(least) : 1), size: 1 }
      default:
        return { cost: plus(cost, 1), size: -1 }
    }
  }

  #call(node: Node): Estimate {
    const call = callOf(node)!
    const parts = [...(call.receiver ? [call.receiver] : []), ...call.args]
    const known = parts.map((part) => this.of(part))
    const { own, size } = callCost(
      writtenName(call.name),
      known.map((one) => one.size),
      itemCost(known[0]?.type, parts[0]),
    )
    return { cost: plus(own, ...known.map(({ cost }) => cost)), size: size ?? -1 }
  }

  #comprehension({ kind, iterable, iterVarName, init, step }: Comprehension): Estimate {
    const range = this.of(iterable)
    const { type } = range
    const item = type?.is === 'list' ? type.of : undefined
    const inner = new Estimator(new Map(this.#variables).set(iterVarName, item))
    const all = kind === 'quantifier'
    const once = plus(
      all ? quantifierStep(init) : 0,
      ...stepParts(step).map((part) => inner.of(part).cost),
      stepCost(step),
    )
    const around = all ? 1 : NEW_LIST + 1
    return { cost: plus(range.cost, around, times(range.size, once)), size: all ? 1 : range.size }
  }
}

/** Cost of one round of a quantifier beside its condition; `init` identifies the quantifier. */
export const quantifierStep = (init: Node): number => {
  if (init.args === true) return 3
  return init.args === false ? 4 : 0
}

/** Cost that one round adds to the accumulator. */
export function stepCost(step: Node): number {
  if (step.op === 'accuPush') return NEW_LIST + 2
  if (step.op === 'accuInc') return 2
  if (step.op !== '?:') return 0
  const [, left] = step.args as [Node, Node]
  return stepCost(left)
}

/** Parts of a round that were written. */
function stepParts(step: Node): Node[] {
  if (step.op === 'accuPush') return [step.args as Node]
  if (step.op !== '?:') return []
  const [condition, left] = step.args as [Node, Node]
  return [condition, ...stepParts(left)]
}

const TRAVERSED = new Set(['lowerAscii', 'upperAscii', 'substring', 'trim', 'replace', 'split'])
const SAME_SIZE = new Set(['lowerAscii', 'upperAscii', 'substring', 'trim', 'split', 'find'])
/** Functions that search a text, the first argument, for a pattern, the second. */
export const PATTERNS: ReadonlySet<string> = new Set(['matches', 'find', 'findAll'])
const WHOLE_LISTS = new Set(['isSorted', 'sum', 'min', 'max'])

/** Cost of a call itself, and the length of its value where that is known. */
export function callCost(
  name: string,
  sizes: readonly number[],
  perItem: number | null,
): { own: number; size?: number } {
  const [first = 0, second = 0, third = 0] = sizes
  if (PATTERNS.has(name)) {
    const own = times(perCharacter(plus(first, 1)), perCharacter(second, PER_PATTERN_CHARACTER))
    return { own, size: name === 'matches' ? 1 : first }
  }
  if (name === 'contains') return { own: times(perCharacter(first), perCharacter(second)), size: 1 }
  if (name === 'startsWith' || name === 'endsWith') return { own: perCharacter(second), size: 1 }
  if (WHOLE_LISTS.has(name)) return { own: times(first, perItem ?? 1) }
  if (name === 'indexOf' || name === 'lastIndexOf') {
    if (perItem !== null) return { own: times(first, perItem), size: 1 }
    return { own: times(perCharacter(first), perCharacter(second)), size: 1 }
  }
  if (name === 'join') {
    const own = times(first, plus(perItem ?? 1, perCharacter(second)))
    return { own, size: times(own, 1 / PER_CHARACTER) }
  }
  if (name === 'replace') {
    const size = plus(first, times(plus(first, 1), third))
    return { own: plus(perCharacter(first), perCharacter(size)), size }
  }
  if (TRAVERSED.has(name)) {
    const own = perCharacter(first)
    return SAME_SIZE.has(name) ? { own, size: first } : { own }
  }
  if (['url', 'isURL', 'bytes', 'string', 'timestamp', 'duration'].includes(name)) {
    return { own: Math.max(1, perCharacter(first)), size: first }
  }
  return { own: 1 }
}

/** Cost of accessing one item of a list; null for other values. */
function itemCost(type: DeclaredType | undefined, node: Node | undefined): number | null {
  if (node?.checkedType?.kind !== 'list') return null
  const { valueType } = node.checkedType
  if (!isText(valueType?.name)) return 1
  if (type?.is !== 'list') return ENDLESS
  return Math.max(1, perCharacter(sizeOf(type.of)))
}

const isText = (name: string | undefined): boolean => name === 'string' || name === 'bytes'

const sizeOf = (type: DeclaredType): number => (type.is === 'object' ? 0 : type.max)

const lengthOf = (value: unknown): number => (value instanceof Uint8Array ? value.length : 1)

function unknownSize({ checkedType }: Node): number {
  const name = checkedType?.name ?? ''
  return UNSIZED.has(name) || name.startsWith('google.') ? 1 : ENDLESS
}

function fieldOf(type: DeclaredType & { is: 'object' }, escaped: string): DeclaredType | undefined {
  for (const [name, field] of type.fields) if (escapedName(name) === escaped) return field.type
  return undefined
}
