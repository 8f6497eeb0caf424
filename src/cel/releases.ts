/** Which parts of the language a release has. */
import { Environment, type Library } from './environment.ts'
import { type FormatChecks, formatLibrary } from './library/format-library.ts'
import { laterListLibrary } from './library/later-list-library.ts'
import { listLibrary } from './library/list-library.ts'
import { globalMatches, standardFunctions, STANDARD_TYPES } from './library/standard-functions.ts'
import { crossTypeOrders, operators } from './library/standard-operators.ts'
import { laterTextLibrary, patternLibrary, textLibrary } from './library/text-library.ts'
import { urlLibrary } from './library/url-library.ts'
import { networkLibrary } from './library/network-library.ts'
import { optionalLibrary } from './library/optional-library.ts'
import { quantityLibrary } from './library/quantity-library.ts'
import { setLibrary } from './library/set-library.ts'
import { twoVariableLibrary } from './library/two-variable-library.ts'
import { versionLibrary } from './library/version-library.ts'
import { STANDARD_MACROS } from './macros.ts'

/** The minor version of a release 1.x. */
export type Minor = number

/** The first release. */
const FIRST_MINOR: Minor = 25

const standard = (): Library => ({
  functions: [...operators(), ...standardFunctions()],
  macros: STANDARD_MACROS,
  types: STANDARD_TYPES,
})

/** Numbers of different types in an order, and a function that came with it. */
const numberLibrary = (): Library => ({ functions: [...crossTypeOrders(), globalMatches()] })

type Since = readonly [since: Minor, library: () => Library]

/** Libraries by the release from which expressions may use them. */
const LIBRARIES: readonly Since[] = [
  [25, standard],
  [25, textLibrary],
  [25, patternLibrary],
  [25, urlLibrary],
  [25, listLibrary],
  [29, numberLibrary],
  [29, optionalLibrary],
  [29, quantityLibrary],
  [30, setLibrary],
  [30, laterTextLibrary],
  [31, networkLibrary],
  [33, twoVariableLibrary],
  [34, versionLibrary],
  [35, laterListLibrary],
]

const FORMATS_SINCE = 32

/** A language: the release that it is of, and the formats that it knows. */
export interface Language {
  /** The minor version. */
  readonly minor: Minor
  readonly formats: FormatChecks
}

const NO_FORMATS: FormatChecks = new Map()

/** The language of the first release. */
export const FIRST_LANGUAGE: Language = { minor: FIRST_MINOR, formats: NO_FORMATS }

const made = new WeakMap<FormatChecks, Map<Minor, Environment>>()

/** What expressions of a language may use. */
export function environmentOf({ minor, formats }: Language): Environment {
  let known = made.get(formats)
  if (!known) made.set(formats, (known = new Map()))
  let environment = known.get(minor)
  if (!environment) {
    const all: readonly Since[] = [...LIBRARIES, [FORMATS_SINCE, () => formatLibrary(formats)]]
    const libraries = all.filter(([since]) => since <= minor).map(([, library]) => library())
    environment = new Environment(libraries, {
      hasOptionals: minor >= 29,
      hasEscapedNames: minor >= 33,
      literalsAreOfOneType: minor < 30,
      literalsAreChecked: minor >= 30,
      resultsHaveSizes: minor >= 30,
      presenceCostsOperand: minor >= 28,
      libraryValuesCompareAtOnce: minor >= 31,
    })
    known.set(minor, environment)
  }
  return environment
}

/** The libraries of the newest release. */
export const allLibraries = (): readonly Library[] => LIBRARIES.map(([, library]) => library())
