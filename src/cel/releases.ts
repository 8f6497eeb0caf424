/** Which parts of the language a release has. */
import { Environment, type Library } from './environment.ts'
import { LIST_LIBRARY } from './library/list-library.ts'
import { GLOBAL_MATCHES, STANDARD_FUNCTIONS, STANDARD_TYPES } from './library/standard-functions.ts'
import { CROSS_TYPE_ORDERS, OPERATORS } from './library/standard-operators.ts'
import { LATER_TEXT_LIBRARY, PATTERN_LIBRARY, TEXT_LIBRARY } from './library/text-library.ts'
import { URL_LIBRARY } from './library/url-library.ts'
import { NETWORK_LIBRARY } from './library/network-library.ts'
import { OPTIONAL_LIBRARY } from './library/optional-library.ts'
import { SET_LIBRARY } from './library/set-library.ts'
import { TWO_VARIABLE_LIBRARY } from './library/two-variable-library.ts'
import { STANDARD_MACROS } from './macros.ts'

/** The minor version of a release 1.x. */
export type Minor = number

/** The first release. */
export const FIRST_MINOR: Minor = 25

const STANDARD: Library = {
  functions: [...OPERATORS, ...STANDARD_FUNCTIONS],
  macros: STANDARD_MACROS,
  types: STANDARD_TYPES,
}

/** Libraries by the release from which expressions may use them. */
const LIBRARIES: readonly (readonly [since: Minor, Library])[] = [
  [25, STANDARD],
  [25, TEXT_LIBRARY],
  [25, PATTERN_LIBRARY],
  [25, URL_LIBRARY],
  [25, LIST_LIBRARY],
  [29, { functions: [...CROSS_TYPE_ORDERS, GLOBAL_MATCHES] }],
  [29, OPTIONAL_LIBRARY],
  [30, SET_LIBRARY],
  [30, LATER_TEXT_LIBRARY],
  [31, NETWORK_LIBRARY],
  [33, TWO_VARIABLE_LIBRARY],
]

const made = new Map<Minor, Environment>()

/** What expressions of a release may use. */
export function environmentOf(minor: Minor): Environment {
  let environment = made.get(minor)
  if (!environment) {
    const libraries = LIBRARIES.filter(([since]) => since <= minor).map(([, library]) => library)
    environment = new Environment(libraries, {
      hasOptionals: minor >= 29,
      hasEscapedNames: minor >= 33,
      literalsAreOfOneType: true,
      resultsHaveSizes: minor >= 30,
      presenceCostsOperand: minor >= 28,
      libraryValuesCompareAtOnce: minor >= 31,
    })
    made.set(minor, environment)
  }
  return environment
}

/** The libraries of the newest release. */
export const ALL_LIBRARIES: readonly Library[] = LIBRARIES.map(([, library]) => library)
