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

/** A ClusterRoleBinding grants a ClusterRole to subjects in all namespaces and for cluster-scoped resources. */
export class ClusterRoleBinding extends kind({
  /** Users, groups and service accounts that are granted the role. */
  subjects: t.list(2, Subject),
  /** ClusterRole that is granted. Immutable: to grant another role, create a new binding. */
  roleRef: t.object(3, RoleRef).required(),
}) {}

/** The `clusterrolebindings` resource. */
export const clusterRoleBindings = resource(ClusterRoleBinding, {
  plural: 'clusterrolebindings',
  scope: 'cluster',
  nameRule: isPathSegmentName,
  createOnUpdate: true,
  deleteAnswers: 'status',
  columns: bindingColumns,
  setDefaults: fillBinding,
  validate: (binding, errors, c) => validateAnyBinding(binding, errors, c, ['ClusterRole']),
  validateUpdate: keepRole,
})
