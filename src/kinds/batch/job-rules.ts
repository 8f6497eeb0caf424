/** Validation of jobs and job templates. */
import type { FieldErrors } from '../../meta/field-errors.ts'
import { isNonNegative } from '../../meta/names.ts'
import type { HookContext } from '../../catalogue/resource.ts'
import { matchesLabels } from '../../meta/selectors.ts'
import { readSelector } from '../core/pod/validate-workload.ts'
import { validatePodTemplate } from '../core/pod/validate-pod-template.ts'
import { validateLabelSelector } from '../core/volumes/meta-rules.ts'
import type { JobSpec, PodFailurePolicy } from './job-spec.ts'

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
] as const
const MAX_INDEXED_PARALLELISM = 100_000
const MAX_RULES = 20
const MAX_VALUES = 255
const MAX_PATTERNS = 20

/** Validates the spec of a job, at `errors`. */
export function validateJobSpec(
  spec: JobSpec,
  errors: FieldErrors,
  c: HookContext,
  old?: JobSpec,
): void {
  validateCommon(spec, errors, c, old)
  const { selector } = spec
  if (!selector) {
    errors.at('selector').required()
    return
  }
  validateLabelSelector(selector, errors.at('selector'))
  const parsed = readSelector(selector)
  const { labels = {} } = spec.template.metadata
  if (parsed && !matchesLabels(parsed, labels)) {
    errors
      .at('template', 'metadata', 'labels')
      .invalid(labels, '`selector` does not match template `labels`')
  }
}

/** Validates the spec of a job template, whose selector is generated later. */
export function validateJobTemplate(
  spec: JobSpec,
  errors: FieldErrors,
  c: HookContext,
  old?: JobSpec,
): void {
  validateCommon(spec, errors, c, old)
  if (spec.selector)
    errors.at('selector').invalid(spec.selector, '`selector` will be auto-generated')
  if (spec.manualSelector === true) errors.at('manualSelector').notSupported(true, ['nil', 'false'])
}

function validateCommon(
  spec: JobSpec,
  errors: FieldErrors,
  c: HookContext,
  old: JobSpec | undefined,
): void {
  for (const name of COUNTS) {
    const value = spec[name]
    if (value !== undefined) errors.at(name).invalidAll(value, isNonNegative(value))
  }
  if (spec.completionMode === 'Indexed') {
    if (spec.completions === undefined)
      errors.at('completions').required('when completion mode is Indexed')
    if ((spec.parallelism ?? 0) > MAX_INDEXED_PARALLELISM) {
      errors
        .at('parallelism')
        .invalid(
          spec.parallelism,
          `must be less than or equal to ${MAX_INDEXED_PARALLELISM} when completion mode is Indexed`,
        )
    }
  }
  if (spec.podFailurePolicy)
    validatePolicy(spec, spec.podFailurePolicy, errors.at('podFailurePolicy'))
  const at = errors.at('template')
  validatePodTemplate(spec.template, at, c, old?.template.spec)
  const { restartPolicy } = spec.template.spec
  const policy = at.at('spec', 'restartPolicy')
  if (restartPolicy === undefined || restartPolicy === 'Always')
    policy.required('valid values: "OnFailure", "Never"')
  else if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never')
    policy.notSupported(restartPolicy, ['OnFailure', 'Never'])
  else if (spec.podFailurePolicy && restartPolicy !== 'Never') {
    policy.invalid(restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')
  }
}

function validatePolicy(spec: JobSpec, { rules }: PodFailurePolicy, errors: FieldErrors): void {
  const at = errors.at('rules')
  if (rules.length > MAX_RULES) at.tooMany(rules.length, MAX_RULES)
  const { containers, initContainers = [] } = spec.template.spec
  const names = new Set([...containers, ...initContainers].map(({ name }) => name))
  rules.forEach((rule, i) => {
    const { action, onExitCodes, onPodConditions = [] } = rule
    const place = at.at(i)
    // Read as text: the declared words do not include the empty one.
    if ((action as string) === '') {
      place.at('action').required('valid values: ["Count" "FailJob" "Ignore"]')
    }
    if (onExitCodes && onPodConditions.length > 0) {
      place.invalid(rule, 'specifying both OnExitCodes and OnPodConditions is not supported')
    } else if (!onExitCodes && onPodConditions.length === 0) {
      place.invalid(rule, 'specifying one of OnExitCodes and OnPodConditions is required')
    }
    if (onExitCodes) validateExitCodes(onExitCodes, names, place.at('onExitCodes'))
    const patterns = place.at('onPodConditions')
    if (onPodConditions.length > MAX_PATTERNS)
      patterns.tooMany(onPodConditions.length, MAX_PATTERNS)
    onPodConditions.forEach(({ status }, j) => {
      if (!['True', 'False', 'Unknown'].includes(status))
        patterns.at(j, 'status').notSupported(status, ['False', 'True', 'Unknown'])
    })
  })
}

function validateExitCodes(
  {
    containerName,
    operator,
    values,
  }: NonNullable<PodFailurePolicy['rules'][number]['onExitCodes']>,
  names: ReadonlySet<string>,
  errors: FieldErrors,
): void {
  if ((operator as string) === '') errors.at('operator').required('valid values: ["In" "NotIn"]')
  if (containerName !== undefined && !names.has(containerName)) {
    errors
      .at('containerName')
      .invalid(
        containerName,
        'must be one of the container or initContainer names in the pod template',
      )
  }
  const at = errors.at('values')
  if (values.length === 0) at.invalid(values, 'at least one value is required')
  else if (values.length > MAX_VALUES) at.tooMany(values.length, MAX_VALUES)
  if (values.some((value, i) => i > 0 && value < values[i - 1]!))
    at.invalid(values, 'must be ordered')
  const seen = new Set<number>()
  values.forEach((value, i) => {
    if (seen.has(value)) at.at(i).duplicate(value)
    seen.add(value)
    if (operator === 'In' && value === 0)
      at.at(i).invalid(value, 'must not be 0 for the In operator')
  })
}
