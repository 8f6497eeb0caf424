import { isPathSegmentName } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import {
  bindingColumns,
  fillBinding,
  keepRole,
  RoleRef,
  Subject,
  validateAnyBinding,
} from './binding-parts.ts'

const { kind } = group('rbac.authorization{api}/v1')

/** Gives a role to somebody, in one namespace. */
export class RoleBinding extends kind({
  /** Who gets it. */
  subjects: t.list(2, Subject),
  /** The role: one of the namespace, or a cluster role. It cannot change. */
  roleRef: t.object(3, RoleRef).required(),
}) {}

/** The bindings of a namespace. */
export const roleBindings = resource(RoleBinding, {
  plural: 'rolebindings',
  scope: 'namespace',
  nameRule: isPathSegmentName,
  createOnUpdate: true,
  deleteAnswers: 'status',
  columns: bindingColumns,
  setDefaults: fillBinding,
  validate: (binding, errors, c) => validateAnyBinding(binding, errors, c, ['Role', 'ClusterRole']),
  validateUpdate: keepRole,
})
