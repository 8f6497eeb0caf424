/**
 * Limits the number of values in a document. The bytes of a body are limited, but `{},` is three of them, and the
 * defaults of a declaration make a hundred values of each: the cost of a request depends on values, not on bytes.
 */
import { type StatusError, tooLarge } from './errors.ts'

/**
 * Maximum members of objects and items of lists in a document, at all depths together. managedFields, which grow with
 * the document, are counted separately, with the same limit.
 */
export const MAX_VALUES = 100_000

/** The 413 of an object that has more than MAX_VALUES with the defaults of its schema. */
export const tooManyFilled = () =>
  tooLarge(
    `the document must have at most ${MAX_VALUES} fields and list items, with the defaults of its schema`,
  )

/** Refuses a document with more than MAX_VALUES. Throws 413; a field with too many by itself is named. */
export function refuseTooMany(document: unknown): void {
  const { rest, entries } = apart(document)
  if (!holdsMoreThan(rest, MAX_VALUES) && !holdsMoreThan(entries, MAX_VALUES)) return
  throw tooManyValues(largestIn(document))
}

/** The list or map of a document with the most items of its own. */
interface Largest {
  readonly field: string
  readonly count: number
}

/** The 413 of a document with more than MAX_VALUES, which names the list or map that has too many by itself. */
export function tooManyValues(largest?: Largest): StatusError {
  const { field = '', count = 0 } = largest ?? {}
  const message = `Too many: ${count}: must have at most ${MAX_VALUES} items`
  const isAlone = count > MAX_VALUES && field !== ''
  return tooLarge(
    `the document must have at most ${MAX_VALUES} fields and list items`,
    isAlone ? { causes: [{ reason: 'FieldValueTooMany', message, field }] } : undefined,
  )
}

/** Room for what a decoder may still make: as many members and items as a document may have. */
export class ValueRoom {
  #left = MAX_VALUES

  /** Takes room for so many. Throws 413 when there is less. */
  take(count = 1): void {
    this.#left -= count
    if (this.#left < 0) throw tooManyValues()
  }
}

/** A container inside of a document, and where it is. */
interface Inside {
  readonly value: object
  readonly name: string
  readonly around: Inside | null
}

/** The list or map with the most items of its own. */
function largestIn(document: unknown): Largest {
  if (typeof document !== 'object' || document === null) return { field: '', count: 0 }
  const open: Inside[] = [{ value: document, name: '', around: null }]
  let [largest, count] = [open[0]!, 0]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const { value } = one
    const keys = Array.isArray(value) ? null : Object.keys(value)
    const size = keys ? keys.length : (value as unknown[]).length
    if (size > count) [largest, count] = [one, size]
    for (let i = 0; i < size; i++) {
      const inner = keys ? (value as Record<string, unknown>)[keys[i]!] : (value as unknown[])[i]
      if (typeof inner === 'object' && inner !== null)
        open.push({ value: inner, name: keys ? `.${keys[i]!}` : `[${i}]`, around: one })
    }
  }
  let field = ''
  for (let at: Inside | null = largest; at !== null; at = at.around) field = at.name + field
  return { field: field.slice(1), count }
}

/** Splits an object into its managedFields and the rest. */
function apart(document: unknown): { readonly rest: unknown; readonly entries: unknown } {
  const { metadata } = (document ?? {}) as { metadata?: unknown }
  if (
    typeof metadata !== 'object' ||
    metadata === null ||
    !Object.hasOwn(metadata, 'managedFields')
  )
    return { rest: document, entries: null }
  const { managedFields, ...others } = metadata as { managedFields?: unknown }
  return { rest: { ...(document as object), metadata: others }, entries: managedFields }
}

/** Whether a JSON value has more than `most` members and items; stops counting there. */
export const holdsMoreThan = (document: unknown, most: number): boolean =>
  countUpTo(document, most) > most

/** The number of members and items in a JSON value; some number above `most` where there are more. */
export function countUpTo(document: unknown, most: number): number {
  const open: object[] = []
  let left = most
  if (isContainer(document)) open.push(document)
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (Array.isArray(one)) {
      left -= one.length
      if (left < 0) return most + 1
      for (const item of one as unknown[]) if (isContainer(item)) open.push(item)
    } else {
      for (const key in one) {
        if (--left < 0) return most + 1
        const member = (one as Record<string, unknown>)[key]
        if (isContainer(member)) open.push(member)
      }
    }
  }
  return most - left
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

const COMMA = 0x2c
const OPEN_LIST = 0x5b
const OPEN_OBJECT = 0x7b

/**
 * Whether JSON text may have more than `most` members and items: a container has at most one more than it has commas.
 * Commas in strings count too, so the result may be true for fewer values; false is reliable.
 */
export function mayHoldMoreThan(bytes: Uint8Array, most: number): boolean {
  // Each value has a comma or the opening of a container before it.
  if (bytes.length <= most) return false
  let left = most
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (--left < 0) return true
    }
  }
  return false
}
