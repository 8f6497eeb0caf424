import { describe, expect, test } from 'vitest'
import { orch } from '../../vocabulary/orch.ts'
import { c, context, filledTemplate, kit, merged, template } from '../apps/apps.fixture.ts'
import { jobs } from './job.ts'

const base = {
  metadata: { name: 'j', namespace: 'n', uid: 'u-1' },
  spec: { template: template({ restartPolicy: 'Never' }) },
}
const { of, problems, changes, created, updated, statusProblems, cells } = kit(jobs, base)

const NEGATIVE = 'must be greater than or equal to 0'
const TRACKING = orch.resolve('batch.{label}/job-tracking')
const generated = { 'controller-uid': 'u-1', 'job-name': 'j' }

/** As it stands in the store: with the selector that a create makes. */
const stored = (...changesMade: object[]) => {
  const job = of(...changesMade)
  problems(job)
  return job
}

describe('what is left out is filled', () => {
  const spec = (more: object) => ({
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    template: merged(filledTemplate, { spec: { restartPolicy: 'Never' } }),
    ...more,
  })
  const table: readonly [given: object, filled: object][] = [
    [{}, { completions: 1, parallelism: 1 }],
    [{ completions: 4 }, { completions: 4, parallelism: 1 }],
    [{ parallelism: 4 }, { parallelism: 4 }],
    [
      { parallelism: 0, backoffLimit: 0, completionMode: 'Indexed', suspend: true },
      { parallelism: 0, backoffLimit: 0, completionMode: 'Indexed', suspend: true },
    ],
  ]
  for (const [given, filled] of table) {
    test(JSON.stringify(given), () => expect(of({ spec: given }).spec).toEqual(spec(filled)))
  }
  test('labels, from the template', () => {
    expect(of().metadata.labels).toEqual({ app: 'web' })
    expect(of({ metadata: { labels: {} } }).metadata.labels).toEqual({ app: 'web' })
    expect(of({ metadata: { labels: { a: 'b' } } }).metadata.labels).toEqual({ a: 'b' })
  })
})

test('a create starts afresh', () => {
  const podFailurePolicy = { rules: [] }
  const given = () => of({ spec: { podFailurePolicy }, status: { active: 3 } })
  const gates = ['JobTrackingWithFinalizers', 'JobPodFailurePolicy']
  const { metadata, status, spec } = created(given(), context(...gates))
  expect([metadata.generation, metadata.annotations, status, spec.podFailurePolicy]).toEqual([
    1,
    { [TRACKING]: '' },
    {},
    podFailurePolicy,
  ])
  expect(created(given()).spec.podFailurePolicy).toBe(undefined)
  expect(created(given()).metadata.annotations).toBe(undefined)
})

describe('the generation rises', () => {
  for (const [name, change, generation] of [
    ['with the spec', { spec: { suspend: true } }, 5],
    ['not with annotations', { metadata: { annotations: { a: 'b' } } }, 4],
    ['not with what is dropped', { spec: { podFailurePolicy: { rules: [] } } }, 4],
  ] as const) {
    test(name, () => {
      const old = of({ metadata: { generation: 4 } })
      const next = updated(of({ metadata: { generation: 4 } }, change), old)
      expect(next.metadata.generation).toBe(generation)
    })
  }
})

describe('the selector', () => {
  test('is made with the labels', () => {
    const job = stored()
    expect(job.spec.selector).toEqual({ matchLabels: { 'controller-uid': 'u-1' } })
    expect(job.spec.template.metadata.labels).toEqual({ app: 'web', ...generated })
  })
  test('goes beside what is there', () => {
    const job = of({ spec: { selector: { matchLabels: { app: 'web' } } } })
    expect(problems(job)).toEqual([
      'Invalid spec.selector: Invalid value: {"matchLabels":{"app":"web","controller-uid":"u-1"}}: `selector` not auto-generated',
    ])
  })
  test('is left alone when it is made by hand', () => {
    const job = of({ spec: { manualSelector: true, selector: { matchLabels: { app: 'web' } } } })
    expect(problems(job)).toEqual([])
    expect(job.spec.template.metadata.labels).toEqual({ app: 'web' })
    expect(problems(of({ spec: { manualSelector: true } }))).toEqual([
      'Required spec.selector: Required value',
    ])
    const other = of({ spec: { manualSelector: true, selector: { matchLabels: { app: 'db' } } } })
    expect(problems(other)).toEqual([
      'Invalid spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ])
  })
  test('is not made on update', () => {
    expect(problems(of(), c, stored())).toEqual(['Required spec.selector: Required value'])
  })
})

describe('labels of the template', () => {
  const other = { 'controller-uid': 'x', 'job-name': 'y' }
  test('of another job', () => {
    const job = of({ spec: { template: { metadata: { labels: other } } } })
    expect(problems(job)).toEqual([
      'Invalid spec.template.metadata.labels[controller-uid]: Invalid value: "x": must be \'u-1\'',
      'Invalid spec.template.metadata.labels[job-name]: Invalid value: "y": must be \'j\'',
      'Invalid spec.template.metadata.labels: Invalid value: {"app":"web","controller-uid":"x","job-name":"y"}: `selector` does not match template `labels`',
    ])
  })
  test('taken away', () => {
    const next = stored()
    next.spec.template.metadata.labels = { app: 'web' }
    expect(problems(next, c, stored())).toEqual([
      "Required spec.template.metadata.labels[controller-uid]: Required value: must be 'u-1'",
      "Required spec.template.metadata.labels[job-name]: Required value: must be 'j'",
      'Invalid spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ])
  })
})

describe('violations', () => {
  const RESTART = 'spec.template.spec.restartPolicy'
  const long = 'a'.repeat(62)
  const table: readonly [name: string, change: object, expected: readonly string[]][] = [
    ['none', {}, []],
    [
      'negative numbers',
      {
        spec: {
          parallelism: -1,
          completions: -2,
          activeDeadlineSeconds: -3,
          backoffLimit: -4,
          ttlSecondsAfterFinished: -5,
        },
      },
      [
        `Invalid spec.parallelism: Invalid value: -1: ${NEGATIVE}`,
        `Invalid spec.completions: Invalid value: -2: ${NEGATIVE}`,
        `Invalid spec.activeDeadlineSeconds: Invalid value: -3: ${NEGATIVE}`,
        `Invalid spec.backoffLimit: Invalid value: -4: ${NEGATIVE}`,
        `Invalid spec.ttlSecondsAfterFinished: Invalid value: -5: ${NEGATIVE}`,
      ],
    ],
    [
      'an unknown mode',
      { spec: { completionMode: 'Odd' } },
      [
        'NotSupported spec.completionMode: Unsupported value: "Odd": supported values: "Indexed", "NonIndexed"',
      ],
    ],
    [
      'indexed without completions',
      { spec: { completionMode: 'Indexed', parallelism: 100_001 } },
      [
        'Required spec.completions: Required value: when completion mode is Indexed',
        'Invalid spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed',
      ],
    ],
    ['indexed at the limit', { spec: { completionMode: 'Indexed', completions: 10 } }, []],
    [
      'indexed, with a long name',
      {
        metadata: { name: long, labels: { a: 'b' } },
        spec: { completionMode: 'Indexed', completions: 10 },
      },
      [
        `Invalid metadata.name: Invalid value: "${long}": will not able to create pod with invalid DNS label: must be no more than 63 characters`,
      ],
    ],
    [
      'a long name, indexed with no completions',
      { metadata: { name: long }, spec: { completionMode: 'Indexed', completions: 0 } },
      [],
    ],
    [
      'pods that always restart',
      { spec: { template: { spec: { restartPolicy: 'Always' } } } },
      [`Required ${RESTART}: Required value: valid values: "OnFailure", "Never"`],
    ],
    [
      'pods that restart by default',
      { spec: { template: { spec: { restartPolicy: undefined } } } },
      [`Required ${RESTART}: Required value: valid values: "OnFailure", "Never"`],
    ],
    [
      'pods that restart in an unknown way',
      { spec: { template: { spec: { restartPolicy: 'Maybe' } } } },
      [
        `NotSupported ${RESTART}: Unsupported value: "Maybe": supported values: "Always", "Never", "OnFailure"`,
        `NotSupported ${RESTART}: Unsupported value: "Maybe": supported values: "OnFailure", "Never"`,
      ],
    ],
    [
      'a template that is wrong',
      { spec: { template: { spec: { containers: [] } } } },
      ['Required spec.template.spec.containers: Required value'],
    ],
  ]
  for (const [name, change, expected] of table) {
    test(name, () => expect(problems(of(change))).toEqual(expected))
  }
})

describe('what cannot change', () => {
  const table: readonly [name: string, change: object, fields: readonly string[]][] = [
    ['nothing changed', {}, []],
    [
      'what may',
      {
        spec: {
          suspend: true,
          completions: 1,
          parallelism: 3,
          backoffLimit: 2,
          activeDeadlineSeconds: 9,
          ttlSecondsAfterFinished: 9,
        },
      },
      [],
    ],
    ['completions', { spec: { completions: 3 } }, ['spec.completions']],
    ['selector', { spec: { selector: { matchLabels: { a: 'b' } } } }, ['spec.selector']],
    ['completionMode', { spec: { completionMode: 'Indexed' } }, ['spec.completionMode']],
    ['podFailurePolicy', { spec: { podFailurePolicy: { rules: [] } } }, ['spec.podFailurePolicy']],
    ['template', { spec: { template: { spec: { priority: 3 } } } }, ['spec.template']],
    [
      'where the pods may run',
      { spec: { template: { spec: { nodeSelector: { a: 'b' } } } } },
      ['spec.template'],
    ],
  ]
  for (const [name, change, fields] of table) {
    test(name, () => {
      const found = changes(of(change), of())
      expect(found.map((text) => text.replace(/: .*/, ''))).toEqual(
        fields.map((field) => `Invalid ${field}`),
      )
      for (const text of found) expect(text).toMatch(/: field is immutable$/)
    })
  }
  test('the mark of tracking', () => {
    const annotations = { [TRACKING]: '' }
    const marked = of({ metadata: { annotations } })
    expect(changes(marked, of())).toEqual([
      `Forbidden metadata.annotations[${TRACKING}]: Forbidden: cannot add this annotation`,
    ])
    expect(changes(of(), marked)).toEqual([])
    expect(changes(marked, marked)).toEqual([])
  })
})

describe('a job that waits may be sent elsewhere', () => {
  const gate = context('JobMutableNodeSchedulingDirectives')
  const waits = { spec: { suspend: true } }
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
    },
  }
  const inTemplate = (spec: object, metadata: object = {}) => ({
    spec: { template: { spec, metadata } },
  })
  const directives = [
    inTemplate({ nodeSelector: { a: 'b' } }),
    inTemplate({ tolerations: [{ operator: 'Exists' }] }),
    inTemplate({ affinity: { nodeAffinity } }),
    inTemplate({}, { labels: { b: 'c' }, annotations: { d: 'e' } }),
  ]
  for (const change of directives) {
    test(JSON.stringify(change.spec.template), () => {
      expect(changes(of(waits, change), of(waits), gate)).toEqual([])
      expect(changes(of(waits), of(waits, change), gate)).toEqual([])
      expect(changes(of(waits, change), of(waits)).length).toBe(1)
      expect(changes(of(waits, change), of(), gate).length).toBe(1)
      const begun = of(waits, { status: { startTime: '2030-01-01T00:00:00Z' } })
      expect(changes(of(waits, change), begun, gate).length).toBe(1)
    })
  }
  test('but not be made another', () => {
    const other = inTemplate({ affinity: { nodeAffinity, podAffinity: {} }, priority: 1 })
    expect(changes(of(waits, other), of(waits), gate).length).toBe(1)
  })
})

describe('violations of the status', () => {
  const table: readonly [status: object, expected: readonly string[]][] = [
    [{ uncountedTerminatedPods: { succeeded: ['a'], failed: ['b'] }, ready: 0 }, []],
    [
      { active: -1, succeeded: -2, failed: -3, ready: -4 },
      [
        `Invalid status.active: Invalid value: -1: ${NEGATIVE}`,
        `Invalid status.succeeded: Invalid value: -2: ${NEGATIVE}`,
        `Invalid status.failed: Invalid value: -3: ${NEGATIVE}`,
        `Invalid status.ready: Invalid value: -4: ${NEGATIVE}`,
      ],
    ],
    [
      { uncountedTerminatedPods: { succeeded: ['a', '', 'a'], failed: ['a', ''] } },
      [
        'Invalid status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
        'Duplicate status.uncountedTerminatedPods.succeeded[2]: Duplicate value: "a"',
        'Duplicate status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
        'Invalid status.uncountedTerminatedPods.failed[1]: Invalid value: "": must not be empty',
      ],
    ],
  ]
  for (const [status, expected] of table) {
    test(JSON.stringify(status), () => expect(statusProblems(of({ status }))).toEqual(expected))
  }
})

test('warnings', () => {
  const volumes = [{ name: 'v', gitRepo: { repository: 'r' } }]
  const next = of({ spec: { template: { spec: { volumes } } }, metadata: { generation: 2 } })
  const text = 'spec.template.spec.volumes[0].gitRepo: deprecated in v1.11'
  expect(jobs.warn!(next, null, c)).toEqual([text])
  expect(jobs.warn!(next, of({ metadata: { generation: 1 } }), c)).toEqual([text])
  expect(jobs.warn!(next, next, c)).toEqual([])
})

test('what deletes and field selectors see', () => {
  const select = (job: ReturnType<typeof of>) => jobs.selectable!['status.successful']!(job)
  expect([jobs.orphansByDefault, jobs.deleteAnswers, jobs.createOnUpdate]).toEqual([
    true,
    'status',
    undefined,
  ])
  expect([select(of()), select(of({ status: { succeeded: 4 } }))]).toEqual(['0', '4'])
})

test('cells', () => {
  const startTime = '2030-01-01T00:00:00Z'
  const tail = ['<unknown>', 'web', 'web:1', 'controller-uid=u-1']
  expect(cells(stored())).toEqual(['j', '0/1', '', ...tail])
  const running = stored({ spec: { completions: 3 }, status: { succeeded: 2, startTime } })
  expect(cells(running)).toEqual(['j', '2/3', '60m', ...tail])
  const done = stored({
    spec: { parallelism: 4 },
    status: { succeeded: 1, startTime, completionTime: '2030-01-01T00:00:30Z' },
  })
  expect(cells(done)).toEqual(['j', '1/1 of 4', '30s', ...tail])
  expect(cells(of({ spec: { parallelism: 1, completions: undefined } }))[1]).toBe('0/1')
})
