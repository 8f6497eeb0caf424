import { useCounter, type Words } from '../codec/generated-code.ts'
import { collecting, FieldErrors } from '../meta/field-errors.ts'
import type { Holds, Shape } from '../notation/shape.ts'
import { generatedPass, type Pass, type PassParts } from './generated-check.ts'

/** `before`: the value at the same place of an object that passed; what is the very same is not checked again. */
type Check = (value: unknown, errors: FieldErrors, before: unknown) => void

const NOTHING: Readonly<Record<string, unknown>> = {}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const checks = new WeakMap<Shape, Check | null>()

/**
 * Checks the rules of the declaration itself: closed sets of values. An empty value is refused where it differs from an
 * absent one; elsewhere the two are the same, and another rule decides whether a value is required. `before`: an object
 * that passed, and that may share parts with this one.
 */
export function checkDeclared(
  shape: Shape,
  object: object,
  errors: FieldErrors,
  before?: object,
): void {
  checkOf(shape)?.(object, errors, before)
}

/** What checks the objects of a shape: interpreted, and by generated code once they are in use (see generated-code.ts). */
export function declaredCheck(
  shape: Shape,
  v: Words,
): (object: object, errors: FieldErrors, before?: object) => void {
  let pass: Pass | null = null
  const isUsedOften = useCounter(v)
  return (object, errors, before) => {
    if (isUsedOften()) pass = generatedPass(shape, PARTS)
    // What does not pass is interpreted, which tells why.
    if (pass?.(object, before ?? null) !== true) checkDeclared(shape, object, errors, before)
  }
}

const PARTS: PassParts = {
  isChecked: (shape) => checkOf(shape) !== null,
  passOf(holds) {
    const check = checkHolds(holds)
    return (
      check &&
      ((value, before) => {
        const errors = new FieldErrors()
        return collecting(() => check(value, errors, before)) && errors.list.length === 0
      })
    )
  },
}

function checkOf(shape: Shape): Check | null {
  const known = checks.get(shape)
  if (known !== undefined) return known
  // A recursive shape finds this while it is being compiled.
  checks.set(shape, (value, errors, before) => checks.get(shape)?.(value, errors, before))
  const fields: { name: string; check: Check }[] = []
  let inline: Check[] = []
  for (const [name, facts] of shape.fields) {
    if (facts.unchecked) continue
    const inner = checkHolds(facts.holds)
    if (facts.inline) {
      if (inner) inline = [...inline, inner]
      continue
    }
    const { oneOf } = facts
    const seesEmpty = facts.presence === 'explicit' && facts.emptyIsOwn !== true
    const own: Check | null = oneOf
      ? (value, errors) => {
          if (value === '' && !seesEmpty) return
          if (typeof value === 'string' && !oneOf.includes(value)) errors.notSupported(value, oneOf)
        }
      : null
    if (own) fields.push({ name, check: own })
    if (inner) fields.push({ name, check: inner })
  }
  const check: Check | null =
    fields.length === 0 && inline.length === 0
      ? null
      : (value, errors, before) => {
          if (value === before) return
          const object = value as Record<string, unknown>
          const other = isObject(before) ? before : NOTHING
          for (const { name, check: one } of fields) {
            const inside = object[name]
            if (inside === undefined || inside === null || inside === other[name]) continue
            one(inside, errors.at(name), other[name])
          }
          for (const one of inline) one(value, errors, before)
        }
  checks.set(shape, check)
  return check
}

function checkHolds(holds: Holds): Check | null {
  if (holds.is === 'object') return checkOf(holds.to())
  if (holds.is === 'list') {
    const item = checkHolds(holds.of)
    return (
      item &&
      ((value, errors, before) => {
        const others: readonly unknown[] = Array.isArray(before) ? before : []
        ;(value as unknown[]).forEach((one, i) => item(one, errors.at(i), others[i]))
      })
    )
  }
  if (holds.is === 'map') {
    const item = checkHolds(holds.of)
    return (
      item &&
      ((value, errors) => {
        for (const [key, one] of Object.entries(value as object))
          item(one, errors.key(key), undefined)
      })
    )
  }
  return null
}
