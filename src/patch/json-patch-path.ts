/** Places that the operations of JSON patches name, and the wording of those that cannot be. */
import { MAX_DEPTH } from '../codec/json-scanner.ts'
import { type JsonObject, nestsTooDeeply } from './json-value.ts'
import { PatchFailed } from './patch-errors.ts'

/** A member of an object that is its own. */
export const own = (object: JsonObject, key: string) =>
  Object.hasOwn(object, key) ? object[key] : undefined

/** How the reference says that a value has another type than `type`. */
export const mistyped = (value: unknown, type: string) =>
  `json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type ${type}`

/** The type of a JSON value as such texts name it. */
export function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'number' : typeof value
}

/** A JSON pointer (RFC 6901); null segments: it does not name a member. */
export interface Pointer {
  readonly text: string
  readonly segments: readonly string[] | null
}

/** A pointer that names a member. */
export interface Path extends Pointer {
  readonly segments: readonly string[]
}

/** The pointer that a member of an operation has. Throws PatchFailed. */
export function pointer(operation: JsonObject, member: 'path' | 'from', kind: string): Pointer {
  const text = own(operation, member)
  if (typeof text !== 'string') {
    const isShort = member === 'path' && ['add', 'remove', 'copy'].includes(kind)
    const why = isShort ? 'missing value' : textFault(text, member)
    throw new PatchFailed(`${kind} operation failed to decode ${member}: ${why}`)
  }
  const start = text.indexOf('/')
  if (start < 0) return { text, segments: null }
  const segments = text.slice(start + 1).split('/')
  if (segments.length > MAX_DEPTH) throw nestsTooDeeply()
  if (!text.includes('~')) return { text, segments }
  return { text, segments: segments.map(unescaped) }
}

const textFault = (text: unknown, member: 'path' | 'from') =>
  text === undefined || text === null
    ? `operation${member === 'path' ? ' missing' : ', missing'} ${member} field: missing value`
    : mistyped(text, 'string')

const unescaped = (segment: string) =>
  segment.replaceAll(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~'))

/** Why a segment is no index of a list, as the wording of an error needs it. */
export class IndexFault extends Error {
  readonly isSyntax: boolean

  constructor(why: string, isSyntax: boolean) {
    super(why)
    this.isSyntax = isSyntax
  }
}

const INTEGER = /^[-+]?[0-9]+$/

/** An integer in any notation with decimal digits. Throws IndexFault. */
function integerIn(segment: string): number {
  const quoted = JSON.stringify(segment)
  if (!INTEGER.test(segment)) {
    throw new IndexFault(`strconv.Atoi: parsing ${quoted}: invalid syntax`, true)
  }
  const index = Number(segment)
  if (!Number.isSafeInteger(index)) {
    throw new IndexFault(`strconv.Atoi: parsing ${quoted}: value out of range`, true)
  }
  return index
}

/** A place in a list, 0 to `length` - 1; negative ones count back from `length`. Throws IndexFault. */
export function indexIn(length: number, segment: string): number {
  const written = integerIn(segment)
  const index = written < 0 ? written + length : written
  if (index < 0 || index >= length) {
    throw new IndexFault(
      `Unable to access invalid index: ${written}: invalid index referenced`,
      false,
    )
  }
  return index
}

/** Runs an access to a list; a fault of the index is worded for its operation. */
export function withIndex<T>(word: (fault: IndexFault) => string, access: () => T): T {
  try {
    return access()
  } catch (error) {
    if (!(error instanceof IndexFault)) throw error
    throw new PatchFailed(word(error))
  }
}
