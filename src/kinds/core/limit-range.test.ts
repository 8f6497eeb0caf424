import { describe, expect, test } from 'vitest'
import { c, problems, read } from '../hooks.fixture.ts'
import { type LimitRange, limitRanges } from './limit-range.ts'

const rangeOf = (...limits: object[]): LimitRange => read(limitRanges, { spec: { limits } })

describe('defaults', () => {
  const rows: [name: string, given: object, expected: object][] = [
    ['of nothing', { type: 'Container' }, { type: 'Container' }],
    [
      'from the most and the least',
      { type: 'Container', max: { cpu: '2', memory: '1u' }, min: { cpu: '1', storage: '1' } },
      {
        type: 'Container',
        max: { cpu: '2', memory: '1m' },
        min: { cpu: '1', storage: '1' },
        default: { cpu: '2', memory: '1m' },
        defaultRequest: { cpu: '2', memory: '1m', storage: '1' },
      },
    ],
    [
      'beside those that are given',
      { type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '500m' } },
      { type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '500m' } },
    ],
    ['not for pods', { type: 'Pod', max: { cpu: '1' } }, { type: 'Pod', max: { cpu: '1' } }],
  ]
  for (const [name, given, expected] of rows) {
    test(name, () => expect(rangeOf(given).spec.limits).toEqual([expected]))
  }
})

const at = 'spec.limits[0]'

describe('limits', () => {
  const rows: [name: string, limits: object[], expected: string[]][] = [
    ['none', [], []],
    [
      'of all types',
      [
        { type: 'Pod', max: { cpu: '2' }, min: { cpu: '1' }, maxLimitRequestRatio: { cpu: '2' } },
        { type: 'Container', max: { cpu: '1', 'a.com/b': '1' } },
        { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } },
        { type: 'a.com/Thing', max: { 'a.com/b': '1' } },
      ],
      [],
    ],
    [
      'of an unknown type, twice',
      [{ type: 'Some' }, { type: 'Some' }],
      [
        `Invalid ${at}.type: Invalid value: "Some": must be a standard limit type or fully qualified`,
        'Invalid spec.limits[1].type: Invalid value: "Some": must be a standard limit type or fully qualified',
        'Duplicate spec.limits[1].type: Duplicate value: "Some"',
      ],
    ],
    [
      'of unknown resources',
      [
        { type: 'Container', max: { storage: '1' } },
        { type: 'a.com/b', min: { some: '1' } },
      ],
      [
        `Invalid ${at}.max[storage]: Invalid value: "storage": must be a standard resource for containers`,
        `Invalid ${at}.default[storage]: Invalid value: "storage": must be a standard resource for containers`,
        `Invalid ${at}.defaultRequest[storage]: Invalid value: "storage": must be a standard resource for containers`,
        'Invalid spec.limits[1].min[some]: Invalid value: "some": must be a standard resource type or fully qualified',
      ],
    ],
    [
      'of pods with defaults',
      [{ type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '2' } }],
      [
        `Forbidden ${at}.default: Forbidden: may not be specified when \`type\` is 'Pod'`,
        `Forbidden ${at}.defaultRequest: Forbidden: may not be specified when \`type\` is 'Pod'`,
      ],
    ],
    [
      'of claims without storage',
      [{ type: 'PersistentVolumeClaim' }],
      [
        `Required ${at}.limits: Required value: either minimum or maximum storage value is required, but neither was provided`,
      ],
    ],
    [
      'with a least above the most',
      [{ type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } }],
      [`Invalid ${at}.min[cpu]: Invalid value: "2": min value 2 is greater than max value 1`],
    ],
    [
      'with defaults below the least',
      [
        {
          type: 'Container',
          min: { cpu: '3' },
          default: { cpu: '1' },
          defaultRequest: { cpu: '2' },
        },
      ],
      [
        `Invalid ${at}.defaultRequest[cpu]: Invalid value: "2": min value 3 is greater than default request value 2`,
        `Invalid ${at}.defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than default limit value 1`,
        `Invalid ${at}.default[cpu]: Invalid value: "3": min value 3 is greater than default value 1`,
      ],
    ],
    [
      'with defaults above the most',
      [
        {
          type: 'Container',
          max: { cpu: '1' },
          default: { cpu: '2' },
          defaultRequest: { cpu: '2' },
        },
      ],
      [
        `Invalid ${at}.defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than max value 1`,
        `Invalid ${at}.default[cpu]: Invalid value: "1": default value 2 is greater than max value 1`,
      ],
    ],
    [
      'with ratios',
      [
        {
          type: 'Pod',
          min: { memory: '2' },
          max: { memory: '3' },
          maxLimitRequestRatio: { cpu: '500m', memory: '2' },
        },
      ],
      [
        `Invalid ${at}.maxLimitRequestRatio[memory]: Invalid value: "2": ratio 2 is greater than max/min = 1.500000`,
        `Invalid ${at}.maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1`,
      ],
    ],
    [
      'with two defaults for what is not shared',
      [
        {
          type: 'Container',
          default: { 'hugepages-2Mi': '4Mi' },
          defaultRequest: { 'hugepages-2Mi': '2Mi' },
        },
      ],
      [
        `Invalid ${at}.default[hugepages-2Mi]: Invalid value: "4Mi": default value 4Mi must equal to defaultRequest value 2Mi in hugepages-2Mi`,
      ],
    ],
  ]
  for (const [name, limits, expected] of rows) {
    test(name, () => expect(problems(limitRanges, rangeOf(...limits))).toEqual(expected))
  }
})

describe('a create', () => {
  const rows: [name: string, metadata: object, expected: string | undefined][] = [
    ['without name', { uid: 'u' }, 'u'],
    ['with a name', { uid: 'u', name: 'n' }, 'n'],
    ['with the start of a name', { uid: 'u', generateName: 'n-' }, undefined],
  ]
  for (const [name, metadata, expected] of rows) {
    test(name, () => {
      const range = read(limitRanges, { metadata, spec: {} })
      limitRanges.prepareForCreate!(range, c)
      expect(range.metadata.name).toBe(expected)
    })
  }
})
