/** Values that may be absent. */
import type { Node } from '../ast.ts'
import type { Library } from '../environment.ts'
import { failure, noOverload } from '../failure.ts'
import { global, member } from '../function-declaration.ts'
import { type Macro, variableName } from '../macros.ts'
import { amountOf } from '../numbers.ts'
import { Span, Time } from '../time-value.ts'
import { BOOL, INT, listOf, mapOf, optionalOf, param, typeOfType } from '../type.ts'
import { MapValue, ObjectValue, OptionalValue } from '../values.ts'

const V = param('V')
const K = param('K')
const MAYBE = optionalOf(V)

const unreachable = (): never => {
  throw noOverload()
}

function isZero(value: unknown): boolean {
  if (value === null || value === false || value === '') return true
  const amount = amountOf(value)
  if (amount !== undefined) return amount == 0
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0
  if (value instanceof MapValue) return value.size === 0
  if (value instanceof ObjectValue) return value.entries().size === 0
  if (value instanceof Span) return value.nanoseconds === 0n
  if (value instanceof Time) return value.seconds === 0 && value.nanos === 0
  return value instanceof OptionalValue && value.value === undefined
}

function valueIn({ value }: OptionalValue): unknown {
  if (value === undefined) throw failure('optional.none() dereference')
  return value
}

/** What is made of the value that an optional has. */
const mapped =
  (isFlat: boolean): Macro =>
  ({ at, receiver, args, make }) => {
    const name = variableName(args[0], 'optMap() variable name must be a simple identifier')
    const target = '#optional'
    const held = () => make.name(at, target)
    const bound = bind(name, make.call(at, 'value', [], held()), args[1]!)
    const body = isFlat ? bound : make.call(at, 'of', [bound], make.name(at, 'optional'))
    const none = make.call(at, 'none', [], make.name(at, 'optional'))
    return bind(
      target,
      receiver!,
      make.call(at, '_?_:_', [make.call(at, 'hasValue', [], held()), body, none]),
    )
    function bind(variable: string, value: Node, result: Node): Node {
      return make.loop(at, {
        ...{ kind: 'bind', names: ['#unused'], range: make.list(at, []), init: value },
        condition: make.literal(at, 'bool', false),
        step: make.name(at, variable),
        ...{ result, when: null, body: null, accumulator: variable },
      })
    }
  }

/** Optional values: `a.?b`, `a[?b]`, `optional.of(a)`. */
export const optionalLibrary = (): Library => ({
  types: [['optional_type', typeOfType(MAYBE)]],
  macros: [
    ['value.optMap/2', mapped(false)],
    ['value.optFlatMap/2', mapped(true)],
  ],
  functions: [
    global('optional.of', [
      'optional_of',
      [V],
      MAYBE,
      (value: unknown) => new OptionalValue(value),
    ]),
    global('optional.ofNonZeroValue', [
      'optional_of_non_zero_value',
      [V],
      MAYBE,
      (value: unknown) => (isZero(value) ? OptionalValue.NONE : new OptionalValue(value)),
    ]),
    global('optional.none', ['optional_none', [], MAYBE, () => OptionalValue.NONE]),
    member('value', ['optional_value', [MAYBE], V, valueIn]),
    member('hasValue', [
      'optional_has_value',
      [MAYBE],
      BOOL,
      ({ value }: OptionalValue) => value !== undefined,
    ]),
    member('or', ['optional_or_optional', [MAYBE, MAYBE], MAYBE, unreachable]),
    member('orValue', ['optional_or_value_value', [MAYBE, V], V, unreachable]),
    global(
      '_[?_]',
      ['list_opt_index_int', [listOf(V), INT], MAYBE, unreachable],
      ['optional_list_opt_index_int', [optionalOf(listOf(V)), INT], MAYBE, unreachable],
      ['map_opt_index_value', [mapOf(K, V), K], MAYBE, unreachable],
      ['optional_map_opt_index_value', [optionalOf(mapOf(K, V)), K], MAYBE, unreachable],
    ),
    global(
      '_[_]',
      ['optional_list_index_int', [optionalOf(listOf(V)), INT], MAYBE, unreachable],
      ['optional_map_index_value', [optionalOf(mapOf(K, V)), K], MAYBE, unreachable],
    ),
  ],
})
