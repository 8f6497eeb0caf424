import { isPathSegmentName } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { validateLabelSelector } from '../core/volumes/meta-rules.ts'
import { LabelSelector } from '../meta/label-selector.ts'
import { PolicyRule, validatePolicyRules } from './policy-rule.ts'

const { kind, shape } = group('rbac.authorization{api}/v1')

/** Selects the ClusterRoles whose rules are combined into this one. */
export class AggregationRule extends shape({
  /** Label selectors of ClusterRoles; a role that matches any of them is included. At least one is required. */
  clusterRoleSelectors: t.list(1, LabelSelector),
}) {}

/**
 * A ClusterRole is a set of permissions, granted cluster-wide by a ClusterRoleBinding or within one namespace by a
 * RoleBinding.
 */
export class ClusterRole extends kind({
  /** Permissions of the role. Maintained by the controller, which overwrites changes, if `aggregationRule` is set. */
  rules: t.list(2, PolicyRule),
  /** If set, a controller fills `rules` with the rules of the selected ClusterRoles. */
  aggregationRule: t.object(3, AggregationRule).explicit(),
}) {}

/** The `clusterroles` resource. */
export const clusterRoles = resource(ClusterRole, {
  plural: 'clusterroles',
  scope: 'cluster',
  nameRule: isPathSegmentName,
  createOnUpdate: true,
  deleteAnswers: 'status',

  validate({ rules, aggregationRule }, errors) {
    validatePolicyRules(rules, errors.at('rules'), false)
    if (!aggregationRule) return
    const selectors = aggregationRule.clusterRoleSelectors ?? []
    const at = errors.at('aggregationRule', 'clusterRoleSelectors')
    if (selectors.length === 0) {
      at.required('at least one clusterRoleSelector required if aggregationRule is non-nil')
    }
    selectors.forEach((selector, i) => validateLabelSelector(selector, at.at(i)))
  },
})
