/** Turns checked expressions into code: functions of the engine that call each other. */
import type { CallNode, ListNode, LoopNode, MapNode, NameMeaning, Node, SelectNode } from './ast.ts'
import { callCode } from './call-code.ts'
import { failure, noOverload } from './failure.ts'
import type { Code, Frame } from './frame.ts'
import { isTrue, loopCode, loopSteps, NEW_LIST } from './loop-code.ts'
import { bothCode, eitherCode } from './logic-code.ts'
import { type PatternRoom, requirePattern } from './pattern.ts'
import { fieldOf, hasField, indexed, optionalField, optionalIndex } from './select-code.ts'
import { EntryMap, type Key, keyOf, OptionalValue, TypeValue, typeNameOf } from './values.ts'

/** Cost of making a map. */
const NEW_MAP = 30

/** Code, and what it needs. */
export interface Plan {
  readonly code: Code
  /** Names of the variables that are used, in the order of their values. */
  readonly variables: readonly string[]
}

/** Makes the code of a checked expression. Throws Failure for constants that have no value. */
export function planOf(node: Node, patternWeight: number): Plan {
  const planner = new Planner(patternWeight)
  const code = planner.plan(node)
  return { code, variables: planner.variables }
}

class Planner {
  readonly variables: string[] = []
  /** Names of the variables of loops around. */
  readonly #locals: string[] = []
  readonly #patterns: PatternRoom

  constructor(patternWeight: number) {
    this.#patterns = { left: patternWeight }
  }

  plan(node: Node): Code {
    switch (node.op) {
      case 'literal': {
        const { value } = node
        return () => value
      }
      case 'name':
        return this.#named(node.meaning!)
      case 'select':
        return this.#select(node)
      case 'call':
        return this.#call(node)
      case 'list':
        return this.#list(node)
      case 'map':
        return this.#map(node)
      case 'loop':
        return node.kind === 'bind' ? this.#bind(node) : this.#loop(node)
      case 'message':
        throw noOverload()
    }
  }

  #named(meaning: NameMeaning): Code {
    if (meaning.is === 'type') {
      const value = new TypeValue(meaning.name)
      return (frame) => charged(frame, 1, value)
    }
    if (meaning.is === 'local') {
      const at = this.#locals.lastIndexOf(meaning.name)
      return (frame) => charged(frame, 1, frame.locals[at])
    }
    const at = this.#variable(meaning.name)
    return (frame) => charged(frame, 1, frame.variables[at])
  }

  #variable(name: string): number {
    const known = this.variables.indexOf(name)
    return known < 0 ? this.variables.push(name) - 1 : known
  }

  #select(node: SelectNode): Code {
    if (node.meaning) return this.#named(node.meaning)
    const operand = this.plan(node.operand)
    return node.isTest ? hasField(operand, node.field) : fieldOf(operand, node.field)
  }

  #call(node: CallNode): Code {
    const parts = node.receiver ? [node.receiver, ...node.args] : node.args
    if (node.overloads?.some(({ id }) => PATTERNS.has(id))) {
      const pattern = parts[1]
      if (pattern?.op === 'literal') requirePattern(String(pattern.value), this.#patterns)
    }
    const codes = parts.map((part) => this.plan(part))
    const [a, b, c] = codes as [Code, Code, Code]
    switch (node.name) {
      case '_&&_':
        return bothCode(a, b)
      case '_||_':
        return eitherCode(a, b)
      case '_?_:_':
        return (frame) => (isTrue(a(frame)) ? b(frame) : c(frame))
      case 'or':
      case 'orValue':
        return alternative(a, b, node.name === 'orValue')
      case '_[_]':
        return indexed(a, b)
      case '_[?_]':
        return optionalIndex(a, b)
      case '_?._':
        return optionalField(a, b)
      default:
        return callCode(node, parts, codes)
    }
  }

  #list({ items, optional }: ListNode): Code {
    const codes = items.map((item) => this.plan(item))
    if (optional.length === 0) {
      return (frame) => {
        frame.budget.spend(NEW_LIST)
        return codes.map((code) => code(frame))
      }
    }
    const isOptional = new Set(optional)
    return (frame) => {
      frame.budget.spend(NEW_LIST)
      const list: unknown[] = []
      for (const [i, code] of codes.entries()) {
        const value = code(frame)
        if (!isOptional.has(i)) list.push(value)
        else if (insideOptional(value) !== undefined) list.push(insideOptional(value))
      }
      return list
    }
  }

  #map({ entries }: MapNode): Code {
    const codes = entries.map(({ key, value, isOptional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      isOptional,
    }))
    return (frame) => {
      frame.budget.spend(NEW_MAP)
      const made = new Map<Key, readonly [unknown, unknown]>()
      for (const { key, value, isOptional } of codes) {
        const found = key(frame)
        const known = keyOf(found)
        if (known === undefined || !KEY_TYPES.has(typeNameOf(found))) {
          throw failure('unsupported key type')
        }
        if (made.has(known)) throw failure(`Failed with repeated key`)
        const given = value(frame)
        const kept = isOptional ? insideOptional(given) : given
        if (kept !== undefined) made.set(known, [found, kept])
      }
      return new EntryMap(made)
    }
  }

  #loop(node: LoopNode): Code {
    const range = this.plan(node.range)
    const local = this.#locals.length
    this.#locals.push(...node.names)
    const when = node.when && this.plan(node.when)
    const body = this.plan(node.body!)
    this.#locals.length = local
    const hasTwo = node.names.length === 2
    return loopCode({ range, local, hasTwo, ...loopSteps(node.kind, { when, body, local }) })
  }

  /** A variable for what follows. */
  #bind(node: LoopNode): Code {
    const value = this.plan(node.init)
    const local = this.#locals.length
    this.#locals.push(node.accumulator)
    const body = this.plan(node.result)
    this.#locals.length = local
    return (frame) => {
      frame.locals[local] = value(frame)
      return body(frame)
    }
  }
}

const KEY_TYPES: ReadonlySet<string> = new Set(['bool', 'int', 'uint', 'string'])

/** Overloads whose second argument is a pattern. */
const PATTERNS: ReadonlySet<string> = new Set([
  'matches',
  'matches_string',
  'string_find_string',
  'string_find_all_string',
  'string_find_all_string_int',
])

function charged({ budget }: Frame, cost: number, value: unknown): unknown {
  budget.spend(cost)
  return value
}

/** What an optional value has, else something else, which is evaluated only then. */
function alternative(optional: Code, other: Code, isValue: boolean): Code {
  return (frame) => {
    frame.budget.spend(1)
    const value = optional(frame)
    if (!(value instanceof OptionalValue)) throw noOverload()
    if (value.value === undefined) return other(frame)
    return isValue ? value.value : value
  }
}

function insideOptional(value: unknown): unknown {
  if (value instanceof OptionalValue) return value.value
  throw noOverload()
}
