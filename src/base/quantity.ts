/** How a quantity was written, which its canonical text keeps. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent'

/** An exact amount in billionths, the finest step quantities have. */
export interface Quantity {
  readonly nanos: bigint
  readonly format: QuantityFormat
}

/** Error text for what does not look like a quantity. */
export const QUANTITY_FORMAT_ERROR =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
/** Error text for an unknown suffix. */
export const QUANTITY_SUFFIX_ERROR = "unable to parse quantity's suffix"
/** Error text for a number that cannot be read. */
export const QUANTITY_NUMBER_ERROR = 'unable to parse numeric part of quantity'

const NANO = 1_000_000_000n
const NANOS_IN_MILLI = 1_000_000n
const CAP = (2n ** 63n - 1n) * NANO

// Limits of this server: arithmetic on client input must stay cheap.
const MAX_TEXT = 1024
const MAX_EXPONENT = 1000

const DECIMAL_NAMES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const BINARY_NAMES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

// The suffix starts with a character that is no digit, so that there is one way to match only.
const PARTS = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[-+]?\d*|[-+]\d*)?)$/
const EXPONENT = /^[eE]([+-]?\d+)$/

const parsed = new Map<string, Quantity>()
const MAX_PARSED = 1000
const MAX_PARSED_TEXT = 32

/** Reads a quantity; throws an Error with the reference's wording (no white space allowed). */
export function parseQuantity(text: string): Quantity {
  const found = parsed.get(text)
  if (found !== undefined) return found
  const quantity = Object.freeze(readQuantity(text))
  // Objects of a cluster have few different amounts, which each check of them reads.
  if (text.length <= MAX_PARSED_TEXT) {
    if (parsed.size >= MAX_PARSED) parsed.clear()
    parsed.set(text, quantity)
  }
  return quantity
}

function readQuantity(text: string): Quantity {
  if (text.length > MAX_TEXT) throw new Error(QUANTITY_NUMBER_ERROR)
  const parts = PARTS.exec(text)
  if (!parts) throw new Error(QUANTITY_FORMAT_ERROR)
  const whole = parts[2] ?? ''
  const fraction = parts[3] ?? ''
  const suffix = parts[4] ?? ''
  if (whole === '' && fraction === '') throw new Error(QUANTITY_FORMAT_ERROR)
  const digits = BigInt(whole + fraction)
  const unit = readSuffix(suffix)

  let format = unit.format
  let nanos: bigint
  if (format === 'BinarySI') {
    nanos = divideUp((digits * NANO) << BigInt(unit.exponent), 10n ** BigInt(fraction.length))
    if (nanos > CAP) nanos = CAP
    if (nanos > 0n && nanos < NANO) format = 'DecimalSI'
  } else {
    nanos = scale(digits, unit.exponent - fraction.length + 9)
  }
  return { nanos: parts[1] === '-' ? -nanos : nanos, format }
}

function readSuffix(suffix: string): { format: QuantityFormat; exponent: number } {
  const decimal = DECIMAL_NAMES.indexOf(suffix)
  if (decimal >= 0) return { format: 'DecimalSI', exponent: decimal * 3 - 9 }
  const binary = BINARY_NAMES.indexOf(suffix)
  if (binary > 0) return { format: 'BinarySI', exponent: binary * 10 }
  const exponent = EXPONENT.exec(suffix)
  if (!exponent) throw new Error(QUANTITY_SUFFIX_ERROR)
  const value = Number(exponent[1])
  if (value > MAX_EXPONENT) throw new Error(QUANTITY_SUFFIX_ERROR)
  return { format: 'DecimalExponent', exponent: value }
}

/** digits * 10^exponent, rounded up. */
function scale(digits: bigint, exponent: number): bigint {
  if (exponent >= 0) return digits * 10n ** BigInt(exponent)
  // Beyond the longest text every amount is less than one step.
  if (-exponent > MAX_TEXT) return digits === 0n ? 0n : 1n
  return divideUp(digits, 10n ** BigInt(-exponent))
}

/** Division away from zero. */
function divideUp(value: bigint, by: bigint): bigint {
  if (value < 0n) return -divideUp(-value, by)
  return (value + by - 1n) / by
}

/** The one text by which a quantity is stored and shown. */
export function formatQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0'
  if (format === 'BinarySI') {
    const whole = nanos / NANO
    // Small and broken amounts would lose precision or readability in powers of 1024.
    if (whole * NANO === nanos && (whole <= -1024n || whole >= 1024n)) return formatBinary(whole)
    return formatDecimal(nanos, 'DecimalSI')
  }
  return formatDecimal(nanos, format)
}

function formatBinary(whole: bigint): string {
  let step = 0
  while (step < BINARY_NAMES.length - 1 && (whole & 1023n) === 0n) {
    whole >>= 10n
    step++
  }
  return `${whole}${BINARY_NAMES[step]}`
}

function formatDecimal(nanos: bigint, format: QuantityFormat): string {
  const text = String(nanos)
  let end = text.length
  // Three zeros at a time: exponents are multiples of 3.
  const steps = format === 'DecimalExponent' ? Infinity : DECIMAL_NAMES.length - 1
  let step = 0
  while (step < steps && text.endsWith('000', end)) {
    end -= 3
    step++
  }
  const mantissa = text.slice(0, end)
  if (format === 'DecimalSI') return mantissa + DECIMAL_NAMES[step]
  return step === 3 ? mantissa : `${mantissa}e${step * 3 - 9}`
}

// Recognizes the canonical form without parsing: by far the most frequent input.
const CANONICAL_DECIMAL = /^(?:0|-?[1-9]\d{0,14}(?<!000)[numkMGTPE]?)$/
const PLAIN_BINARY = /^-?([1-9]\d{0,5})[KMGT]i$/

const known = new Map<string, string>()
const MAX_KNOWN = 1000

/**
 * The canonical text of a quantity from a JSON string or number text; surrounding white space is
 * dropped. Throws as `parseQuantity` does.
 *
 *     canonicalQuantity('1024Mi')   // 1Gi
 */
export function canonicalQuantity(text: string): string {
  if (CANONICAL_DECIMAL.test(text)) return text
  const binary = PLAIN_BINARY.exec(text)
  if (binary && Number(binary[1]) % 1024 !== 0) return text
  const found = known.get(text)
  if (found !== undefined) return found
  const canonical = formatQuantity(parseQuantity(text.trim()))
  if (text.length <= 32) {
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(text, canonical)
  }
  return canonical
}

/** A whole number as a quantity, for counts. */
export const quantityOf = (
  value: bigint | number,
  format: QuantityFormat = 'DecimalSI',
): Quantity => ({
  nanos: BigInt(value) * NANO,
  format,
})

/** Order by amount, whatever the formats: -1, 0 or 1. */
export function compareQuantity(a: Quantity, b: Quantity): -1 | 0 | 1 {
  if (a.nanos === b.nanos) return 0
  return a.nanos < b.nanos ? -1 : 1
}

/** The sum, in the format of `a`, or of `b` when `a` is zero. */
export const addQuantity = (a: Quantity, b: Quantity): Quantity => ({
  nanos: a.nanos + b.nanos,
  format: a.nanos === 0n ? b.format : a.format,
})

/** The difference, in the format of `a`, or of `b` when `a` is zero. */
export const subtractQuantity = (a: Quantity, b: Quantity): Quantity => ({
  nanos: a.nanos - b.nanos,
  format: a.nanos === 0n ? b.format : a.format,
})

/** Whether the amount is nothing. */
export const isZero = (q: Quantity): boolean => q.nanos === 0n

/** -1, 0 or 1. */
export function sign(q: Quantity): -1 | 0 | 1 {
  if (q.nanos === 0n) return 0
  return q.nanos < 0n ? -1 : 1
}

/** The amount as an integer, rounded up (away from zero). */
export const integerValue = (q: Quantity): bigint => divideUp(q.nanos, NANO)

/** The amount in thousandths, rounded up (away from zero). */
export const milliValue = (q: Quantity): bigint => divideUp(q.nanos, NANOS_IN_MILLI)

/** The amount rounded up (away from zero) to thousandths, as resource lists are. */
export const roundUpToMilli = (q: Quantity): Quantity => ({
  nanos: milliValue(q) * NANOS_IN_MILLI,
  format: q.format,
})

/** Whether the amount is a whole number. */
export const isInteger = (q: Quantity): boolean => q.nanos % NANO === 0n
