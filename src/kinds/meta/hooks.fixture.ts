import { finishIfSteps } from '../../base/steps.ts'
import { expect } from 'vitest'
import { checkDeclared } from '../../catalogue/check.ts'
import { codecOf, Decoding } from '../../codec/codec.ts'
import { type FieldError, FieldErrors } from '../../meta/field-errors.ts'
import type { Typed } from '../../meta/object-meta.ts'
import type { HookContext, Resource } from '../../catalogue/resource.ts'
import { orch } from '../../vocabulary/orch.ts'
import { defaultGate } from '../gates.ts'

export const c: HookContext = {
  v: orch,
  now: Date.parse('2030-01-01T01:00:00Z'),
  gate: defaultGate,
}

/** An object as the decoder gives it, with defaults. */
export function read<T extends Typed>(resource: Resource<T>, object: object): T {
  const decoding = new Decoding()
  const whole = { metadata: { name: 'x' }, ...object }
  const decoded = codecOf(resource.storage.shape, orch).decode(whole, decoding) as unknown as T
  expect(decoding.unknown).toEqual([])
  resource.setDefaults?.(decoded, c)
  return decoded
}

/** What a create or an update is refused for. */
export function problems<T extends Typed>(resource: Resource<T>, next: T, old?: T): FieldError[] {
  const errors = new FieldErrors()
  checkDeclared(resource.storage.shape, next, errors)
  finishIfSteps(resource.validate?.(next, errors, c, old))
  if (old) finishIfSteps(resource.validateUpdate?.(next, old, errors, c))
  return errors.list
}

/** What a write of the status is refused for. */
export function statusProblems<T extends Typed>(resource: Resource<T>, next: T): FieldError[] {
  const errors = new FieldErrors()
  const part = resource.subresources?.['status']
  if (part?.serves === 'part') finishIfSteps(part.validate?.(next, errors, c))
  return errors.list
}

export const required = (field: string, detail = ''): FieldError => ({
  field,
  reason: 'FieldValueRequired',
  message: detail === '' ? 'Required value' : `Required value: ${detail}`,
})
export const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${detail}`,
})
export const forbidden = (field: string, detail: string): FieldError => ({
  field,
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${detail}`,
})
export const duplicate = (field: string, value: string): FieldError => ({
  field,
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${JSON.stringify(value)}`,
})
export const notSupported = (field: string, value: unknown, ...values: string[]): FieldError => ({
  field,
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${values.map((v) => JSON.stringify(v)).join(', ')}`,
})
export const cells = <T extends Typed>(resource: Resource<T>, object: T): unknown[] =>
  resource.columns!.map(({ cell }) => cell(object, c))
