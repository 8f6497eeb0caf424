/** Macros: calls that the parser replaces by other expressions. */
import type { LoopKind, Node } from './ast.ts'
import type { NodeMaker } from './node-maker.ts'

/** A name and the number of arguments; with `value.` before it for a macro of a value. */
export type MacroName = string

/** A call as it was written. */
export interface MacroCall {
  readonly at: number
  readonly receiver: Node | null
  readonly args: readonly Node[]
  readonly make: NodeMaker
}

/** Expands a call; null where it is an ordinary call. Throws MacroError. */
export type Macro = (call: MacroCall) => Node | null

/** A call that the macro cannot expand. */
export class MacroError extends Error {
  readonly at: number
  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

/** The accumulator of loops, a name that no expression can have as a variable. */
export const ACCUMULATOR = '__result__'

/** The name of a variable that a macro declares. */
export function variableName(node: Node | undefined, message: string): string {
  if (node?.op === 'name' && !node.name.startsWith('.')) return node.name
  throw new MacroError(node?.at ?? 0, message)
}

const has: Macro = ({ at, args: [arg], make }) => {
  if (arg?.op === 'select' && !arg.isTest) return make.select(at, arg.operand, arg.field, true)
  if (arg?.op === 'call' && arg.name === '_?._') {
    const [operand, field] = arg.args
    if (operand && field?.op === 'literal') {
      return make.select(at, operand, field.value as string, true)
    }
  }
  throw new MacroError(arg?.at ?? at, 'invalid argument to has() macro')
}

/** What is written of a loop. */
interface Written {
  readonly call: MacroCall
  readonly kind: LoopKind
  readonly names: readonly string[]
  /** The condition of a step. */
  readonly when: Node | null
  /** What a step gives. */
  readonly body: Node | null
}

/** `all` and `exists`. */
export function quantifier({ call, kind, names, body }: Written): Node {
  const { at, receiver, make } = call
  const accumulated = () => make.name(at, ACCUMULATOR)
  const isAll = kind === 'all'
  const open = isAll ? accumulated() : make.call(at, '!_', [accumulated()])
  return make.loop(at, {
    ...{ kind, names, range: receiver!, when: null, body, accumulator: ACCUMULATOR },
    init: make.literal(at, 'bool', isAll),
    condition: make.call(at, '@not_strictly_false', [open]),
    step: make.call(at, isAll ? '_&&_' : '_||_', [accumulated(), body!]),
    result: accumulated(),
  })
}

/** `exists_one`. */
export function existsOne({ call, names, body }: Written): Node {
  const { at, receiver, make } = call
  const accumulated = () => make.name(at, ACCUMULATOR)
  const one = () => make.literal(at, 'int', 1)
  const more = make.call(at, '_+_', [accumulated(), one()])
  return make.loop(at, {
    ...{ names, range: receiver!, when: null, body, accumulator: ACCUMULATOR },
    kind: 'exists_one',
    init: make.literal(at, 'int', 0),
    condition: make.literal(at, 'bool', true),
    step: make.call(at, '_?_:_', [body!, more, accumulated()]),
    result: make.call(at, '_==_', [accumulated(), one()]),
  })
}

/** Loops that make a list: `map`, `filter`, `transformList`. */
export function listMaker({ call, kind, names, when, body }: Written): Node {
  const { at, receiver, make } = call
  const accumulated = () => make.name(at, ACCUMULATOR)
  const item = body ?? make.name(at, names[0]!)
  const more = make.call(at, '_+_', [accumulated(), make.list(at, [item])])
  return make.loop(at, {
    ...{ kind, names, range: receiver!, when, body: item, accumulator: ACCUMULATOR },
    init: make.list(at, []),
    condition: make.literal(at, 'bool', true),
    step: when ? make.call(at, '_?_:_', [when, more, accumulated()]) : more,
    result: accumulated(),
  })
}

const ofOne =
  (kind: LoopKind, message: string, make: (written: Written) => Node): Macro =>
  (call) => {
    const names = [variableName(call.args[0], message)]
    return make({ call, kind, names, when: null, body: call.args[1]! })
  }

const NO_NAME = 'argument must be a simple name'
const NO_IDENTIFIER = 'argument is not an identifier'

const mapped: Macro = (call) => {
  const { args } = call
  const names = [variableName(args[0], NO_IDENTIFIER)]
  const when = args.length === 3 ? args[1]! : null
  return listMaker({ call, kind: 'map', names, when, body: args.at(-1)! })
}

const filtered: Macro = (call) => {
  const names = [variableName(call.args[0], NO_IDENTIFIER)]
  return listMaker({ call, kind: 'filter', names, when: call.args[1]!, body: null })
}

/** The macros of every release. */
export const STANDARD_MACROS: readonly (readonly [MacroName, Macro])[] = [
  ['has/1', has],
  ['value.all/2', ofOne('all', NO_NAME, quantifier)],
  ['value.exists/2', ofOne('exists', NO_NAME, quantifier)],
  ['value.exists_one/2', ofOne('exists_one', NO_NAME, existsOne)],
  ['value.map/2', mapped],
  ['value.map/3', mapped],
  ['value.filter/2', filtered],
]
