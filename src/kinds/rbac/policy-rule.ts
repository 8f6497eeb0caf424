import type { FieldErrors } from '../../meta/field-errors.ts'
import { home, t } from '../../notation/shape.ts'

const { shape } = home('rbac.authorization{api}/v1')

/** Something that may be done: verbs on resources, or on URLs that are no resources. */
export class PolicyRule extends shape({
  /** What may be done; `*` is everything. */
  verbs: t.list(1, 'string').required(),
  /** API groups of the resources; `""` is the core group, `*` every group. */
  apiGroups: t.list(2, 'string'),
  /** Resources, `resource/subresource` for parts of them; `*` is every resource. */
  resources: t.list(3, 'string'),
  /** Names of the objects; all objects when there is none. */
  resourceNames: t.list(4, 'string'),
  /** URL paths, which may end with `*`; in cluster roles only, and not beside resources. */
  nonResourceURLs: t.list(5, 'string'),
}) {}

const isEmpty = (list: readonly string[] | undefined): boolean => (list?.length ?? 0) === 0

/** Rules of the rules of a role, at `errors`. */
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
