/** Manifests of removed versions become ones that the server takes: every version that was removed, row by row. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Ctl } from './run.ts'

let server: RunningServer
let ctl: Ctl
beforeAll(async () => {
  server = await startServer({ controllers: false })
  ctl = await Ctl.for(server.kubeconfig)
})
afterAll(async () => {
  await ctl.close()
  await server.close()
})

const TEMPLATE = '{metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}'
const POD =
  '{metadata: {labels: {a: b}}, spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}'
const ROLE = 'roleRef: {apiGroup: rbac.authorization.orch.io, name: r, kind:'
const RULES = 'rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]'
const SCHEMA = '{openAPIV3Schema: {properties: {spec: {type: object}}}}'
const WEBHOOK =
  'webhooks: [{name: a.example.com, clientConfig: {url: "https://a.example.com"}, rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]}]'
const PATHS =
  '[{path: /, backend: {serviceName: s, servicePort: 80}}, {backend: {serviceName: s, servicePort: web}}]'

interface Row {
  /** Group version, kind, and the rest of the manifest. */
  readonly from: readonly [apiVersion: string, kind: string, rest: string]
  readonly to: string
  /** Members of what the server stored, or answered. */
  readonly stored?: object
}

const ROWS: readonly Row[] = [
  {
    from: ['storage.orch.io/v1beta1', 'CSIStorageCapacity', 'storageClassName: a'],
    to: 'storage.orch.io/v1',
    stored: { storageClassName: 'a' },
  },
  {
    from: [
      'flowcontrol.apiserver.orch.io/v1beta1',
      'FlowSchema',
      'spec: {priorityLevelConfiguration: {name: global-default}, matchingPrecedence: 9}',
    ],
    to: 'flowcontrol.apiserver.orch.io/v1beta2',
    stored: { spec: { matchingPrecedence: 9 } },
  },
  {
    from: [
      'flowcontrol.apiserver.orch.io/v1beta1',
      'PriorityLevelConfiguration',
      'spec: {type: Limited, limited: {assuredConcurrencyShares: 7, limitResponse: {type: Reject}}}',
    ],
    to: 'flowcontrol.apiserver.orch.io/v1beta2',
    stored: { spec: { limited: { assuredConcurrencyShares: 7 } } },
  },
  ...['v2beta1', 'v2beta2'].map((version): Row => ({
    from: [
      `autoscaling/${version}`,
      'HorizontalPodAutoscaler',
      `spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}, metrics: ${
        version === 'v2beta1'
          ? '[{type: Resource, resource: {name: cpu, targetAverageUtilization: 50}}, {type: Pods, pods: {metricName: m, targetAverageValue: 5}}, {type: Object, object: {metricName: m, target: {kind: A, name: a}, targetValue: 5}}, {type: External, external: {metricName: m, metricSelector: {matchLabels: {a: b}}, targetAverageValue: 5}}]'
          : '[{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}, {type: Pods, pods: {metric: {name: m}, target: {type: AverageValue, averageValue: 5}}}, {type: Object, object: {metric: {name: m}, describedObject: {kind: A, name: a}, target: {type: Value, value: 5}}}, {type: External, external: {metric: {name: m, selector: {matchLabels: {a: b}}}, target: {type: AverageValue, averageValue: 5}}}]'
      }}`,
    ],
    to: 'autoscaling/v2',
    stored: {
      spec: {
        metrics: [
          { resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
          { pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '5' } } },
          {
            object: {
              describedObject: { kind: 'A', name: 'a' },
              metric: { name: 'm' },
              target: { type: 'Value', value: '5' },
            },
          },
          {
            external: {
              metric: { name: 'm', selector: { matchLabels: { a: 'b' } } },
              target: { type: 'AverageValue', averageValue: '5' },
            },
          },
        ],
      },
    },
  })),
  {
    from: [
      'batch/v1beta1',
      'CronJob',
      `spec: {schedule: "* * * * *", jobTemplate: {spec: {template: ${POD}}}}`,
    ],
    to: 'batch/v1',
    stored: { spec: { schedule: '* * * * *' } },
  },
  {
    from: [
      'discovery.orch.io/v1beta1',
      'EndpointSlice',
      'addressType: IPv4\nendpoints: [{addresses: [192.0.2.1], topology: {orch.io/hostname: node-1, topology.orch.io/zone: z}}]',
    ],
    to: 'discovery.orch.io/v1',
    stored: { endpoints: [{ addresses: ['192.0.2.1'], nodeName: 'node-1', zone: 'z' }] },
  },
  {
    from: [
      'events.orch.io/v1beta1',
      'Event',
      'eventTime: "2024-01-02T03:04:05.000000Z"\nregarding: {kind: Pod, name: p, namespace: default}\nreason: R\naction: A\ntype: Normal\nreportingController: example.com/c\nreportingInstance: i',
    ],
    to: 'events.orch.io/v1',
    stored: { reason: 'R' },
  },
  {
    from: [
      'policy/v1beta1',
      'PodDisruptionBudget',
      'spec: {minAvailable: 1, selector: {matchLabels: {a: b}}}',
    ],
    to: 'policy/v1',
    stored: { spec: { selector: { matchLabels: { a: 'b' } } } },
  },
  { from: ['node.orch.io/v1beta1', 'RuntimeClass', 'handler: h'], to: 'node.orch.io/v1' },
  ...['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map((kind): Row => ({
    from: ['admissionregistration.orch.io/v1beta1', kind, WEBHOOK],
    to: 'admissionregistration.orch.io/v1',
    stored: {
      webhooks: [
        {
          failurePolicy: 'Ignore',
          matchPolicy: 'Exact',
          timeoutSeconds: 30,
          sideEffects: 'None',
          admissionReviewVersions: ['v1beta1'],
        },
      ],
    },
  })),
  {
    from: [
      'apiextensions.orch.io/v1beta1',
      'CustomResourceDefinition',
      `spec: {group: example.com, version: v1, scope: Namespaced, names: {plural: as, kind: A}, validation: ${SCHEMA}, subresources: {status: {}}, additionalPrinterColumns: [{name: S, type: string, JSONPath: .spec.s}]}`,
    ],
    to: 'apiextensions.orch.io/v1',
    stored: {
      spec: {
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            additionalPrinterColumns: [{ name: 'S', type: 'string', jsonPath: '.spec.s' }],
          },
        ],
      },
    },
  },
  {
    from: [
      'apiregistration.orch.io/v1beta1',
      'APIService',
      'spec: {group: x.example.com, version: v1, groupPriorityMinimum: 1, versionPriority: 1, insecureSkipTLSVerify: true, service: {name: s, namespace: default}}',
    ],
    to: 'apiregistration.orch.io/v1',
  },
  {
    from: ['authentication.orch.io/v1beta1', 'TokenReview', 'spec: {token: t}'],
    to: 'authentication.orch.io/v1',
  },
  {
    from: [
      'authorization.orch.io/v1beta1',
      'SubjectAccessReview',
      'spec: {user: u, group: [g], resourceAttributes: {verb: get, resource: pods}}',
    ],
    to: 'authorization.orch.io/v1',
    stored: { spec: { user: 'u', groups: ['g'] } },
  },
  ...['SelfSubjectAccessReview', 'LocalSubjectAccessReview'].map((kind): Row => ({
    from: [
      'authorization.orch.io/v1beta1',
      kind,
      `spec: {${kind.startsWith('Local') ? 'user: u, ' : ''}resourceAttributes: {namespace: default, verb: get, resource: pods}}`,
    ],
    to: 'authorization.orch.io/v1',
  })),
  {
    from: ['authorization.orch.io/v1beta1', 'SelfSubjectRulesReview', 'spec: {namespace: default}'],
    to: 'authorization.orch.io/v1',
  },
  {
    from: ['coordination.orch.io/v1beta1', 'Lease', 'spec: {holderIdentity: me}'],
    to: 'coordination.orch.io/v1',
  },
  ...['extensions/v1beta1', 'networking.orch.io/v1beta1'].map((version): Row => ({
    from: [
      version,
      'Ingress',
      `spec: {backend: {serviceName: d, servicePort: "81"}, rules: [{http: {paths: ${PATHS}}}]}`,
    ],
    to: 'networking.orch.io/v1',
    stored: {
      spec: {
        defaultBackend: { service: { name: 'd', port: { number: 81 } } },
        rules: [
          {
            http: {
              paths: [
                {
                  path: '/',
                  pathType: 'ImplementationSpecific',
                  backend: { service: { name: 's', port: { number: 80 } } },
                },
                {
                  pathType: 'ImplementationSpecific',
                  backend: { service: { name: 's', port: { name: 'web' } } },
                },
              ],
            },
          },
        ],
      },
    },
  })),
  {
    from: ['networking.orch.io/v1beta1', 'IngressClass', 'spec: {controller: example.com/c}'],
    to: 'networking.orch.io/v1',
  },
  ...['Role', 'ClusterRole'].map((kind): Row => ({
    from: ['rbac.authorization.orch.io/v1beta1', kind, RULES],
    to: 'rbac.authorization.orch.io/v1',
  })),
  ...(['RoleBinding', 'ClusterRoleBinding'] as const).map((kind): Row => ({
    from: [
      'rbac.authorization.orch.io/v1beta1',
      kind,
      `${ROLE} ClusterRole}\nsubjects: [{kind: User, name: u, apiGroup: rbac.authorization.orch.io}]`,
    ],
    to: 'rbac.authorization.orch.io/v1',
  })),
  {
    from: ['scheduling.orch.io/v1beta1', 'PriorityClass', 'value: 5'],
    to: 'scheduling.orch.io/v1',
  },
  {
    from: ['storage.orch.io/v1beta1', 'CSIDriver', 'spec: {attachRequired: false}'],
    to: 'storage.orch.io/v1',
  },
  { from: ['storage.orch.io/v1beta1', 'CSINode', 'spec: {drivers: []}'], to: 'storage.orch.io/v1' },
  {
    from: ['storage.orch.io/v1beta1', 'StorageClass', 'provisioner: example.com/p'],
    to: 'storage.orch.io/v1',
  },
  {
    from: [
      'storage.orch.io/v1beta1',
      'VolumeAttachment',
      'spec: {attacher: a.example.com, nodeName: node-1, source: {persistentVolumeName: v}}',
    ],
    to: 'storage.orch.io/v1',
  },
  {
    from: ['extensions/v1beta1', 'NetworkPolicy', 'spec: {podSelector: {}}'],
    to: 'networking.orch.io/v1',
  },
  ...(
    [
      ['extensions/v1beta1', 'DaemonSet', { updateStrategy: { type: 'OnDelete' } }],
      ['apps/v1beta2', 'DaemonSet', { updateStrategy: { type: 'RollingUpdate' } }],
      [
        'extensions/v1beta1',
        'Deployment',
        {
          progressDeadlineSeconds: 2_147_483_647,
          revisionHistoryLimit: 2_147_483_647,
          strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
        },
      ],
      [
        'apps/v1beta1',
        'Deployment',
        {
          progressDeadlineSeconds: 600,
          revisionHistoryLimit: 2,
          strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        },
      ],
      [
        'apps/v1beta2',
        'Deployment',
        { strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } } },
      ],
      ['extensions/v1beta1', 'ReplicaSet', {}],
      ['apps/v1beta2', 'ReplicaSet', {}],
      ['apps/v1beta1', 'StatefulSet', { updateStrategy: { type: 'OnDelete' } }],
      ['apps/v1beta2', 'StatefulSet', { updateStrategy: { type: 'RollingUpdate' } }],
    ] as const
  ).map(([version, kind, spec]): Row => ({
    from: [
      version,
      kind,
      `spec: {template: ${TEMPLATE}${version === 'apps/v1beta2' ? ', selector: {matchLabels: {a: b}}' : ''}${kind === 'StatefulSet' ? ', serviceName: s' : ''}${version === 'extensions/v1beta1' && kind === 'Deployment' ? ', rollbackTo: {revision: 1}' : ''}${version === 'extensions/v1beta1' && kind === 'DaemonSet' ? ', templateGeneration: 3' : ''}}`,
    ],
    to: 'apps/v1',
    stored: { spec: { selector: { matchLabels: { a: 'b' } }, ...spec } },
  })),
  ...['apps/v1beta1', 'apps/v1beta2'].map((version): Row => ({
    from: [version, 'ControllerRevision', 'revision: 1\ndata: {a: b}'],
    to: 'apps/v1',
  })),
]

for (const [i, { from, to, stored = {} }] of ROWS.entries()) {
  const [apiVersion, kind, rest] = from
  test(`${kind} of ${apiVersion}`, async () => {
    const name =
      kind === 'CustomResourceDefinition'
        ? 'as.example.com'
        : kind === 'APIService'
          ? 'v1.x.example.com'
          : `row-${i}`
    // Reviews are no objects: they have no names.
    const metadata = kind.endsWith('Review')
      ? kind.startsWith('Local')
        ? '{namespace: default}'
        : '{}'
      : `{name: ${name}}`
    const input = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: ${metadata}\n${rest}\n`
    // A version of both brands does not show which one is meant.
    const target = apiVersion === 'extensions/v1beta1' ? ['--output-version', to] : []
    const converted = await ctl.run(['convert', '-f', '-', '-o', 'json', ...target], { input })
    expect(converted).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(converted.stdout)).toMatchObject({ apiVersion: to, kind })
    const made = await ctl.run(['create', '-f', '-', '-o', 'json'], { input: converted.stdout })
    expect(made).toMatchObject({ code: 0, stderr: expect.not.stringContaining('rror') })
    expect(JSON.parse(made.stdout)).toMatchObject(stored)
    // What is new already stays.
    const again = await ctl.run(['convert', '-f', '-', '-o', 'json'], { input: converted.stdout })
    expect(again.stdout).toBe(converted.stdout)
  })
}

test('a signing request needs a signer', async () => {
  const convert = (spec: string) =>
    ctl.run(['convert', '-f', '-', '-o', 'json'], {
      input: `apiVersion: certificates.orch.io/v1beta1\nkind: CertificateSigningRequest\nmetadata: {name: c}\nspec: ${spec}\n`,
    })
  const usages = 'usages: [client auth], request: YQ=='
  expect(
    JSON.parse((await convert(`{signerName: example.com/s, ${usages}}`)).stdout),
  ).toMatchObject({ apiVersion: 'certificates.orch.io/v1', spec: { signerName: 'example.com/s' } })
  expect(await convert(`{${usages}}`)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: a signing request of the old version needs spec.signerName, such as orch.io/orch-apiserver-client\n',
  })
})

test('an empty selector of a budget selected nothing, and does not select all afterwards', async () => {
  const input =
    'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {minAvailable: 1, selector: {}}\n'
  const { stdout } = await ctl.run(['convert', '-f', '-', '-o', 'json'], { input })
  expect(JSON.parse(stdout).spec).toEqual({ minAvailable: 1 })
})

test('what nothing replaces is refused with a word about what to use', async () => {
  for (const version of ['extensions/v1beta1', 'policy/v1beta1']) {
    const input = `apiVersion: ${version}\nkind: PodSecurityPolicy\nmetadata: {name: p}\n`
    expect(await ctl.run(['convert', '-f', '-'], { input })).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: PodSecurityPolicy of ${version} is replaced by no other kind: label namespaces with pod-security.kubernetes.io/enforce instead\n`,
    })
  }
})
