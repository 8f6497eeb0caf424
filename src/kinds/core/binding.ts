import type { FieldErrors } from '../../meta/field-errors.ts'
import { group } from '../../meta/object-meta.ts'
import { resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ALL_BUT_CREATE } from '../create-only.ts'
import { ObjectReference } from './object-reference.ts'

const { kind } = group('core/v1')

/**
 * Binds a pod to a node. The binding has the name of the pod; schedulers create it, and the server
 * does not store it.
 */
export class Binding extends kind({
  /** Node to bind the pod to. `kind` must be `Node` or empty, and `name` is required. */
  target: t.object(2, ObjectReference).required(),
}) {}

/** Validates the target: a node, by name. */
export function validateBinding({ target }: Binding, errors: FieldErrors): void {
  const { kind: targetKind = '', name = '' } = target
  const at = errors.at('target')
  if (targetKind !== '' && targetKind !== 'Node') {
    at.at('kind').notSupported(targetKind, ['Node', '<empty>'])
  }
  if (name === '') at.at('name').required()
}

/** Create-only resource that binds pods to nodes. Not persisted. */
export const bindings = resource(Binding, {
  plural: 'bindings',
  scope: 'namespace',
  virtual: 'binding',
  without: ALL_BUT_CREATE,
  validate: validateBinding,
})
