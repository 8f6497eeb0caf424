/** Rows of valid objects and of requests that a declaration does not tell of. */
import {
  APPLY,
  ask,
  change,
  create,
  JSON_PATCH,
  MAPS,
  MERGE,
  NS,
  PODS,
  STRATEGIC,
  type Json,
} from './requests.ts'
import { many, manyKeys, type Row } from './row.ts'

const podSpec = (container: Json = {}, more: Json = {}): Json => ({
  spec: { containers: [{ name: 'c', image: 'i', ...container }], ...more },
})
const env = (values?: number) =>
  many((i) => ({ name: `E${i}`, value: '' }), values ? { values } : {})
const keys = (count: number, value = '') =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]))
const apps = (resource: string) => `/apis/apps/v1/namespaces/default/${resource}`
const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Deleted definitions go a little later: each has a group of its own. */
let groups = 0
const group = () => `g${groups}.example.com`

const crd = (schema: Json, names: Json = {}): Json => ({
  metadata: { name: `bigs.${group()}` },
  spec: {
    group: group(),
    scope: 'Namespaced',
    names: { plural: 'bigs', singular: 'big', kind: 'Big', listKind: 'BigList', ...names },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', ...schema } },
      },
    ],
  },
})
const define = (name: string, object: () => Json, status = 201): Row => ({
  ...create(
    `definition: ${name}`,
    CRDS,
    () => {
      groups++
      return object()
    },
    status,
  ),
  after: [{ method: 'DELETE', path: `${CRDS}?labelSelector=` }],
})

const finalized = (): Json => ({
  metadata: { name: 'big', finalizers: many((i) => `example.com/f${i}`, { values: 60_000 }) },
})
const unfinalized = [
  ask('PATCH', `${MAPS}/big`, () => ({ metadata: { finalizers: null } }), MERGE),
  { method: 'DELETE', path: `${MAPS}/big` },
]

const creates: Row[] = [
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
    endpoints: Array.from({ length: 1_000 }, (_, i) => ({
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
      managedFields: Array.from({ length: 1000 }, (_, i) => entry(`m${i}`, keysV1(130))),
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
  create(
    'a deep value',
    apps('controllerrevisions'),
    () => {
      let data: unknown = {}
      for (let i = 0; i < 9_900; i++) data = { a: data }
      return { revision: 1, data: { data } }
    },
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

const definitions: Row[] = [
  define('properties', () =>
    crd({
      properties: manyKeys(
        (i) => `p${i}`,
        () => ({ type: 'string' }),
      ),
    }),
  ),
  define('values of a set', () =>
    crd({ properties: { a: { type: 'string', enum: many((i) => `v${i}`) } } }),
  ),
  define('patterns', () =>
    crd({
      properties: manyKeys(
        (i) => `p${i}`,
        () => ({ type: 'string', pattern: '^(a|b)+$' }),
      ),
    }),
  ),
  define(
    'a long pattern',
    () => crd({ properties: { a: { type: 'string', pattern: '(a|b)?'.repeat(300_000) } } }),
    0,
  ),
  define(
    'rules',
    () =>
      crd({
        properties: manyKeys(
          (i) => `p${i}`,
          () => ({
            type: 'string',
            maxLength: 10,
            'x-kubernetes-validations': [{ rule: 'self.size() < 5' }],
          }),
          { values: 20_000 },
        ),
      }),
    0,
  ),
  define(
    'many rules of one',
    () =>
      crd({
        'x-kubernetes-validations': many((i) => ({ rule: `self.a != '${i}'` })),
        properties: { a: { type: 'string', maxLength: 5 } },
      }),
    0,
  ),
  define(
    'a long rule',
    () =>
      crd({
        properties: { a: { type: 'string' } },
        'x-kubernetes-validations': [
          { rule: `self.a == 'x'${" || self.a == 'x'".repeat(170_000)}` },
        ],
      }),
    0,
  ),
  define(
    'a nested rule',
    () =>
      crd({
        properties: { a: { type: 'string' } },
        'x-kubernetes-validations': [{ rule: `${'('.repeat(500_000)}true${')'.repeat(500_000)}` }],
      }),
    0,
  ),
  define(
    'a deep schema',
    () => {
      let schema: Json = { type: 'string' }
      for (let i = 0; i < 2_000; i++) schema = { type: 'object', properties: { a: schema } }
      return crd({ properties: { a: schema } })
    },
    0,
  ),
  define(
    'a deep schema with rules at all depths',
    () => {
      let schema: Json = { type: 'string', maxLength: 5 }
      for (let i = 0; i < 500; i++)
        schema = {
          type: 'object',
          properties: {
            a: schema,
            ...Object.fromEntries(
              Array.from({ length: 20 }, (_, j) => [`p${j}`, { type: 'string', maxLength: 3 }]),
            ),
          },
          'x-kubernetes-validations': [{ rule: 'self.p0 != "x"' }],
        }
      return crd({ properties: { a: schema } })
    },
    0,
  ),
  define(
    'logical parts',
    () =>
      crd({
        properties: { a: { type: 'integer' } },
        allOf: many((i) => ({ not: { required: [`r${i}`] } })),
      }),
    0,
  ),
  define('defaults', () =>
    crd({
      properties: manyKeys(
        (i) => `p${i}`,
        () => ({ type: 'object', default: { a: 1 }, properties: { a: { type: 'integer' } } }),
        { values: 60_000 },
      ),
    }),
  ),
  define('a large default', () =>
    crd({
      properties: {
        a: { type: 'array', items: { type: 'string' }, default: many((i) => `d${i}`) },
      },
    }),
  ),
  define('items that are a set', () =>
    crd({
      properties: {
        a: {
          type: 'array',
          items: { type: 'string' },
          'x-kubernetes-list-type': 'set',
          default: many((i) => `d${i}`),
        },
      },
    }),
  ),
  define(
    'versions',
    () => {
      const object = crd({}) as { spec: { versions: unknown[] } & Json } & Json
      object.spec.versions = many((i) => ({
        name: `v${i + 1}`,
        served: true,
        storage: i === 0,
        schema: { openAPIV3Schema: { type: 'object' } },
      }))
      return object
    },
    0,
  ),
  define('columns', () => {
    const object = crd({}) as { spec: { versions: Json[] } & Json } & Json
    object.spec.versions[0]!['additionalPrinterColumns'] = many((i) => ({
      name: `c${i}`,
      type: 'string',
      jsonPath: `.spec.a${i}`,
    }))
    return object
  }),
]

const bigMap = (count: number) => () => ({ data: keys(count) })
const config = (object: Json, kind = 'ConfigMap'): Json => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'big' },
  ...object,
})

const changes: Row[] = [
  change('update every value', MAPS, bigMap(60_000), {
    method: 'PUT',
    value: () => ({ metadata: { name: 'big' }, data: keys(48_000, 'x') }),
  }),
  change('update every key', MAPS, bigMap(60_000), {
    method: 'PUT',
    value: () => ({
      metadata: { name: 'big' },
      data: Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`l${i}`, ''])),
    }),
  }),
  change('update with as many keys as fit', MAPS, bigMap(10), {
    method: 'PUT',
    value: () => ({ metadata: { name: 'big' }, data: keys(95_000) }),
  }),
  change('merge patch of every value', MAPS, bigMap(60_000), {
    method: 'PATCH',
    type: MERGE,
    value: () => ({ data: keys(48_000, 'x') }),
  }),
  change('merge patch that removes every key', MAPS, bigMap(60_000), {
    method: 'PATCH',
    type: MERGE,
    value: () => ({
      data: Object.fromEntries(Object.keys(keys(60_000)).map((key) => [key, null])),
    }),
  }),
  change('strategic patch of every item', PODS, () => podSpec({ env: env(60_000) }), {
    method: 'PATCH',
    type: STRATEGIC,
    value: () => ({
      spec: {
        containers: [{ name: 'c', env: env(60_000).map(({ name }) => ({ name, value: 'x' })) }],
      },
    }),
    status: 422,
  }),
  change(
    'strategic patch of every item of a template',
    apps('deployments'),
    () => ({
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, ...podSpec({ env: env(60_000) }) },
      },
    }),
    {
      method: 'PATCH',
      type: STRATEGIC,
      value: () => ({
        spec: {
          template: {
            spec: {
              containers: [
                {
                  name: 'c',
                  env: env(60_000)
                    .toReversed()
                    .map(({ name }) => ({ name, value: 'x' })),
                },
              ],
            },
          },
        },
      }),
    },
  ),
  change(
    'strategic patch with an order',
    apps('deployments'),
    () => ({
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, ...podSpec({ env: env(60_000) }) },
      },
    }),
    {
      method: 'PATCH',
      type: STRATEGIC,
      value: () => ({
        spec: {
          template: {
            spec: {
              containers: [
                {
                  name: 'c',
                  '$setElementOrder/env': env(60_000)
                    .toReversed()
                    .map(({ name }) => ({ name })),
                },
              ],
            },
          },
        },
      }),
    },
  ),
  change(
    'strategic patch that deletes items',
    apps('deployments'),
    () => ({
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, ...podSpec({ env: env(60_000) }) },
      },
    }),
    {
      method: 'PATCH',
      type: STRATEGIC,
      value: () => ({
        spec: {
          template: {
            spec: {
              containers: [
                { name: 'c', env: env(60_000).map(({ name }) => ({ name, $patch: 'delete' })) },
              ],
            },
          },
        },
      }),
    },
  ),
  change(
    'strategic patch that deletes finalizers',
    MAPS,
    () => ({
      metadata: { name: 'big', finalizers: many((i) => `example.com/f${i}`, { values: 45_000 }) },
    }),
    {
      method: 'PATCH',
      type: STRATEGIC,
      value: () => ({
        metadata: {
          '$deleteFromPrimitiveList/finalizers': many((i) => `example.com/f${i}`, {
            values: 45_000,
          }),
        },
      }),
    },
  ),
  change('JSON patch of many keys', MAPS, bigMap(10), {
    method: 'PATCH',
    type: JSON_PATCH,
    value: () =>
      Array.from({ length: 10_000 }, (_, i) => ({ op: 'add', path: `/data/n${i}`, value: 'x' })),
  }),
  change('JSON patch of keys of many', MAPS, bigMap(60_000), {
    method: 'PATCH',
    type: JSON_PATCH,
    value: () =>
      Array.from({ length: 10_000 }, (_, i) => ({
        op: 'replace',
        path: `/data/k${i}`,
        value: 'x',
      })),
  }),
  change(
    'JSON patch at the start of a list',
    MAPS,
    () => ({
      metadata: { name: 'big', finalizers: many((i) => `example.com/f${i}`, { values: 45_000 }) },
    }),
    {
      method: 'PATCH',
      type: JSON_PATCH,
      value: () =>
        Array.from({ length: 10_000 }, (_, i) => ({
          op: 'add',
          path: '/metadata/finalizers/0',
          value: `example.com/g${i}`,
        })),
      status: 0,
    },
  ),
  change(
    'JSON patch that moves items',
    MAPS,
    () => ({
      metadata: { name: 'big', finalizers: many((i) => `example.com/f${i}`, { values: 45_000 }) },
    }),
    {
      method: 'PATCH',
      type: JSON_PATCH,
      value: () =>
        Array.from({ length: 10_000 }, () => ({
          op: 'move',
          from: '/metadata/finalizers/0',
          path: '/metadata/finalizers/-',
        })),
      status: 0,
    },
  ),
  change('JSON patch that copies what grows', MAPS, () => ({ data: { a: 'x' } }), {
    method: 'PATCH',
    type: JSON_PATCH,
    value: () =>
      Array.from({ length: 10_000 }, (_, i) => ({ op: 'copy', from: '', path: `/data/n${i}` })),
    status: 422,
  }),
  change('JSON patch that tests large values', MAPS, bigMap(60_000), {
    method: 'PATCH',
    type: JSON_PATCH,
    value: () => [
      { op: 'test', path: '/data', value: keys(60_000) },
      { op: 'add', path: '/data/n', value: '' },
    ],
  }),
  change('JSON patch that replaces all again and again', MAPS, bigMap(10), {
    method: 'PATCH',
    type: JSON_PATCH,
    value: () =>
      Array.from({ length: 10_000 }, () => ({
        op: 'add',
        path: '/data',
        value: { a: 'x'.repeat(200) },
      })),
  }),
  change('apply of every value', MAPS, bigMap(60_000), {
    method: 'PATCH',
    sub: '?fieldManager=a&force=true',
    type: APPLY,
    value: () => config({ data: keys(48_000, 'x') }),
  }),
  change('apply in conflict about every value', MAPS, bigMap(60_000), {
    method: 'PATCH',
    sub: '?fieldManager=a',
    type: APPLY,
    value: () => config({ data: keys(48_000, 'x') }),
    status: 409,
  }),
  {
    name: 'apply that makes as much as fits',
    ask: ask('PATCH', `${MAPS}/big?fieldManager=a`, () => config({ data: keys(95_000) }), APPLY),
    status: 201,
    after: [{ method: 'DELETE', path: `${MAPS}/big` }],
  },
  {
    name: 'apply that lets go of everything',
    before: [
      ask('PATCH', `${MAPS}/big?fieldManager=a`, () => config({ data: keys(60_000) }), APPLY),
    ],
    ask: ask('PATCH', `${MAPS}/big?fieldManager=a`, () => config({ data: { a: 'x' } }), APPLY),
    status: 200,
    after: [{ method: 'DELETE', path: `${MAPS}/big` }],
  },
  {
    name: 'apply of a keyed list',
    before: [
      ask('PATCH', `${apps('deployments')}/big?fieldManager=a`, () => deploymentOf(30_000), APPLY),
    ],
    ask: ask(
      'PATCH',
      `${apps('deployments')}/big?fieldManager=a`,
      () => deploymentOf(29_000, 'x'),
      APPLY,
    ),
    status: 200,
    after: [{ method: 'DELETE', path: `${apps('deployments')}/big` }],
  },
  {
    name: 'apply of a set',
    before: [
      ask(
        'PATCH',
        `${MAPS}/big?fieldManager=a`,
        () =>
          config({
            metadata: {
              name: 'big',
              finalizers: many((i) => `example.com/f${i}`, { values: 60_000 }),
            },
          }),
        APPLY,
      ),
    ],
    ask: ask(
      'PATCH',
      `${MAPS}/big?fieldManager=b`,
      () =>
        config({
          metadata: {
            name: 'big',
            finalizers: many((i) => `example.com/f${i}`, { values: 60_000 }).toReversed(),
          },
        }),
      APPLY,
    ),
    status: 200,
    after: [
      ask('PATCH', `${MAPS}/big`, () => ({ metadata: { finalizers: null } }), MERGE),
      { method: 'DELETE', path: `${MAPS}/big` },
    ],
  },
  {
    name: 'apply with many owners of much',
    before: [
      ask('POST', MAPS, () => ({ metadata: { name: 'big' }, data: keys(2_000) })),
      ...Array.from({ length: 20 }, (_, i) =>
        ask('PATCH', `${MAPS}/big?fieldManager=a${i}`, () => config({ data: keys(2_000) }), APPLY),
      ),
    ],
    ask: ask(
      'PATCH',
      `${MAPS}/big?fieldManager=b&force=true`,
      () => config({ data: keys(2_000, 'x') }),
      APPLY,
    ),
    status: 200,
    after: [{ method: 'DELETE', path: `${MAPS}/big` }],
  },
  change('update of the status', PODS, () => podSpec(), {
    method: 'PATCH',
    sub: '/status',
    type: MERGE,
    value: () => ({ status: { conditions: many((i) => ({ type: `T${i}`, status: 'True' })) } }),
  }),
  change('update of the scale', apps('deployments'), () => deploymentOf(25_000), {
    method: 'PATCH',
    sub: '/scale',
    type: MERGE,
    value: () => ({ spec: { replicas: 3 }, metadata: { annotations: keys(60_000) } }),
    status: 0,
  }),
  change('delete with a large body', MAPS, bigMap(60_000), {
    method: 'DELETE',
    value: () => ({ dryRun: many(() => 'All') }),
  }),
  change('delete with wrong trials', MAPS, bigMap(10), {
    method: 'DELETE',
    value: () => ({ dryRun: many((i) => `x${i}`) }),
    status: 422,
  }),
  change('eviction', PODS, () => podSpec(), {
    method: 'POST',
    sub: '/eviction',
    value: () => ({ metadata: { name: 'big', annotations: keys(60_000) }, deleteOptions: {} }),
    status: 0,
  }),
]

function deploymentOf(count: number, value = ''): Json {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'big' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' } },
        ...podSpec({ env: Array.from({ length: count }, (_, i) => ({ name: `E${i}`, value })) }),
      },
    },
  }
}

const REVIEW = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
const reviews: Row[] = [
  {
    name: 'review of access with many groups',
    ask: ask('POST', REVIEW, () => ({
      spec: {
        user: 'u',
        groups: many((i) => `g${i}`),
        resourceAttributes: { verb: 'get', resource: 'pods' },
      },
    })),
    status: 201,
  },
  {
    name: 'review of access with much beside',
    ask: ask('POST', REVIEW, () => ({
      spec: {
        user: 'u',
        extra: manyKeys(
          (i) => `e${i}`,
          () => ['x'],
          { values: 45_000 },
        ),
        resourceAttributes: { verb: 'get', resource: 'pods' },
      },
    })),
    status: 201,
  },
  {
    name: 'review of a long token',
    ask: ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', () => ({
      spec: { token: 'x.'.repeat(1_500_000) },
    })),
    status: 201,
  },
  {
    name: 'token for many audiences',
    ask: ask('POST', `${NS}/serviceaccounts/default/token`, () => ({
      spec: { audiences: many((i) => `a${i}`) },
    })),
    status: 0,
  },
]

const labelled = Array.from({ length: 300 }, (_, i) =>
  ask('POST', MAPS, () => ({ metadata: { name: `l${i}`, labels: { app: 'x', [`k${i}`]: 'v' } } })),
)
const select = (name: string, query: () => string, status = 200): Row => ({
  name: `list by ${name}`,
  before: labelled,
  ask: { method: 'GET', path: `${MAPS}?${query()}` },
  status,
  after: [{ method: 'DELETE', path: `${MAPS}?labelSelector=app` }],
})
const URL_BYTES = 50_000
const words = (make: (i: number) => string) => {
  let text = ''
  for (let i = 0; text.length < URL_BYTES; i++) text += (i === 0 ? '' : ',') + make(i)
  return text
}
const selectors: Row[] = [
  select('many labels', () => `labelSelector=${words((i) => `!n${i}`)}`),
  select(
    'one label with many values',
    () => `labelSelector=app%20notin%20(${words((i) => `v${i}`)})`,
  ),
  select('the same label many times', () => `labelSelector=${words(() => 'app')}`),
  select('many fields', () => `fieldSelector=${words((i) => `metadata.name!=n${i}`)}`),
  select('many unknown fields', () => `fieldSelector=${words((i) => `a${i}=b`)}`, 400),
  select('many parameters', () => words((i) => `a${i}=`).replaceAll(',', '&')),
]

const yaml = (name: string, body: () => string, status = 201): Row => ({
  name: `YAML ${name}`,
  ask: { method: 'POST', path: MAPS, type: 'application/yaml', body },
  status,
  after: [{ method: 'DELETE', path: `${MAPS}/big` }],
})
const HEAD = 'metadata:\n  name: big\n'
const yamls: Row[] = [
  yaml(
    'many keys',
    () => `${HEAD}data:\n${Array.from({ length: 80_000 }, (_, i) => `  k${i}: ""\n`).join('')}`,
  ),
  yaml(
    'quoted texts',
    () =>
      `${HEAD}data:\n${Array.from({ length: 36_000 }, (_, i) => `  "k${i}": "\\x41\\u0042\\n"\n`).join('')}`,
  ),
  yaml('a long text', () => `${HEAD}data:\n  a: |\n${`    ${'x'.repeat(70)}\n`.repeat(12_000)}`),
  yaml('a folded text', () => `${HEAD}data:\n  a: >\n${'    x\n\n'.repeat(140_000)}`, 0),
  yaml(
    'a plain text over many lines',
    () => `${HEAD}data:\n  a: x\n${'    x\n'.repeat(170_000)}`,
    0,
  ),
  yaml('comments', () => `${HEAD}${'#\n'.repeat(500_000)}`),
  yaml(
    'aliases',
    () =>
      `${HEAD}data:\n  a: &a x\n${Array.from({ length: 70_000 }, (_, i) => `  k${i}: *a\n`).join('')}`,
  ),
  yaml(
    'aliases of what is large',
    () => `x: &a [${'1,'.repeat(90_000)}1]\ny: [*a,*a,*a]\n${HEAD}`,
    400,
  ),
  yaml(
    'aliases of aliases',
    () =>
      `a: &a [x]\n${Array.from({ length: 30 }, (_, i) => `a${i}: &a${i} [*a${i === 0 ? '' : i - 1},*a${i === 0 ? '' : i - 1}]\n`).join('')}${HEAD}`,
    400,
  ),
  yaml(
    'many anchors',
    () =>
      `${HEAD}data:\n${Array.from({ length: 19_000 }, (_, i) => `  k${i}: &n${i} x\n`).join('')}`,
  ),
  yaml(
    'merged maps',
    () =>
      `x: &a {${Array.from({ length: 30_000 }, (_, i) => `k${i}: ""`).join(', ')}}\n${HEAD}data:\n  <<: [${Array(90).fill('*a').join(', ')}]\n`,
    0,
  ),
  yaml('merge keys', () => `x: &a {b: ""}\n${HEAD}data:\n${'  <<: *a\n'.repeat(100_000)}`, 0),
  yaml('nested lists', () => `${HEAD}data: ${'['.repeat(1_000_000)}`, 400),
  yaml('nested blocks', () => `${HEAD}data: ${'- '.repeat(9_000)}x\n`, 400),
  yaml(
    'many levels by indentation',
    () =>
      `${HEAD}data:\n${Array.from({ length: 2_400 }, (_, i) => `${' '.repeat(i + 1)}k:\n`).join('')}`,
    0,
  ),
  yaml('repeated keys', () => `${HEAD}data:\n${'  a: ""\n'.repeat(130_000)}`, 0),
  yaml('an endless quote', () => `${HEAD}data:\n  a: "${'\\'.repeat(1_000_000)}`, 400),
  yaml('question marks', () => `${HEAD}${'? '.repeat(500_000)}`, 400),
  yaml('documents', () => '---\n'.repeat(260_000), 0),
  yaml(
    'tags',
    () =>
      `${HEAD}data:\n${Array.from({ length: 19_000 }, (_, i) => `  k${i}: !!str "x"\n`).join('')}`,
  ),
  yaml('a long key', () => `${HEAD}data:\n  ${'k'.repeat(1_000_000)}: x\n`, 422),
]

export const writtenRows = (): Row[] => [
  ...creates,
  ...definitions,
  ...changes,
  ...reviews,
  ...selectors,
  ...yamls,
]
