import { shortened, shortJson } from '../base/short-text.ts'
import { DebugText } from './debug-text.ts'

/** One violation of a field rule, as in `details.causes`. */
export interface FieldError {
  readonly field: string
  readonly reason: FieldErrorReason
  readonly message: string
}

export type FieldErrorReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueNotFound'
  | 'InternalError'

/** Maximum number of violations in one response; beyond that the list does not help. */
const MAX_ERRORS = 500
/** Maximum UTF-16 units of a value, of a map key in a path and of a detail text, in one error. */
const MAX_VALUE = 1024
const MAX_KEY = 256
const MAX_DETAIL = 4096

/** Thrown at the maximum number of errors: ends a check, whose errors are in the list. */
export class TooManyErrors extends Error {
  override readonly name = 'TooManyErrors'
  readonly list: readonly FieldError[]

  constructor(list: readonly FieldError[]) {
    super('too many errors')
    this.list = list
  }
}

/**
 * Collects violations, so that one response lists all of them, or the first 500 and a last one that says so: then each
 * further one throws TooManyErrors. A scope: `at` returns a nested one that adds to the same list.
 *
 *     errors.at('spec', 'ports', 0, 'name').required()        // spec.ports[0].name
 *     errors.at('data').key('a b').invalid('a b', 'bad key')  // data[a b]
 */
export class FieldErrors {
  readonly list: FieldError[]
  readonly #parent: FieldErrors | null
  /** A field, or the index of an item. Most scopes never see an error, so the path is not made before one. */
  readonly #step: string | number
  /** The step is a key of a map. */
  readonly #isKey: boolean

  constructor(parent: FieldErrors | null = null, step: string | number = '', isKey = false) {
    this.list = parent === null ? [] : parent.list
    this.#parent = parent
    this.#step = step
    this.#isKey = isKey
  }

  /** A nested scope: strings are fields, numbers are list indexes. */
  at(step: string | number, ...more: readonly (string | number)[]): FieldErrors {
    let scope = new FieldErrors(this, step)
    for (let i = 0; i < more.length; i++) scope = new FieldErrors(scope, more[i])
    return scope
  }

  /** A scope at one key of a map. */
  key(key: string): FieldErrors {
    return new FieldErrors(this, key, true)
  }

  /** The outermost scope. */
  get root(): FieldErrors {
    let scope: FieldErrors = this
    while (scope.#parent) scope = scope.#parent
    return scope
  }

  /** Sorts the violations after the first `before`. */
  sortSince(before: number, order: (a: FieldError, b: FieldError) => number): void {
    for (const error of this.list.splice(before).sort(order)) this.list.push(error)
  }

  /** The path as written in errors; empty at the root. */
  get path(): string {
    let text = ''
    for (let scope: FieldErrors = this; scope.#parent; scope = scope.#parent)
      text = scope.#segment + text
    return text.startsWith('.') ? text.slice(1) : text
  }

  get #segment(): string {
    const step = this.#step
    if (this.#isKey) return `[${shortened(step as string, MAX_KEY)}]`
    return typeof step === 'number' ? `[${step}]` : `.${step}`
  }

  required(detail = ''): void {
    this.add('FieldValueRequired', join('Required value', detail))
  }
  invalid(value: unknown, detail: string): void {
    this.add('FieldValueInvalid', join(`Invalid value: ${renderValue(value)}`, detail))
  }
  /** One `invalid` for each message, as the string format rules return them. */
  invalidAll(value: unknown, messages: readonly string[]): void {
    for (const message of messages) this.invalid(value, message)
  }
  typeInvalid(value: unknown, detail: string): void {
    this.add('FieldValueTypeInvalid', `Invalid value: ${renderValue(value)}: ${detail}`)
  }
  notSupported(value: unknown, supported: readonly string[]): void {
    const list = supported.map((s) => JSON.stringify(s)).join(', ')
    const tail = supported.length > 0 ? `: supported values: ${list}` : ''
    this.add('FieldValueNotSupported', `Unsupported value: ${renderValue(value)}${tail}`)
  }
  duplicate(value: unknown, detail = ''): void {
    this.add('FieldValueDuplicate', join(`Duplicate value: ${renderValue(value)}`, detail))
  }
  forbidden(detail = ''): void {
    this.add('FieldValueForbidden', join('Forbidden', detail))
  }
  tooLong(maxBytes: number): void {
    this.add('FieldValueTooLong', `Too long: must have at most ${maxBytes} bytes`)
  }
  tooMany(count: number, max: number): void {
    this.add('FieldValueTooMany', `Too many: ${count}: must have at most ${max} items`)
  }
  notFound(value: unknown): void {
    this.add('FieldValueNotFound', `Not found: ${renderValue(value)}`)
  }
  internal(detail: string): void {
    this.add('InternalError', `Internal error: ${detail}`)
  }
  /** `field is immutable` when the two values differ in their JSON form; `shown` maps the new value for the message. */
  immutable<T>(next: T, old: T, shown: (next: T) => unknown = (value) => value): void {
    if (!sameValue(next, old)) this.invalid(shown(next), 'field is immutable')
  }

  /** Adds a violation with its own message. Throws TooManyErrors. */
  add(reason: FieldErrorReason, message: string): void {
    this.#addOne({
      field: this.path,
      reason,
      message: shortened(message, MAX_VALUE + MAX_DETAIL),
    })
  }

  /** Adds violations that were found before, with their own paths. Throws TooManyErrors. */
  addAll(errors: readonly FieldError[]): void {
    for (const error of errors) this.#addOne(error)
  }

  #addOne(error: FieldError): void {
    const { list } = this
    if (list.length < MAX_ERRORS) {
      list.push(error)
      return
    }
    if (list.length === MAX_ERRORS) {
      const more = 'Too many errors, the rest is not shown'
      list.push({ field: '', reason: 'FieldValueTooMany', message: more })
    }
    throw new TooManyErrors(list)
  }
}

const join = (head: string, detail: string) => (detail === '' ? head : `${head}: ${detail}`)

/** A value as errors show it: strings quoted, absent as the word null, long values truncated. */
export function renderValue(value: unknown): string {
  // Quoted like a string, as the reference does at this release.
  if (value === undefined || value === null) return '"null"'
  if (value instanceof DebugText) return shortened(value.text, MAX_VALUE)
  if (typeof value !== 'string') return shortJson(value, MAX_VALUE)
  return JSON.stringify(shortened(value, MAX_VALUE))
}

/** Runs checks that collect errors; returns false when there are too many. */
export function collecting(check: () => void): boolean {
  try {
    check()
    return true
  } catch (error) {
    if (!(error instanceof TooManyErrors)) throw error
    return false
  }
}

/** Deep equality of JSON values; absent equals null, key order is ignored. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (a === undefined || a === null || b === undefined || b === null)
    return (a ?? null) === (b ?? null)
  if (typeof a !== 'object' || typeof b !== 'object') return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!sameValue(a[i], b[i])) return false
    return true
  }
  const left = a as Record<string, unknown>
  const right = b as Record<string, unknown>
  let count = 0
  for (const key in left) {
    if (left[key] === undefined) continue
    if (!Object.hasOwn(right, key) || !sameValue(left[key], right[key])) return false
    count++
  }
  for (const key in right) if (right[key] !== undefined) count--
  return count === 0
}
