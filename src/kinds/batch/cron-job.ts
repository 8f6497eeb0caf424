import { sameValue } from '../../meta/field-errors.ts'
import { isNonNegative } from '../../meta/names.ts'
import { group, ObjectMeta, raised } from '../../meta/object-meta.ts'
import { column, part, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { humanDuration } from '../../base/human-duration.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { ObjectReference } from '../core/object-reference.ts'
import { fillPodTemplate } from '../core/pod/defaults.ts'
import { dropGatedPodFields } from '../core/pod/gates.ts'
import { containerColumns } from '../core/pod/template-columns.ts'
import { podWarnings } from '../core/pod/warnings.ts'
import { describeLabelSelector } from '../../meta/selectors.ts'
import { isTimeZone, scheduleProblem } from './cron-schedule.ts'
import { validateJobTemplate } from './job-rules.ts'
import { JobSpec } from './job-spec.ts'

const { kind, shape } = group('batch/v1')

// Names of jobs add eleven characters.
const MAX_NAME = 52
const ZONE_GATE = 'CronJobTimeZone'
const POLICY_GATE = 'JobPodFailurePolicy'

/** Metadata and specification of a job to be created. */
export class JobTemplateSpec extends shape({
  /** Labels and annotations of the created jobs. */
  metadata: t.object(1, ObjectMeta),
  /** Desired behavior of the created jobs. `selector` and `manualSelector` are not allowed. */
  spec: t.object(2, JobSpec),
}) {}

/** Schedule of a CronJob and template of its jobs. */
export class CronJobSpec extends shape({
  /** Schedule in the five-field cron format, or a descriptor such as `@hourly` or `@every 1h`. */
  schedule: t.string(1).required(),
  /**
   * Name of the time zone of the schedule in the tz database, such as `Etc/UTC`. If unset, the time zone of the
   * controller applies. Not allowed if the schedule itself sets a time zone.
   */
  timeZone: t.string(8).explicit(),
  /**
   * Seconds after its scheduled time within which a job may still start; a job that misses the deadline counts as
   * failed. By default there is no deadline.
   */
  startingDeadlineSeconds: t.int64(2).explicit(),
  /**
   * What happens if the previous job is still running: `Allow` runs both, `Forbid` skips the new one, `Replace` cancels
   * the previous one. Defaults to `Allow`.
   */
  concurrencyPolicy: t.string(3).oneOf('Allow', 'Forbid', 'Replace'),
  /** If true, no further jobs are created; running jobs are not affected. Defaults to false. */
  suspend: t.bool(4).explicit(),
  /** Template of the jobs that the CronJob creates. */
  jobTemplate: t.object(5, JobTemplateSpec).required(),
  /** Number of successful jobs to retain. Must not be negative. Defaults to 3. */
  successfulJobsHistoryLimit: t.int32(6).explicit(),
  /** Number of failed jobs to retain. Must not be negative. Defaults to 1. */
  failedJobsHistoryLimit: t.int32(7).explicit(),
}) {}

/** Active jobs and times of the last runs of a CronJob. */
export class CronJobStatus extends shape({
  /** References to the jobs that are currently running. */
  active: t.list(1, ObjectReference).atomic(),
  /** Time at which a job was last scheduled successfully. */
  lastScheduleTime: t.time(4).explicit(),
  /** Time at which a job last completed successfully. */
  lastSuccessfulTime: t.time(5).explicit(),
}) {}

/** A CronJob creates jobs on a repeating schedule. */
export class CronJob extends kind({
  /** Desired behavior of the CronJob. */
  spec: t.object(2, CronJobSpec),
  /** Most recently observed state. Set by the controller; read-only for users. */
  status: t.object(3, CronJobStatus),
}) {}

export const cronJobs = resource(CronJob, {
  plural: 'cronjobs',
  short: ['cj'],
  categories: ['all'],
  scope: 'namespace',
  deleteAnswers: 'status',
  subresources: { status: part('status') },
  columns: [
    nameColumn,
    column('Schedule', 'string', ({ spec }) => spec.schedule, {
      description: 'Schedule in the cron format.',
    }),
    column(
      'Suspend',
      'boolean',
      ({ spec }) => (spec.suspend === undefined ? '<unset>' : spec.suspend ? 'True' : 'False'),
      { description: 'Whether the creation of jobs is suspended.' },
    ),
    column('Active', 'integer', ({ status }) => status.active?.length ?? 0, {
      description: 'Number of running jobs.',
    }),
    column(
      'Last Schedule',
      'string',
      ({ status }, c) =>
        status.lastScheduleTime === undefined
          ? '<none>'
          : humanDuration(c.now - Date.parse(status.lastScheduleTime)),
      {
        description: 'Time since a job was last scheduled.',
        since: ({ status }) => status.lastScheduleTime,
      },
    ),
    ageColumn,
    ...containerColumns<CronJob>(({ spec }) => spec.jobTemplate.spec.template, { wide: true }),
    column(
      'Selector',
      'string',
      ({ spec }) => describeLabelSelector(spec.jobTemplate.spec.selector),
      { wide: true, description: 'Label selector of the pods of the jobs.' },
    ),
  ],

  setDefaults({ spec }, c) {
    fillPodTemplate(spec.jobTemplate.spec.template, c)
    spec.concurrencyPolicy ??= 'Allow'
    spec.suspend ??= false
    spec.successfulJobsHistoryLimit ??= 3
    spec.failedJobsHistoryLimit ??= 1
  },

  prepareForCreate(cronJob, c) {
    cronJob.status = {}
    cronJob.metadata.generation = 1
    const { spec } = cronJob
    dropGatedPodFields(spec.jobTemplate.spec.template.spec, null, c)
    if (!c.gate(ZONE_GATE)) delete spec.timeZone
    if (!c.gate(POLICY_GATE)) delete spec.jobTemplate.spec.podFailurePolicy
  },

  prepareForUpdate(next, old, c) {
    const job = next.spec.jobTemplate.spec
    const oldJob = old.spec.jobTemplate.spec
    dropGatedPodFields(job.template.spec, oldJob.template.spec, c)
    if (!c.gate(ZONE_GATE) && old.spec.timeZone === undefined) delete next.spec.timeZone
    if (!c.gate(POLICY_GATE) && !oldJob.podFailurePolicy) delete job.podFailurePolicy
    if (!sameValue(next.spec, old.spec)) next.metadata.generation = raised(old.metadata)
  },

  validate({ metadata, spec }, errors, c, old) {
    const name = metadata.name ?? ''
    if (!old && name.length > MAX_NAME) {
      errors.at('metadata', 'name').invalid(name, `must be no more than ${MAX_NAME} characters`)
    }
    const at = errors.at('spec')
    const { schedule, timeZone, concurrencyPolicy } = spec
    if (schedule === '') at.at('schedule').required()
    else {
      const problem = scheduleProblem(schedule)
      if (problem !== null) at.at('schedule').invalid(schedule, problem)
      if (timeZone !== undefined && schedule.includes('TZ')) {
        at.at('schedule').invalid(
          schedule,
          'cannot use both timeZone field and TZ or CRON_TZ in schedule',
        )
      }
    }
    if (timeZone !== undefined && timeZone !== old?.spec.timeZone) {
      if (timeZone === '')
        at.at('timeZone').invalid(timeZone, 'timeZone must be nil or non-empty string')
      else if (timeZone.toLowerCase() === 'local') {
        at.at('timeZone').invalid(
          timeZone,
          'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
        )
      } else if (!isTimeZone(timeZone)) {
        at.at('timeZone').invalid(timeZone, `unknown time zone ${timeZone}`)
      }
    }
    for (const limit of [
      'startingDeadlineSeconds',
      'successfulJobsHistoryLimit',
      'failedJobsHistoryLimit',
    ] as const) {
      const value = spec[limit]
      if (value !== undefined) at.at(limit).invalidAll(value, isNonNegative(value))
    }
    // Read as text: the declared words do not include the empty one.
    if (((concurrencyPolicy as string | undefined) ?? '') === '')
      at.at('concurrencyPolicy').required()
    validateJobTemplate(
      spec.jobTemplate.spec,
      at.at('jobTemplate', 'spec'),
      c,
      old?.spec.jobTemplate.spec,
    )
  },

  warn(next, old, c) {
    const zoned = next.spec.schedule.includes('TZ')
      ? [
          'CRON_TZ or TZ used in "spec.spec.schedule" is not officially supported; use spec.timeZone instead',
        ]
      : []
    if (old && next.metadata.generation === old.metadata.generation) return zoned
    return [
      ...podWarnings(next.spec.jobTemplate.spec.template, c, 'spec.jobTemplate.spec.template'),
      ...zoned,
    ]
  },
})
