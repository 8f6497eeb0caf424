/** Calls of functions: directly where their types are known, else of the overload that takes the values there are. */
import type { CallNode, Node } from './ast.ts'
import { FIXED } from './cost-rule.ts'
import { noOverload } from './failure.ts'
import type { Code, Frame } from './frame.ts'
import type { Overload } from './function-declaration.ts'
import { Double, isInt, Uint } from './numbers.ts'
import { sameValue, takeLooked } from './same-value.ts'
import { Span, Time } from './time-value.ts'
import type { Type } from './type.ts'
import {
  compareValues,
  LibraryValue,
  MapValue,
  ObjectValue,
  OptionalValue,
  sizeOf,
  typeNameOf,
} from './values.ts'

type AnyRun = (...values: unknown[]) => unknown

/** The code of a call, whose parts are the receiver, if any, and the arguments. */
export function callCode(node: CallNode, parts: readonly Node[], codes: readonly Code[]): Code {
  const own = operatorCode(node.name, parts, codes)
  if (own) return own
  const overloads = node.overloads ?? []
  const isOpen = overloads.length > 1 || parts.some((part) => mayBeAnything(part.type!))
  const [only] = overloads
  const isFixed = parts.at(-1)?.op === 'literal'
  const code =
    isOpen || !only ? dispatched(overloads, codes, isFixed) : direct(only, codes, isFixed)
  return CONVERSIONS.has(node.name) && parts.length === 1 && parts[0]!.op === 'literal'
    ? constant(code)
    : code
}

/** Functions of constants, which are computed beforehand. */
const CONVERSIONS: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn int string timestamp type uint'.split(' '),
)

/** The value of a call of constants. */
function constant(code: Code): Code {
  const value = code({ variables: [], locals: [], budget: FREE, loops: null })
  return (frame) => {
    frame.budget.spend(1)
    return value
  }
}

const FREE = { spend: () => {} } as unknown as Frame['budget']

function direct({ run, cost, takes }: Overload, codes: readonly Code[], isFixed: boolean): Code {
  const call = run as AnyRun
  const [a, b] = codes
  if (cost === FIXED && takes.length === 1) {
    return (frame) => {
      frame.budget.spend(1)
      return call(a!(frame))
    }
  }
  if (takes.length === 2) {
    return (frame) => {
      const [left, right] = [a!(frame), b!(frame)]
      frame.budget.spend(cost.charge([left, right], isFixed))
      return call(left, right)
    }
  }
  return (frame) => {
    const values = codes.map((code) => code(frame))
    frame.budget.spend(cost.charge(values, isFixed))
    return call(...values)
  }
}

function dispatched(
  overloads: readonly Overload[],
  codes: readonly Code[],
  isFixed: boolean,
): Code {
  return (frame) => {
    const values = codes.map((code) => code(frame))
    const found = overloads.find(({ takes }) => takes.every((type, i) => accepts(type, values[i])))
    if (!found) {
      frame.budget.spend(1)
      throw noOverload()
    }
    frame.budget.spend(found.cost.charge(values, isFixed))
    return (found.run as AnyRun)(...values)
  }
}

const mayBeAnything = ({ kind }: Type): boolean => kind === 'dyn' || kind === 'error'

/** Whether a function that takes a type takes a value. */
function accepts(type: Type, value: unknown): boolean {
  switch (type.kind) {
    case 'bool':
      return typeof value === 'boolean'
    case 'int':
      return isInt(value)
    case 'uint':
      return value instanceof Uint
    case 'double':
      return value instanceof Double
    case 'string':
      return typeof value === 'string'
    case 'bytes':
      return value instanceof Uint8Array
    case 'null':
      return value === null
    case 'timestamp':
      return value instanceof Time
    case 'duration':
      return value instanceof Span
    case 'list':
      return Array.isArray(value) && acceptsAll(type.of[0]!, value)
    case 'map':
      return value instanceof MapValue
    case 'object':
      return value instanceof ObjectValue
    case 'type':
      return typeNameOf(value) === 'type'
    case 'opaque':
      return value instanceof OptionalValue || value instanceof LibraryValue
        ? typeNameOf(value) === type.name
        : false
    default:
      return true
  }
}

const acceptsAll = (type: Type, items: readonly unknown[]): boolean =>
  type.kind === 'param' || type.kind === 'dyn' || items.every((item) => accepts(type, item))

const PLAIN: ReadonlySet<string> = new Set(['bool', 'int', 'string'])

/** Code of the operators that are used most. */
function operatorCode(name: string, parts: readonly Node[], codes: readonly Code[]): Code | null {
  const [a, b] = codes as [Code, Code]
  switch (name) {
    case '_==_':
    case '_!=_':
      return equality(
        a,
        b,
        name === '_==_',
        parts.every(({ type }) => PLAIN.has(type!.kind)),
      )
    case '_<_':
      return orderOf(parts, a, b, (order) => order < 0)
    case '_<=_':
      return orderOf(parts, a, b, (order) => order <= 0)
    case '_>_':
      return orderOf(parts, a, b, (order) => order > 0)
    case '_>=_':
      return orderOf(parts, a, b, (order) => order >= 0)
    case '!_':
      return (frame) => {
        frame.budget.spend(1)
        const value = a(frame)
        if (typeof value === 'boolean') return !value
        throw noOverload()
      }
    default:
      return null
  }
}

/** Cost of a comparison of two values, in place of that of a character. */
const PER_LOOK = 0.5

const PER_CHARACTER = 0.1

function equality(a: Code, b: Code, wanted: boolean, isPlain: boolean): Code {
  if (isPlain) {
    return (frame) => {
      const [left, right] = [a(frame), b(frame)]
      frame.budget.spend(comparisonCost(left, right))
      return (left === right) === wanted
    }
  }
  return (frame) => {
    const [left, right] = [a(frame), b(frame)]
    const cost = comparisonCost(left, right)
    frame.budget.spend(cost)
    takeLooked()
    const same = sameValue(left, right)
    // Values inside of values are not counted before.
    const extra = Math.ceil(takeLooked() * PER_LOOK) - cost
    if (extra > 0) frame.budget.spend(extra)
    return same === wanted
  }
}

const comparisonCost = (left: unknown, right: unknown): number =>
  typeof left === 'string' || typeof left === 'object'
    ? Math.ceil(Math.min(sizeOf(left), sizeOf(right)) * PER_CHARACTER)
    : 1

const ORDERED: ReadonlySet<string> = new Set([
  'bool',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'timestamp',
  'duration',
])

/** An order of values of known types; null where only the values tell. */
function orderOf(
  parts: readonly Node[],
  a: Code,
  b: Code,
  holds: (order: number) => boolean,
): Code | null {
  if (!parts.every(({ type }) => ORDERED.has(type!.kind))) return null
  const isText = parts[0]!.type!.kind === 'string' || parts[0]!.type!.kind === 'bytes'
  return (frame) => {
    const [left, right] = [a(frame), b(frame)]
    frame.budget.spend(isText ? comparisonCost(left, right) : 1)
    return holds(compareValues(left, right))
  }
}
