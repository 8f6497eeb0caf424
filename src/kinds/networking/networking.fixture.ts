import { finishIfSteps } from '../../base/steps.ts'
import { expect } from 'vitest'
import { checkDeclared } from '../../catalogue/check.ts'
import { codecOf, Decoding } from '../../codec/codec.ts'
import { FieldErrors } from '../../meta/field-errors.ts'
import type { Typed } from '../../meta/object-meta.ts'
import type { HookContext, Resource } from '../../catalogue/resource.ts'
import { orch } from '../../vocabulary/orch.ts'
import { defaultGate } from '../gates.ts'

export const context = (...on: string[]): HookContext => ({
  v: orch,
  now: Date.parse('2030-01-01T01:00:00Z'),
  gate: (name) => defaultGate(name) || on.includes(name),
})
export const c = context()

/** An object as the decoder gives it, with defaults. */
export function read<T extends Typed>(resource: Resource<T>, object: object): T {
  const decoding = new Decoding()
  const whole = { metadata: { name: 'x' }, ...object }
  const decoded = codecOf(resource.storage.shape).decode(whole, decoding) as unknown as T
  expect(decoding.unknown).toEqual([])
  resource.setDefaults?.(decoded, c)
  return decoded
}

/** What a create or an update is refused for. */
export function problems<T extends Typed>(resource: Resource<T>, next: T, old?: T): string[] {
  const errors = new FieldErrors()
  checkDeclared(resource.storage.shape, next, errors)
  finishIfSteps(resource.validate?.(next, errors, c, old))
  if (old) finishIfSteps(resource.validateUpdate?.(next, old, errors, c))
  return texts(errors)
}

export const texts = (errors: FieldErrors): string[] =>
  errors.list.map(({ field, message }) => `${field}: ${message}`)

export const cells = <T extends Typed>(resource: Resource<T>, object: T): unknown[] =>
  resource.columns!.map(({ cell }) => cell(object, c))
