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

/** Kinds of pods that a quota can be limited to. */
const QUOTA_SCOPES = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
] as const

/** One condition on what a quota counts. */
export class ScopedResourceSelectorRequirement extends shape({
  /** The scope that it is about. */
  scopeName: t
    .string(1)
    .required()
    .oneOf(...QUOTA_SCOPES),
  /** How the object's value for the scope relates to `values`; for most scopes only `Exists`. */
  operator: t.string(2).required().oneOf('DoesNotExist', 'Exists', 'In', 'NotIn'),
  /** Values for `In` and `NotIn`, one or more; none for the others. */
  values: t.list(3, 'string'),
}) {}

/** Conditions on scopes; all must hold. */
export class ScopeSelector extends shape(
  {
    /** The conditions. */
    matchExpressions: t.list(1, ScopedResourceSelectorRequirement),
  },
  { atomic: true },
) {}

/** What a quota limits. */
export class ResourceQuotaSpec extends shape({
  /** Most of each resource that the namespace may use. */
  hard: t.map(1, 'quantity'),
  /** Kinds of pods that are counted: those which are of every one of them. All when there is none. */
  scopes: t.list(2, QUOTA_SCOPES),
  /** Further conditions on what is counted. */
  scopeSelector: t.object(3, ScopeSelector).explicit().unchecked(),
}) {}

/** What a quota counted. */
export class ResourceQuotaStatus extends shape({
  /** The limits that are enforced. */
  hard: t.map(1, 'quantity'),
  /** What is used at the moment. */
  used: t.map(2, 'quantity'),
}) {}

/** Limits what all objects of a namespace use together. */
export class ResourceQuota extends kind({
  /** The limits. */
  spec: t.object(2, ResourceQuotaSpec),
  /** The limits that are enforced, and the use; kept by the cluster. */
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
      description: 'Use and limit of requests and of numbers of objects.',
    }),
    column('Limit', 'string', (quota) => usage(quota, true), {
      description: 'Use and limit of limits.',
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
