import type { FieldErrors } from '../../meta/field-errors.ts'
import { home, t } from '../../notation/shape.ts'

const { shape } = home('rbac.authorization{api}/v1')

/** Allows verbs either on resources or on non-resource URLs. Rules only add permissions. */
export class PolicyRule extends shape({
  /** Allowed verbs, such as `get`, `list` and `create`. `*` allows all verbs. */
  verbs: t.list(1, 'string').required(),
  /** API groups of the resources: `""` is the core group, `*` all groups. At least one for resource rules. */
  apiGroups: t.list(2, 'string'),
  /**
   * Resources, or subresources as `resource/subresource`. `*` means all resources and subresources; before the slash it
   * means all resources with that subresource. At least one for resource rules.
   */
  resources: t.list(3, 'string'),
  /**
   * Names of objects that the rule is restricted to. Empty allows all names. Requests without a name, such as create,
   * do not match a rule with names.
   */
  resourceNames: t.list(4, 'string'),
  /**
   * Paths outside the resource API, such as `/healthz`; `*` is allowed as the whole path or at its end. Only in
   * ClusterRoles, and not combined with resources.
   */
  nonResourceURLs: t.list(5, 'string'),
}) {}

const isEmpty = (list: readonly string[] | undefined): boolean => (list?.length ?? 0) === 0

/** Validates the rules of a role, at `errors`. */
export function validatePolicyRules(
  rules: readonly PolicyRule[] | undefined,
  errors: FieldErrors,
  isNamespaced: boolean,
): void {
  rules?.forEach((rule, i) => validatePolicyRule(rule, errors.at(i), isNamespaced))
}

function validatePolicyRule(rule: PolicyRule, errors: FieldErrors, isNamespaced: boolean): void {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule
  if (isEmpty(verbs)) errors.at('verbs').required('verbs must contain at least one value')
  if (!isEmpty(nonResourceURLs)) {
    const urls = errors.at('nonResourceURLs')
    if (isNamespaced) {
      urls.invalid(nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs')
    }
    if (![apiGroups, resources, resourceNames].every(isEmpty)) {
      urls.invalid(
        nonResourceURLs,
        'rules cannot apply to both regular resources and non-resource URLs',
      )
    }
    return
  }
  if (isEmpty(apiGroups)) {
    errors.at('apiGroups').required('resource rules must supply at least one api group')
  }
  if (isEmpty(resources)) {
    errors.at('resources').required('resource rules must supply at least one resource')
  }
}
