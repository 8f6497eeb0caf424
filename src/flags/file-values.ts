/** The values of flags in a configuration file: a mapping of their names, read by the declarations of the flags. */
import { FlagError, nearestFlag, type Flag, type Flags } from './flags.ts'

/** Flags about the command line itself. */
const NOT_IN_FILES = ['config', 'help', 'help-all', 'version']

/** Reads the document of a file. Throws FlagError, which lists all faults. */
export function fileValues(flags: Flags, document: unknown): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>()
  // An empty file sets nothing.
  if (document === null) return values
  if (typeof document !== 'object' || Array.isArray(document))
    throw new FlagError('must be a mapping of names of flags and their values')
  const faults: string[] = []
  for (const [name, written] of Object.entries(document)) {
    try {
      const value = valueOf(flagNamed(flags, name), written as unknown)
      const problem = flags[name]?.check?.(value)
      if (problem != null) throw new Error(problem)
      values.set(name, value)
    } catch (error) {
      faults.push(`${name} ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  if (faults.length > 0) throw new FlagError(faults.join('; '))
  return values
}

function flagNamed(flags: Flags, name: string): Flag {
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
  if (flag && !NOT_IN_FILES.includes(name)) return flag
  if (flag) throw new Error('can only be given on the command line')
  const near = nearestFlag(flags, name.replace(/^-+/, '').replaceAll('_', '-'))
  throw new Error(`is no flag${near === null ? '' : ` (did you mean ${near}?)`}`)
}

/** A scalar, for flags that may be repeated also a list, and for those of pairs a mapping. */
function valueOf(flag: Flag, written: unknown): unknown {
  const parse = (text: string, read = flag.parse) => {
    try {
      return read(text)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`${reason}, not ${JSON.stringify(text)}`, { cause })
    }
  }
  if (Array.isArray(written)) {
    if (!flag.merge) throw new Error('must be one value, not a list')
    return merged(
      flag,
      written.map((item) => parse(textOf(item), flag.item ?? flag.parse)),
    )
  }
  if (typeof written === 'object' && written !== null) {
    if (flag.placeholder?.includes('=') !== true)
      throw new Error(`must be one value${flag.merge ? ' or a list' : ''}, not a mapping`)
    return merged(
      flag,
      Object.entries(written).map(([key, value]) => {
        if (/[,=]/.test(key)) throw new Error(`must not have the name ${JSON.stringify(key)}`)
        return parse(`${key}=${textOf(value)}`)
      }),
    )
  }
  return parse(textOf(written))
}

/** The values of several occurrences as one; those of none are the value of an empty text. */
function merged(flag: Flag, values: readonly unknown[]): unknown {
  if (values.length === 0) return flag.parse('')
  return values.reduce((before, value) => flag.merge?.(before, value))
}

function textOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
      throw new Error(value === null ? 'must not be empty' : 'must not have values within values')
  }
}
