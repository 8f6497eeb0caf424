/** What expressions may use: functions, macros, names of types. */
import type { FunctionDeclaration, Overload } from './function-declaration.ts'
import type { Macro, MacroName } from './macros.ts'
import type { Syntax } from './parser.ts'
import type { Type } from './type.ts'

/** A part of the language that some releases have. */
export interface Library {
  readonly functions?: readonly FunctionDeclaration[]
  readonly macros?: readonly (readonly [MacroName, Macro])[]
  /** Types that have a name. */
  readonly types?: readonly (readonly [string, Type])[]
}

/** How a release differs beside its libraries. */
export interface EnvironmentOptions {
  readonly hasOptionals: boolean
  readonly hasEscapedNames: boolean
  /** Whether items of lists, and values of maps, have one type for the checker. */
  readonly literalsAreOfOneType: boolean
  /** Whether literals are checked after the types, also for lists and maps of several types. */
  readonly literalsAreChecked: boolean
  /** Whether the estimate knows the sizes of what functions of libraries give. */
  readonly resultsHaveSizes: boolean
  /** Whether the estimate counts what `has()` looks at. */
  readonly presenceCostsOperand: boolean
  /** Whether the estimate knows that values of libraries have no parts to compare. */
  readonly libraryValuesCompareAtOnce: boolean
}

/** The libraries of a release together. */
export class Environment {
  readonly options: EnvironmentOptions
  readonly syntax: Syntax
  readonly types: ReadonlyMap<string, Type>
  readonly #functions = new Map<string, Overload[]>()

  constructor(libraries: readonly Library[], options: EnvironmentOptions) {
    this.options = options
    this.types = new Map(libraries.flatMap(({ types = [] }) => types))
    const macros = new Map(libraries.flatMap(({ macros: some = [] }) => some))
    const { hasOptionals, hasEscapedNames } = options
    this.syntax = { macros, hasOptionals, hasEscapedNames }
    for (const { functions = [] } of libraries) {
      for (const { name, overloads } of functions) this.#add(name, overloads)
    }
  }

  /** The overloads of a function; undefined without one. */
  overloadsOf(name: string): readonly Overload[] | undefined {
    return this.#functions.get(name)
  }

  #add(name: string, overloads: readonly Overload[]): void {
    const known = this.#functions.get(name)
    if (known) known.push(...overloads)
    else this.#functions.set(name, [...overloads])
  }
}
