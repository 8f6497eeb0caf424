/** Runs the hooks of a kind as requests do; for tests. */
import { finishIfSteps } from '../base/steps.ts'
import { expect } from 'vitest'
import { checkDeclared } from '../catalogue/check.ts'
import { codecOf, Decoding, type JsonObject } from '../codec/codec.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { HookContext, PartSubresource, Resource } from '../catalogue/resource.ts'
import { orch } from '../vocabulary/orch.ts'
import { defaultGate } from './gates.ts'

/** A request at a fixed time, with the gates as they stand. */
export const c: HookContext = {
  v: orch,
  now: Date.parse('2030-01-01T01:00:00Z'),
  gate: defaultGate,
}

/** An object as the decoder gives it, with defaults. */
export function read<T extends Typed>(resource: Resource<T>, object: object, hooks = c): T {
  const decoding = new Decoding()
  const whole = { metadata: { name: 'x' }, ...object }
  const decoded = codecOf(resource.storage.shape, hooks.v).decode(whole, decoding) as unknown as T
  expect(decoding.unknown).toEqual([])
  resource.setDefaults?.(decoded, hooks)
  return decoded
}

/** Violations as `Reason field: message`. */
export const texts = ({ list }: FieldErrors): string[] =>
  list.map(
    ({ field, reason, message }) => `${reason.replace('FieldValue', '')} ${field}: ${message}`,
  )

/** What a create is refused for, or an update when there is an old object. */
export function problems<T extends Typed>(
  resource: Resource<T>,
  next: T,
  { old, hooks = c }: { readonly old?: T | undefined; readonly hooks?: HookContext } = {},
): string[] {
  const errors = new FieldErrors()
  if (old) resource.prepareForUpdate?.(next, old, hooks)
  checkDeclared(resource.storage.shape, next, errors)
  finishIfSteps(resource.validate?.(next, errors, hooks, old))
  if (old) finishIfSteps(resource.validateUpdate?.(next, old, errors, hooks))
  return texts(errors)
}

/** What a change through a part is refused for. */
export function partProblems<T extends Typed>(
  part: PartSubresource<T>,
  next: T,
  old: T,
  hooks = c,
): string[] {
  const errors = new FieldErrors()
  part.prepareForUpdate?.(next, old, hooks)
  finishIfSteps(part.validate?.(next, errors, hooks))
  finishIfSteps(part.validateUpdate?.(next, old, errors, hooks))
  return texts(errors)
}

/** The cells of an object's row in the table. */
export function cells<T extends Typed>(resource: Resource<T>, object: T, hooks = c): unknown[] {
  const json = codecOf(resource.storage.shape, hooks.v).plain(object as unknown as JsonObject)
  return resource.columns!.map(({ cell }) => cell(json as unknown as T, hooks))
}
