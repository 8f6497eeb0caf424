import { describe } from 'vitest'
import { LABEL, QUALIFIED, LABEL_VALUE } from './messages.fixture.ts'
import { specTable } from './tables.fixture.ts'

describe('tolerations', () => {
  specTable([
    [
      'all forms',
      {
        tolerations: [
          { operator: 'Exists' },
          { key: 'a/b', value: 'c', effect: 'NoExecute', tolerationSeconds: -1 },
          { key: 'a', operator: 'Equal', effect: 'NoSchedule' },
        ],
      },
      [],
    ],
    [
      'a bad key',
      { tolerations: [{ key: 'a b' }] },
      [`Invalid @.tolerations[0].key: Invalid value: "a b": ${QUALIFIED}`],
    ],
    [
      'no key',
      { tolerations: [{ value: 'a' }] },
      [
        'Invalid @.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ],
    ],
    [
      'seconds without eviction',
      { tolerations: [{ key: 'a', effect: 'NoSchedule', tolerationSeconds: 1 }] },
      [
        `Invalid @.tolerations[0].effect: Invalid value: "NoSchedule": effect must be 'NoExecute' when \`tolerationSeconds\` is set`,
      ],
    ],
    [
      'a bad value',
      { tolerations: [{ key: 'a', value: 'b c' }] },
      [`Invalid @.tolerations[0].operator: Invalid value: "b c": ${LABEL_VALUE}`],
    ],
    [
      'a value that is not looked at',
      { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] },
      [
        `Invalid @.tolerations[0].operator: Invalid value: "b": value must be empty when \`operator\` is 'Exists'`,
      ],
    ],
    [
      'unknown words',
      { tolerations: [{ key: 'a', operator: 'x', effect: 'y' }] },
      [
        'NotSupported @.tolerations[0].operator: Unsupported value: "x": supported values: "Equal", "Exists"',
        'NotSupported @.tolerations[0].effect: Unsupported value: "y": supported values: "NoExecute", "NoSchedule", "PreferNoSchedule"',
      ],
    ],
  ])
})

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

describe('placing', () => {
  const affinity = (one: object) => ({ affinity: one })
  const spread = (...list: object[]) => ({
    topologySpreadConstraints: list.map((one) => ({
      maxSkew: 1,
      topologyKey: 'a',
      whenUnsatisfiable: 'DoNotSchedule',
      ...one,
    })),
  })
  const term = { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }
  specTable([
    [
      'all kinds',
      affinity({
        nodeAffinity: {
          [REQUIRED]: { nodeSelectorTerms: [term] },
          [PREFERRED]: [{ weight: 1, preference: term }],
        },
        podAffinity: { [REQUIRED]: [{ topologyKey: 'a', labelSelector: {}, namespaces: ['n'] }] },
        podAntiAffinity: { [PREFERRED]: [{ weight: 100, podAffinityTerm: { topologyKey: 'a' } }] },
      }),
      [],
    ],
    [
      'no term',
      affinity({ nodeAffinity: { [REQUIRED]: {} } }),
      [
        `Required @.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms: Required value: must have at least one node selector term`,
      ],
    ],
    [
      'bad wishes',
      affinity({
        nodeAffinity: {
          [PREFERRED]: [
            { weight: 0, preference: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
          ],
        },
      }),
      [
        `Invalid @.affinity.nodeAffinity.${PREFERRED}[0].weight: Invalid value: 0: must be in the range 1-100`,
        `Required @.affinity.nodeAffinity.${PREFERRED}[0].preference.matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
      ],
    ],
    [
      'a bad pod term',
      affinity({
        podAffinity: {
          [REQUIRED]: [
            {
              labelSelector: { matchExpressions: [{ key: 'a', operator: 'x' }] },
              namespaceSelector: { matchLabels: { a: 'b c' } },
              namespaces: ['N'],
            },
          ],
        },
      }),
      [
        `Invalid @.affinity.podAffinity.${REQUIRED}[0].labelSelector.matchExpressions[0].operator: Invalid value: "x": not a valid selector operator`,
        `Invalid @.affinity.podAffinity.${REQUIRED}[0].namespaceSelector.matchLabels: Invalid value: "b c": ${LABEL_VALUE}`,
        `Invalid @.affinity.podAffinity.${REQUIRED}[0].namespaces[0]: Invalid value: "N": ${LABEL}`,
        `Required @.affinity.podAffinity.${REQUIRED}[0].topologyKey: Required value: can not be empty`,
      ],
    ],
    [
      'a bad wish about pods',
      affinity({
        podAntiAffinity: {
          [PREFERRED]: [{ weight: 101, podAffinityTerm: { topologyKey: 'a b' } }],
        },
      }),
      [
        `Invalid @.affinity.podAntiAffinity.${PREFERRED}[0].weight: Invalid value: 101: must be in the range 1-100`,
        `Invalid @.affinity.podAntiAffinity.${PREFERRED}[0].podAffinityTerm.topologyKey: Invalid value: "a b": ${QUALIFIED}`,
      ],
    ],
    ['spreading', spread({ minDomains: 2 }, { whenUnsatisfiable: 'ScheduleAnyway' }), []],
    [
      'no skew, no place',
      spread({ maxSkew: 0, topologyKey: '' }),
      [
        'Invalid @.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
        'Required @.topologySpreadConstraints[0].topologyKey: Required value: can not be empty',
      ],
    ],
    [
      'unknown words',
      spread({ whenUnsatisfiable: '' }, { nodeAffinityPolicy: 'x', nodeTaintsPolicy: 'y' }),
      [
        'NotSupported @.topologySpreadConstraints[1].nodeAffinityPolicy: Unsupported value: "x": supported values: "Honor", "Ignore"',
        'NotSupported @.topologySpreadConstraints[1].nodeTaintsPolicy: Unsupported value: "y": supported values: "Honor", "Ignore"',
        'NotSupported @.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"',
      ],
    ],
    [
      'the same twice',
      spread({}, { maxSkew: 2 }),
      [
        'Duplicate @.topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}: Duplicate value: "{a, DoNotSchedule}"',
      ],
    ],
    [
      'few places',
      spread({ minDomains: 0, whenUnsatisfiable: 'ScheduleAnyway' }),
      [
        'Invalid @.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than zero',
        'Invalid @.topologySpreadConstraints[0].minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
      ],
    ],
    [
      'own labels without a selector',
      spread({ matchLabelKeys: ['a'] }),
      [
        'Forbidden @.topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
      ],
    ],
    [
      'own labels that are selected already',
      spread({ matchLabelKeys: ['a', 'b'], labelSelector: { matchLabels: { a: 'x' } } }),
      [
        'Invalid @.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
      ],
    ],
  ])
})
