import { MAX_DEPTH, setOwn } from '../schema/json-scanner.ts'
import { PatchFailed } from './patch-errors.ts'

/** A JSON object in the working of a patch. */
export type JsonObject = Record<string, unknown>

/** Whether a value is a JSON object, not a list and not null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Bytes that may still be copied; shared by the operations of one patch. */
export interface CopyBudget {
  left: number
}

/**
 * A copy that shares nothing with the value. `room` is the number of containers that may still lie
 * inside each other, `budget` is charged with the JSON size. Throws PatchFailed beyond either.
 */
export function cloneJson(value: unknown, room: number = MAX_DEPTH, budget?: CopyBudget): unknown {
  if (budget !== undefined) charge(value, budget)
  if (typeof value !== 'object' || value === null) return value
  if (room <= 0) throw nestsTooDeeply()
  if (Array.isArray(value)) {
    const copy: unknown[] = []
    for (const item of value) copy.push(cloneJson(item, room - 1, budget))
    return copy
  }
  const copy: JsonObject = {}
  for (const [key, member] of Object.entries(value)) {
    if (budget !== undefined) budget.left -= key.length + 4
    setOwn(copy, key, cloneJson(member, room - 1, budget))
  }
  return copy
}

function charge(value: unknown, budget: CopyBudget): void {
  if (typeof value === 'string') budget.left -= Buffer.byteLength(value) + 2
  else
    budget.left -= typeof value === 'number' || typeof value === 'bigint' ? String(value).length : 4
  if (budget.left < 0) throw new PatchFailed('copied values exceed the limit')
}

/** Whether at most `room` containers lie inside each other. */
export function isWithin(value: unknown, room: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (room <= 0) return false
  return Object.values(value).every((member) => isWithin(member, room - 1))
}

/** The failure of a patch whose result would nest beyond MAX_DEPTH. */
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
