import { describe, expect, test } from 'vitest'
import { c, podOf, web } from './pod.fixture.ts'
import { pods } from './pod.ts'
import { podWarnings } from './warnings.ts'

/** Cells of Ready, Status and Restarts. */
const cells = (spec: object, status: object, metadata: object = {}): unknown[] => {
  const pod = podOf(spec, metadata, status)
  return ['Ready', 'Status', 'Restarts'].map((name) =>
    pods.columns!.find((one) => one.name === name)!.cell(pod, c),
  )
}
const status = (state: object, more: object = {}) => ({
  name: 'web',
  restartCount: 0,
  state,
  ...more,
})
const running = (more: object = {}) => status({ running: {} }, { ready: true, ...more })
const ended = (finishedAt: string) => ({ lastState: { terminated: { exitCode: 1, finishedAt } } })
const two = { containers: [web(), web({ name: 'b' })] }
const init = { initContainers: [web({ name: 'i' }), web({ name: 'j' })] }

describe('columns that sum up', () => {
  const rows: [
    name: string,
    spec: object,
    status: object,
    expected: unknown[],
    metadata?: object,
  ][] = [
    ['waiting for a node', {}, { phase: 'Pending' }, ['0/1', 'Pending', '0']],
    ['a reason', {}, { phase: 'Failed', reason: 'Evicted' }, ['0/1', 'Evicted', '0']],
    [
      'running',
      two,
      { phase: 'Running', containerStatuses: [running(), running()] },
      ['2/2', 'Running', '0'],
    ],
    [
      'one of two is ready',
      two,
      { phase: 'Running', containerStatuses: [running(), status({ running: {} })] },
      ['1/2', 'Running', '0'],
    ],
    [
      'ready but not running',
      {},
      { phase: 'Running', containerStatuses: [status({ waiting: {} }, { ready: true })] },
      ['0/1', 'Running', '0'],
    ],
    [
      'the first container has the last word',
      two,
      {
        phase: 'Pending',
        containerStatuses: [
          status({ waiting: { reason: 'A' } }),
          status({ waiting: { reason: 'B' } }),
        ],
      },
      ['0/2', 'A', '0'],
    ],
    [
      'a reason of its end',
      {},
      { containerStatuses: [status({ terminated: { exitCode: 1, reason: 'Error' } })] },
      ['0/1', 'Error', '0'],
    ],
    [
      'a signal',
      {},
      { containerStatuses: [status({ terminated: { exitCode: 1, signal: 9 } })] },
      ['0/1', 'Signal:9', '0'],
    ],
    [
      'an exit status',
      {},
      { containerStatuses: [status({ terminated: { exitCode: 3 } })] },
      ['0/1', 'ExitCode:3', '0'],
    ],
    [
      'one done, one running, ready',
      two,
      {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [
          status({ terminated: { exitCode: 0, reason: 'Completed' } }),
          running(),
        ],
      },
      ['1/2', 'Running', '0'],
    ],
    [
      'one done, one running, not ready',
      two,
      {
        phase: 'Running',
        containerStatuses: [
          status({ terminated: { exitCode: 0, reason: 'Completed' } }),
          running(),
        ],
      },
      ['1/2', 'NotReady', '0'],
    ],
    [
      'all done',
      {},
      {
        phase: 'Succeeded',
        containerStatuses: [status({ terminated: { exitCode: 0, reason: 'Completed' } })],
      },
      ['0/1', 'Completed', '0'],
    ],
    [
      'restarts',
      two,
      {
        phase: 'Running',
        containerStatuses: [
          running({ restartCount: 2, ...ended('2030-01-01T00:30:00Z') }),
          running({ restartCount: 3, ...ended('2030-01-01T00:55:00Z') }),
        ],
      },
      ['2/2', 'Running', '5 (5m ago)'],
    ],
    [
      'an init container runs',
      init,
      {
        phase: 'Pending',
        initContainerStatuses: [
          status({ terminated: { exitCode: 0 } }),
          status({ running: {} }, { restartCount: 4 }),
        ],
      },
      ['0/1', 'Init:1/2', '4'],
    ],
    [
      'an init container waits',
      init,
      {
        initContainerStatuses: [
          status({ waiting: { reason: 'ImagePullBackOff' } }),
          status({ waiting: {} }),
        ],
      },
      ['0/1', 'Init:ImagePullBackOff', '0'],
    ],
    [
      'an init container waits as usual',
      init,
      {
        initContainerStatuses: [status({ waiting: { reason: 'PodInitializing' } })],
        containerStatuses: [running()],
      },
      ['0/1', 'Init:0/2', '0'],
    ],
    [
      'an init container failed',
      init,
      { initContainerStatuses: [status({ terminated: { exitCode: 2 } })] },
      ['0/1', 'Init:ExitCode:2', '0'],
    ],
    [
      'an init container was killed',
      init,
      { initContainerStatuses: [status({ terminated: { exitCode: 2, signal: 15 } })] },
      ['0/1', 'Init:Signal:15', '0'],
    ],
    [
      'an init container failed for a reason',
      init,
      { initContainerStatuses: [status({ terminated: { exitCode: 2, reason: 'OOM' } })] },
      ['0/1', 'Init:OOM', '0'],
    ],
    [
      'init containers are done, and their last ends still count',
      init,
      {
        phase: 'Running',
        initContainerStatuses: [
          status(
            { terminated: { exitCode: 0 } },
            { restartCount: 9, ...ended('2030-01-01T00:00:00Z') },
          ),
        ],
        containerStatuses: [running({ restartCount: 1 })],
      },
      ['1/1', 'Running', '1 (60m ago)'],
    ],
    [
      'ending',
      {},
      { phase: 'Running', containerStatuses: [running()] },
      ['1/1', 'Terminating', '0'],
      { deletionTimestamp: '2030-01-01T00:00:00Z' },
    ],
    [
      'ending on a lost node',
      {},
      { phase: 'Running', reason: 'NodeLost' },
      ['0/1', 'Unknown', '0'],
      { deletionTimestamp: '2030-01-01T00:00:00Z' },
    ],
  ]
  for (const [name, spec, state, expected, metadata] of rows) {
    test(name, () => expect(cells(spec, state, metadata)).toEqual(expected))
  }
})

test('all columns, narrow and wide', () => {
  const row = (pod: ReturnType<typeof podOf>) =>
    pods.columns!.map(({ name, priority, cell }) => [name, priority, cell(pod, c)])
  expect(
    row(podOf({}, { creationTimestamp: '2030-01-01T00:00:00Z' }, { phase: 'Pending' })),
  ).toEqual([
    ['Name', 0, 'p'],
    ['Ready', 0, '0/1'],
    ['Status', 0, 'Pending'],
    ['Restarts', 0, '0'],
    ['Age', 0, '60m'],
    ['IP', 1, '<none>'],
    ['Node', 1, '<none>'],
    ['Nominated Node', 1, '<none>'],
    ['Readiness Gates', 1, '<none>'],
  ])
  const gates = [{ conditionType: 'a' }, { conditionType: 'b' }, { conditionType: 'c' }]
  const conditions = [
    { type: 'a', status: 'True' },
    { type: 'b', status: 'False' },
  ]
  const full = podOf(
    { nodeName: 'n1', readinessGates: gates },
    {},
    { podIPs: [{ ip: '::1' }], nominatedNodeName: 'n2', conditions },
  )
  expect(row(full).slice(5)).toEqual([
    ['IP', 1, '::1'],
    ['Node', 1, 'n1'],
    ['Nominated Node', 1, 'n2'],
    ['Readiness Gates', 1, '1/3'],
  ])
})

test('field selectors', () => {
  const pod = podOf(
    { nodeName: 'n' },
    {},
    { phase: 'Running', podIPs: [{ ip: '::1' }], nominatedNodeName: 'm' },
  )
  expect(Object.entries(pods.selectable!).map(([label, value]) => [label, value(pod)])).toEqual([
    ['spec.nodeName', 'n'],
    ['spec.restartPolicy', 'Always'],
    ['spec.schedulerName', 'default-scheduler'],
    ['spec.serviceAccountName', 'default'],
    ['status.phase', 'Running'],
    ['status.podIP', '::1'],
    ['status.podIPs', undefined],
    ['status.nominatedNodeName', 'm'],
  ])
  expect(pods.selectableAliases).toEqual({ 'spec.host': 'spec.nodeName' })
})

describe('seconds to end in', () => {
  const rows: [
    name: string,
    spec: object,
    phase: string,
    requested: number | undefined,
    seconds: number,
  ][] = [
    ['those of the pod', { nodeName: 'n' }, 'Running', undefined, 30],
    ['those of the request', { nodeName: 'n' }, 'Running', 5, 5],
    ['at once', { nodeName: 'n' }, 'Running', 0, 0],
    ['below zero counts as one', { nodeName: 'n' }, 'Running', -1, 1],
    [
      'below zero in the pod too',
      { nodeName: 'n', terminationGracePeriodSeconds: -3 },
      'Running',
      undefined,
      1,
    ],
    ['none without a node', {}, 'Pending', 60, 0],
    ['none after failure', { nodeName: 'n' }, 'Failed', 60, 0],
    ['none after success', { nodeName: 'n' }, 'Succeeded', undefined, 0],
  ]
  for (const [name, spec, phase, requested, seconds] of rows) {
    test(name, () => expect(pods.grace!(podOf(spec, {}, { phase }), requested)).toBe(seconds))
  }
})

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

describe('warnings', () => {
  const zone = 'failure-domain.beta.orch.io/zone'
  const use = 'deprecated since v1.17; use "topology.orch.io/zone" instead'
  const term = { matchExpressions: [{ key: zone, operator: 'Exists' }] }
  const rows: [name: string, spec: object, expected: string[], annotations?: object][] = [
    ['nothing to say', {}, []],
    [
      'old labels in a node selector',
      { nodeSelector: { 'beta.orch.io/os': 'linux', a: 'b' } },
      ['spec.nodeSelector[beta.orch.io/os]: deprecated since v1.14; use "orch.io/os" instead'],
    ],
    [
      'old labels in node affinity',
      {
        affinity: {
          nodeAffinity: {
            [REQUIRED]: { nodeSelectorTerms: [term] },
            [PREFERRED]: [{ weight: 1, preference: term }],
          },
        },
      },
      [
        `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].key: ${zone} is ${use}`,
        `spec.affinity.nodeAffinity.${PREFERRED}[0].preference.matchExpressions[0].key: ${zone} is ${use}`,
      ],
    ],
    [
      'old labels as places',
      {
        affinity: {
          podAffinity: { [REQUIRED]: [{ topologyKey: zone }] },
          podAntiAffinity: { [PREFERRED]: [{ weight: 1, podAffinityTerm: { topologyKey: zone } }] },
        },
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: zone, whenUnsatisfiable: 'DoNotSchedule' },
        ],
      },
      [
        `spec.affinity.podAffinity.${REQUIRED}[0].topologyKey: ${zone} is ${use}`,
        `spec.affinity.podAntiAffinity.${PREFERRED}[0].podAffinityTerm.topologyKey: ${zone} is ${use}`,
        `spec.topologySpreadConstraints[0].topologyKey: ${zone} is ${use}`,
      ],
    ],
    [
      'old annotations',
      {},
      [
        'metadata.annotations[scheduler.alpha.orch.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
        'metadata.annotations[security.alpha.orch.io/sysctls]: non-functional in v1.11+; use the "sysctls" field instead',
        'metadata.annotations[security.alpha.orch.io/unsafe-sysctls]: non-functional in v1.11+; use the "sysctls" field instead',
      ],
      {
        'scheduler.alpha.orch.io/critical-pod': '',
        'security.alpha.orch.io/sysctls': 'a=b',
        'security.alpha.orch.io/unsafe-sysctls': 'a=b',
      },
    ],
    [
      'a filter as annotation',
      {},
      [
        'metadata.annotations[seccomp.security.alpha.orch.io/pod]: deprecated since v1.19, non-functional in a future release; use the "seccompProfile" field instead',
      ],
      { 'seccomp.security.alpha.orch.io/pod': 'unconfined' },
    ],
    [
      'a filter as annotation and field',
      { securityContext: { seccompProfile: { type: 'Unconfined' } } },
      [],
      { 'seccomp.security.alpha.orch.io/pod': 'unconfined' },
    ],
    [
      'things twice',
      {
        hostAliases: [{ ip: '::1' }, { ip: '::1' }],
        imagePullSecrets: [{ name: 'a' }, {}, { name: 'a' }],
        volumes: [{ name: 'v' }, { name: 'v' }],
        containers: [web({ env: [{ name: 'A' }, { name: 'A' }] })],
      },
      [
        'spec.hostAliases[1].ip: duplicate ip "::1"',
        'spec.imagePullSecrets[1].name: invalid empty name ""',
        'spec.imagePullSecrets[2].name: duplicate name "a"',
        'spec.volumes[1].name: duplicate name "v"',
        'spec.containers[0].env[1].name: duplicate name "A"',
      ],
    ],
    [
      'old volumes',
      { volumes: [{ name: 'v', gitRepo: { repository: 'r' } }] },
      ['spec.volumes[0].gitRepo: deprecated in v1.11'],
    ],
    [
      'parts of bytes',
      {
        volumes: [{ name: 'v', emptyDir: { sizeLimit: '1500m' } }],
        overhead: { memory: '100m', cpu: '100m' },
        initContainers: [
          web({ name: 'i', resources: { requests: { 'ephemeral-storage': '500m' } } }),
        ],
      },
      [
        'spec.volumes[0].emptyDir.sizeLimit: fractional byte value "1500m" is invalid, must be an integer',
        'spec.overhead[memory]: fractional byte value "100m" is invalid, must be an integer',
        'spec.initContainers[0].resources.requests[ephemeral-storage]: fractional byte value "500m" is invalid, must be an integer',
      ],
    ],
  ]
  for (const [name, spec, expected, annotations] of rows) {
    test(name, () => expect(pods.warn!(podOf(spec, { annotations }), null, c)).toEqual(expected))
  }
  test('an update warns of nothing', () => {
    const pod = podOf({ nodeSelector: { 'beta.orch.io/os': 'linux' } })
    expect(pods.warn!(pod, pod, c)).toEqual([])
  })
  test('a template says where it is', () => {
    const pod = podOf({ nodeSelector: { 'beta.orch.io/os': 'linux' } })
    expect(podWarnings(pod, c, 'spec.template')).toEqual([
      'spec.template.spec.nodeSelector[beta.orch.io/os]: deprecated since v1.14; use "orch.io/os" instead',
    ])
  })
})
