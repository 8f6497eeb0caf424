/**
 * Command-line flags in the spelling of the field's tools: `--flag=value`, `--flag value`, `--flag=false`, underscores
 * for dashes, `-v2`. Messages about malformed ones are theirs too.
 */
import { isIP } from 'node:net'
import { parseDuration } from '../base/duration.ts'

/** One flag; its kind reads the text. */
export interface Flag<T = unknown> {
  /** Heading in the help. */
  readonly section: string
  readonly help: string
  /** As it would be given; `''` shows none in the help. */
  readonly default: string
  /** One letter, such as `v`. */
  readonly short?: string
  /** What the value is called in the help; absent for flags that need none. */
  readonly placeholder?: string
  /** Throws an Error on text of the wrong form. */
  parse(text: string): T
  /** What two occurrences mean together; the last wins without. */
  merge?(before: T, after: T): T
  /** What is wrong with a value of the right form, to follow the flag's name. */
  check?(value: T): string | null
}

/** Flags by their names. */
export type Flags = Readonly<Record<string, Flag>>

/** The values of flags, by the same names. */
export type Values<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never
}

/** A command line that cannot be understood; the message says what would help. */
export class FlagError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'FlagError'
  }
}

interface About {
  readonly section: string
  readonly help: string
  readonly default: string
  readonly short?: string
}

/** Any text but an empty one. */
export const textFlag = (about: About): Flag<string> => ({
  ...about,
  placeholder: 'string',
  parse: (text) => text,
  check: (value) => (value === '' ? 'must not be empty' : null),
})

/** One of a few words. */
export const choiceFlag = <T extends string>(words: readonly T[], about: About): Flag<T> => ({
  ...about,
  help: `${about.help} One of ${words.join(', ')}.`,
  placeholder: 'string',
  parse(text) {
    const word = words.find((w) => w === text)
    if (word === undefined) throw new Error(`must be one of ${words.join(', ')}`)
    return word
  },
})

/** True or false; true when given without a value. */
export const boolFlag = (about: Omit<About, 'default'>): Flag<boolean> => ({
  ...about,
  default: 'false',
  parse: parseBool,
})

function parseBool(text: string): boolean {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true
  if (/^(0|f|F|false|FALSE|False)$/.test(text)) return false
  throw new Error(`strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`)
}

/** True unless said otherwise. */
export const onFlag = (about: Omit<About, 'default'>): Flag<boolean> => ({
  ...boolFlag(about),
  default: 'true',
})

/** Text that may be empty. */
export const optionalTextFlag = (
  about: Omit<About, 'default'> & { readonly default?: string },
): Flag<string> => ({ default: '', ...about, placeholder: 'string', parse: (text) => text })

/** Path of a file; none when empty. */
export const fileFlag = (about: Omit<About, 'default'>): Flag<string> => ({
  ...optionalTextFlag(about),
  placeholder: 'file',
})

/** Texts between commas, quoted where they hold one, unless `split` says that each occurrence is one. Occurrences add up. */
export const listFlag = (
  about: Omit<About, 'default'> & { readonly default?: string },
  { split = true }: { readonly split?: boolean } = {},
): Flag<readonly string[]> => ({
  default: '',
  ...about,
  placeholder: split ? 'string,...' : 'string',
  parse: (text) => (text === '' ? [] : split ? commaSeparated(text) : [text]),
  merge: (before, after) => [...before, ...after],
})

function commaSeparated(text: string): string[] {
  const items: string[] = []
  let item = ''
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (char === '"' && quoted && text[i + 1] === '"') {
      item += char
      i++
    } else if (char === '"') quoted = !quoted
    else if (char === ',' && !quoted) {
      items.push(item)
      item = ''
    } else item += char
  }
  if (quoted) throw new Error('a quote is not closed')
  return [...items, item]
}

/** A whole number within bounds. */
export const intFlag = (bounds: { min: number; max: number }, about: About): Flag<number> => ({
  ...about,
  placeholder: 'int',
  parse(text) {
    const problem = (what: string) =>
      new Error(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${what}`)
    if (!/^[-+]?\d+$/.test(text)) throw problem('invalid syntax')
    const value = Number(text)
    if (!Number.isSafeInteger(value)) throw problem('value out of range')
    return value
  },
  check: (value) =>
    value < bounds.min || value > bounds.max
      ? `${value} must be between ${bounds.min} and ${bounds.max}, inclusive`
      : null,
})

/** Names set to true or false, `a=true,b=false`; a name alone is true. Occurrences add up. */
export const switchesFlag = (about: About): Flag<Readonly<Record<string, boolean>>> => ({
  ...about,
  placeholder: 'name=true|false,...',
  parse(text) {
    const entries = text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map((part): [string, boolean] => {
        const equals = part.indexOf('=')
        const name = (equals === -1 ? part : part.slice(0, equals)).trim()
        const value = equals === -1 ? 'true' : part.slice(equals + 1).trim()
        if (name === '') throw new Error(`missing name in ${JSON.stringify(part)}`)
        try {
          return [name, parseBool(value)]
        } catch (error) {
          throw new Error(`invalid value of ${name}=${value}, err: ${(error as Error).message}`, {
            cause: error,
          })
        }
      })
    return Object.fromEntries(entries)
  },
  merge: (before, after) =>
    Object.fromEntries([...Object.entries(before), ...Object.entries(after)]),
})

/** A duration such as `1m30s`, in milliseconds, longer than none. */
export const durationFlag = (about: About): Flag<number> => ({
  ...about,
  placeholder: 'duration',
  parse: (text) => Number(parseDuration(text)) / 1e6,
  check: (value) => {
    if (value < 0) return 'can not be a negative value'
    return value < 1 ? 'must be at least 1ms' : null
  },
})

/** A duration, or 0. */
export const orNone = (flag: Flag<number>): Flag<number> => ({
  ...flag,
  check: (value) => (value === 0 ? null : (flag.check?.(value) ?? null)),
})

/** An address; none when the default is none. */
export const ipFlag = (about: About): Flag<string> => ({
  ...about,
  placeholder: 'ip',
  parse(text) {
    if (text === '' && about.default === '') return text
    if (isIP(text) === 0 || text.includes('%')) {
      throw new Error(`failed to parse IP: ${JSON.stringify(text)}`)
    }
    return text
  },
})

/** Reads arguments. Throws FlagError on what is unknown, malformed or out of bounds. */
export function parseFlags<F extends Flags>(flags: F, args: readonly string[]): Values<F> {
  const given = new Map<string, unknown>()
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') break
    if (!arg.startsWith('-') || arg === '-') {
      rest.unshift(arg)
      break
    }
    const { name, shown, flag, value } = flagOf(flags, arg)
    const text = value ?? (flag.placeholder === undefined ? 'true' : rest.shift())
    if (text === undefined) throw new FlagError(`flag needs an argument: ${shown}`)
    const parsed = valueOf(name, flag, text)
    given.set(name, flag.merge && given.has(name) ? flag.merge(given.get(name), parsed) : parsed)
  }
  if (rest.length > 0) {
    throw new FlagError(`takes no arguments besides flags, got ${JSON.stringify(rest)}`)
  }
  const values = Object.entries(flags).map(
    ([name, flag]) => [name, given.has(name) ? given.get(name) : flag.parse(flag.default)] as const,
  )
  const problems = values.flatMap(([name, value]) => {
    const problem = flags[name]?.check?.(value)
    return problem == null ? [] : [`--${name} ${problem}`]
  })
  if (problems.length === 1) throw new FlagError(problems[0]!)
  if (problems.length > 1) throw new FlagError(`[${problems.join(', ')}]`)
  return Object.fromEntries(values) as Values<F>
}

interface Found {
  readonly name: string
  readonly flag: Flag
  /** The flag as it was written, for messages. */
  readonly shown: string
  /** What stands in the same argument. */
  readonly value: string | undefined
}

function flagOf(flags: Flags, arg: string): Found {
  return arg.startsWith('--') ? longFlagOf(flags, arg) : shortFlagOf(flags, arg)
}

function longFlagOf(flags: Flags, arg: string): Found {
  const equals = arg.indexOf('=')
  const shown = equals === -1 ? arg : arg.slice(0, equals)
  const name = shown.slice(2).replaceAll('_', '-')
  if (name === '' || name.startsWith('-')) throw new FlagError(`bad flag syntax: ${arg}`)
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
  if (!flag) throw new FlagError(`unknown flag: ${shown}${hint(flags, name)}`)
  return { name, flag, shown, value: equals === -1 ? undefined : arg.slice(equals + 1) }
}

/** `-v`, `-v=2` and `-v2`. */
function shortFlagOf(flags: Flags, arg: string): Found {
  const letter = arg.slice(1, 2)
  const entry = Object.entries(flags).find(([, flag]) => flag.short === letter)
  if (!entry) {
    const long = arg.slice(1).replace(/=.*/s, '').replaceAll('_', '-')
    throw new FlagError(`unknown shorthand flag: '${letter}' in ${arg}${hint(flags, long)}`)
  }
  const after = arg.slice(2).replace(/^=/, '')
  return {
    name: entry[0],
    flag: entry[1],
    shown: `'${letter}' in ${arg}`,
    value: arg.length === 2 ? undefined : after,
  }
}

function valueOf(name: string, flag: Flag, text: string): unknown {
  try {
    return flag.parse(text)
  } catch (error) {
    const shown = flag.short === undefined ? `--${name}` : `-${flag.short}, --${name}`
    const reason = error instanceof Error ? error.message : String(error)
    throw new FlagError(`invalid argument ${JSON.stringify(text)} for "${shown}" flag: ${reason}`)
  }
}

function hint(flags: Flags, name: string): string {
  const near = Object.keys(flags)
    .map((known) => ({
      known,
      edits: name.length > 1 && known.startsWith(name) ? 0 : editsBetween(known, name),
    }))
    .filter(({ known, edits }) => edits <= Math.min(3, known.length / 2))
    .sort((a, b) => a.edits - b.edits)[0]
  return near ? ` (did you mean --${near.known}?)` : ''
}

/** How many letters to add, remove or change to make one word of the other. */
function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 3) return Infinity
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + change))
    }
    row = next
  }
  return row[b.length]!
}
