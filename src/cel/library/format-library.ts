/** Formats of texts, such as names. Their rules are passed in by the caller that compiles expressions. */
import { traversal } from '../cost-rule.ts'
import type { Library } from '../environment.ts'
import { global, member } from '../function-declaration.ts'
import { listOf, opaque, optionalOf, STRING } from '../type.ts'
import { LibraryValue, OptionalValue } from '../values.ts'

/** Violations of a text; none for one that is right. */
export type FormatCheck = (text: string) => readonly string[]

/** Formats by their names. */
export type FormatChecks = ReadonlyMap<string, FormatCheck>

const FORMAT = opaque('format.NamedFormat')

class FormatValue extends LibraryValue {
  readonly typeName = FORMAT.name
  readonly name: string
  readonly check: FormatCheck

  constructor(name: string, check: FormatCheck) {
    super()
    this.name = name
    this.check = check
  }

  equals(other: FormatValue): boolean {
    return this.name === other.name
  }
}

/** Functions for formats. */
export function formatLibrary(checks: FormatChecks): Library {
  const formats = new Map([...checks].map(([name, check]) => [name, new FormatValue(name, check)]))
  const named = (name: string) => {
    const found = formats.get(name)
    return found ? new OptionalValue(found) : OptionalValue.NONE
  }
  const validate = ({ check }: FormatValue, text: string) => {
    const messages = check(text)
    return messages.length === 0 ? OptionalValue.NONE : new OptionalValue([...messages])
  }
  return {
    types: [[FORMAT.name, FORMAT]],
    functions: [
      global('format.named', ['format-named', [STRING], optionalOf(FORMAT), named, traversal(0)]),
      member('validate', [
        'format-validate',
        [FORMAT, STRING],
        optionalOf(listOf(STRING)),
        validate,
        traversal(1),
      ]),
      ...[...formats].map(([name, format]) =>
        global(`format.${name}`, [`format-${name}`, [], FORMAT, () => format]),
      ),
    ],
  }
}
