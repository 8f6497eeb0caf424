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
  for (const scope of scopes as readonly string[]) {
    if (!SCOPES.has(scope)) errors.invalid(scopes, 'unsupported scope')
    for (const _ of unsuited(scope, hard)) {
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
  for (const one of expressions) {
    if (!SCOPES.has(one.scopeName))
      errors.at('scopeName').invalid(one.scopeName, 'unsupported scope')
    for (const _ of unsuited(one.scopeName, hard)) {
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

/** Standard resources of the quota that a scope does not support. */
function unsuited(scope: string, hard: ResourceList = {}): string[] {
  if (!SCOPES.has(scope)) return []
  return Object.keys(hard).filter((name) => {
    if (name.includes('/') || !isQuotaResource(name) || name === 'pods') return false
    return scope === 'BestEffort' || !COMPUTE.has(name)
  })
}

function refuseConflicts(names: readonly string[], shown: unknown, errors: FieldErrors): void {
  for (const pair of EXCLUSIVE) {
    if (pair.every((name) => names.includes(name))) errors.invalid(shown, 'conflicting scopes')
  }
}
