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

/** A RoleBinding grants a Role, or a ClusterRole within one namespace, to subjects. */
export class RoleBinding extends kind({
  /** Users, groups and service accounts that are granted the role. */
  subjects: t.list(2, Subject),
  /**
   * Role in the same namespace, or ClusterRole, that is granted. Immutable: to grant another role, create a new
   * binding.
   */
  roleRef: t.object(3, RoleRef).required(),
}) {}

/** The `rolebindings` resource. */
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
