/**
 * Checks of the options of programs. Values may come from another realm, such as the sandbox of a test runner, so that
 * `instanceof` does not recognize them.
 */
import { isIP } from 'node:net'
import { types } from 'node:util'

/** The fault of a value; null for none. */
export type Check = (value: unknown) => string | null

const must =
  (what: string, holds: (value: unknown) => boolean): Check =>
  (value) =>
    holds(value) ? null : `must be ${what}, not ${shown(value)}`

const SHOWN_LENGTH = 60

/** A value as it would be written, where that is short. */
function shown(value: unknown): string {
  if (typeof value === 'string') {
    return value.length > SHOWN_LENGTH ? 'a longer text' : JSON.stringify(value)
  }
  if (Array.isArray(value)) return 'a list'
  if (types.isPromise(value)) return 'a promise'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/** Whether a value is an object of names and values. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Object.prototype.toString.call(value) === '[object Object]'

export const text: Check = must('a text', (value) => typeof value === 'string')
export const truth: Check = must('true or false', (value) => typeof value === 'boolean')
/** True, false or one of a few words. */
export const truthOr = (...words: readonly string[]): Check =>
  must(
    `true, false or ${words.join(' or ')}`,
    (value) => typeof value === 'boolean' || words.includes(value as string),
  )
export const texts: Check = must('a list of texts', isTexts)
export const group: Check = must('an object of options', isRecord)
export const objects: Check = must(
  'a list of objects',
  (value) => Array.isArray(value) && value.every(isRecord),
)
export const callback: Check = must('a function', (value) => typeof value === 'function')
export const bytes: Check = must('a Buffer', (value) => types.isUint8Array(value))
export const textMap: Check = must('a Map of texts', types.isMap)

export const switches: Check = must(
  'an object of names with true or false',
  (value) => isRecord(value) && Object.values(value).every((on) => typeof on === 'boolean'),
)

export const address = (or: readonly string[] = []): Check =>
  must(
    'an IP address',
    (value) =>
      typeof value === 'string' &&
      ((isIP(value) !== 0 && !value.includes('%')) || or.includes(value)),
  )

/** Factories of admission plugins. */
export const plugins: Check = must(
  'a list of objects with a name, defaultOn and the function create',
  (value) =>
    Array.isArray(value) &&
    value.every((item: unknown) => {
      const { name, defaultOn, create } = (item ?? {}) as Readonly<Record<string, unknown>>
      return (
        typeof name === 'string' && typeof defaultOn === 'boolean' && typeof create === 'function'
      )
    }),
)

/** A whole number within bounds. */
export const whole = (min: number, max = Number.MAX_SAFE_INTEGER): Check =>
  must(
    max === Number.MAX_SAFE_INTEGER
      ? `a whole number, ${min} or more`
      : `a whole number from ${min} to ${max}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
  )

export const numberBetween = (min: number, max: number): Check =>
  must(
    `a number from ${min} to ${max}`,
    (value) => typeof value === 'number' && value >= min && value <= max,
  )

/** A duration. */
export const milliseconds = (least: number): Check =>
  must(
    `a number of milliseconds, ${least} or more`,
    (value) => typeof value === 'number' && Number.isFinite(value) && value >= least,
  )

export const oneOf = (words: readonly string[]): Check =>
  must(`one of ${words.join(', ')}`, (value) => words.includes(value as string))

/** An object that has functions of these names. */
export const having = (...names: readonly string[]): Check =>
  must(
    `an object with the functions ${names.join(', ')}`,
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
  )
