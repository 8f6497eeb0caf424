/** Comprehensions with two variables: index or key, and value. */
import type { LoopKind, Node } from '../ast.ts'
import {
  ACCUMULATOR,
  existsOne,
  listMaker,
  type Macro,
  type MacroCall,
  MacroError,
  type MacroName,
  quantifier,
  variableName,
} from '../macros.ts'

const NO_NAME = 'argument must be a simple name'

function namesOf({ args }: MacroCall): readonly string[] {
  const names = [variableName(args[0], NO_NAME), variableName(args[1], NO_NAME)]
  if (names[0] === names[1]) {
    throw new MacroError(args[1]!.at, `duplicate variable name: ${names[0]}`)
  }
  return names
}

const tested =
  (kind: LoopKind, make: typeof quantifier): Macro =>
  (call) =>
    make({ call, kind, names: namesOf(call), when: null, body: call.args[2]! })

const transformed: Macro = (call) => {
  const { args } = call
  const when = args.length === 4 ? args[2]! : null
  return listMaker({ call, kind: 'transformList', names: namesOf(call), when, body: args.at(-1)! })
}

/** Loops that make a map, of values or of entries. */
const mapMaker =
  (kind: 'transformMap' | 'transformMapEntry'): Macro =>
  (call): Node => {
    const { at, receiver, args, make } = call
    const names = namesOf(call)
    const when = args.length === 4 ? args[2]! : null
    const body = args.at(-1)!
    const accumulated = () => make.name(at, ACCUMULATOR)
    const added =
      kind === 'transformMap'
        ? [accumulated(), make.name(at, names[0]!), body]
        : [accumulated(), body]
    const more = make.call(at, 'cel.@mapInsert', added)
    return make.loop(at, {
      ...{ kind, names, range: receiver!, when, body, accumulator: ACCUMULATOR },
      init: make.map(at, []),
      condition: make.literal(at, 'bool', true),
      step: when ? make.call(at, '_?_:_', [when, more, accumulated()]) : more,
      result: accumulated(),
    })
  }

/** The macros, and what they expand to. */
export const TWO_VARIABLE_MACROS: readonly (readonly [MacroName, Macro])[] = [
  ['value.all/3', tested('all', quantifier)],
  ['value.exists/3', tested('exists', quantifier)],
  ['value.existsOne/3', tested('exists_one', existsOne)],
  ['value.exists_one/3', tested('exists_one', existsOne)],
  ['value.transformList/3', transformed],
  ['value.transformList/4', transformed],
  ['value.transformMap/3', mapMaker('transformMap')],
  ['value.transformMap/4', mapMaker('transformMap')],
  ['value.transformMapEntry/3', mapMaker('transformMapEntry')],
  ['value.transformMapEntry/4', mapMaker('transformMapEntry')],
]
