import { isPathSegmentName } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { PolicyRule, validatePolicyRules } from './policy-rule.ts'

const { kind } = group('rbac.authorization{api}/v1')

/** A Role is a set of permissions in one namespace, granted to subjects by a RoleBinding. */
export class Role extends kind({
  /** Permissions of the role. Non-resource URLs are not allowed. */
  rules: t.list(2, PolicyRule),
}) {}

/** The `roles` resource. */
export const roles = resource(Role, {
  plural: 'roles',
  scope: 'namespace',
  nameRule: isPathSegmentName,
  createOnUpdate: true,
  deleteAnswers: 'status',
  validate: ({ rules }, errors) => validatePolicyRules(rules, errors.at('rules'), true),
})
