/** Validation shared by workload kinds that keep replicas of a pod template. */
import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isNonNegative } from '../../../meta/names.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { SelectorError } from '../../../meta/selector-error.ts'
import {
  isEverything,
  type LabelSelector,
  type LabelSelectorObject,
  matchesLabels,
  selectorFromObject,
} from '../../../meta/selectors.ts'
import type { PodTemplateSpec } from './pod-template.ts'
import { validatePodTemplate } from './validate-pod-template.ts'

/** Rejects negative numbers among the named members; reports to `errors`. Absent ones are valid. */
export function needNonNegative<K extends string>(
  object: { readonly [P in K]?: number },
  names: readonly K[],
  errors: FieldErrors,
): void {
  for (const name of names) {
    const value = object[name]
    if (value !== undefined) errors.at(name).invalidAll(value, isNonNegative(value))
  }
}

/** Rejects numbers above `limit` among the named members; reports to `errors`. */
function needAtMost<K extends string>(
  object: { readonly [P in K]?: number },
  names: readonly K[],
  limit: number | undefined,
  errors: FieldErrors,
  detail: string,
): void {
  for (const name of names) {
    const value = object[name] ?? 0
    if (value > (limit ?? 0)) errors.at(name).invalid(value, detail)
  }
}

/** The label selector of an object, where absent selects nothing; null when it is invalid. */
export function readSelector(object: LabelSelectorObject | undefined): LabelSelector | null {
  try {
    return selectorFromObject(object)
  } catch (error) {
    if (error instanceof SelectorError) return null
    throw error
  }
}

/** The selector must match the labels of the template; `errors` is that of the template. */
export function needMatch(
  selector: LabelSelector,
  { metadata: { labels } }: PodTemplateSpec,
  errors: FieldErrors,
): void {
  if (isEverything(selector) || matchesLabels(selector, labels)) return
  errors.at('metadata', 'labels').invalid(labels, '`selector` does not match template `labels`')
}

/** Replicas restart always and have no deadline; `errors` is that of the template. */
export function needEndless(
  { spec: { restartPolicy, activeDeadlineSeconds } }: PodTemplateSpec,
  errors: FieldErrors,
  kind: string,
): void {
  const at = errors.at('spec')
  if (restartPolicy !== 'Always') {
    at.at('restartPolicy').notSupported(restartPolicy, ['Always'])
  }
  if (activeDeadlineSeconds !== undefined) {
    at.at('activeDeadlineSeconds').forbidden(`activeDeadlineSeconds in ${kind} is not Supported`)
  }
}

/** Several replicas cannot share a writable persistent disk; `errors` is that of the template. */
export function refuseWritableDisks(
  { spec: { volumes = [] } }: PodTemplateSpec,
  errors: FieldErrors,
): void {
  volumes.forEach(({ gcePersistentDisk }, i) => {
    if (!gcePersistentDisk || gcePersistentDisk.readOnly) return
    errors
      .at('spec', 'volumes', i, 'gcePersistentDisk', 'readOnly')
      .invalid(
        false,
        'must be true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is read-only',
      )
  })
}

/** The owner of a template. */
export interface TemplateOwner {
  readonly selector: LabelSelector
  readonly replicas: number
  /** Kind used in messages. */
  readonly kind: string
}

/**
 * Validates the template of replicas; `errors` is the scope of the template, `old` the stored
 * template.
 */
export function validateReplicaTemplate(
  template: PodTemplateSpec,
  { selector, replicas, kind }: TemplateOwner,
  errors: FieldErrors,
  c: HookContext,
  old?: PodTemplateSpec,
): void {
  needMatch(selector, template, errors)
  validateReplicas(template, { replicas, kind }, errors, c, old)
}

/** The same of a template that the selector is known to match. */
export function validateReplicas(
  template: PodTemplateSpec,
  { replicas, kind }: Omit<TemplateOwner, 'selector'>,
  errors: FieldErrors,
  c: HookContext,
  old?: PodTemplateSpec,
): void {
  validatePodTemplate(template, errors, c, old?.spec)
  if (replicas > 1) refuseWritableDisks(template, errors)
  needEndless(template, errors, kind)
}

/** Replica counts in the status of replica sets and replication controllers. */
export const REPLICA_COUNTS = [
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
] as const

/**
 * Validates the replica counts of a status; reports to `errors`. None exceeds the total, and
 * available pods are ready.
 */
export function validateReplicaCounts<K extends string>(
  status: { readonly [P in K | 'replicas' | 'readyReplicas' | 'availableReplicas']?: number },
  names: readonly K[],
  errors: FieldErrors,
  readyPath = 'readyReplicas',
): void {
  const { replicas, readyReplicas } = status
  needAtMost(status, names, replicas, errors, 'cannot be greater than status.replicas')
  const detail = `cannot be greater than ${readyPath}`
  needAtMost(status, ['availableReplicas'], readyReplicas, errors, detail)
}

/** The collision count cannot decrease; `errors` is that of the status. */
export function keepCollisions(
  next: { readonly collisionCount?: number },
  old: { readonly collisionCount?: number },
  errors: FieldErrors,
): void {
  if (old.collisionCount === undefined) return
  const value = next.collisionCount
  if (value === undefined || value < old.collisionCount) {
    errors.at('collisionCount').invalid(value ?? 0, 'cannot be decremented')
  }
}
