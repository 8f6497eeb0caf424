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
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]))
  }
  if (Array.isArray(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) => Object.hasOwn(b, key) && sameJson((a as JsonObject)[key], (b as JsonObject)[key]),
    )
  )
}

const isNumeric = (value: unknown) => typeof value === 'bigint' || typeof value === 'number'
