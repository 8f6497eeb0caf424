import { type FieldErrors, sameValue } from '../../../meta/field-errors.ts'
import { isInRange } from '../../../meta/names.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { textOfTaint, type Toleration } from '../toleration.ts'
import type { Container } from './container.ts'
import type { Pod } from './pod.ts'
import type { PodSpec } from './pod-spec.ts'
import { validatePodAnnotationsUpdate } from './validate-annotations.ts'

const MAX_SECONDS = 0x7fffffff
const CHANGEABLE =
  'pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds`, `spec.tolerations` (only additions to existing tolerations) or `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

/** Validates an update of a pod. */
export function validatePodUpdate(next: Pod, old: Pod, errors: FieldErrors, c: HookContext): void {
  const annotations = errors.at('metadata', 'annotations')
  validatePodAnnotationsUpdate(
    next.metadata.annotations ?? {},
    old.metadata.annotations ?? {},
    annotations,
    c,
  )
  const at = errors.at('spec')
  for (const list of ['containers', 'initContainers'] as const) {
    if ((next.spec[list]?.length ?? 0) !== (old.spec[list]?.length ?? 0)) {
      return at.at(list).forbidden('pod updates may not add or remove containers')
    }
  }
  validateDeadline(
    next.spec.activeDeadlineSeconds,
    old.spec.activeDeadlineSeconds,
    at.at('activeDeadlineSeconds'),
  )
  validateAddedTolerations(next.spec.tolerations, old.spec.tolerations, at.at('tolerations'))
  const changed = changedPaths(withChangeable(next.spec, old.spec), old.spec, 'spec')
  if (changed.length > 0) at.forbidden(`${CHANGEABLE}\nchanged: ${changed.join(', ')}`)
}

function validateDeadline(
  next: number | undefined,
  old: number | undefined,
  errors: FieldErrors,
): void {
  if (next === undefined) {
    if (old !== undefined) {
      errors.invalid(next, 'must not update from a positive integer to nil value')
    }
    return
  }
  const messages = isInRange(next, 0, MAX_SECONDS)
  if (messages.length > 0) errors.invalidAll(next, messages)
  else if (old !== undefined && next > old) {
    errors.invalid(next, 'must be less than or equal to previous value')
  }
}

function validateAddedTolerations(
  next: readonly Toleration[] = [],
  old: readonly Toleration[] = [],
  errors: FieldErrors,
): void {
  const kept = new Set(next.map(textOfTaint))
  if (old.every((one) => kept.has(textOfTaint(one)))) return
  errors.forbidden('existing toleration can not be modified except its tolerationSeconds')
}

/** The new spec with the old values of mutable fields, so that only immutable ones can differ. */
function withChangeable(next: PodSpec, old: PodSpec): PodSpec {
  const { activeDeadlineSeconds: _, tolerations: __, ...rest } = next
  const made: PodSpec = {
    ...rest,
    containers: withImages(next.containers, old.containers),
    ...(next.initContainers && {
      initContainers: withImages(next.initContainers, old.initContainers ?? []),
    }),
    ...(old.activeDeadlineSeconds !== undefined && {
      activeDeadlineSeconds: old.activeDeadlineSeconds,
    }),
    ...(old.tolerations && { tolerations: old.tolerations }),
  }
  const grace = old.terminationGracePeriodSeconds
  if (grace !== undefined && grace < 0 && next.terminationGracePeriodSeconds === 1) {
    made.terminationGracePeriodSeconds = grace
  }
  return made
}

function withImages(next: readonly Container[], old: readonly Container[]): Container[] {
  return next.map((one, i) => {
    const { image: _, ...rest } = one
    const image = old[i]?.image
    return { ...rest, ...(image !== undefined && { image }) }
  })
}

/** Paths at which two JSON values differ; the first few only. */
function changedPaths(next: unknown, old: unknown, path: string): string[] {
  if (sameValue(next, old)) return []
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (isObject(next) && isObject(old)) {
    return [...new Set([...Object.keys(old), ...Object.keys(next)])]
      .flatMap((key) => changedPaths(next[key], old[key], `${path}.${key}`))
      .slice(0, 10)
  }
  if (Array.isArray(next) && Array.isArray(old) && next.length === old.length) {
    return next.flatMap((one, i) => changedPaths(one, old[i], `${path}[${i}]`)).slice(0, 10)
  }
  return [path]
}

/** Ephemeral containers can only be added. */
export function validateEphemeralUpdate(next: Pod, old: Pod, errors: FieldErrors): void {
  const at = errors.at('spec', 'ephemeralContainers')
  const made = new Map((next.spec.ephemeralContainers ?? []).map((one) => [one.name, one]))
  for (const one of old.spec.ephemeralContainers ?? []) {
    const name = JSON.stringify(one.name)
    const now = made.get(one.name)
    if (!now) at.forbidden(`existing ephemeral containers ${name} may not be removed`)
    else if (!sameValue(now, one)) {
      at.forbidden(`existing ephemeral containers ${name} may not be changed`)
    }
  }
}
