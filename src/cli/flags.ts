/**
 * Command-line flags in the spelling of the field's tools: `--flag=value`, `--flag value`, `--flag=false`,
 * underscores for dashes.
 */

/** One flag: its kind decides what the text must be. */
export interface Flag {
  readonly name: string
  /** One letter, such as `v`. */
  readonly short?: string
  readonly kind: 'string' | 'int' | 'bool' | 'duration'
  readonly default: string
  readonly help: string
  /** Heading in the help. */
  readonly section: string
  /** The only values allowed. */
  readonly oneOf?: readonly string[]
  /** Bounds of an int. */
  readonly min?: number
  readonly max?: number
}

/** What was given, and what was not, by name. */
export type FlagValues = Readonly<Record<string, string>>

/** A command line that cannot be understood; the message says what would help. */
export class FlagError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'FlagError'
  }
}

/** Reads arguments. Throws FlagError on what is unknown or malformed. */
export function parseFlags(flags: readonly Flag[], args: readonly string[]): FlagValues {
  const values: Record<string, string> = Object.fromEntries(flags.map((flag) => [flag.name, flag.default]))
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    if (!arg.startsWith('-') || arg === '-') throw new FlagError(`unexpected argument ${JSON.stringify(arg)}`)
    const equals = arg.indexOf('=')
    const given = (equals === -1 ? arg : arg.slice(0, equals)).replace(/^--?/, '').replaceAll('_', '-')
    const flag = flags.find((f) => f.name === given || f.short === given)
    if (!flag) throw new FlagError(`unknown flag: ${equals === -1 ? arg : arg.slice(0, equals)}${suggestion(flags, given)}`)
    let value: string
    if (equals !== -1) value = arg.slice(equals + 1)
    else if (flag.kind === 'bool') value = 'true'
    else {
      const next = args[++i]
      if (next === undefined) throw new FlagError(`flag needs an argument: --${flag.name}`)
      value = next
    }
    values[flag.name] = checked(flag, value)
  }
  return values
}

function checked(flag: Flag, value: string): string {
  const bad = (why: string) => new FlagError(`invalid argument ${JSON.stringify(value)} for --${flag.name}: ${why}`)
  switch (flag.kind) {
    case 'bool':
      if (/^(1|t|true)$/i.test(value)) return 'true'
      if (/^(0|f|false)$/i.test(value)) return 'false'
      throw bad('must be true or false')
    case 'int': {
      if (!/^-?\d{1,15}$/.test(value)) throw bad('must be an integer')
      const number = Number(value)
      const { min = -Infinity, max = Infinity } = flag
      if (number < min || number > max) throw bad(`must be between ${min} and ${max}, inclusive`)
      return value
    }
    case 'duration':
      if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(value)) throw bad('must be a duration such as 30s or 5m')
      return value
    case 'string':
      if (flag.oneOf && !flag.oneOf.includes(value)) throw bad(`must be one of ${flag.oneOf.join(', ')}`)
      return value
  }
}

function suggestion(flags: readonly Flag[], given: string): string {
  const near = flags.find((f) => f.name.startsWith(given) || given.startsWith(f.name) || distance(f.name, given) <= 2)
  return near ? ` (did you mean --${near.name}?)` : ' (see --help)'
}

/** Edits between two words. */
function distance(a: string, b: string): number {
  if (b.length > 40) return Infinity
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}

/** Help by section. */
export function helpText(usage: string, about: string, flags: readonly Flag[]): string {
  const sections = [...new Set(flags.map((f) => f.section))]
  const left = (f: Flag) => `  ${f.short === undefined ? '    ' : `-${f.short}, `}--${f.name} ${f.kind === 'bool' ? '' : f.kind}`.trimEnd()
  const width = Math.max(...flags.map((f) => left(f).length)) + 3
  const lines = sections.flatMap((section) => [
    '',
    `${section} flags:`,
    '',
    ...flags
      .filter((f) => f.section === section)
      .map((f) => {
        const values = f.oneOf ? ` One of ${f.oneOf.join(', ')}.` : ''
        const standard = f.default === '' ? '' : ` (default ${f.default})`
        return `${left(f).padEnd(width)}${f.help}${values}${standard}`
      }),
  ])
  return [about, '', 'Usage:', `  ${usage}`, ...lines, ''].join('\n')
}
