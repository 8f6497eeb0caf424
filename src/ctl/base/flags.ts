/** Flags in the syntax that people know: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-it`, `--`. */
import { parseDuration } from '../../base/duration.ts'
import { UsageFault } from './faults.ts'

/** One flag of a command. */
export interface FlagSpec {
  /** `list`: separated by commas; `array`: one value for each occurrence. Both may be given several times. */
  readonly type: 'bool' | 'text' | 'list' | 'array' | 'int' | 'duration'
  readonly help: string
  readonly short?: string
  readonly default?: string
  /** The value of a flag that is given without one; such a flag takes a value after `=` only. */
  readonly bare?: string
  readonly isHidden?: boolean
}

/** Flags by name. */
export type FlagSpecs = Readonly<Record<string, FlagSpec>>

/** A read command line. */
export interface Parsed {
  readonly args: readonly string[]
  /** Index into `args` of the first that follows `--`; -1 without it. */
  readonly dash: number
  readonly flags: FlagValues
}

/** Values of flags. Names that were not declared are a fault of the command, and throw. */
export class FlagValues {
  readonly #specs: FlagSpecs
  readonly #given: ReadonlyMap<string, readonly string[]>

  constructor(specs: FlagSpecs, given: ReadonlyMap<string, readonly string[]>) {
    this.#specs = specs
    this.#given = given
  }

  /** Whether the command line has it. */
  isSet(name: string): boolean {
    return this.#given.has(name)
  }

  text(name: string): string {
    return this.#given.get(name)?.at(-1) ?? this.#spec(name).default ?? ''
  }

  is(name: string): boolean {
    return isTrue(this.text(name))
  }

  int(name: string): number {
    return Number(this.text(name))
  }

  /** Milliseconds. */
  duration(name: string): number {
    return durationOf(this.text(name))
  }

  list(name: string): readonly string[] {
    const spec = this.#spec(name)
    const given = this.#given.get(name)
    if (!given) return spec.default === undefined || spec.default === '' ? [] : [spec.default]
    return spec.type === 'list' ? given.flatMap((text) => commaSeparated(text)) : given
  }

  /** The value of a flag of every command; empty where the command has another flag of that name. */
  global(name: string): string {
    return this.#spec(name).type === 'text' ? this.text(name) : ''
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#specs, name)
  }

  #spec(name: string): FlagSpec {
    if (!this.has(name)) throw new Error(`the flag ${name} is not declared`)
    return this.#specs[name]!
  }
}

const isTrue = (text: string) => /^(1|t|T|true|TRUE|True)$/.test(text)
const isBool = (text: string) => isTrue(text) || /^(0|f|F|false|FALSE|False)$/.test(text)

/** Milliseconds of `30s` or, as seconds, of `30`. */
export function durationOf(text: string): number {
  if (text === '' || text === '0') return 0
  return /^-?\d+$/.test(text) ? Number(text) * 1000 : Number(parseDuration(text)) / 1e6
}

/** Parts between commas; quotes hold a part together. */
function commaSeparated(text: string): string[] {
  if (!text.includes('"')) return text === '' ? [] : text.split(',')
  const parts = text.match(/("([^"]|"")*"|[^,]*)(,|$)/g) ?? []
  return parts.slice(0, text.endsWith(',') ? undefined : -1).map((part) =>
    part
      .replace(/,$/, '')
      .replace(/^"(.*)"$/s, '$1')
      .replaceAll('""', '"'),
  )
}

/** Reads arguments. Throws UsageFault. */
export function parseArgs(specs: FlagSpecs, args: readonly string[]): Parsed {
  const shorts = new Map<string, string>()
  for (const [name, { short }] of Object.entries(specs)) if (short) shorts.set(short, name)
  const given = new Map<string, string[]>()
  const rest: string[] = []
  let dash = -1
  let i = 0
  const add = (name: string, value: string, shown: string) => {
    check(specs[name]!, value, shown)
    const values = given.get(name)
    if (values) values.push(value)
    else given.set(name, [value])
  }
  const next = (shown: string): string => {
    const value = args[++i]
    if (value === undefined) throw new UsageFault(`flag needs an argument: ${shown}`)
    return value
  }
  for (; i < args.length; i++) {
    const arg = args[i]!
    if (arg === '--') {
      dash = rest.length
      rest.push(...args.slice(i + 1))
      break
    }
    if (arg.startsWith('--')) readLong(arg)
    else if (arg.startsWith('-') && arg.length > 1) readShort(arg)
    else rest.push(arg)
  }
  return { args: rest, dash, flags: new FlagValues(specs, given) }

  function readLong(arg: string): void {
    const equals = arg.indexOf('=')
    const name = arg.slice(2, equals === -1 ? undefined : equals).replaceAll('_', '-')
    if (!Object.hasOwn(specs, name)) throw new UsageFault(`unknown flag: --${name}`)
    const spec = specs[name]!
    const bare = bareOf(spec)
    const shown = spec.short === undefined ? `--${name}` : `-${spec.short}, --${name}`
    add(name, equals === -1 ? (bare ?? next(`--${name}`)) : arg.slice(equals + 1), shown)
  }

  function readShort(arg: string): void {
    for (let at = 1; at < arg.length; at++) {
      const char = arg[at]!
      const name = shorts.get(char)
      if (name === undefined) {
        throw new UsageFault(`unknown shorthand flag: '${char}' in ${arg}`)
      }
      const shown = `-${char}, --${name}`
      const bare = bareOf(specs[name]!)
      const after = arg.slice(at + 1)
      if (after.startsWith('=')) return add(name, after.slice(1), shown)
      if (bare !== null) add(name, bare, shown)
      else if (after !== '') return add(name, after, shown)
      else return add(name, next(`'${char}' in ${arg}`), shown)
    }
  }
}

const bareOf = ({ type, bare }: FlagSpec): string | null =>
  bare ?? (type === 'bool' ? 'true' : null)

const quoted = (text: string) => JSON.stringify(text)

function check({ type }: FlagSpec, value: string, shown: string): void {
  const bad = (why: string) =>
    new UsageFault(`invalid argument ${quoted(value)} for ${quoted(shown)} flag: ${why}`)
  if (type === 'bool' && !isBool(value)) {
    throw bad(`strconv.ParseBool: parsing ${quoted(value)}: invalid syntax`)
  }
  if (type === 'int' && !/^[-+]?\d{1,15}$/.test(value)) {
    throw bad(`strconv.ParseInt: parsing ${quoted(value)}: invalid syntax`)
  }
  if (type !== 'duration') return
  try {
    durationOf(value)
  } catch {
    throw bad(`time: invalid duration ${quoted(value)}`)
  }
}
