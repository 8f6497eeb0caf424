/**
 * Command-line flags in the syntax of the reference's tools: `--flag=value`, `--flag value`, `--flag=false`,
 * underscores for dashes, `-v2`. A flag also names the option of an embedded server that it sets, and the values
 * allowed there.
 */
import { isIP } from 'node:net'
import { parseArgs } from 'node:util'
import { parseDuration } from '../base/duration.ts'
import { nearest } from '../base/nearest.ts'
import {
  address,
  milliseconds,
  oneOf,
  switches,
  text as anyText,
  texts,
  truth,
  whole,
  type Check,
} from '../base/value-checks.ts'

/** One flag; its kind reads the text. */
export interface Flag<T = unknown> {
  /** Heading in the help. */
  readonly section: string
  readonly help: string
  /** As on the command line; `''` shows none in the help. */
  readonly default: string
  /** One letter, such as `v`. */
  readonly short?: string
  /** Name of the value in the help; absent for flags without a value. */
  readonly placeholder?: string
  /** Throws an Error on text of the wrong form. */
  parse(text: string): T
  /** Reads one item of a list in a configuration file; by default `parse`. */
  item?(text: string): T
  /** Combines two occurrences; without it the last one wins. */
  merge?(before: T, after: T): T
  /** Why a value of the right form is invalid, to follow the flag's name. */
  check?(value: T): string | null
  /** The option of an embedded server that is set, with dots between the names of groups. */
  readonly option?: string
  /** Why a value of that option is invalid; of a text unless specified otherwise. */
  readonly takes?: Check
}

/** Flags by their names. */
export type Flags = Readonly<Record<string, Flag>>

/** The values of flags, by the same names. */
export type Values<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never
}

/** An invalid command line; the message suggests a correction. */
export class FlagError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FlagError'
  }
}

interface About {
  readonly section: string
  readonly help: string
  readonly default: string
  readonly short?: string
  readonly option?: string
}

/** Any text but an empty one. */
export const textFlag = (about: About): Flag<string> => ({
  ...about,
  placeholder: 'string',
  takes: anyText,
  parse: (text) => text,
  check: (value) => (value === '' ? 'must not be empty' : null),
})

/** One of a few fixed values. */
export const choiceFlag = <T extends string>(words: readonly T[], about: About): Flag<T> => ({
  ...about,
  help: `${about.help} One of ${words.join(', ')}.`,
  placeholder: 'string',
  takes: oneOf(words),
  parse(text) {
    const word = words.find((w) => w === text)
    if (word === undefined) throw new Error(`must be one of ${words.join(', ')}`)
    return word
  },
})

/** True or false; true without a value. */
export const boolFlag = (about: Omit<About, 'default'>): Flag<boolean> => ({
  ...about,
  default: 'false',
  takes: truth,
  parse: parseBool,
})

function parseBool(text: string): boolean {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true
  if (/^(0|f|F|false|FALSE|False)$/.test(text)) return false
  throw new Error('must be true or false')
}

/** True by default. */
export const onFlag = (about: Omit<About, 'default'>): Flag<boolean> => ({
  ...boolFlag(about),
  default: 'true',
})

/** Text that may be empty. */
export const optionalTextFlag = (
  about: Omit<About, 'default'> & { readonly default?: string },
): Flag<string> => ({
  default: '',
  ...about,
  placeholder: 'string',
  takes: anyText,
  parse: (text) => text,
})

/** Path of a file; none when empty. */
export const fileFlag = (about: Omit<About, 'default'>): Flag<string> => ({
  ...optionalTextFlag(about),
  placeholder: 'file',
})

/**
 * Comma-separated texts, quoted where they hold a comma, unless `split` makes each occurrence one text. Occurrences add
 * up.
 */
export const listFlag = (
  about: Omit<About, 'default'> & { readonly default?: string },
  { split = true }: { readonly split?: boolean } = {},
): Flag<readonly string[]> => ({
  default: '',
  ...about,
  placeholder: split ? 'string,...' : 'string',
  takes: texts,
  parse: (text) => (text === '' ? [] : split ? commaSeparated(text) : [text]),
  item: (text) => [text],
  merge: (before, after) => [...before, ...after],
})

/** Texts between commas; those with a comma are quoted. */
export function commaSeparated(text: string): string[] {
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
  if (quoted) throw new Error('has a quote that is not closed')
  return [...items, item]
}

/** A whole number within bounds. */
export const intFlag = (bounds: { min: number; max: number }, about: About): Flag<number> => ({
  ...about,
  placeholder: 'int',
  takes: whole(bounds.min, bounds.max),
  parse(text) {
    if (!/^[-+]?\d+$/.test(text)) throw new Error('must be a whole number')
    return Number(text)
  },
  check: (value) =>
    value < bounds.min || value > bounds.max
      ? `must be from ${bounds.min} to ${bounds.max}, not ${value}`
      : null,
})

/** Names set to true or false, `a=true,b=false`; a name alone is true. Occurrences add up. */
export const switchesFlag = (about: About): Flag<Readonly<Record<string, boolean>>> => ({
  ...about,
  placeholder: 'name=true|false,...',
  takes: switches,
  parse(text) {
    const entries = text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map((part): [string, boolean] => {
        const equals = part.indexOf('=')
        const name = (equals === -1 ? part : part.slice(0, equals)).trim()
        const value = equals === -1 ? 'true' : part.slice(equals + 1).trim()
        if (name === '') throw new Error('must have a name before each value')
        try {
          return [name, parseBool(value)]
        } catch (cause) {
          throw new Error(`must have true or false for ${JSON.stringify(name)}`, { cause })
        }
      })
    return Object.fromEntries(entries)
  },
  merge: (before, after) =>
    Object.fromEntries([...Object.entries(before), ...Object.entries(after)]),
})

/** A positive duration such as `1m30s`, in milliseconds. */
export const durationFlag = (about: About): Flag<number> => ({
  ...about,
  placeholder: 'duration',
  takes: milliseconds(1),
  parse: parseTime,
  check: (value) => {
    if (value < 0) return 'must not be negative'
    return value < 1 ? 'must be at least 1ms' : null
  },
})

function parseTime(text: string): number {
  try {
    return Number(parseDuration(text)) / 1e6
  } catch (cause) {
    throw new Error('must be a duration such as 30s, 1m30s or 2h', { cause })
  }
}

/** A duration, or 0. */
export const orNone = (flag: Flag<number>): Flag<number> => ({
  ...flag,
  takes: milliseconds(0),
  check: (value) => (value === 0 ? null : (flag.check?.(value) ?? null)),
})

/** An address; none when the default is none. */
export const ipFlag = (about: About): Flag<string> => ({
  ...about,
  placeholder: 'ip',
  takes: address(about.default === '' ? [''] : []),
  parse(text) {
    if (text === '' && about.default === '') return text
    if (isIP(text) === 0 || text.includes('%')) {
      throw new Error('must be an IP address')
    }
    return text
  },
})

/**
 * Reads arguments. Flags that are not given have the values of `others`, or else their defaults. Throws FlagError for
 * unknown, malformed or out-of-range ones.
 */
export function parseFlags<F extends Flags>(
  flags: F,
  args: readonly string[],
  others: ReadonlyMap<string, unknown> = NONE,
): Values<F> {
  const given = new Map<string, unknown>()
  for (const token of tokensOf(flags, args)) {
    if (token.kind === 'positional')
      throw new FlagError(`unexpected arguments: ${JSON.stringify(args.slice(token.index))}`)
    if (token.kind === 'option-terminator') continue
    const { name, shown, flag, text } = flagOf(flags, token, args[token.index]!)
    if (text === undefined) throw new FlagError(`${shown} needs a value`)
    const parsed = valueOf(name, flag, text)
    given.set(name, flag.merge && given.has(name) ? flag.merge(given.get(name), parsed) : parsed)
  }
  const from = (name: string) => [given, others].find((values) => values.has(name))
  const values = Object.entries(flags).map(([name, flag]) => {
    const source = from(name)
    return [name, source ? source.get(name) : flag.parse(flag.default)] as const
  })
  const problems = values.flatMap(([name, value]) => {
    const problem = flags[name]?.check?.(value)
    return problem == null ? [] : [`--${name} ${problem}`]
  })
  if (problems.length > 0) throw new FlagError(problems.join('; '))
  return Object.fromEntries(values) as Values<F>
}

const NONE: ReadonlyMap<string, unknown> = new Map()

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]
type OptionToken = Token & { readonly kind: 'option' }

/** What Node's parser finds. It is told each flag in every spelling that the arguments use. */
function tokensOf(flags: Flags, args: readonly string[]): readonly Token[] {
  const options = new Map<string, { type: 'string' | 'boolean'; short?: string }>()
  const add = (spelling: string, { placeholder, short }: Flag, isName: boolean) =>
    options.set(spelling, {
      type: placeholder === undefined ? 'boolean' : 'string',
      ...(isName && short !== undefined ? { short } : {}),
    })
  for (const [name, flag] of Object.entries(flags)) add(name, flag, true)
  for (const arg of args) {
    const spelling = /^--([^=]+)/.exec(arg)?.[1] ?? ''
    const flag = options.has(spelling) ? undefined : own(flags, canonical(spelling))
    if (flag) add(spelling, flag, false)
  }
  return parseArgs({
    args: [...args],
    options: Object.fromEntries(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens
}

/** Flags may be written with underscores. */
const canonical = (spelling: string) => spelling.replaceAll('_', '-')

const own = (flags: Flags, name: string) => (Object.hasOwn(flags, name) ? flags[name] : undefined)

interface Found {
  readonly name: string
  readonly flag: Flag
  /** The flag as it was written, for messages. */
  readonly shown: string
  readonly text: string | undefined
}

function flagOf(flags: Flags, { rawName, name, value }: OptionToken, arg: string): Found {
  const isLong = rawName.startsWith('--')
  const long = canonical(isLong ? rawName.slice(2) : name)
  if (isLong && (/^[-=]/.test(long) || long === '')) throw new FlagError(`bad flag syntax: ${arg}`)
  const flag = own(flags, long)
  if (!flag && isLong) throw new FlagError(`unknown flag: ${rawName}${hint(flags, long)}`)
  if (!flag) {
    const meant = canonical(arg.slice(1).replace(/=.*/s, ''))
    throw new FlagError(`unknown shorthand flag: '${name}' in ${arg}${hint(flags, meant)}`)
  }
  // `-v=2` is `-v2`.
  const text = isLong ? value : value?.replace(/^=/, '')
  return { name: long, flag, shown: rawName, text: text ?? (flag.placeholder ? undefined : 'true') }
}

function valueOf(name: string, flag: Flag, text: string): unknown {
  try {
    return flag.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new FlagError(`--${name} ${reason}, not ${JSON.stringify(text)}`, { cause: error })
  }
}

function hint(flags: Flags, name: string): string {
  const near = nearestFlag(flags, name)
  return near === null ? '' : ` (did you mean --${near}?)`
}

/** The flag that an unknown name may mean, also by the name of its option; null when there is none like it. */
export function nearestFlag(flags: Flags, name: string): string | null {
  const byOption = Object.entries(flags).find(
    ([, { option = '' }]) => dashed(option.slice(option.lastIndexOf('.') + 1)) === name,
  )
  return nearest(name, Object.keys(flags)) ?? byOption?.[0] ?? null
}

const dashed = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
