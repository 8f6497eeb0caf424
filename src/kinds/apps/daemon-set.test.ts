import { describe, expect, test } from 'vitest'
import { c, filledTemplate, kit, selector, template } from './apps.fixture.ts'
import { daemonSets } from './daemon-set.ts'

const { of, problems, changes, created, updated, statusProblems, statusPart, cells } = kit(
  daemonSets,
  {
    metadata: { name: 'd', namespace: 'n' },
    spec: { selector, template: template() },
  },
)

const KEY = 'deprecated.daemonset.template.generation'
const NEGATIVE = 'must be greater than or equal to 0'
const MISMATCH = '`selector` does not match template `labels`'
const UPDATE = 'spec.updateStrategy.rollingUpdate'
const annotated = (text: string) => ({ metadata: { annotations: { [KEY]: text } } })
const noNodes = {
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
}

test('what is left out is filled', () => {
  expect(of()).toEqual({
    metadata: { name: 'd', namespace: 'n' },
    spec: {
      selector,
      template: filledTemplate,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
    },
    status: noNodes,
  })
})

describe('the strategy is filled', () => {
  for (const [given, filled] of [
    [{ type: 'OnDelete' }, { type: 'OnDelete' }],
    [
      { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    ],
    [
      { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } },
      { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%', maxSurge: 0 } },
    ],
  ] as const) {
    test(JSON.stringify(given), () => {
      expect(of({ spec: { updateStrategy: given } }).spec.updateStrategy).toEqual(filled)
    })
  }
})

describe('the generation of the template', () => {
  for (const [given, kept] of [
    [{}, '1'],
    [annotated('-3'), '1'],
    [annotated('0'), '1'],
    [annotated('+07'), '7'],
  ] as const) {
    test(`on create, ${JSON.stringify(given)}`, () => {
      expect(created(of(given)).metadata.annotations).toEqual({ [KEY]: kept })
    })
  }
  for (const [name, change, kept, generation] of [
    ['nothing changes', {}, '4', 9],
    ['what is sent does not count', annotated('8'), '4', 9],
    ['the template changes', { spec: { template: { metadata: { labels: { a: 'b' } } } } }, '5', 10],
    ['the rest of the spec changes', { spec: { minReadySeconds: 1 } }, '4', 10],
    ['a label changes', { metadata: { labels: { a: 'b' } } }, '4', 9],
  ] as const) {
    test(name, () => {
      const old = of({ metadata: { generation: 9 } }, annotated('4'))
      const next = updated(of({ metadata: { generation: 9 } }, change), old)
      expect(next.metadata.annotations).toEqual({ [KEY]: kept })
      expect(next.metadata.generation).toBe(generation)
    })
  }
  test('a write of the status keeps it', () => {
    const next = of(annotated('7'))
    statusPart().prepareForUpdate!(next, of(annotated('4')), c)
    expect(next.metadata.annotations).toEqual({ [KEY]: '4' })
  })
  test('it is an integer', () => {
    expect(() => of(annotated('two'))).toThrow(
      `metadata.annotations.${KEY}: expected a 64-bit integer as text, found "two"`,
    )
  })
})

test('a create starts afresh', () => {
  const { metadata, status } = created(of({ status: { ...noNodes, numberReady: 3 } }))
  expect([metadata.generation, status]).toEqual([1, noNodes])
})

describe('violations', () => {
  const rolling = (rollingUpdate: object) => ({ updateStrategy: { rollingUpdate } })
  const table: readonly [name: string, spec: object, expected: readonly string[]][] = [
    ['none', {}, []],
    [
      'negative numbers',
      { minReadySeconds: -1, revisionHistoryLimit: -1 },
      [
        `Invalid spec.minReadySeconds: Invalid value: -1: ${NEGATIVE}`,
        `Invalid spec.revisionHistoryLimit: Invalid value: -1: ${NEGATIVE}`,
      ],
    ],
    [
      'no selector',
      { selector: undefined },
      [`Invalid spec.template.metadata.labels: Invalid value: {"app":"web"}: ${MISMATCH}`],
    ],
    [
      'an empty selector',
      { selector: { matchLabels: undefined } },
      ['Invalid spec.selector: Invalid value: {}: empty selector is invalid for daemonset'],
    ],
    [
      'a selector with an unknown operator',
      { selector: { matchExpressions: [{ key: 'app', operator: 'Like' }] } },
      [
        'Invalid spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
      ],
    ],
    [
      'the wrong template',
      {
        template: {
          spec: {
            volumes: [{ name: 'v', gcePersistentDisk: { pdName: 'd' } }],
            restartPolicy: 'Never',
            activeDeadlineSeconds: 5,
          },
        },
      },
      [
        'Invalid spec.template.spec.volumes[0].gcePersistentDisk.readOnly: Invalid value: false: must be true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is read-only',
        'NotSupported spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        'Forbidden spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported',
      ],
    ],
    [
      'ephemeral containers',
      { template: { spec: { ephemeralContainers: [{ name: 'e', image: 'e' }] } } },
      [
        'Forbidden spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template',
      ],
    ],
    [
      'another strategy',
      { updateStrategy: { type: 'Recreate' } },
      [
        'NotSupported spec.updateStrategy: Unsupported value: {"type":"Recreate"}: supported values: "RollingUpdate", "OnDelete"',
      ],
    ],
    ['steps without need', { updateStrategy: { type: 'OnDelete', rollingUpdate: {} } }, []],
    ['surge', rolling({ maxUnavailable: '0%', maxSurge: '100%' }), []],
    [
      'both',
      rolling({ maxSurge: 1 }),
      [
        `Invalid ${UPDATE}.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero`,
      ],
    ],
    [
      'neither',
      rolling({ maxUnavailable: 0 }),
      [`Required ${UPDATE}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`],
    ],
    [
      'all and more',
      rolling({ maxUnavailable: '101%', maxSurge: '102%' }),
      [
        `Invalid ${UPDATE}.maxUnavailable: Invalid value: "101%": must not be greater than 100%`,
        `Invalid ${UPDATE}.maxSurge: Invalid value: "102%": must not be greater than 100%`,
        `Invalid ${UPDATE}.maxSurge: Invalid value: "102%": may not be set when maxUnavailable is non-zero`,
      ],
    ],
    [
      'no amounts',
      rolling({ maxUnavailable: 'x', maxSurge: -1 }),
      [
        `Invalid ${UPDATE}.maxUnavailable: Invalid value: "x": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
        `Invalid ${UPDATE}.maxSurge: Invalid value: -1: ${NEGATIVE}`,
      ],
    ],
  ]
  for (const [name, spec, expected] of table) {
    test(name, () => {
      expect(problems(of({ spec }))).toEqual(expected)
    })
  }
})

test('the selector cannot change', () => {
  const next = of({ spec: { selector: { matchLabels: { tier: 'x' } } } })
  expect(changes(next, of())).toEqual([
    'Invalid spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"web", "tier":"x"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
  ])
})

describe('violations of the status', () => {
  for (const [status, old, expected] of [
    [{ ...noNodes, numberReady: 5 }, {}, []],
    [
      {
        currentNumberScheduled: -1,
        numberMisscheduled: -1,
        desiredNumberScheduled: -1,
        numberReady: -1,
        observedGeneration: -1,
        updatedNumberScheduled: -1,
        numberAvailable: -1,
        numberUnavailable: -1,
        collisionCount: -1,
      },
      {},
      [
        'currentNumberScheduled',
        'numberMisscheduled',
        'desiredNumberScheduled',
        'numberReady',
        'observedGeneration',
        'updatedNumberScheduled',
        'numberAvailable',
        'numberUnavailable',
        'collisionCount',
      ].map((name) => `Invalid status.${name}: Invalid value: -1: ${NEGATIVE}`),
    ],
    [
      { collisionCount: 1 },
      { collisionCount: 2 },
      ['Invalid status.collisionCount: Invalid value: 1: cannot be decremented'],
    ],
  ] as const) {
    test(JSON.stringify(status), () => {
      expect(statusProblems(of({ status }), of({ status: old }))).toEqual(expected)
    })
  }
})

test('warnings', () => {
  const spec = { template: { spec: { imagePullSecrets: [{}] } } }
  const text = 'spec.template.spec.imagePullSecrets[0].name: invalid empty name ""'
  const next = of({ spec }, annotated('2'))
  expect(daemonSets.warn!(next, null, c)).toEqual([text])
  expect(daemonSets.warn!(next, of(annotated('1')), c)).toEqual([text])
  expect(daemonSets.warn!(next, of(annotated('2')), c)).toEqual([])
})

test('cells', () => {
  expect(cells(of())).toEqual([
    'd',
    0,
    0,
    0,
    0,
    0,
    '<none>',
    '<unknown>',
    'web',
    'web:1',
    'app=web',
  ])
  const running = of({
    spec: { template: { spec: { nodeSelector: { b: '2', a: '1' } } } },
    status: {
      desiredNumberScheduled: 5,
      currentNumberScheduled: 4,
      numberReady: 3,
      updatedNumberScheduled: 2,
      numberAvailable: 1,
    },
  })
  expect(cells(running).slice(1, 7)).toEqual([5, 4, 3, 2, 1, 'a=1,b=2'])
})
