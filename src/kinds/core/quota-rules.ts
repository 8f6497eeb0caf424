import type { FieldErrors } from '../../meta/field-errors.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { validateResourceAmount, validateResourceName } from './resource-amounts.ts'
import { isStandardResource } from './resource-names.ts'
import type { ResourceList } from './resource-requirements.ts'
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from './resource-quota.ts'

const SCOPES: ReadonlySet<string> = new Set([
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
])

const EXCLUSIVE = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const

// Resources that the scope BestEffort allows, and those that other scopes allow in addition.
const COMPUTE: ReadonlySet<string> = new Set(
  ['', 'requests.', 'limits.'].flatMap((of) => [`${of}cpu`, `${of}memory`]),
)

/** Whether a name without a domain is valid in a quota: storage only as a request. */
const isQuotaResource = (name: string) => isStandardResource(name) && name !== 'storage'

/** Validates the amounts of a quota; reports to `errors`. */
export function validateQuotaAmounts(
  list: ResourceList | undefined,
  errors: FieldErrors,
  v: Vocabulary,
): void {
  for (const [name, text] of Object.entries(list ?? {})) {
    const at = errors.key(name)
    validateResourceName(name, at)
    if (!name.includes('/') && !isQuotaResource(name)) {
      at.invalid(name, 'must be a standard resource for quota')
    }
    validateResourceAmount(name, text, at, v)
  }
}

/** Validates the scopes of a quota; reports to `errors`. */
export function validateScopes(
  { scopes = [], hard }: ResourceQuotaSpec,
  errors: FieldErrors,
): void {
  const unsuited = unsuitedIn(hard)
  for (const scope of scopes as readonly string[]) {
    if (!SCOPES.has(scope)) errors.invalid(scopes, 'unsupported scope')
    for (const _ of unsuited(scope)) {
      errors.invalid(scopes, 'unsupported scope applied to resource')
    }
  }
  refuseConflicts(scopes, scopes, errors)
}

/** Validates the scope selector of a quota; reports to `errors`. The paths have no index. */
export function validateScopeSelector(
  { scopeSelector, scopes, hard }: ResourceQuotaSpec,
  errors: FieldErrors,
): void {
  const expressions = scopeSelector?.matchExpressions ?? []
  const unsuited = unsuitedIn(hard)
  for (const one of expressions) {
    if (!SCOPES.has(one.scopeName))
      errors.at('scopeName').invalid(one.scopeName, 'unsupported scope')
    for (const _ of unsuited(one.scopeName)) {
      errors.invalid(scopeSelector, 'unsupported scope applied to resource')
    }
    validateOperator(one, errors)
  }
  refuseConflicts(
    expressions.map(({ scopeName }) => scopeName),
    scopes,
    errors,
  )
}

function validateOperator(
  { scopeName, operator, values }: ScopedResourceSelectorRequirement,
  errors: FieldErrors,
): void {
  const count = values?.length ?? 0
  if (SCOPES.has(scopeName) && scopeName !== 'PriorityClass' && operator !== 'Exists') {
    errors
      .at('operator')
      .invalid(
        operator,
        "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
      )
  }
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (count === 0) {
        errors
          .at('values')
          .required(
            "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
          )
      }
      break
    case 'Exists':
    case 'DoesNotExist':
      if (count > 0) {
        errors
          .at('values')
          .invalid(
            values,
            "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
          )
      }
      break
    default:
      errors.at('operator').invalid(operator, 'not a valid selector operator')
  }
}

/**
 * Gives the standard resources of a quota that a scope does not support. They are looked for once: both the scopes and
 * the resources may be tens of thousands.
 */
function unsuitedIn(hard: ResourceList = {}): (scope: string) => readonly string[] {
  let standard: readonly string[] | null = null
  let beyondCompute: readonly string[] | null = null
  return (scope) => {
    if (!SCOPES.has(scope)) return []
    standard ??= Object.keys(hard).filter(
      (name) => !name.includes('/') && isQuotaResource(name) && name !== 'pods',
    )
    if (scope === 'BestEffort') return standard
    return (beyondCompute ??= standard.filter((name) => !COMPUTE.has(name)))
  }
}

function refuseConflicts(names: readonly string[], shown: unknown, errors: FieldErrors): void {
  for (const pair of EXCLUSIVE) {
    if (pair.every((name) => names.includes(name))) errors.invalid(shown, 'conflicting scopes')
  }
}
