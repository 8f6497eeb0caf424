/** Rows that make objects. */
import {
  MERGE,
  apps,
  ask,
  create,
  env,
  keys,
  MAPS,
  NS,
  PODS,
  podSpec,
  RBAC,
  type Json,
} from './requests.ts'
import { many, manyKeys, type Row } from './row.ts'

const finalized = (): Json => ({
  metadata: { name: 'big', finalizers: many((i) => `example.com/f${i}`, { values: 60_000 }) },
})
const unfinalized = [
  ask('PATCH', `${MAPS}/big`, () => ({ metadata: { finalizers: null } }), MERGE),
  { method: 'DELETE', path: `${MAPS}/big` },
]

export const creates: Row[] = [
  create('pod: environment', PODS, () => podSpec({ env: env() })),
  create('pod: containers', PODS, () => ({
    spec: { containers: many((i) => ({ name: `c${i}`, image: 'i' }), { values: 40_000 }) },
  })),
  create(
    'pod: containers, two values each',
    PODS,
    () => ({
      spec: { containers: many((i) => ({ name: `c${i}`, image: 'i' })) },
    }),
    0,
  ),
  create('pod: volumes', PODS, () =>
    podSpec({}, { volumes: many((i) => ({ name: `v${i}`, emptyDir: {} })) }),
  ),
  create('pod: mounts of one volume', PODS, () =>
    podSpec(
      { volumeMounts: many((i) => ({ name: 'v', mountPath: `/m${i}` })) },
      { volumes: [{ name: 'v', emptyDir: {} }] },
    ),
  ),
  create('pod: mounts of many volumes', PODS, () =>
    podSpec(
      { volumeMounts: many((i) => ({ name: `v${i}`, mountPath: `/m${i}` }), { values: 45_000 }) },
      { volumes: many((i) => ({ name: `v${i}`, emptyDir: {} }), { values: 45_000 }) },
    ),
  ),
  create('pod: ports', PODS, () =>
    podSpec({ ports: many((i) => ({ containerPort: 1 + (i % 65_000), name: `p${i}` })) }),
  ),
  create('pod: tolerations', PODS, () =>
    podSpec({}, { tolerations: many((i) => ({ key: `k${i}`, operator: 'Exists' })) }),
  ),
  create('pod: spread constraints', PODS, () =>
    podSpec(
      {},
      {
        topologySpreadConstraints: many((i) => ({
          topologyKey: `k${i}`,
          maxSkew: 1,
          whenUnsatisfiable: 'DoNotSchedule',
        })),
      },
    ),
  ),
  create('pod: host aliases', PODS, () =>
    podSpec({}, { hostAliases: many((i) => ({ ip: '10.0.0.1', hostnames: [`h${i}`] })) }),
  ),
  create('pod: affinity', PODS, () =>
    podSpec(
      {},
      {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: many((i) => ({
              weight: 1,
              preference: { matchExpressions: [{ key: `k${i}`, operator: 'Exists' }] },
            })),
          },
        },
      },
    ),
  ),
  create('pod: arguments', PODS, () => podSpec({ args: many((i) => `a${i}`) })),
  create('deployment: selector and labels', apps('deployments'), () => ({
    spec: {
      selector: { matchLabels: keys(30_000) },
      template: { metadata: { labels: keys(30_000) }, ...podSpec() },
    },
  })),
  create('stateful set: claims', apps('statefulsets'), () => ({
    spec: {
      serviceName: 's',
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, ...podSpec() },
      volumeClaimTemplates: many((i) => ({
        metadata: { name: `c${i}` },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } },
      })),
    },
  })),
  create('controller revision: data', apps('controllerrevisions'), () => ({
    revision: 1,
    data: { a: many((i) => ({ [`k${i}`]: i })) },
  })),
  create(
    'service: ports',
    `${NS}/services`,
    () => ({
      spec: {
        selector: { a: 'b' },
        ports: many((i) => ({ name: `p${i}`, port: 1 + (i % 65_000) }), { values: 60_000 }),
      },
    }),
    0,
  ),
  create('service: node ports', `${NS}/services`, () => ({
    spec: {
      type: 'NodePort',
      ports: Array.from({ length: 2_700 }, (_, i) => ({ name: `p${i}`, port: i + 1 })),
    },
  })),
  create('service: external addresses', `${NS}/services`, () => ({
    spec: {
      ports: [{ port: 1 }],
      externalIPs: many((i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`),
    },
  })),
  create('endpoints: subsets', `${NS}/endpoints`, () => ({
    subsets: many((i) => ({
      addresses: [{ ip: '10.0.0.1' }],
      ports: [{ name: `p${i}`, port: 1 }],
    })),
  })),
  create('endpoints: addresses times ports', `${NS}/endpoints`, () => ({
    subsets: [
      {
        addresses: many((i) => ({ ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}` }), {
          values: 45_000,
        }),
        ports: many((i) => ({ name: `p${i}`, port: 1 + (i % 65_000) }), { values: 45_000 }),
      },
    ],
  })),
  create('endpoint slice', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', () => ({
    addressType: 'FQDN',
    endpoints: Array.from({ length: 950 }, (_, i) => ({
      addresses: Array.from({ length: 100 }, (_, j) => `h${i}.n${j}.example`),
    })),
  })),
  create(
    'network policy: exceptions',
    '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    () => ({
      spec: {
        podSelector: {},
        ingress: [
          {
            from: [
              {
                ipBlock: {
                  cidr: '10.0.0.0/8',
                  except: many((i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}/32`),
                },
              },
            ],
          },
        ],
      },
    }),
  ),
  create(
    'network policy: peers',
    '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    () => ({
      spec: {
        podSelector: {},
        ingress: [{ from: many((i) => ({ podSelector: { matchLabels: { [`k${i}`]: 'v' } } })) }],
      },
    }),
  ),
  create('ingress: rules', '/apis/networking.k8s.io/v1/namespaces/default/ingresses', () => ({
    spec: {
      rules: many((i) => ({
        host: `h${i}.example`,
        http: {
          paths: [
            {
              path: '/',
              pathType: 'Exact',
              backend: { service: { name: 's', port: { number: 1 } } },
            },
          ],
        },
      })),
    },
  })),
  create('quota', `${NS}/resourcequotas`, () => ({
    spec: {
      hard: Object.fromEntries(
        Array.from({ length: 60_000 }, (_, i) => [`requests.example.com/r${i}`, '1']),
      ),
    },
  })),
  create('role: rules', `${RBAC}/clusterroles`, () => ({
    rules: many((i) => ({ verbs: ['get'], apiGroups: [''], resources: [`r${i}`] })),
  })),
  create('binding: subjects', `${RBAC}/clusterrolebindings`, () => ({
    roleRef: { kind: 'ClusterRole', name: 'view', apiGroup: 'rbac.authorization.k8s.io' },
    subjects: many((i) => ({ kind: 'User', name: `u${i}`, apiGroup: 'rbac.authorization.k8s.io' })),
  })),
  create(
    'webhooks',
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    () => ({
      webhooks: many((i) => ({
        name: `h${i}.example.com`,
        clientConfig: { url: 'https://hook.example.com/' },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        rules: [
          {
            operations: ['CREATE'],
            apiGroups: ['x.example'],
            apiVersions: ['v1'],
            resources: ['r'],
          },
        ],
      })),
    }),
  ),
  create(
    'autoscaler: metrics',
    '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
    () => ({
      metadata: {
        name: 'big',
        annotations: {
          'autoscaling.alpha.kubernetes.io/metrics': JSON.stringify(
            many(
              (i) => ({ type: 'External', external: { metricName: `m${i}`, targetValue: '1' } }),
              { bytes: 200_000 },
            ),
          ),
        },
      },
      spec: { scaleTargetRef: { kind: 'D', name: 'x', apiVersion: 'apps/v1' }, maxReplicas: 3 },
    }),
  ),
  create('flow schema', '/apis/flowcontrol.apiserver.k8s.io/v1beta2/flowschemas', () => ({
    spec: {
      priorityLevelConfiguration: { name: 'exempt' },
      matchingPrecedence: 500,
      rules: many((i) => ({
        subjects: [{ kind: 'User', user: { name: `u${i}` } }],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: [`/${i}`] }],
      })),
    },
  })),
  {
    ...create('finalizers', MAPS, () => finalized()),
    after: unfinalized,
  },
  create('owners', MAPS, () => ({
    metadata: {
      name: 'big',
      ownerReferences: many((i) => ({
        apiVersion: 'v1',
        kind: 'Pod',
        name: `p${i}`,
        uid: `u${i}`,
      })),
    },
  })),
  create('owners of kinds that are not', MAPS, () => ({
    metadata: {
      name: 'big',
      ownerReferences: many((i) => ({
        apiVersion: `g${i}/v1`,
        kind: `K${i}`,
        name: `p${i}`,
        uid: `u${i}`,
      })),
    },
  })),
  create('owned fields: one entry', MAPS, () => ({
    metadata: { name: 'big', managedFields: [entry('m', keysV1(95_000))] },
  })),
  create('owned fields: many entries', MAPS, () => ({
    metadata: {
      name: 'big',
      managedFields: Array.from({ length: 1000 }, (_, i) => entry(`m${i}`, keysV1(85))),
    },
  })),
  create('unknown fields', MAPS, () => ({
    ...manyKeys(
      (i) => `u${i}`,
      () => 1,
    ),
    metadata: { name: 'big' },
  })),
  create(
    'unknown fields, far in',
    PODS,
    () => podSpec({}, { volumes: many((i) => ({ name: `v${i}`, nothing: 1 })) }),
    0,
  ),
  {
    ...create('unknown fields, refused', MAPS, () => ({
      ...manyKeys(
        (i) => `u${i}`,
        () => 1,
      ),
      metadata: { name: 'big' },
    })),
    name: 'create unknown fields, refused',
    ask: ask('POST', `${MAPS}?fieldValidation=Strict`, () => ({
      ...manyKeys(
        (i) => `u${i}`,
        () => 1,
      ),
      metadata: { name: 'big' },
    })),
    status: 400,
  },
  {
    name: 'create repeated fields',
    ask: {
      method: 'POST',
      path: MAPS,
      body: () => `{"metadata":{"name":"big"},"data":{${'"a":"",'.repeat(430_000)}"a":""}}`,
    },
    status: 0,
    after: [{ method: 'DELETE', path: `${MAPS}/big` }],
  },
  {
    name: 'create far too many values',
    ask: { method: 'POST', path: MAPS, body: () => `{"data":[${'{},'.repeat(1_000_000)}{}]}` },
    status: 413,
  },
  {
    name: 'create nested too deeply',
    ask: {
      method: 'POST',
      path: MAPS,
      body: () => `{"data":${'['.repeat(1_000_000)}${']'.repeat(1_500_000)}}`,
    },
    status: 400,
  },
]

const keysV1 = (count: number) => ({
  'f:data': Object.fromEntries(Array.from({ length: count }, (_, i) => [`f:k${i}`, {}])),
})
const entry = (manager: string, fieldsV1: Json) => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: '2026-01-02T03:04:05Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
})
