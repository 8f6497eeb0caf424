import { type FieldErrors } from '../../meta/field-errors.ts'
import { isFullyQualifiedName } from '../../meta/names.ts'
import { validateLabelSelector } from '../core/volumes/meta-rules.ts'
import {
  fillClient,
  hasKnownReview,
  validateClient,
  validateReviewVersions,
} from './client-config-rules.ts'
import type { RuleWithOperations, ValidatingWebhook } from './webhook.ts'

/** Sets the defaults of mutating and validating webhooks. */
export function fillWebhook(webhook: ValidatingWebhook): void {
  webhook.failurePolicy ??= 'Fail'
  webhook.matchPolicy ??= 'Equivalent'
  webhook.namespaceSelector ??= {}
  webhook.objectSelector ??= {}
  webhook.timeoutSeconds ??= 10
  for (const rule of webhook.rules ?? []) rule.scope ??= '*'
  fillClient(webhook.clientConfig)
}

/** Validates the webhooks of one configuration, at `errors`; `old` are the stored ones. */
export function validateWebhooks(
  webhooks: readonly ValidatingWebhook[] = [],
  errors: FieldErrors,
  old: readonly ValidatingWebhook[] = [],
): void {
  const needs: Needs = {
    uniqueNames: new Set(old.map(({ name }) => name)).size === old.length,
    noSideEffects: old.every(({ sideEffects = '' }) => HARMLESS.includes(sideEffects)),
    knownReview: old.every((webhook) => hasKnownReview(webhook.admissionReviewVersions)),
  }
  const names = new Set<string>()
  for (const [i, webhook] of webhooks.entries()) {
    const at = errors.at(i)
    validateWebhook(webhook, needs, at)
    if (needs.uniqueNames && names.has(webhook.name)) at.at('name').duplicate(webhook.name)
    names.add(webhook.name)
  }
}

/** Rules for new webhooks; stored webhooks that already break one may keep doing so. */
interface Needs {
  readonly uniqueNames: boolean
  readonly noSideEffects: boolean
  readonly knownReview: boolean
}

const HARMLESS = ['None', 'NoneOnDryRun']
const SIDE_EFFECTS = ['None', 'NoneOnDryRun', 'Some', 'Unknown']

function validateWebhook(webhook: ValidatingWebhook, needs: Needs, errors: FieldErrors): void {
  const { name, sideEffects, timeoutSeconds } = webhook
  if (name === '') errors.at('name').required()
  else errors.at('name').invalidAll(name, isFullyQualifiedName(name))
  validateReviewVersions(
    webhook.admissionReviewVersions,
    needs.knownReview,
    errors.at('admissionReviewVersions'),
  )
  for (const [i, rule] of (webhook.rules ?? []).entries()) validateRule(rule, errors.at('rules', i))
  const allowed = needs.noSideEffects ? HARMLESS : SIDE_EFFECTS
  if (sideEffects === undefined) {
    errors.at('sideEffects').required(`must specify one of ${allowed.join(', ')}`)
  } else if (!allowed.includes(sideEffects)) {
    errors.at('sideEffects').notSupported(sideEffects, allowed)
  }
  if (timeoutSeconds !== undefined && (timeoutSeconds < 1 || timeoutSeconds > 30)) {
    errors
      .at('timeoutSeconds')
      .invalid(timeoutSeconds, 'the timeout value must be between 1 and 30 seconds')
  }
  for (const selector of ['namespaceSelector', 'objectSelector'] as const) {
    const labels = webhook[selector]
    if (labels) validateLabelSelector(labels, errors.at(selector))
  }
  validateClient(webhook.clientConfig, errors.at('clientConfig'))
}

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']

function validateRule(rule: RuleWithOperations, errors: FieldErrors): void {
  const { operations = [], apiGroups, apiVersions = [], resources } = rule
  validateList(operations, 'operations', errors.at('operations'))
  for (const [i, operation] of operations.entries()) {
    if (!OPERATIONS.includes(operation)) {
      errors.at('operations', i).notSupported(operation, OPERATIONS)
    }
  }
  validateList(apiGroups, 'API groups', errors.at('apiGroups'))
  validateList(apiVersions, 'API versions', errors.at('apiVersions'))
  for (const [i, version] of apiVersions.entries()) {
    if (version === '') errors.at('apiVersions', i).required()
  }
  validateResources(resources, errors.at('resources'))
}

/** Requires at least one entry, and `*` only as the single one. */
function validateList(list: readonly string[] = [], what: string, errors: FieldErrors): void {
  if (list.length === 0) errors.required()
  else if (list.length > 1 && list.includes('*')) {
    errors.invalid(list, `if '*' is present, must not specify other ${what}`)
  }
}

function validateResources(resources: readonly string[] = [], errors: FieldErrors): void {
  if (resources.length === 0) errors.required()
  const wholeResources = new Set<string>()
  const wholeSubresources = new Set<string>()
  for (const [i, entry] of resources.entries()) {
    if (entry === '') {
      errors.at(i).required()
      continue
    }
    const slash = entry.indexOf('/')
    if (slash < 0) continue
    const resource = entry.slice(0, slash)
    const subresource = entry.slice(slash + 1)
    if (wholeResources.has(resource)) {
      errors.at(i).invalid(entry, `if '${resource}/*' is present, must not specify ${entry}`)
    }
    if (wholeSubresources.has(subresource)) {
      errors.at(i).invalid(entry, `if '*/${subresource}' is present, must not specify ${entry}`)
    }
    if (subresource === '*') wholeResources.add(resource)
    if (resource === '*') wholeSubresources.add(subresource)
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.invalid(resources, "if '*/*' is present, must not specify other resources")
  }
  const others = resources.some((entry) => entry !== '' && entry !== '*' && !entry.includes('/'))
  if (resources.includes('*') && others) {
    errors.invalid(
      resources,
      "if '*' is present, must not specify other resources without subresources",
    )
  }
}
