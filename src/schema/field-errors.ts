/** One violation of a field rule, as it stands in `details.causes` (seed 1, Errors). */
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

/**
 * Collects violations, so that one answer lists all of them. A scope: `at` gives one further in
 * that adds to the same list.
 *
 *     errors.at('spec', 'ports', 0, 'name').required()        // spec.ports[0].name
 *     errors.at('data').key('a b').invalid('a b', 'bad key')  // data[a b]
 */
export class FieldErrors {
  readonly list: FieldError[]
  readonly #parent: FieldErrors | null
  readonly #segment: string

  constructor(list: FieldError[] = [], parent: FieldErrors | null = null, segment = '') {
    this.list = list
    this.#parent = parent
    this.#segment = segment
  }

  /** A scope further in: strings are fields, numbers are list indexes. */
  at(...path: readonly (string | number)[]): FieldErrors {
    let scope: FieldErrors = this
    for (const p of path) {
      scope = new FieldErrors(this.list, scope, typeof p === 'number' ? `[${p}]` : `.${p}`)
    }
    return scope
  }

  /** A scope at one key of a map. */
  key(key: string): FieldErrors {
    return new FieldErrors(this.list, this, `[${key}]`)
  }

  /** The path as written in errors; empty at the root. */
  get path(): string {
    let text = ''
    for (let scope: FieldErrors | null = this; scope; scope = scope.#parent) {
      text = scope.#segment + text
    }
    return text.startsWith('.') ? text.slice(1) : text
  }

  required(detail = ''): void {
    this.#add('FieldValueRequired', join('Required value', detail))
  }
  invalid(value: unknown, detail: string): void {
    this.#add('FieldValueInvalid', join(`Invalid value: ${renderValue(value)}`, detail))
  }
  /** One `invalid` for each message, as the string format rules return them. */
  invalidAll(value: unknown, messages: readonly string[]): void {
    for (const message of messages) this.invalid(value, message)
  }
  typeInvalid(value: unknown, detail: string): void {
    this.#add('FieldValueTypeInvalid', `Invalid value: ${renderValue(value)}: ${detail}`)
  }
  notSupported(value: unknown, supported: readonly string[]): void {
    const list = supported.map((s) => JSON.stringify(s)).join(', ')
    const tail = supported.length > 0 ? `: supported values: ${list}` : ''
    this.#add('FieldValueNotSupported', `Unsupported value: ${renderValue(value)}${tail}`)
  }
  duplicate(value: unknown, detail = ''): void {
    this.#add('FieldValueDuplicate', join(`Duplicate value: ${renderValue(value)}`, detail))
  }
  forbidden(detail = ''): void {
    this.#add('FieldValueForbidden', join('Forbidden', detail))
  }
  tooLong(maxBytes: number): void {
    this.#add('FieldValueTooLong', `Too long: must have at most ${maxBytes} bytes`)
  }
  tooMany(count: number, max: number): void {
    this.#add('FieldValueTooMany', `Too many: ${count}: must have at most ${max} items`)
  }
  notFound(value: unknown): void {
    this.#add('FieldValueNotFound', `Not found: ${renderValue(value)}`)
  }
  internal(detail: string): void {
    this.#add('InternalError', `Internal error: ${detail}`)
  }
  /** `field is immutable` when the two values differ in their JSON form. */
  immutable(next: unknown, old: unknown): void {
    if (!sameValue(next, old)) this.invalid(next, 'field is immutable')
  }

  #add(reason: FieldErrorReason, message: string): void {
    this.list.push({ field: this.path, reason, message })
  }
}

const join = (head: string, detail: string) => (detail === '' ? head : `${head}: ${detail}`)

/** A value as error texts show it: strings quoted, absent as null. */
export function renderValue(value: unknown): string {
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'bigint') return String(value)
  return JSON.stringify(value)
}

/** Deep equality of JSON values; absent equals null, key order does not count. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (a === undefined || a === null || b === undefined || b === null)
    return (a ?? null) === (b ?? null)
  if (typeof a !== 'object' || typeof b !== 'object') return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((item, i) => sameValue(item, b[i]))
  }
  const left = a as Record<string, unknown>
  const right = b as Record<string, unknown>
  const keys = Object.keys(left).filter((k) => left[k] !== undefined)
  const count = Object.keys(right).filter((k) => right[k] !== undefined).length
  return (
    keys.length === count &&
    keys.every((k) => Object.hasOwn(right, k) && sameValue(left[k], right[k]))
  )
}
