import { debugList } from '../../meta/debug-text.ts'
import { type FieldErrors } from '../../meta/field-errors.ts'
import { IMMUTABLE_MESSAGE } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { column, type HookContext, part, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { validateQuotaAmounts, validateScopes, validateScopeSelector } from './quota-rules.ts'
import { roundResources } from './resource-requirements.ts'

const { kind, shape } = group('core/v1')

/** Scopes that a quota can be limited to. */
const QUOTA_SCOPES = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
] as const

/** A condition on the objects that a quota tracks. */
export class ScopedResourceSelectorRequirement extends shape({
  /** Name of the scope that the condition is about. Required. */
  scopeName: t
    .string(1)
    .required()
    .oneOf(...QUOTA_SCOPES),
  /**
   * Relation of the scope to `values`: `In`, `NotIn`, `Exists` or `DoesNotExist`. Only the scope
   * `PriorityClass` allows others than `Exists`. Required.
   */
  operator: t.string(2).required().oneOf('DoesNotExist', 'Exists', 'In', 'NotIn'),
  /**
   * Values of the scope: at least one for `In` and `NotIn`, none for `Exists` and `DoesNotExist`.
   */
  values: t.list(3, 'string'),
}) {}

/** Selects objects for a quota by their scopes. All conditions must be met. */
export class ScopeSelector extends shape(
  {
    /** Conditions on the scopes of an object. */
    matchExpressions: t.list(1, ScopedResourceSelectorRequirement),
  },
  { atomic: true },
) {}

/** Desired limits of a resource quota. */
export class ResourceQuotaSpec extends shape({
  /**
   * Upper bound for the total of each resource in the namespace, by resource name, for example
   * `requests.cpu`, `pods` or `count/deployments.apps`.
   */
  hard: t.map(1, 'quantity'),
  /**
   * Scopes that an object must match, all of them, to be tracked: `BestEffort`, `NotBestEffort`,
   * `Terminating`, `NotTerminating`, `PriorityClass` or `CrossNamespacePodAffinity`. Empty tracks
   * all objects. Immutable.
   */
  scopes: t.list(2, QUOTA_SCOPES),
  /**
   * Additional conditions on scopes, with operators and values. An object must meet both these and
   * `scopes`.
   */
  scopeSelector: t.object(3, ScopeSelector).explicit().unchecked(),
}) {}

/** Enforced limits and observed usage of a resource quota. */
export class ResourceQuotaStatus extends shape({
  /** Limits that are currently enforced, by resource name. */
  hard: t.map(1, 'quantity'),
  /** Current total usage in the namespace, by resource name. */
  used: t.map(2, 'quantity'),
}) {}

/**
 * Limits the total resource usage and the number of objects in a namespace. Enforced by the
 * admission plugin `ResourceQuota`.
 */
export class ResourceQuota extends kind({
  /** Desired limits of the quota. */
  spec: t.object(2, ResourceQuotaSpec),
  /** Enforced limits and current usage. Set by the server and controllers; read-only for users. */
  status: t.object(3, ResourceQuotaStatus),
}) {}

const inLimits = (name: string) => name.startsWith('limits.')

function usage({ status: { hard = {}, used = {} } }: ResourceQuota, limits: boolean): string {
  return Object.keys(hard)
    .sort()
    .filter((name) => inLimits(name) === limits)
    .map((name) => `${name}: ${(Object.hasOwn(used, name) && used[name]) || '0'}/${hard[name]}`)
    .join(', ')
}

/** The quotas of a namespace. */
export const resourceQuotas = resource(ResourceQuota, {
  plural: 'resourcequotas',
  short: ['quota'],
  scope: 'namespace',
  columns: [
    nameColumn,
    ageColumn,
    column('Request', 'string', (quota) => usage(quota, false), {
      description: 'Usage and limits of requests and object counts.',
    }),
    column('Limit', 'string', (quota) => usage(quota, true), {
      description: 'Usage and limits of resource limits.',
    }),
  ],

  subresources: { status: part('status', { validate: validateStatus }) },

  setDefaults({ spec, status }) {
    roundResources(spec.hard)
    roundResources(status.hard)
    roundResources(status.used)
  },

  prepareForCreate(quota) {
    quota.status = {}
  },

  validate({ spec }, errors, { v }) {
    const at = errors.at('spec')
    validateQuotaAmounts(spec.hard, at.at('hard'), v)
    validateScopes(spec, at.at('scopes'))
    validateScopeSelector(spec, at.at('scopeSelector', 'matchExpressions'))
  },

  validateUpdate(next, old, errors) {
    const { scopes } = next.spec
    if (!sameSet(scopes, old.spec.scopes)) {
      errors
        .at('spec', 'scopes')
        .invalid(debugList('core.ResourceQuotaScope', scopes), IMMUTABLE_MESSAGE)
    }
  },
})

function validateStatus({ status }: ResourceQuota, errors: FieldErrors, { v }: HookContext): void {
  validateQuotaAmounts(status.hard, errors.at('status', 'hard'), v)
  validateQuotaAmounts(status.used, errors.at('status', 'used'), v)
}

function sameSet(a: readonly string[] = [], b: readonly string[] = []): boolean {
  const left = new Set(a)
  const right = new Set(b)
  return left.size === right.size && [...left].every((one) => right.has(one))
}
