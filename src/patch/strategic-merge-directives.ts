import { shortened } from '../base/short-text.ts'
import { sortedKeys } from '../codec/codec.ts'
import { setOwn } from '../codec/json-scanner.ts'
import { isObject, type JsonObject, nestsTooDeeply } from './json-value.ts'
import { PatchMismatch, PatchSyntaxError } from './patch-errors.ts'

/** Directive for the containing object or list: `delete` or `replace`; `merge` is not supported. */
export const PATCH = '$patch'
/** Names the members that the live object may keep. */
export const RETAIN_KEYS = '$retainKeys'

const SET_ORDER = '$setElementOrder'
const DELETE_FROM = '$deleteFromPrimitiveList'

/** Which of the directives about a neighbouring list a key is; null: it is an ordinary key. */
export function listDirective(key: string): 'order' | 'delete' | null {
  if (!key.startsWith('$')) return null
  if (key.startsWith(SET_ORDER)) return 'order'
  return key.startsWith(DELETE_FROM) ? 'delete' : null
}

/** The name of the list that a directive is about. Throws PatchSyntaxError. */
export function listName(key: string, directive: 'order' | 'delete'): string {
  const prefix = directive === 'order' ? SET_ORDER : DELETE_FROM
  if (key[prefix.length] !== '/') throw badDirective(directive)
  return key.slice(prefix.length + 1)
}

/** The failure of a directive about a list that is malformed. */
export const badDirective = (directive: 'order' | 'delete') =>
  new PatchSyntaxError(
    directive === 'order'
      ? 'invalid patch format of setElementOrder list'
      : 'invalid patch format of primitive list',
  )

/** The failure of a `$patch` with an unknown value. */
export const unknownPatchType = (patch: JsonObject) =>
  new PatchMismatch(`unknown patch type: ${valueText(patch[PATCH])} in map: ${valueText(patch)}`)

/** The failure of an item without its merge key. */
export const noMergeKey = (item: JsonObject, key: string) =>
  new PatchMismatch(`map: ${valueText(item)} does not contain declared merge key: ${key}`)

/** The directive of an item of a patch's list; null: it is an ordinary item. Throws PatchMismatch. */
export function itemDirective(item: JsonObject): 'delete' | 'replace' | null {
  if (!Object.hasOwn(item, PATCH)) return null
  const directive = item[PATCH]
  if (directive === 'delete' || directive === 'replace') return directive
  if (directive === 'merge') {
    throw new PatchMismatch('merging lists cannot yet be specified in the patch')
  }
  throw unknownPatchType(item)
}

/**
 * Drops the members of a live object that are not in `$retainKeys` of its patch; `live` is changed. Throws
 * PatchSyntaxError, also when the patch sets a member that is not listed.
 */
export function retainKeys(live: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return
  const list = patch[RETAIN_KEYS]
  const wrong = () => new PatchSyntaxError('invalid patch format of retainKeys')
  if (!Array.isArray(list)) throw wrong()
  const retained = new Set<unknown>(list)
  for (const [key, value] of Object.entries(patch)) {
    if (key === RETAIN_KEYS || value === null || listDirective(key) !== null) continue
    if (!retained.has(key)) throw wrong()
  }
  for (const key of Object.keys(live)) if (!retained.has(key)) delete live[key]
}

/**
 * A value of a patch without a live counterpart: a copy without directives, without nulls in objects, and without parts
 * that a directive deletes; undefined when nothing is left. `room`: maximum nesting of containers. Throws PatchMismatch
 * and PatchFailed.
 */
export function withoutDirectives(value: unknown, room: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (room <= 0) throw nestsTooDeeply()
  if (Array.isArray(value)) {
    return value
      .filter((item: unknown) => !isObject(item) || itemDirective(item) === null)
      .map((item: unknown) => withoutDirectives(item, room - 1))
  }
  // Objects that are no lists came from JSON text.
  const patch = value as JsonObject
  if (Object.hasOwn(patch, PATCH)) {
    if (patch[PATCH] === 'delete') return undefined
    if (patch[PATCH] !== 'replace') throw unknownPatchType(patch)
  }
  const result: JsonObject = {}
  for (const [key, member] of Object.entries(patch)) {
    if (member === null || key === PATCH || key === RETAIN_KEYS || listDirective(key) !== null)
      continue
    const copy = withoutDirectives(member, room - 1)
    if (copy !== undefined) setOwn(result, key, copy)
  }
  return result
}

/** UTF-16 units of a value in a message: enough to identify it, never a whole object. */
const MAX_TEXT = 256

/** The beginning of a JSON value in the notation that the messages of patches have always had: `map[a:1 b:[x y]]`. */
export const valueText = (value: unknown): string => shortened(textOf(value, MAX_TEXT), MAX_TEXT)

/** The notation of a value until it is longer than `room`. */
function textOf(value: unknown, room: number): string {
  if (value === null || value === undefined) return '<nil>'
  if (typeof value !== 'object') return String(value).slice(0, room + 1)
  const isList = Array.isArray(value)
  const keys = isList ? value.keys() : sortedKeys(value)
  let text = isList ? '[' : 'map['
  let isFirst = true
  for (const key of keys) {
    if (text.length > room) return text
    if (!isFirst) text += ' '
    isFirst = false
    if (!isList) text += `${key}:`
    text += textOf((value as Record<string | number, unknown>)[key], room - text.length)
  }
  return `${text}]`
}
