/** `format()`: values in a text. */
import { failure } from '../failure.ts'
import { amountOf, Double, isInt, Uint } from '../numbers.ts'
import { Span, Time } from '../time-value.ts'
import { compareTexts, MapValue, TypeValue, typeNameOf } from '../values.ts'

const CLAUSE = /%(?:%|(?:\.(\d+))?(.?))/gsu

/** Digits behind the point that may be asked for. */
const MAX_PRECISION = 1000

const DEFAULT_PRECISION = 6

/** Replaces the clauses of a text by values in turn. */
export function formatText(template: string, values: readonly unknown[]): string {
  let at = 0
  return template.replace(CLAUSE, (all, precision: string | undefined, clause: string) => {
    if (all === '%%') return '%'
    if (all === '%') throw failure('unexpected end of string')
    if (!Object.hasOwn(CLAUSES, clause)) {
      throw failure(
        `could not parse formatting clause: unrecognized formatting clause ${JSON.stringify(clause)}`,
      )
    }
    const digits = precision === undefined ? DEFAULT_PRECISION : Number(precision)
    if (digits > MAX_PRECISION) throw failure(`precision must not be greater than ${MAX_PRECISION}`)
    if (at >= values.length) throw failure(`index ${at} out of range`)
    return CLAUSES[clause]!(values[at++], digits)
  })
}

type Clause = (value: unknown, digits: number) => string

const wrong = (what: string, value: unknown) =>
  failure(`error during formatting: ${what}, was given ${typeNameOf(value)}`)

const CLAUSES: Readonly<Record<string, Clause>> = {
  s: (value) => shown(value),
  d: (value) => {
    if (isInt(value) || value instanceof Uint) return String(amountOf(value))
    if (value instanceof Double) return shownDouble(value.value)
    throw wrong('decimal clause can only be used on integers and doubles', value)
  },
  f: (value, digits) => {
    const amount = doubleOf(value, 'fixed-point clause can only be used on doubles')
    return Number.isFinite(amount) ? fixed(amount, digits) : shownDouble(amount)
  },
  e: (value, digits) => {
    const amount = doubleOf(value, 'scientific clause can only be used on doubles')
    if (!Number.isFinite(amount)) return shownDouble(amount)
    const text = amount.toExponential(Math.min(digits, 100))
    return text.replace(/e([+-])(\d)$/, 'e$10$2')
  },
  b: (value) => {
    if (typeof value === 'boolean') return value ? '1' : '0'
    return inBase(value, 2, 'only integers and bools can be formatted as binary')
  },
  o: (value) => inBase(value, 8, 'octal clause can only be used on integers'),
  x: hex,
  X: (value) => hex(value).toUpperCase(),
}

function hex(value: unknown): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex')
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  const what = 'only integers, byte buffers, and strings can be formatted as hex'
  return inBase(value, 16, what)
}

function inBase(value: unknown, base: number, what: string): string {
  if (isInt(value)) return value.toString(base)
  if (value instanceof Uint) return value.value.toString(base)
  throw wrong(what, value)
}

function doubleOf(value: unknown, what: string): number {
  const amount = amountOf(value)
  if (amount === undefined) throw wrong(what, value)
  return Number(amount)
}

/** A number with so many digits behind the point, the last one rounded; halves to the even digit. */
function fixed(amount: number, digits: number): string {
  const text = amount.toFixed(Math.min(digits, 100))
  // Numbers that are halves exactly are rounded away from zero.
  if (digits > 20 || !Number.isInteger(amount * 10 ** digits * 2)) return text
  const scaled = Math.abs(amount) * 10 ** digits
  if (scaled % 1 !== 0.5 || scaled > 2 ** 51) return text
  const even = Math.round(scaled / 2) * 2
  return ((Math.sign(amount) * even) / 10 ** digits).toFixed(digits)
}

function shownDouble(amount: number): string {
  if (Number.isNaN(amount)) return 'NaN'
  if (!Number.isFinite(amount)) return amount > 0 ? 'Infinity' : '-Infinity'
  return plainNumber(amount)
}

/** A number without an exponent. */
function plainNumber(amount: number): string {
  const text = String(amount)
  const found = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (!found) return text
  const [, sign, first, rest = '', exponent] = found
  const digits = `${first}${rest}`
  const places = Number(exponent)
  if (places < 0) return `${sign}0.${'0'.repeat(-places - 1)}${digits}`
  return `${sign}${digits.padEnd(places + 1, '0')}`
}

function shown(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || isInt(value)) return String(value)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Double) return shownDouble(value.value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  if (value instanceof TypeValue) return value.name
  if (value instanceof Time || value instanceof Span) return String(value)
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`
  if (value instanceof MapValue) return shownMap(value)
  throw wrong(
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    value,
  )
}

function shownMap(map: MapValue): string {
  const entries = map.keys().map((key) => [shown(key), shown(map.get(key))] as const)
  const sorted = entries.toSorted(([a], [b]) => compareTexts(a, b))
  return `{${sorted.map(([key, value]) => `${key}: ${value}`).join(', ')}}`
}
