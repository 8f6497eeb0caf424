import { describe, expect, test } from 'vitest'
import { kit, template } from '../apps/apps.fixture.ts'
import { jobs } from './job.ts'

const { of, problems } = kit(jobs, {
  metadata: { name: 'j', namespace: 'n', uid: 'u-1' },
  spec: { template: template({ restartPolicy: 'Never' }) },
})

describe('violations of the failure policy', () => {
  const codes = (more: object) => ({
    action: 'FailJob',
    onExitCodes: { operator: 'In', values: [1], ...more },
  })
  const AT = 'spec.podFailurePolicy.rules'
  const table: readonly [name: string, rules: readonly object[], expected: readonly string[]][] = [
    ['none', [codes({ containerName: 'web' })], []],
    [
      'conditions',
      [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'Yes' }] }],
      [
        `NotSupported ${AT}[0].onPodConditions[0].status: Unsupported value: "Yes": supported values: "False", "True", "Unknown"`,
      ],
    ],
    [
      'too many rules',
      Array.from({ length: 21 }, () => codes({})),
      [`TooMany ${AT}: Too many: 21: must have at most 20 items`],
    ],
    [
      'neither',
      [{ action: 'Count' }],
      [
        `Invalid ${AT}[0]: Invalid value: {"action":"Count"}: specifying one of OnExitCodes and OnPodConditions is required`,
      ],
    ],
    [
      'an unknown container',
      [codes({ containerName: 'db' })],
      [
        `Invalid ${AT}[0].onExitCodes.containerName: Invalid value: "db": must be one of the container or initContainer names in the pod template`,
      ],
    ],
    [
      'values',
      [codes({ values: [] }), codes({ values: [2, 0] }), codes({ values: [1, 1] })],
      [
        `Invalid ${AT}[0].onExitCodes.values: Invalid value: []: at least one value is required`,
        `Invalid ${AT}[1].onExitCodes.values: Invalid value: [2,0]: must be ordered`,
        `Invalid ${AT}[1].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator`,
        `Duplicate ${AT}[2].onExitCodes.values[1]: Duplicate value: 1`,
      ],
    ],
  ]
  for (const [name, rules, expected] of table) {
    test(name, () =>
      expect(problems(of({ spec: { podFailurePolicy: { rules } } }))).toEqual(expected),
    )
  }
  test('pods that restart', () => {
    const spec = {
      podFailurePolicy: { rules: [] },
      template: { spec: { restartPolicy: 'OnFailure' } },
    }
    expect(problems(of({ spec }))).toEqual([
      'Invalid spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
    ])
  })
})
