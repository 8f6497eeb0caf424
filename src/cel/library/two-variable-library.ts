/** Comprehensions with two variables, and the function that their expansions use. */
import type { Library } from '../environment.ts'
import { noOverload } from '../failure.ts'
import { global } from '../function-declaration.ts'
import { mapOf, param } from '../type.ts'
import { TWO_VARIABLE_MACROS } from './two-variable-macros.ts'

const K = param('K')
const V = param('V')
const MAP = mapOf(K, V)

const unreachable = (): never => {
  throw noOverload()
}

/** The library. */
export const twoVariableLibrary = (): Library => ({
  macros: TWO_VARIABLE_MACROS,
  functions: [
    global(
      'cel.@mapInsert',
      ['@mapInsert_map_key_value', [MAP, K, V], MAP, unreachable],
      ['@mapInsert_map_map', [MAP, MAP], MAP, unreachable],
    ),
  ],
})
