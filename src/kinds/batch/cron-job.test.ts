import { describe, expect, test } from 'vitest'
import { c, context, filledTemplate, kit, merged, template } from '../apps/apps.fixture.ts'
import { cronJobs } from './cron-job.ts'

const base = {
  metadata: { name: 'j', namespace: 'n' },
  spec: {
    schedule: '*/5 * * * *',
    jobTemplate: { spec: { template: template({ restartPolicy: 'OnFailure' }) } },
  },
}
const { of, problems, changes, created, updated, statusProblems, cells } = kit(cronJobs, base)

const NEGATIVE = 'must be greater than or equal to 0'

test('what is left out is filled, but not in the jobs', () => {
  expect(of().spec).toEqual({
    schedule: '*/5 * * * *',
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
    jobTemplate: {
      metadata: {},
      spec: { template: merged(filledTemplate, { spec: { restartPolicy: 'OnFailure' } }) },
    },
  })
  const given = {
    concurrencyPolicy: 'Forbid',
    suspend: true,
    successfulJobsHistoryLimit: 0,
    failedJobsHistoryLimit: 0,
  }
  expect(of({ spec: given }).spec).toMatchObject(given)
})

describe('a create', () => {
  const given = () =>
    of({
      spec: { timeZone: 'UTC', jobTemplate: { spec: { podFailurePolicy: { rules: [] } } } },
      status: { active: [{ name: 'x' }] },
    })
  test('starts afresh, without what is off', () => {
    const { metadata, status, spec } = created(given())
    expect([metadata.generation, status]).toEqual([1, {}])
    expect([spec.timeZone, spec.jobTemplate.spec.podFailurePolicy]).toEqual([undefined, undefined])
  })
  test('keeps what is on', () => {
    const { spec } = created(given(), context('CronJobTimeZone', 'JobPodFailurePolicy'))
    expect([spec.timeZone, spec.jobTemplate.spec.podFailurePolicy]).toEqual(['UTC', { rules: [] }])
  })
})

describe('the generation rises', () => {
  for (const [name, change, generation] of [
    ['with the spec', { spec: { suspend: true } }, 5],
    ['not with annotations', { metadata: { annotations: { a: 'b' } } }, 4],
    ['not with what is dropped', { spec: { timeZone: 'UTC' } }, 4],
  ] as const) {
    test(name, () => {
      const old = of({ metadata: { generation: 4 } })
      const next = updated(of({ metadata: { generation: 4 } }, change), old)
      expect(next.metadata.generation).toBe(generation)
    })
  }
})

describe('violations', () => {
  const long = 'a'.repeat(53)
  const JOB = 'spec.jobTemplate.spec'
  const both = 'cannot use both timeZone field and TZ or CRON_TZ in schedule'
  const job = (spec: object) => ({ spec: { jobTemplate: { spec } } })
  const table: readonly [name: string, change: object, expected: readonly string[]][] = [
    ['none', {}, []],
    ['a name at the limit', { metadata: { name: 'a'.repeat(52) } }, []],
    [
      'a long name',
      { metadata: { name: long } },
      [`Invalid metadata.name: Invalid value: "${long}": must be no more than 52 characters`],
    ],
    ['no schedule', { spec: { schedule: '' } }, ['Required spec.schedule: Required value']],
    [
      'a broken schedule',
      { spec: { schedule: '* * *' } },
      [
        'Invalid spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]',
      ],
    ],
    ['a zone in the schedule', { spec: { schedule: 'TZ=UTC 0 * * * *' } }, []],
    ['a zone beside it', { spec: { timeZone: 'Europe/Vienna' } }, []],
    [
      'both',
      { spec: { schedule: 'CRON_TZ=UTC 0 * * * *', timeZone: 'UTC' } },
      [`Invalid spec.schedule: Invalid value: "CRON_TZ=UTC 0 * * * *": ${both}`],
    ],
    [
      'an empty zone',
      { spec: { timeZone: '' } },
      ['Invalid spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
    ],
    [
      'the zone of the machine',
      { spec: { timeZone: 'lOCAL' } },
      [
        'Invalid spec.timeZone: Invalid value: "lOCAL": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      ],
    ],
    [
      'an unknown zone',
      { spec: { timeZone: 'Mars/Base' } },
      ['Invalid spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base'],
    ],
    [
      'negative numbers',
      {
        spec: {
          startingDeadlineSeconds: -1,
          successfulJobsHistoryLimit: -2,
          failedJobsHistoryLimit: -3,
        },
      },
      [
        `Invalid spec.startingDeadlineSeconds: Invalid value: -1: ${NEGATIVE}`,
        `Invalid spec.successfulJobsHistoryLimit: Invalid value: -2: ${NEGATIVE}`,
        `Invalid spec.failedJobsHistoryLimit: Invalid value: -3: ${NEGATIVE}`,
      ],
    ],
    [
      'an unknown policy',
      { spec: { concurrencyPolicy: 'Queue' } },
      [
        'NotSupported spec.concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"',
      ],
    ],
    [
      'a selector',
      job({ selector: { matchLabels: { app: 'web' } }, manualSelector: true }),
      [
        `Invalid ${JOB}.selector: Invalid value: {"matchLabels":{"app":"web"}}: \`selector\` will be auto-generated`,
        `NotSupported ${JOB}.manualSelector: Unsupported value: true: supported values: "nil", "false"`,
      ],
    ],
    ['a selector not made by hand', job({ manualSelector: false }), []],
    [
      'a job that is wrong',
      job({
        backoffLimit: -1,
        completionMode: 'Indexed',
        template: { spec: { restartPolicy: 'Always' } },
      }),
      [
        `Invalid ${JOB}.backoffLimit: Invalid value: -1: ${NEGATIVE}`,
        `Required ${JOB}.completions: Required value: when completion mode is Indexed`,
        `Required ${JOB}.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"`,
      ],
    ],
  ]
  for (const [name, change, expected] of table) {
    test(name, () => expect(problems(of(change))).toEqual(expected))
  }
  test('no policy', () => {
    expect(of({ spec: { concurrencyPolicy: '' } }).spec.concurrencyPolicy).toBe('Allow')
    const none = of()
    delete none.spec.concurrencyPolicy
    expect(problems(none)).toEqual(['Required spec.concurrencyPolicy: Required value'])
  })
})

describe('on update', () => {
  test('a long name stays', () => {
    const old = of({ metadata: { name: 'a'.repeat(60) } })
    expect(problems(old, c, old)).toEqual([])
  })
  test('a zone is looked at only when it changes', () => {
    const old = of({ spec: { timeZone: 'Mars/Base' } })
    expect(problems(old, c, old)).toEqual([])
    expect(problems(old, c, of())).toEqual([
      'Invalid spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base',
    ])
  })
  test('everything may change', () => {
    const next = of({
      spec: { schedule: '@daily', jobTemplate: { spec: { completions: 3, template: template() } } },
    })
    expect(changes(next, of())).toEqual([])
  })
  test('the status is not looked at', () => {
    expect(statusProblems(of({ status: { active: [{ name: '' }] } }))).toEqual([])
  })
})

test('warnings', () => {
  const volumes = [{ name: 'v', gitRepo: { repository: 'r' } }]
  const withVolumes = { spec: { jobTemplate: { spec: { template: { spec: { volumes } } } } } }
  const next = of(withVolumes, { metadata: { generation: 2 } })
  const text = 'spec.jobTemplate.spec.template.spec.volumes[0].gitRepo: deprecated in v1.11'
  expect(cronJobs.warn!(next, null, c)).toEqual([text])
  expect(cronJobs.warn!(next, of({ metadata: { generation: 1 } }), c)).toEqual([text])
  expect(cronJobs.warn!(next, next, c)).toEqual([])
  const zoned = of({ spec: { schedule: 'TZ=UTC 0 * * * *' } })
  const [warning, ...more] = cronJobs.warn!(zoned, zoned, c)
  expect(more).toEqual([])
  expect(warning).toMatch(
    /^CRON_TZ or TZ used in "spec\.spec\.schedule" is not officially supported/,
  )
  expect(cronJobs.warn!(zoned, null, c)).toEqual([warning])
})

test('cells', () => {
  const tail = ['<unknown>', 'web', 'web:1', '<none>']
  expect(cells(of())).toEqual(['j', '*/5 * * * *', 'False', 0, '<none>', ...tail])
  const running = of({
    spec: { suspend: true },
    status: { active: [{ name: 'a' }, { name: 'b' }], lastScheduleTime: '2030-01-01T00:58:00Z' },
  })
  expect(cells(running)).toEqual(['j', '*/5 * * * *', 'True', 2, '2m', ...tail])
})
