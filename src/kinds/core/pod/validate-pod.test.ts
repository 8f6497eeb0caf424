import { describe, expect, test } from 'vitest'
import { codecOf, Decoding } from '../../../schema/codec.ts'
import { FieldErrors } from '../../../schema/field-errors.ts'
import { c, context, podOf, privileged, problems, web } from './pod.fixture.ts'
import { fillPodTemplate } from './defaults.ts'
import { PodTemplateSpec } from './pod-template.ts'
import { validatePodTemplate } from './validate-pod-template.ts'

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const QUALIFIED =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const IDS = 'must be between 0 and 2147483647, inclusive'

type Row = readonly [name: string, spec: object, expected: readonly string[]]

/** In expected texts `@` is the spec. */
function table(rows: readonly Row[], hooks = c): void {
  for (const [name, spec, expected] of rows) {
    test(name, () => {
      expect(problems(podOf(spec), hooks)).toEqual(
        expected.map((text) => text.replace('@', 'spec')),
      )
    })
  }
}

describe('the spec', () => {
  table([
    ['a small pod is fine', {}, []],
    ['no containers', { containers: [] }, ['Required @.containers: Required value']],
    [
      'a name in two lists',
      { initContainers: [web()] },
      ['Duplicate @.initContainers[0].name: Duplicate value: "web"'],
    ],
    [
      'words outside the lists',
      { restartPolicy: 'x', dnsPolicy: 'y', preemptionPolicy: 'z' },
      [
        'NotSupported @.restartPolicy: Unsupported value: "x": supported values: "Always", "Never", "OnFailure"',
        'NotSupported @.dnsPolicy: Unsupported value: "y": supported values: "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"',
        'NotSupported @.preemptionPolicy: Unsupported value: "z": supported values: "Never", "PreemptLowerPriority"',
      ],
    ],
    ['an empty policy', { preemptionPolicy: '' }, ['Required @.preemptionPolicy: Required value']],
    [
      'a bad node selector',
      { nodeSelector: { 'a b': 'c' } },
      [`Invalid @.nodeSelector: Invalid value: "a b": ${QUALIFIED}`],
    ],
    [
      'names of objects',
      { serviceAccountName: 'A', nodeName: 'B', priorityClassName: 'C', runtimeClassName: '' },
      [
        `Invalid @.serviceAccountName: Invalid value: "A": ${SUBDOMAIN}`,
        `Invalid @.nodeName: Invalid value: "B": ${SUBDOMAIN}`,
        `Invalid @.priorityClassName: Invalid value: "C": ${SUBDOMAIN}`,
        `Invalid @.runtimeClassName: Invalid value: "": ${SUBDOMAIN}`,
      ],
    ],
    [
      'a deadline of no time',
      { activeDeadlineSeconds: 0 },
      [
        'Invalid @.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
      ],
    ],
    [
      'host names are labels',
      { hostname: 'a.b', subdomain: 'C' },
      [
        `Invalid @.hostname: Invalid value: "a.b": ${LABEL}`,
        `Invalid @.subdomain: Invalid value: "C": ${LABEL}`,
      ],
    ],
    [
      'a bad readiness gate',
      { readinessGates: [{ conditionType: 'a b' }] },
      [`Invalid @.readinessGates[0].conditionType: Invalid value: "a b": ${QUALIFIED}`],
    ],
    [
      'lines of the hosts file',
      { hostAliases: [{ ip: 'x', hostnames: ['A', 'b'] }] },
      [
        `Invalid @.hostAliases.ip: Invalid value: "x": ${IP}`,
        `Invalid @.hostAliases.hostnames: Invalid value: "A": ${SUBDOMAIN}`,
      ],
    ],
    [
      'overhead is like limits',
      { overhead: { disk: '1' } },
      [
        'Invalid @.overhead.limits[disk]: Invalid value: "disk": must be a standard resource type or fully qualified',
        'Invalid @.overhead.limits[disk]: Invalid value: "disk": must be a standard resource for containers',
      ],
    ],
    [
      'a volume twice',
      { volumes: [{ name: 'v' }, { name: 'v' }] },
      ['Duplicate @.volumes[1].name: Duplicate value: "v"'],
    ],
    [
      'a token without an account',
      {
        serviceAccountName: '',
        volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }],
      },
      [
        'Forbidden @.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set',
      ],
    ],
  ])
})

describe('resolver', () => {
  const many = (n: number) => Array.from({ length: n }, (_, i) => `a${i}`)
  table([
    [
      'all settings',
      {
        dnsPolicy: 'None',
        dnsConfig: {
          nameservers: ['1.1.1.1', '::1'],
          searches: ['a.b.'],
          options: [{ name: 'n', value: '' }],
        },
      },
      [],
    ],
    [
      'no settings at all',
      { dnsPolicy: 'None' },
      ['Required @.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
    ],
    [
      'no server',
      { dnsPolicy: 'None', dnsConfig: {} },
      [
        'Required @.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None',
      ],
    ],
    [
      'too many servers',
      { dnsConfig: { nameservers: ['::1', '::2', '::3', '::4'] } },
      [
        'Invalid @.dnsConfig.nameservers: Invalid value: ["::1","::2","::3","::4"]: must not have more than 3 nameservers',
      ],
    ],
    [
      'no address, no name',
      { dnsConfig: { nameservers: ['a'], searches: ['A.'], options: [{}] } },
      [
        `Invalid @.dnsConfig.nameservers[0]: Invalid value: "a": ${IP}`,
        `Invalid @.dnsConfig.searches[0]: Invalid value: "A.": ${SUBDOMAIN}`,
        'Required @.dnsConfig.options[0]: Required value: must not be empty',
      ],
    ],
    [
      'too many domains',
      { dnsConfig: { searches: many(7) } },
      [
        'Invalid @.dnsConfig.searches: Invalid value: ["a0","a1","a2","a3","a4","a5","a6"]: must not have more than 6 search paths',
      ],
    ],
    [
      'too long domains',
      { dnsConfig: { searches: ['a'.repeat(200), 'b'.repeat(56)] } },
      [
        `Invalid @.dnsConfig.searches: Invalid value: ["${'a'.repeat(200)}","${'b'.repeat(56)}"]: must not have more than 256 characters (including spaces) in the search list`,
      ],
    ],
  ])
  describe('with wide limits', () => {
    table([['32 domains', { dnsConfig: { searches: many(32) } }, []]], context('ExpandedDNSConfig'))
  })
})

describe('tolerations', () => {
  table([
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
  table([
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

const podContext = (securityContext: object) => ({ securityContext })

describe('security settings of the pod', () => {
  table([
    [
      'ids',
      podContext({ runAsUser: -1, runAsGroup: -2, fsGroup: -3, supplementalGroups: [0, -4] }),
      [
        `Invalid @.securityContext.fsGroup: Invalid value: -3: ${IDS}`,
        `Invalid @.securityContext.runAsUser: Invalid value: -1: ${IDS}`,
        `Invalid @.securityContext.runAsGroup: Invalid value: -2: ${IDS}`,
        `Invalid @.securityContext.supplementalGroups[1]: Invalid value: -4: ${IDS}`,
      ],
    ],
    [
      'the processes of the host and of each other',
      { hostPID: true, shareProcessNamespace: true },
      [
        'Invalid @.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled',
      ],
    ],
    [
      'kernel settings',
      podContext({
        sysctls: [
          { name: 'a.b_c/d', value: '1' },
          { name: 'a/b', value: '2' },
        ],
      }),
      [],
    ],
    [
      'bad kernel settings',
      podContext({
        sysctls: [
          { name: '', value: '' },
          { name: 'A', value: '' },
          { name: 'a', value: '' },
          { name: 'a', value: '' },
        ],
      }),
      [
        'Required @.securityContext.sysctls[0].name: Required value',
        'Invalid @.securityContext.sysctls[1].name: Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
        'Duplicate @.securityContext.sysctls[3].name: Duplicate value: "a"',
      ],
    ],
    [
      'an unknown policy',
      podContext({ fsGroupChangePolicy: 'x' }),
      [
        'NotSupported @.securityContext.fsGroupChangePolicy: Unsupported value: "x": supported values: "Always", "OnRootMismatch"',
      ],
    ],
    [
      'a filter file that goes up',
      podContext({ seccompProfile: { type: 'Localhost', localhostProfile: '../a' } }),
      [
        `Invalid @.securityContext.seccompProfile.localhostProfile: Invalid value: "../a": must not contain '..'`,
      ],
    ],
  ])
})

describe('operating systems', () => {
  const host = (hostProcess: boolean) => ({ windowsOptions: { hostProcess } })
  table([
    ['linux', { os: { name: 'linux' }, hostPID: true }, []],
    ['none', { os: {} }, ['Required @.os.name: Required value: cannot be empty']],
    [
      'another',
      { os: { name: 'plan9' } },
      ['NotSupported @.os: Unsupported value: "plan9": supported values: "linux", "windows"'],
    ],
    [
      'linux with settings for Windows',
      {
        os: { name: 'linux' },
        securityContext: { windowsOptions: {} },
        containers: [web({ securityContext: { windowsOptions: {} } })],
      },
      [
        'Forbidden @.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
        'Forbidden @.containers[0].securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
      ],
    ],
    [
      'Windows with settings for linux',
      {
        os: { name: 'windows' },
        hostIPC: true,
        securityContext: { fsGroup: 1, sysctls: [{ name: 'a', value: '' }] },
        initContainers: [web({ name: 'i', securityContext: { readOnlyRootFilesystem: false } })],
        containers: [web({ securityContext: { runAsUser: 1 } })],
      },
      [
        'Forbidden @.hostIPC: Forbidden: cannot be set for a windows pod',
        'Forbidden @.securityContext.fsGroup: Forbidden: cannot be set for a windows pod',
        'Forbidden @.securityContext.sysctls: Forbidden: cannot be set for a windows pod',
        'Forbidden @.initContainers[0].securityContext.readOnlyRootFilesystem: Forbidden: cannot be set for a windows pod',
        'Forbidden @.containers[0].securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
      ],
    ],
    [
      'one process of the host among others',
      {
        securityContext: {},
        containers: [web({ securityContext: host(true) }), web({ name: 'b' })],
      },
      [
        'Invalid @: Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
        'Invalid @.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers',
        'Forbidden @: Forbidden: hostProcess containers are disallowed by cluster policy',
      ],
    ],
    [
      'pod and container disagree',
      { securityContext: host(true), containers: [web({ securityContext: host(false) })] },
      [
        'Invalid @.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: false: pod hostProcess value must be identical if both are specified, was true',
      ],
    ],
  ])
  describe('where privilege is allowed', () => {
    table(
      [['all are processes of the host', { hostNetwork: true, securityContext: host(true) }, []]],
      privileged,
    )
  })
})

describe('init and ephemeral containers', () => {
  const exec = { exec: { command: ['a'] } }
  const life = {
    lifecycle: { preStop: exec },
    livenessProbe: exec,
    readinessProbe: exec,
    startupProbe: exec,
  }
  const FIELDS = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']
  table([
    [
      'init containers have no life',
      { initContainers: [web({ name: 'i', ...life })] },
      FIELDS.map(
        (field) =>
          `Forbidden @.initContainers[0].${field}: Forbidden: may not be set for init containers`,
      ),
    ],
    [
      'ephemeral ones come later',
      { ephemeralContainers: [web({ name: 'e' })] },
      ['Forbidden @.ephemeralContainers: Forbidden: cannot be set on create'],
    ],
  ])
  const later = (container: object) =>
    problems(
      podOf(
        { volumes: [{ name: 'v' }], ephemeralContainers: [container] },
        { resourceVersion: '1' },
      ),
    )
  test('a good one', () => {
    expect(
      later(
        web({
          name: 'e',
          targetContainerName: 'web',
          volumeMounts: [{ name: 'v', mountPath: '/v' }],
        }),
      ),
    ).toEqual([])
  })
  test('a name that is taken', () => {
    expect(later(web())).toEqual([
      'Duplicate spec.ephemeralContainers[0].name: Duplicate value: "web"',
    ])
  })
  test('no such target', () => {
    expect(later(web({ name: 'e', targetContainerName: 'e' }))).toEqual([
      'NotFound spec.ephemeralContainers[0].targetContainerName: Not found: "e"',
    ])
  })
  test('what it cannot have', () => {
    const container = web({
      name: 'e',
      ...life,
      ports: [{ containerPort: 80 }],
      resources: { limits: { cpu: '1' } },
      volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a' }],
    })
    const at = 'Forbidden spec.ephemeralContainers[0]'
    const says = 'Forbidden: cannot be set for an Ephemeral Container'
    const fields = ['ports', ...FIELDS, 'resources', 'volumeMounts[0].subPath']
    expect(later(container)).toEqual(fields.map((field) => `${at}.${field}: ${says}`))
  })
})

describe('annotations', () => {
  const K = 'metadata.annotations'
  const seccomp = 'seccomp.security.alpha.orch.io/pod'
  const inContainer = 'container.seccomp.security.alpha.orch.io/web'
  const armor = 'container.apparmor.security.beta.orch.io'
  const cost = 'controller.orch.io/pod-deletion-cost'
  const tolerations = 'scheduler.alpha.orch.io/tolerations'
  const notNumber = (text: string) =>
    `Invalid ${K}[${cost}]: Invalid value: "${text}": must be a 32bit integer`
  const rows: [name: string, annotations: object, spec: object, expected: string[]][] = [
    ['others are free', { a: 'b' }, {}, []],
    [
      'a mirror without a node',
      { 'orch.io/config.mirror': 'x' },
      {},
      [
        `Invalid ${K}[orch.io/config.mirror]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set`,
      ],
    ],
    ['a mirror on a node', { 'orch.io/config.mirror': 'x' }, { nodeName: 'n' }, []],
    ['the least cost', { [cost]: '-2147483648' }, {}, []],
    ['a cost with a sign', { [cost]: '+1' }, {}, [notNumber('+1')]],
    ['a cost with zeros', { [cost]: '01' }, {}, [notNumber('01')]],
    ['a cost beyond', { [cost]: '2147483648' }, {}, [notNumber('2147483648')]],
    [
      'a filter without meaning',
      { [seccomp]: 'x' },
      {},
      [`Invalid ${K}[${seccomp}]: Invalid value: "x": must be a valid seccomp profile`],
    ],
    [
      'a filter file that is absolute',
      { [inContainer]: 'localhost//a' },
      {},
      [`Invalid ${K}[${inContainer}]: Invalid value: "/a": must be a relative path`],
    ],
    [
      'filters that differ',
      { [seccomp]: 'unconfined', [inContainer]: 'localhost/a' },
      {
        securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          web({
            securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'b' } },
          }),
        ],
      },
      [
        'Forbidden spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match',
        'Forbidden spec.containers[0].securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and field must match',
      ],
    ],
    ['AppArmor', { [`${armor}/web`]: 'localhost/a' }, {}, []],
    [
      'AppArmor of nothing',
      { [`${armor}/x`]: 'y' },
      {},
      [
        `Invalid ${K}[${armor}/x]: Invalid value: "x": container not found`,
        `Invalid ${K}[${armor}/x]: Invalid value: "y": invalid AppArmor profile name: "y"`,
      ],
    ],
    ['tolerations', { [tolerations]: '[{"key":"a","operator":"Exists"}]' }, {}, []],
    [
      'tolerations that are no list',
      { [tolerations]: '{}' },
      {},
      [`Invalid ${K}[${tolerations}]: Invalid value: "{}": must be a list of tolerations as JSON`],
    ],
    [
      'tolerations that are no JSON',
      { [tolerations]: 'x' },
      {},
      [`Invalid ${K}[${tolerations}]: Invalid value: "x": must be a list of tolerations as JSON`],
    ],
    [
      'bad tolerations',
      { [tolerations]: '[{}]' },
      {},
      [
        `Invalid ${K}[${tolerations}][0].operator: Invalid value: "": operator must be Exists when \`key\` is empty, which means "match all values and all keys"`,
      ],
    ],
  ]
  for (const [name, annotations, spec, expected] of rows) {
    test(name, () => expect(problems(podOf(spec, { annotations }))).toEqual(expected))
  }
})

describe('templates', () => {
  const check = (given: object): string[] => {
    const template = codecOf(PodTemplateSpec.shape).decode(
      given,
      new Decoding(),
    ) as unknown as PodTemplateSpec
    fillPodTemplate(template, c)
    const errors = new FieldErrors()
    validatePodTemplate(template, errors.at('spec', 'template'), c)
    return errors.list.map(({ field, message }) => `${field}: ${message}`)
  }
  test('white space around images is nobody’s business here', () => {
    expect(check({ spec: { containers: [web({ image: ' a ' })] } })).toEqual([])
  })
  test('labels, ephemeral containers and filters are checked', () => {
    expect(
      check({
        metadata: {
          labels: { a: 'b c' },
          annotations: { 'a b': '', 'seccomp.security.alpha.orch.io/pod': 'unconfined' },
        },
        spec: {
          containers: [web()],
          ephemeralContainers: [web({ name: 'e' })],
          securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
        },
      }),
    ).toEqual([
      `spec.template.metadata.labels: Invalid value: "b c": ${LABEL_VALUE}`,
      `spec.template.metadata.annotations: Invalid value: "a b": ${QUALIFIED}`,
      'spec.template.spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match',
      'spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template',
    ])
  })
})
