import { describe, expect, test } from 'vitest'
import { kubernetes } from '../../../vocabulary/kubernetes.ts'
import { orch } from '../../../vocabulary/orch.ts'
import { labelledPolicy, levelText, MODES, versionOf, type Policy } from './policy.ts'

describe('versions', () => {
  for (const [text, version] of [
    ['latest', 'latest'],
    ['v1.0', 0],
    ['v1.25', 25],
    ['v1.100', 100],
    ['v1.01', null],
    ['v1', null],
    ['1.25', null],
    ['v1.25.1', null],
    ['v2.0', null],
    ['Latest', null],
    ['', null],
  ] as const) {
    test(JSON.stringify(text), () => expect(versionOf(text)).toBe(version))
  }
})

const DEFAULTS: Policy = {
  enforce: { level: 'baseline', version: 'latest' },
  audit: { level: 'restricted', version: 20 },
  warn: { level: 'privileged', version: 'latest' },
}
const MUST = 'must be one of privileged, baseline, restricted'

describe('policies of labels', () => {
  const prefix = 'pod-security.kubernetes.io'
  for (const { name, labels, policy, errors = [] } of [
    {
      name: 'no labels',
      labels: { app: 'x' },
      policy: ['baseline:latest', 'restricted:v1.20', 'privileged:latest'],
    },
    {
      name: 'all labels',
      labels: {
        [`${prefix}/enforce`]: 'privileged',
        [`${prefix}/enforce-version`]: 'v1.30',
        [`${prefix}/audit`]: 'baseline',
        [`${prefix}/audit-version`]: 'latest',
        [`${prefix}/warn`]: 'restricted',
        [`${prefix}/warn-version`]: 'v1.0',
      },
      policy: ['privileged:v1.30', 'baseline:latest', 'restricted:v1.0'],
    },
    {
      name: 'a version alone',
      labels: { [`${prefix}/enforce-version`]: 'v1.8' },
      policy: ['baseline:v1.8', 'restricted:v1.20', 'privileged:latest'],
    },
    {
      name: 'invalid ones: enforcing is strict, the others are not',
      labels: {
        [`${prefix}/enforce`]: 'x',
        [`${prefix}/enforce-version`]: 'v1',
        [`${prefix}/audit`]: '',
        [`${prefix}/audit-version`]: '',
        [`${prefix}/warn`]: 'Baseline',
        [`${prefix}/warn-version`]: 'v1.25.0',
      },
      policy: ['restricted:latest', 'privileged:latest', 'privileged:latest'],
      errors: [
        [`metadata.labels[${prefix}/enforce]`, `Invalid value: "x": ${MUST}`],
        [
          `metadata.labels[${prefix}/enforce-version]`,
          'Invalid value: "v1": must be "latest" or "v1.x"',
        ],
        [`metadata.labels[${prefix}/audit]`, `Invalid value: "": ${MUST}`],
        [
          `metadata.labels[${prefix}/audit-version]`,
          'Invalid value: "": must be "latest" or "v1.x"',
        ],
        [`metadata.labels[${prefix}/warn]`, `Invalid value: "Baseline": ${MUST}`],
        [
          `metadata.labels[${prefix}/warn-version]`,
          'Invalid value: "v1.25.0": must be "latest" or "v1.x"',
        ],
      ],
    },
    {
      name: 'labels of the other vocabulary mean nothing',
      labels: { 'pod-security.orch.io/enforce': 'x' },
      policy: ['baseline:latest', 'restricted:v1.20', 'privileged:latest'],
    },
  ] as { name: string; labels: Record<string, string>; policy: string[]; errors?: string[][] }[]) {
    test(name, () => {
      const found = labelledPolicy(labels, DEFAULTS, kubernetes)
      expect(MODES.map((mode) => levelText(found.policy[mode]))).toEqual(policy)
      expect(found.errors.list.map(({ field, message }) => [field, message])).toEqual(errors)
    })
  }

  test('the labels of the vocabulary orch', () => {
    const labels = { 'pod-security.orch.io/warn': 'restricted' }
    expect(labelledPolicy(labels, DEFAULTS, orch).policy.warn.level).toBe('restricted')
  })
})
