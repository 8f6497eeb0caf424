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

/** Gives a cluster role to somebody, in the whole cluster. */
export class ClusterRoleBinding extends kind({
  /** Who gets it. */
  subjects: t.list(2, Subject),
  /** The cluster role. It cannot change. */
  roleRef: t.object(3, RoleRef).required(),
}) {}

/** The bindings of the cluster. */
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
