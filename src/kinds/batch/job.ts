import { shownSelector } from '../meta/shown-selector.ts'
import { humanDuration } from '../../base/human-duration.ts'
import { type FieldErrors, sameValue } from '../../meta/field-errors.ts'
import { isDns1123Label, isNonNegative } from '../../meta/names.ts'
import { group, type Typed, raised } from '../../meta/object-meta.ts'
import { column, type HookContext, part, resource } from '../../catalogue/resource.ts'
import { isEverything, matchesLabels } from '../../meta/selectors.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { fillPodTemplate } from '../core/pod/defaults.ts'
import { dropGatedPodFields } from '../core/pod/gates.ts'
import type { PodTemplateSpec } from '../core/pod/pod-template.ts'
import { containerColumns, selectorColumn } from '../core/pod/template-columns.ts'
import { readSelector } from '../core/pod/validate-workload.ts'
import { podWarnings } from '../core/pod/warnings.ts'
import { validateJobSpec } from './job-rules.ts'
import { JobSpec } from './job-spec.ts'

const { kind, shape } = group('batch/v1')

const TRACKING = 'batch.{label}/job-tracking'
const UID_LABEL = 'controller-uid'
const NAME_LABEL = 'job-name'
const POLICY_GATE = 'JobPodFailurePolicy'

/** UIDs of terminated pods that are not yet included in the counters of the status. */
export class UncountedTerminatedPods extends shape({
  /** UIDs of succeeded pods that are not yet counted. */
  succeeded: t.list(1, 'string').set(),
  /** UIDs of failed pods that are not yet counted. */
  failed: t.list(2, 'string').set(),
}) {}

/** One aspect of the observed state of a job. */
export class JobCondition extends shape({
  /** Type of the condition, such as `Complete`, `Failed` or `Suspended`. */
  type: t.string(1).required(),
  /** Status of the condition: `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** Time at which the condition was last checked. */
  lastProbeTime: t.time(3),
  /** Time at which the status last changed from one value to another. */
  lastTransitionTime: t.time(4),
  /** Machine-readable reason for the last transition, in CamelCase. */
  reason: t.string(5),
  /** Human-readable details about the last transition. */
  message: t.string(6),
}) {}

/** Pod counts, times and conditions of a job. */
export class JobStatus extends shape({
  /** Current conditions of the job. A finished job has `Complete` or `Failed`, a suspended one `Suspended`. */
  conditions: t.list(1, JobCondition).atomic().patchBy('type'),
  /**
   * Time at which the controller started to process the job. Unset while the job is suspended and reset when it
   * resumes.
   */
  startTime: t.time(2).explicit(),
  /** Time at which the job completed. Only set for successful jobs. */
  completionTime: t.time(3).explicit(),
  /** Number of pods that are pending or running. */
  active: t.int32(4),
  /** Number of pods that reached the phase `Succeeded`. */
  succeeded: t.int32(5),
  /** Number of pods that reached the phase `Failed`. */
  failed: t.int32(6),
  /** Completed indexes of an `Indexed` job as a list of numbers and ranges, such as `1,3-5,7`. */
  completedIndexes: t.string(7),
  /** Terminated pods that are not yet included in the counters. */
  uncountedTerminatedPods: t.object(8, UncountedTerminatedPods).explicit(),
  /** Number of pods that are ready. */
  ready: t.int32(9).explicit(),
}) {}

/** A Job runs pods until the required number of them has completed successfully. */
export class Job extends kind({
  /** Desired behavior of the job. */
  spec: t.object(2, JobSpec),
  /** Most recently observed state. Set by the controller; read-only for users. */
  status: t.object(3, JobStatus),
}) {}

export const jobs = resource(Job, {
  plural: 'jobs',
  categories: ['all'],
  scope: 'namespace',
  deleteAnswers: 'status',
  orphansByDefault: true,
  deleteWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  unknownSelector: (label) => `field label ${JSON.stringify(label)} not supported for Job`,
  selectable: { 'status.successful': ({ status }) => String(status.succeeded ?? 0) },
  subresources: { status: part('status', { validate: validateStatus }) },
  columns: [
    nameColumn,
    column('Completions', 'string', completionsText, {
      description: 'Number of succeeded pods out of the required completions.',
    }),
    column('Duration', 'string', durationText, {
      description: 'Time from start to completion, or until now.',
    }),
    ageColumn,
    ...containerColumns<Job>(({ spec }) => spec.template, { wide: true }),
    selectorColumn<Job>(),
  ],

  setDefaults({ spec, metadata }, c) {
    fillPodTemplate(spec.template, c)
    if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1
    spec.parallelism ??= 1
    spec.backoffLimit ??= 6
    spec.completionMode ??= 'NonIndexed'
    spec.suspend ??= false
    const { labels } = spec.template.metadata
    if (!metadata.labels && labels) {
      metadata.labels = { ...labels }
      labelsOfTemplates.add(metadata.labels)
    }
  },

  prepareForCreate(job, c) {
    job.status = {}
    job.metadata.generation = 1
    if (c.gate('JobTrackingWithFinalizers')) {
      job.metadata.annotations = Object.fromEntries([
        ...Object.entries(job.metadata.annotations ?? {}),
        [c.v.resolve(TRACKING), ''],
      ])
    }
    dropGatedPodFields(job.spec.template.spec, null, c)
    if (!c.gate(POLICY_GATE)) delete job.spec.podFailurePolicy
  },

  prepareForUpdate(next, old, c) {
    dropGatedPodFields(next.spec.template.spec, old.spec.template.spec, c)
    if (!c.gate(POLICY_GATE) && !old.spec.podFailurePolicy) delete next.spec.podFailurePolicy
    if (!sameValue(next.spec, old.spec)) next.metadata.generation = raised(old.metadata)
  },

  validate(job, errors, c, old) {
    // Here, since a generated name is known only now.
    if (!old) generateSelector(job)
    validateGenerated(job, errors)
    validateJobSpec(job.spec, errors.at('spec'), c, old?.spec)
    const { completionMode, completions = 0 } = job.spec
    if (completionMode !== 'Indexed' || completions <= 0) return
    const pod = `${job.metadata.name ?? ''}-${completions - 1}`
    for (const message of isDns1123Label(pod)) {
      errors
        .at('metadata', 'name')
        .invalid(
          job.metadata.name ?? '',
          `will not able to create pod with invalid DNS label: ${message}`,
        )
    }
  },

  validateUpdate(next, old, errors, c) {
    const tracking = c.v.resolve(TRACKING)
    const has = (job: Job) => Object.hasOwn(job.metadata.annotations ?? {}, tracking)
    if (has(next) && !has(old))
      errors.at('metadata', 'annotations').key(tracking).forbidden('cannot add this annotation')
    const at = errors.at('spec')
    for (const name of ['completions', 'selector', 'completionMode', 'podFailurePolicy'] as const) {
      const shown = name === 'selector' ? shownSelector(next.spec.selector) : next.spec[name]
      at.at(name).immutable<unknown>(next.spec[name], old.spec[name], () => shown)
    }
    at.at('template').immutable(comparable(next, old, c), old.spec.template)
  },

  warn: (next, old, c) =>
    old && next.metadata.generation === old.metadata.generation
      ? []
      : podWarnings(next.spec.template, c, 'spec.template'),
})

/** The template with the fields restored that may change while the job is suspended. */
function comparable(next: Job, old: Job, c: HookContext): PodTemplateSpec {
  const template = next.spec.template
  const waits =
    c.gate('JobMutableNodeSchedulingDirectives') &&
    old.spec.suspend === true &&
    old.status.startTime === undefined
  if (!waits) return template
  const before = old.spec.template
  const copy = structuredClone(template)
  put(copy.spec, before.spec, 'nodeSelector')
  put(copy.spec, before.spec, 'tolerations')
  put(copy.metadata, before.metadata, 'annotations')
  put(copy.metadata, before.metadata, 'labels')
  const node = before.spec.affinity?.nodeAffinity
  if (copy.spec.affinity) {
    if (node) copy.spec.affinity.nodeAffinity = node
    else delete copy.spec.affinity.nodeAffinity
    if (!before.spec.affinity && Object.keys(copy.spec.affinity).length === 0)
      delete copy.spec.affinity
  } else if (before.spec.affinity && Object.keys(before.spec.affinity).join() === 'nodeAffinity') {
    copy.spec.affinity = before.spec.affinity
  }
  return copy
}

function put<T, K extends keyof T>(to: T, from: T, name: K): void {
  if (from[name] === undefined) delete to[name]
  else to[name] = from[name]
}

/** Label maps that jobs got from their templates, because the client set none. */
const labelsOfTemplates = new WeakSet<object>()

/**
 * Generates a selector and labels that match only pods of this job. A job without labels gets those of its template, so
 * these as well.
 */
function generateSelector({ spec, metadata }: Job): void {
  if (spec.manualSelector === true) return
  const uid = metadata.uid ?? ''
  const template = spec.template.metadata
  template.labels = {
    ...template.labels,
    ...(Object.hasOwn(template.labels ?? {}, NAME_LABEL)
      ? {}
      : { [NAME_LABEL]: metadata.name ?? '' }),
    ...(Object.hasOwn(template.labels ?? {}, UID_LABEL) ? {} : { [UID_LABEL]: uid }),
  }
  if (!metadata.labels || labelsOfTemplates.has(metadata.labels))
    metadata.labels = { ...template.labels }
  spec.selector ??= {}
  if (!Object.hasOwn(spec.selector.matchLabels ?? {}, UID_LABEL))
    spec.selector.matchLabels = { ...spec.selector.matchLabels, [UID_LABEL]: uid }
}

function validateGenerated({ spec, metadata }: Job, errors: FieldErrors): void {
  if (spec.manualSelector === true || !spec.selector) return
  const { labels = {} } = spec.template.metadata
  const wanted = { [UID_LABEL]: metadata.uid ?? '', [NAME_LABEL]: metadata.name ?? '' }
  const at = errors.at('spec', 'template', 'metadata', 'labels')
  for (const [label, value] of Object.entries(wanted)) {
    if (!Object.hasOwn(labels, label)) at.key(label).required(`must be '${value}'`)
    else if (labels[label] !== value) at.key(label).invalid(labels[label], `must be '${value}'`)
  }
  const selector = readSelector(spec.selector)
  if (selector && (isEverything(selector) || matchesLabels(selector, wanted))) return
  errors.at('spec', 'selector').invalid(spec.selector, '`selector` not auto-generated')
}

function validateStatus({ status }: Job, errors: FieldErrors): void {
  const at = errors.at('status')
  for (const name of ['active', 'succeeded', 'failed', 'ready'] as const) {
    const value = status[name]
    if (value !== undefined) at.at(name).invalidAll(value, isNonNegative(value))
  }
  const seen = new Set<string>()
  for (const list of ['succeeded', 'failed'] as const) {
    status.uncountedTerminatedPods?.[list]?.forEach((uid, i) => {
      const place = at.at('uncountedTerminatedPods', list, i)
      if (uid === '') place.invalid(uid, 'must not be empty')
      else if (seen.has(uid)) place.duplicate(uid)
      seen.add(uid)
    })
  }
}

function completionsText({ spec, status }: Job): string {
  const done = status.succeeded ?? 0
  if (spec.completions !== undefined) return `${done}/${spec.completions}`
  const parallel = spec.parallelism ?? 0
  return parallel > 1 ? `${done}/1 of ${parallel}` : `${done}/1`
}

function durationText({ status }: Typed & { status: JobStatus }, c: HookContext): string {
  const { startTime, completionTime } = status
  if (startTime === undefined) return ''
  const end = completionTime === undefined ? c.now : Date.parse(completionTime)
  return humanDuration(end - Date.parse(startTime))
}
