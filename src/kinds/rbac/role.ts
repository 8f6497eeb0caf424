import { isPathSegmentName } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { PolicyRule, validatePolicyRules } from './policy-rule.ts'

const { kind } = group('rbac.authorization{api}/v1')

/** What may be done in one namespace; a binding says by whom. */
export class Role extends kind({
  /** What may be done. */
  rules: t.list(2, PolicyRule),
}) {}

/** The roles of a namespace. */
export const roles = resource(Role, {
  plural: 'roles',
  scope: 'namespace',
  nameRule: isPathSegmentName,
  createOnUpdate: true,
  deleteAnswers: 'status',
  validate: ({ rules }, errors) => validatePolicyRules(rules, errors.at('rules'), true),
})
