import { expect } from 'vitest'
import { checkDeclared } from '../../../catalogue/check.ts'
import { codecOf, Decoding } from '../../../codec/codec.ts'
import { FieldErrors } from '../../../meta/field-errors.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { orch } from '../../../vocabulary/orch.ts'
import { defaultGate } from '../../gates.ts'
import { Service, services } from './service.ts'

export const context = (...off: string[]): HookContext => ({
  v: orch,
  now: Date.parse('2030-01-01T01:00:00Z'),
  gate: (name) => defaultGate(name) && !off.includes(name),
})
export const c = context()

export const port80 = { ports: [{ port: 80 }] }

/** A service as the decoder gives it, with defaults. */
export function serviceOf(spec: object = port80, rest: object = {}): Service {
  const decoding = new Decoding()
  const object = { metadata: { name: 's', namespace: 'n' }, spec, ...rest }
  const service = codecOf(Service.shape).decode(object, decoding) as unknown as Service
  expect(decoding.unknown).toEqual([])
  services.setDefaults!(service, c)
  return service
}

/** Violations of a create or update, before allocation. */
export function problems(next: Service, old: Service | null = null, hooks = c): string[] {
  const errors = new FieldErrors()
  if (old) services.prepareForUpdate!(next, old, hooks)
  else services.prepareForCreate!(next, hooks)
  checkDeclared(Service.shape, next, errors)
  services.validate!(next, errors, hooks, old ?? undefined)
  if (old) services.validateUpdate!(next, old, errors, hooks)
  return texts(errors)
}

export const texts = (errors: FieldErrors): string[] =>
  errors.list.map(({ field, message }) => `${field}: ${message}`)
