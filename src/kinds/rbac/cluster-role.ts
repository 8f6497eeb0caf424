import { isPathSegmentName } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { validateLabelSelector } from '../core/volumes/meta-rules.ts'
import { LabelSelector } from '../meta/label-selector.ts'
import { PolicyRule, validatePolicyRules } from './policy-rule.ts'

const { kind, shape } = group('rbac.authorization{api}/v1')

/** Other cluster roles whose rules are gathered. */
export class AggregationRule extends shape({
  /** Cluster roles that are selected by any of these; at least one. */
  clusterRoleSelectors: t.list(1, LabelSelector),
}) {}

/** What may be done in the whole cluster, or in a namespace when a binding there refers to it. */
export class ClusterRole extends kind({
  /** What may be done; overwritten when there is an aggregation rule. */
  rules: t.list(2, PolicyRule),
  /** Gathers the rules from other cluster roles. */
  aggregationRule: t.object(3, AggregationRule).explicit(),
}) {}

/** The cluster roles. */
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
