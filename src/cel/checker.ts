/** Finds the types of all parts of an expression, and which overloads of functions its calls may mean. */
import type {
  CallNode,
  ListNode,
  LoopNode,
  MapNode,
  NameMeaning,
  NameNode,
  Node,
  SelectNode,
} from './ast.ts'
import type { Environment } from './environment.ts'
import type { Overload } from './function-declaration.ts'
import type { SourceErrors } from './source-errors.ts'
import { isAsGeneral, TypeBindings } from './type-bindings.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  formatCall,
  formatType,
  INT,
  isDynOrError,
  isOptional,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  param,
  sameType,
  STRING,
  type Type,
  typeOfType,
  UINT,
} from './type.ts'

/** Types of variables by their names, which may have dots. */
export type VariableTypes = ReadonlyMap<string, Type>

const LITERALS = {
  null: NULL,
  bool: BOOL,
  int: INT,
  uint: UINT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
}

/** Checks an expression; faults are reported. Gives its type. */
export function check(
  node: Node,
  environment: Environment,
  variables: VariableTypes,
  errors: SourceErrors,
): Type {
  const checker = new Checker(environment, variables, errors)
  checker.check(node)
  return checker.settle(node)
}

class Checker {
  readonly #environment: Environment
  readonly #variables: VariableTypes
  readonly #errors: SourceErrors
  readonly #bindings = new TypeBindings()
  /** Variables of loops around; the innermost last. */
  readonly #locals: (readonly [string, Type])[] = []
  #parameters = 0

  constructor(environment: Environment, variables: VariableTypes, errors: SourceErrors) {
    this.#environment = environment
    this.#variables = variables
    this.#errors = errors
  }

  check(node: Node): Type {
    return (node.type = this.#typeOf(node))
  }

  /** Replaces type parameters by the types that were found for them, in all types. */
  settle(node: Node): Type {
    node.type = this.#bindings.resolve(node.type ?? DYN, true)
    for (const child of childrenOf(node)) this.settle(child)
    return node.type
  }

  #typeOf(node: Node): Type {
    switch (node.op) {
      case 'literal':
        return LITERALS[node.is]
      case 'name':
        return this.#name(node)
      case 'select':
        return this.#select(node)
      case 'call':
        return this.#call(node)
      case 'list':
        return this.#list(node)
      case 'map':
        return this.#map(node)
      case 'loop':
        return this.#loop(node)
      case 'message':
        return this.#undeclared(node.at, node.name)
    }
  }

  #name(node: NameNode): Type {
    const found = this.#lookup(node.name)
    if (!found) return this.#undeclared(node.at, node.name)
    node.meaning = found.meaning
    return found.type
  }

  #lookup(written: string): { meaning: NameMeaning; type: Type } | null {
    const isRooted = written.startsWith('.')
    const name = isRooted ? written.slice(1) : written
    const local = isRooted ? undefined : this.#localType(name)
    if (local) return { meaning: { is: 'local', name }, type: local }
    const variable = this.#variables.get(name)
    if (variable) return { meaning: { is: 'variable', name }, type: variable }
    const type = this.#environment.types.get(name)
    return type ? { meaning: { is: 'type', name }, type: typeOfType(type) } : null
  }

  #localType(name: string): Type | undefined {
    return this.#locals.findLast(([local]) => local === name)?.[1]
  }

  #undeclared(at: number, written: string): Type {
    const name = written.replace(/^\./, '')
    this.#errors.report(at, `undeclared reference to '${name}' (in container '')`)
    return ERROR
  }

  #select(node: SelectNode): Type {
    const name = node.isTest ? null : qualifiedName(node)
    if (name !== null && !this.#localType(name.slice(0, name.indexOf('.')))) {
      const found = this.#lookup(name)
      if (found) {
        node.meaning = found.meaning
        return found.type
      }
    }
    const operand = this.#bindings.resolve(this.check(node.operand), false)
    const isMaybe = isOptional(operand)
    const of = isMaybe ? this.#bindings.resolve(operand.of[0]!, false) : operand
    const type = this.#fieldType(of, node.field, node.at)
    if (node.isTest) return BOOL
    return isMaybe ? optionalOf(type) : type
  }

  #fieldType(of: Type, field: string, at: number): Type {
    switch (of.kind) {
      case 'map':
        return of.of[1]!
      case 'object': {
        const type = of.fields?.get(field)
        if (type) return type
        this.#errors.report(at, `undefined field '${field}'`)
        return ERROR
      }
      case 'param':
        this.#bindings.fit(DYN, of)
        return DYN
      default:
        if (isDynOrError(of)) return DYN
        this.#errors.report(at, `type '${formatType(of)}' does not support field selection`)
        return ERROR
    }
  }

  #call(node: CallNode): Type {
    if (node.name === '_?._') return this.#optionalSelect(node)
    const { receiver } = node
    if (!receiver) {
      const overloads = this.#functionOf(node.name)
      const args = node.args.map((arg) => this.check(arg))
      if (!overloads) return this.#undeclared(node.at, node.name)
      return this.#resolve(node, overloads, args)
    }
    // The receiver may be the first part of the name of a function.
    const before = qualifiedName(receiver)
    if (before !== null) {
      const name = `${before}.${node.name}`
      const overloads = this.#functionOf(name)
      if (overloads) {
        node.name = name
        node.receiver = null
        return this.#resolve(
          node,
          overloads,
          node.args.map((arg) => this.check(arg)),
        )
      }
    }
    const types = [this.check(receiver), ...node.args.map((arg) => this.check(arg))]
    const overloads = this.#functionOf(node.name)
    if (!overloads) return this.#undeclared(node.at, node.name)
    return this.#resolve(node, overloads, types)
  }

  #functionOf(name: string): readonly Overload[] | undefined {
    return this.#environment.overloadsOf(name.startsWith('.') ? name.slice(1) : name)
  }

  #resolve(node: CallNode, overloads: readonly Overload[], args: readonly Type[]): Type {
    const isMember = node.receiver !== null
    const found: Overload[] = []
    let type: Type | null = null
    for (const overload of overloads) {
      if (overload.isMember !== isMember || overload.takes.length !== args.length) continue
      const fresh = this.#fresh(overload)
      if (!this.#bindings.fitAll(args, fresh.takes)) continue
      found.push(overload)
      const gives = this.#bindings.resolve(fresh.gives, false)
      type = type === null || type.kind === 'dyn' || sameType(type, gives) ? (type ?? gives) : DYN
    }
    if (type !== null) {
      node.overloads = found
      return type
    }
    const resolved = args.map((arg) => this.#bindings.resolve(arg, true))
    if (!resolved.some(({ kind }) => kind === 'error')) {
      const applied = formatCall(resolved, isMember)
      const shown = node.name.replace(/^\./, '')
      this.#errors.report(
        node.at,
        `found no matching overload for '${shown}' applied to '${applied}'`,
      )
    }
    return ERROR
  }

  /** The types of an overload with parameters of their own. */
  #fresh({ takes, gives }: Overload): { takes: readonly Type[]; gives: Type } {
    const names = new Map<string, Type>()
    const renamed = (type: Type): Type => {
      if (type.kind === 'param') {
        const known = names.get(type.name) ?? this.#parameter()
        names.set(type.name, known)
        return known
      }
      return type.of.length === 0 ? type : { ...type, of: type.of.map(renamed) }
    }
    return { takes: takes.map(renamed), gives: renamed(gives) }
  }

  #parameter(): Type {
    return param(`_var${this.#parameters++}`)
  }

  #optionalSelect(node: CallNode): Type {
    const [operand, field] = node.args as [Node, Node]
    this.check(field)
    const type = this.#bindings.resolve(this.check(operand), false)
    const of = isOptional(type) ? this.#bindings.resolve(type.of[0]!, false) : type
    const name = field.op === 'literal' ? String(field.value) : ''
    const found = this.#bindings.resolve(this.#fieldType(of, name, node.at), false)
    return isOptional(found) ? found : optionalOf(found)
  }

  #list(node: ListNode): Type {
    let type: Type | null = null
    for (const [i, item] of node.items.entries()) {
      const found = this.check(item)
      const of = node.optional.includes(i) ? this.#insideOptional(found, item.at) : found
      type = this.#joined(type, of, item.at)
    }
    return listOf(type ?? this.#parameter())
  }

  #map(node: MapNode): Type {
    let key: Type | null = null
    let value: Type | null = null
    for (const entry of node.entries) {
      key = this.#joined(key, this.check(entry.key), entry.key.at)
      const found = this.check(entry.value)
      const of = entry.isOptional ? this.#insideOptional(found, entry.value.at) : found
      value = this.#joined(value, of, entry.value.at)
    }
    return mapOf(key ?? this.#parameter(), value ?? this.#parameter())
  }

  /** The type of what an optional item has. */
  #insideOptional(written: Type, at: number): Type {
    const type = this.#bindings.resolve(written, false)
    if (isOptional(type)) return type.of[0]!
    if (!isDynOrError(type)) {
      const wanted = formatType(optionalOf(type))
      this.#errors.report(at, `expected type '${wanted}' but found '${formatType(type)}'`)
    }
    return type
  }

  /** The type of items together with one more. */
  #joined(previous: Type | null, type: Type, at: number): Type {
    if (previous === null) return type
    if (this.#bindings.fit(previous, type)) {
      const [a, b] = [this.#bindings.resolve(previous, false), this.#bindings.resolve(type, false)]
      return isAsGeneral(a, b) ? a : b
    }
    if (!this.#environment.options.literalsAreOfOneType) return DYN
    const [wanted, found] = [previous, type].map((one) =>
      formatType(this.#bindings.resolve(one, true)),
    )
    this.#errors.report(at, `expected type '${wanted}' but found '${found}'`)
    return ERROR
  }

  #loop(node: LoopNode): Type {
    const range = this.#bindings.resolve(this.check(node.range), false)
    const items = this.#itemTypes(range, node)
    const accumulated = this.check(node.init)
    this.#locals.push([node.accumulator, accumulated])
    const outer = this.#locals.length
    node.names.forEach((name, i) => this.#locals.push([name, items[i] ?? DYN]))
    this.#expects(BOOL, node.condition)
    this.#expects(accumulated, node.step)
    this.#locals.length = outer
    const type = this.check(node.result)
    this.#locals.length = outer - 1
    return this.#bindings.resolve(type, false)
  }

  /** Types of the variables of a loop. */
  #itemTypes(range: Type, { names, kind, range: { at } }: LoopNode): readonly Type[] {
    const hasTwo = names.length === 2
    switch (range.kind) {
      case 'list':
        return hasTwo ? [INT, range.of[0]!] : range.of
      case 'map':
        return range.of
      case 'param':
        this.#bindings.fit(DYN, range)
        return [DYN, DYN]
      default:
        if (isDynOrError(range)) return [DYN, DYN]
        if (kind !== 'bind') {
          this.#errors.report(
            at,
            `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
          )
        }
        return [ERROR, ERROR]
    }
  }

  #expects(expected: Type, node: Node): void {
    const found = this.check(node)
    if (this.#bindings.fit(found, expected)) return
    const [wanted, given] = [expected, found].map((one) =>
      formatType(this.#bindings.resolve(one, true)),
    )
    this.#errors.report(node.at, `expected type '${wanted}' but found '${given}'`)
  }
}

/** A chain of names as one with dots; null for other nodes. */
function qualifiedName(node: Node): string | null {
  if (node.op === 'name') return node.name
  if (node.op !== 'select' || node.isTest) return null
  const before = qualifiedName(node.operand)
  return before === null ? null : `${before}.${node.field}`
}

/** The nodes directly below. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.op) {
    case 'select':
      return node.meaning ? [] : [node.operand]
    case 'call':
      return node.receiver ? [node.receiver, ...node.args] : node.args
    case 'list':
      return node.items
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value])
    case 'message':
      return node.fields.map(({ value }) => value)
    case 'loop':
      return [node.range, node.init, node.condition, node.step, node.result]
    default:
      return []
  }
}
