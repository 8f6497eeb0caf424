import { JsonCloner } from '../codec/json-clone.ts'
import { MAX_DEPTH } from '../codec/json-scanner.ts'
import { PatchFailed } from './patch-errors.ts'

/** A JSON object in the working of a patch. */
export type JsonObject = Record<string, unknown>

/** Whether a value is a JSON object, not a list and not null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Copies values of a patch into a document; all copies of one cloner share the limit in bytes. */
export const patchCloner = (bytes = Infinity) =>
  new JsonCloner((why) => new PatchFailed(why), bytes)

/** Whether containers are nested at most `room` deep. */
export function isWithin(value: unknown, room: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (room <= 0) return false
  return Object.values(value).every((member) => isWithin(member, room - 1))
}

/** The failure of a patch whose result would be nested deeper than MAX_DEPTH. */
export const nestsTooDeeply = () => new PatchFailed(`the result nests deeper than ${MAX_DEPTH}`)

/** Equality of JSON values; keys in any order, numbers by value. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a === 'bigint' || typeof b === 'bigint') return isNumeric(a) && isNumeric(b) && a == b
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!sameJson(a[i], b[i])) return false
    return true
  }
  if (Array.isArray(b)) return false
  // Names are enumerated, which makes no array of them; JSON values inherit none.
  let more = 0
  for (const key in a) {
    if (!Object.hasOwn(b, key)) return false
    if (!sameJson((a as JsonObject)[key], (b as JsonObject)[key])) return false
    more++
  }
  for (const _ in b) more--
  return more === 0
}

/** Whether an object has members. */
export function hasMembers(object: object): boolean {
  for (const _ in object) return true
  return false
}

const isNumeric = (value: unknown) => typeof value === 'bigint' || typeof value === 'number'
