import { describe, expect, test } from 'vitest'
import { c, context, dark, podOf, readPod, web } from './pod.fixture.ts'
import { codecOf, Decoding } from '../../../codec/codec.ts'
import { fillPodTemplate } from './defaults.ts'
import { dropGatedPodFields } from './gates.ts'
import { imageTag } from './image-reference.ts'
import { PodTemplateSpec } from './pod-template.ts'
import { pods } from './pod.ts'
import { qosClass } from './qos.ts'

const filledContainer = {
  name: 'web',
  image: 'web:1',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
}
const filledSpec = {
  containers: [filledContainer],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
}

test('a small pod gets all its defaults', () => {
  expect(readPod({ metadata: { name: 'p' }, spec: { containers: [web()] } })).toEqual({
    metadata: { name: 'p' },
    spec: { ...filledSpec, enableServiceLinks: true },
    status: {},
  })
})

test('a template gets the same but links to services and requests', () => {
  const template = codecOf(PodTemplateSpec.shape).decode(
    {
      metadata: { annotations: { 'pod.beta.orch.io/init-containers': '[]', a: 'b' } },
      spec: { containers: [web({ resources: { limits: { cpu: '1' } } })] },
    },
    new Decoding(),
  ) as unknown as PodTemplateSpec
  fillPodTemplate(template, c)
  expect(template).toEqual({
    metadata: { annotations: { a: 'b' } },
    spec: {
      ...filledSpec,
      containers: [{ ...filledContainer, resources: { limits: { cpu: '1' } } }],
    },
  })
})

describe('fields of the spec', () => {
  const rows: [name: string, given: object, filled: object][] = [
    [
      'zero seconds to end are kept',
      { terminationGracePeriodSeconds: 0 },
      { terminationGracePeriodSeconds: 0 },
    ],
    ['an empty restart policy is none', { restartPolicy: '' }, { restartPolicy: 'Always' }],
    ['service links can be off', { enableServiceLinks: false }, { enableServiceLinks: false }],
    [
      'the old field follows the account',
      { serviceAccountName: 'a', serviceAccount: 'b' },
      { serviceAccountName: 'a', serviceAccount: 'a' },
    ],
    [
      'the old field fills the account',
      { serviceAccountName: '', serviceAccount: 'b' },
      { serviceAccountName: 'b', serviceAccount: 'b' },
    ],
    ['overhead is rounded up', { overhead: { cpu: '1u' } }, { overhead: { cpu: '1m' } }],
    [
      'a volume without a source is an empty directory',
      { volumes: [{ name: 'v' }] },
      { volumes: [{ name: 'v', emptyDir: {} }] },
    ],
    [
      'security settings are kept',
      { securityContext: { runAsUser: 0 } },
      { securityContext: { runAsUser: 0 } },
    ],
  ]
  for (const [name, given, filled] of rows) {
    test(name, () => expect(podOf(given).spec).toMatchObject(filled))
  }
})

describe('fields of a container', () => {
  const rows: [name: string, given: object, filled: object][] = [
    [
      'requests follow limits',
      { resources: { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1' } } },
      { resources: { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } } },
    ],
    [
      'amounts are rounded up to thousandths',
      { resources: { limits: { cpu: '1100u' } } },
      { resources: { limits: { cpu: '2m' }, requests: { cpu: '2m' } } },
    ],
    [
      'ports speak TCP',
      { ports: [{ containerPort: 80 }] },
      { ports: [{ containerPort: 80, protocol: 'TCP' }] },
    ],
    [
      'a field is of version v1',
      { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
      {
        env: [
          { name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
        ],
      },
    ],
    [
      'a resource has a unit',
      { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }] },
      {
        env: [
          { name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '0' } } },
        ],
      },
    ],
    [
      'probes have their times',
      { livenessProbe: { httpGet: { port: 80 }, timeoutSeconds: 0 } },
      {
        livenessProbe: {
          httpGet: { path: '/', port: 80, scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
      },
    ],
    [
      'a gRPC probe asks about the whole server',
      { readinessProbe: { grpc: { port: 80 } } },
      { readinessProbe: { grpc: { port: 80, service: '' }, failureThreshold: 3 } },
    ],
    [
      'life cycle requests too',
      { lifecycle: { preStop: { httpGet: { port: 'http' } } } },
      { lifecycle: { preStop: { httpGet: { path: '/', port: 'http', scheme: 'HTTP' } } } },
    ],
    [
      'a given policy is kept',
      { image: 'web', imagePullPolicy: 'Never' },
      { imagePullPolicy: 'Never' },
    ],
  ]
  for (const [name, given, filled] of rows) {
    test(name, () =>
      expect(podOf({ containers: [web(given)] }).spec.containers[0]).toMatchObject(filled),
    )
  }
})

test('on the host network ports are the same on both sides, in containers and init containers', () => {
  const { spec } = podOf({
    hostNetwork: true,
    containers: [web({ ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 82 }] })],
    initContainers: [web({ name: 'i', ports: [{ containerPort: 83 }] })],
  })
  expect(spec.containers[0]!.ports).toEqual([
    { hostPort: 80, containerPort: 80, protocol: 'TCP' },
    { hostPort: 82, containerPort: 81, protocol: 'TCP' },
  ])
  expect(spec.initContainers![0]!.ports).toEqual([
    { hostPort: 83, containerPort: 83, protocol: 'TCP' },
  ])
})

describe('podIP and podIPs', () => {
  const rows: [name: string, given: object, filled: object][] = [
    [
      'the first is mirrored',
      { podIPs: [{ ip: '1.1.1.1' }, { ip: '::1' }] },
      { podIP: '1.1.1.1', podIPs: [{ ip: '1.1.1.1' }, { ip: '::1' }] },
    ],
    [
      'the old field makes the list',
      { podIP: '1.1.1.1' },
      { podIP: '1.1.1.1', podIPs: [{ ip: '1.1.1.1' }] },
    ],
    [
      'the old field wins',
      { podIP: '2.2.2.2', podIPs: [{ ip: '1.1.1.1' }, { ip: '::1' }] },
      { podIP: '2.2.2.2', podIPs: [{ ip: '2.2.2.2' }] },
    ],
    ['none is none', {}, {}],
  ]
  for (const [name, given, filled] of rows) {
    test(name, () => expect(podOf({}, {}, given).status).toEqual(filled))
  }
})

describe('tags of images', () => {
  const digest = `sha256:${'a'.repeat(64)}`
  const rows: [image: string, tag: string][] = [
    ['web', 'latest'],
    ['web:latest', 'latest'],
    ['web:1.2', '1.2'],
    ['host:5000/web', 'latest'],
    ['host:5000/web:1', '1'],
    ['localhost/web', 'latest'],
    ['Host/web', 'latest'],
    [`web@${digest}`, ''],
    [`web:latest@${digest}`, 'latest'],
    ['web@sha256:short', ''],
    ['a__b/c--d.e', 'latest'],
    ['', ''],
    ['Web', ''],
    ['web:', ''],
    ['web:a b', ''],
    ['a'.repeat(64), ''],
    ['a'.repeat(256), ''],
    ['-host.io/web', ''],
  ]
  for (const [image, tag] of rows) {
    test(`${image.slice(0, 30)} has ${tag || 'none'}`, () => expect(imageTag(image)).toBe(tag))
  }
})

describe('quality of service', () => {
  const both = (cpu: string, memory: string) => ({ cpu, memory })
  const rows: [name: string, spec: object, qos: string][] = [
    ['nothing said', {}, 'BestEffort'],
    [
      'zeros say nothing',
      { containers: [web({ resources: { requests: both('0', '0') } })] },
      'BestEffort',
    ],
    [
      'limits of both',
      { containers: [web({ resources: { limits: both('1', '1Gi') } })] },
      'Guaranteed',
    ],
    [
      'the same amount in another spelling',
      {
        containers: [
          web({ resources: { limits: both('1', '1Gi'), requests: both('1000m', '1024Mi') } }),
        ],
      },
      'Guaranteed',
    ],
    ['only cpu', { containers: [web({ resources: { limits: { cpu: '1' } } })] }, 'Burstable'],
    [
      'requests alone',
      { containers: [web({ resources: { requests: both('1', '1Gi') } })] },
      'Burstable',
    ],
    [
      'less than the limit',
      { containers: [web({ resources: { limits: both('1', '1Gi'), requests: { cpu: '500m' } } })] },
      'Burstable',
    ],
    [
      'one container without',
      { containers: [web({ resources: { limits: both('1', '1Gi') } }), web({ name: 'b' })] },
      'Burstable',
    ],
    [
      'an init container counts',
      { initContainers: [web({ name: 'i', resources: { requests: { cpu: '1' } } })] },
      'Burstable',
    ],
    [
      'other resources do not',
      { containers: [web({ resources: { limits: { 'a.b/c': '1' } } })] },
      'BestEffort',
    ],
  ]
  for (const [name, spec, qos] of rows)
    test(name, () => expect(qosClass(podOf(spec).spec)).toBe(qos))
})

test('a new pod is pending, whatever its status says', () => {
  const pod = podOf({}, {}, { phase: 'Running', podIP: '1.1.1.1' })
  pods.prepareForCreate!(pod, c)
  expect(pod.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' })
})

describe('gated fields', () => {
  const constraint = { maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' }
  const rows: [gate: string, given: object, kept: object][] = [
    ['UserNamespacesStatelessPodsSupport', { hostUsers: false }, {}],
    [
      'MinDomainsInPodTopologySpread',
      { topologySpreadConstraints: [{ ...constraint, minDomains: 1 }] },
      { topologySpreadConstraints: [constraint] },
    ],
    [
      'NodeInclusionPolicyInPodTopologySpread',
      {
        topologySpreadConstraints: [
          { ...constraint, nodeAffinityPolicy: 'Honor', nodeTaintsPolicy: 'Ignore' },
        ],
      },
      { topologySpreadConstraints: [constraint] },
    ],
    [
      'MatchLabelKeysInPodTopologySpread',
      { topologySpreadConstraints: [{ ...constraint, matchLabelKeys: ['a'] }] },
      { topologySpreadConstraints: [constraint] },
    ],
    [
      'ProcMountType',
      { containers: [web({ securityContext: { procMount: 'Default' } })] },
      { containers: [web({ securityContext: {} })] },
    ],
    [
      'GRPCContainerProbe',
      { containers: [web({ livenessProbe: { grpc: { port: 1 } } })] },
      { containers: [web({ livenessProbe: {} })] },
    ],
    [
      'ProbeTerminationGracePeriod',
      {
        containers: [
          web({ startupProbe: { exec: { command: ['a'] }, terminationGracePeriodSeconds: 1 } }),
        ],
      },
      { containers: [web({ startupProbe: { exec: { command: ['a'] } } })] },
    ],
  ]
  for (const [gate, given, kept] of rows) {
    test(`${gate} off drops its fields`, () => {
      const { spec } = podOf(given)
      dropGatedPodFields(spec, null, dark)
      expect(spec).toEqual(podOf(kept).spec)
    })
    test(`${gate} off keeps what is stored`, () => {
      const { spec } = podOf(given)
      dropGatedPodFields(spec, podOf(given).spec, dark)
      expect(spec).toEqual(podOf(given).spec)
    })
    test(`${gate} on keeps them`, () => {
      const { spec } = podOf(given)
      dropGatedPodFields(spec, null, context(gate))
      expect(spec).toEqual(podOf(given).spec)
    })
  }
})

describe('system call filters as annotations', () => {
  const pod = 'seccomp.security.alpha.orch.io/pod'
  const container = 'container.seccomp.security.alpha.orch.io/web'
  const created = (annotations: object, spec: object = {}) => {
    const made = podOf(spec, { annotations })
    pods.prepareForCreate!(made, c)
    return [
      made.spec.securityContext?.seccompProfile,
      made.spec.containers[0]!.securityContext?.seccompProfile,
    ]
  }
  const own = { securityContext: { seccompProfile: { type: 'Unconfined' } } }
  const rows: [name: string, annotations: object, spec: object, profiles: unknown[]][] = [
    ['of the pod', { [pod]: 'runtime/default' }, {}, [{ type: 'RuntimeDefault' }, undefined]],
    ['by the older name', { [pod]: 'docker/default' }, {}, [{ type: 'RuntimeDefault' }, undefined]],
    ['of a container', { [container]: 'unconfined' }, {}, [undefined, { type: 'Unconfined' }]],
    [
      'a file',
      { [container]: 'localhost/a/b.json' },
      {},
      [undefined, { type: 'Localhost', localhostProfile: 'a/b.json' }],
    ],
    ['a field is kept', { [pod]: 'runtime/default' }, own, [{ type: 'Unconfined' }, undefined]],
    [
      'a text without meaning',
      { [pod]: 'x', [container]: 'localhost/' },
      {},
      [undefined, undefined],
    ],
  ]
  for (const [name, annotations, spec, profiles] of rows) {
    test(name, () => expect(created(annotations, spec)).toEqual(profiles))
  }
})

test('the old account field follows what admission chose', () => {
  const pod = podOf({ serviceAccountName: '' })
  pod.spec.serviceAccountName = 'chosen'
  pods.canonicalize!(pod, c)
  expect(pod.spec.serviceAccount).toBe('chosen')
})

test('annotations of long ago are dropped', () => {
  const old = Object.fromEntries(
    ['alpha', 'beta'].flatMap((level) =>
      ['init-containers', 'init-container-statuses'].map((what) => [
        `pod.${level}.orch.io/${what}`,
        'x',
      ]),
    ),
  )
  expect(podOf({}, { annotations: old }).metadata).toEqual({ name: 'p', namespace: 'n' })
  expect(podOf({}, { annotations: { ...old, a: 'b' } }).metadata.annotations).toEqual({ a: 'b' })
})
