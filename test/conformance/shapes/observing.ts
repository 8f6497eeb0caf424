/** Monitors, collectors, dashboards and alerts. */
import {
  anything,
  broken,
  combined,
  conditions,
  container,
  either,
  embedded,
  failed,
  flag,
  inBody,
  int32,
  type Json,
  keyed,
  list,
  mapOf,
  mistyped,
  object,
  oneOf,
  open,
  required,
  resources,
  rules,
  selector,
  setOf,
  type Shape,
  text,
  time,
  unsupported,
  whole,
} from './schema-words.ts'

const interval: Json = {
  ...text,
  pattern:
    '^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$',
}
const secretKey = object(
  { name: { ...text, default: '' }, key: text, optional: flag },
  { required: ['key'], 'x-orch-map-type': 'atomic' },
)

export const observingShapes: readonly Shape[] = [
  {
    plural: 'monitors',
    kind: 'Monitor',
    properties: {
      spec: object(
        {
          endpoints: list(
            object({
              port: text,
              targetPort: either,
              path: text,
              interval,
              scheme: oneOf('http', 'https'),
              basicAuth: object({ username: secretKey, password: secretKey }),
              relabelings: list(
                object({
                  action: { ...oneOf('replace', 'keep', 'drop'), default: 'replace' },
                  sourceLabels: list({ ...text, pattern: '^[a-zA-Z_][a-zA-Z0-9_]*$' }),
                  modulus: { ...whole, format: 'int64' },
                }),
              ),
            }),
          ),
          selector,
          namespaceSelector: object({ any: flag, matchNames: list(text) }),
          sampleLimit: { ...whole, format: 'int64', minimum: 0 },
        },
        { required: ['endpoints', 'selector'] },
      ),
    },
    root: { required: ['spec'] },
    valid: [
      {
        spec: {
          endpoints: [{ interval: '30s', port: 'web', targetPort: 80 }, { targetPort: 'web' }],
          selector: {},
        },
      },
      [
        {
          spec: {
            endpoints: [
              { basicAuth: { password: { key: 'k' } }, relabelings: [{ sourceLabels: ['a'] }] },
            ],
            selector: {},
          },
        },
        {
          spec: {
            endpoints: [
              {
                basicAuth: { password: { key: 'k', name: '' } },
                relabelings: [{ action: 'replace', sourceLabels: ['a'] }],
              },
            ],
            selector: {},
          },
        },
      ],
    ],
    invalid: [
      [
        {
          spec: {
            endpoints: [
              {
                targetPort: true,
                interval: '5 s',
                relabelings: [{ action: 'Replace', sourceLabels: ['1a'] }],
              },
            ],
            selector: { matchLabels: { a: 5 } },
          },
        },
        inBody(
          'spec.endpoints[0].interval',
          '"5 s"',
          `should match '${String(interval['pattern'])}'`,
        ),
        unsupported(
          'spec.endpoints[0].relabelings[0].action',
          '"Replace"',
          'replace',
          'keep',
          'drop',
        ),
        inBody(
          'spec.endpoints[0].relabelings[0].sourceLabels[0]',
          '"1a"',
          "should match '^[a-zA-Z_][a-zA-Z0-9_]*$'",
        ),
        mistyped('spec.endpoints[0].targetPort', 'integer,string', 'boolean'),
        combined('spec.endpoints[0].targetPort', 'validate at least one schema (anyOf)'),
        mistyped('spec.endpoints[0].targetPort', 'integer', 'boolean'),
        mistyped('spec.selector.matchLabels.a', 'string', 'integer'),
      ],
    ],
  },
  {
    plural: 'alertrules',
    kind: 'AlertRule',
    properties: {
      spec: object({
        groups: keyed(
          ['name'],
          object(
            {
              name: { ...text, minLength: 1 },
              interval,
              rules: list(
                object(
                  { alert: text, record: text, expr: either, for: interval, labels: mapOf(text) },
                  { required: ['expr'] },
                ),
              ),
              partial: { ...text, pattern: '^(?i)(abort|warn)?$' },
            },
            { required: ['name'] },
          ),
        ),
      }),
    },
    valid: [
      {
        spec: {
          groups: [
            {
              name: 'g',
              partial: 'WARN',
              rules: [
                { alert: 'a', expr: 'up == 0', for: '5m' },
                { expr: 1, record: 'r' },
              ],
            },
          ],
        },
      },
    ],
    invalid: [
      [
        { spec: { groups: [{ name: '', rules: [{}], partial: 'no' }] } },
        inBody('spec.groups[0].name', '""', 'should be at least 1 chars long'),
        inBody('spec.groups[0].partial', '"no"', "should match '^(?i)(abort|warn)?$'"),
        required('spec.groups[0].rules[0].expr'),
      ],
    ],
  },
  {
    // A configuration that is free but for its parts, in two versions, of which one is not stored.
    plural: 'collectors',
    kind: 'Collector',
    version: {
      subresources: {
        status: {},
        scale: {
          specReplicasPath: '.spec.replicas',
          statusReplicasPath: '.status.scale.replicas',
          labelSelectorPath: '.status.scale.selector',
        },
      },
    },
    properties: {
      spec: object(
        {
          mode: {
            ...oneOf('daemonset', 'deployment', 'sidecar', 'statefulset'),
            default: 'deployment',
          },
          replicas: { ...int32, minimum: 0 },
          config: object(
            {
              receivers: open,
              exporters: open,
              service: object(
                {
                  pipelines: {
                    ...mapOf(
                      object(
                        { exporters: list(text), receivers: list(text) },
                        { required: ['exporters', 'receivers'] },
                      ),
                    ),
                    minProperties: 1,
                  },
                },
                { required: ['pipelines'] },
              ),
            },
            {
              required: ['exporters', 'receivers', 'service'],
              'x-orch-preserve-unknown-fields': true,
            },
          ),
          env: keyed(['name'], object({ name: text, value: text }, { required: ['name'] })),
          resources,
          ports: keyed(
            ['port'],
            object({ port: int32, hostPort: int32, name: text }, { required: ['port'] }),
          ),
        },
        {
          required: ['config'],
          ...rules(
            ["!(self.mode == 'sidecar' && has(self.replicas))", 'a sidecar has no replicas'],
            [
              "!has(self.ports) || self.ports.all(p, !has(p.hostPort) || self.mode == 'daemonset')",
              'host ports are for daemon sets',
            ],
          ),
        },
      ),
      status: object({ scale: object({ replicas: int32, selector: text }), version: text }),
    },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: false,
        deprecated: true,
        deprecationWarning: 'use v1',
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', 'x-orch-preserve-unknown-fields': true } },
          },
        },
      },
    ],
    valid: [
      [
        {
          spec: {
            config: {
              receivers: { r: null },
              exporters: {},
              service: { pipelines: { traces: { receivers: ['r'], exporters: [] } } },
              extensions: { e: {} },
            },
          },
        },
        {
          spec: {
            config: {
              exporters: {},
              extensions: { e: {} },
              receivers: { r: null },
              service: { pipelines: { traces: { exporters: [], receivers: ['r'] } } },
            },
            mode: 'deployment',
          },
        },
      ],
    ],
    invalid: [
      [
        { spec: { config: { receivers: {}, exporters: {}, service: { pipelines: {} } } } },
        inBody('spec.config.service.pipelines', '0', 'should have at least 1 properties'),
      ],
      [
        {
          spec: {
            mode: 'sidecar',
            replicas: 1,
            ports: [{ port: 1, hostPort: 2 }],
            config: {
              receivers: {},
              exporters: {},
              service: { pipelines: { a: { receivers: [], exporters: [] } } },
            },
          },
        },
        failed('spec', 'a sidecar has no replicas'),
        failed('spec', 'host ports are for daemon sets'),
      ],
    ],
  },
  {
    plural: 'dashboards',
    kind: 'Dashboard',
    properties: {
      spec: object(
        {
          json: text,
          url: text,
          configMapRef: object({ name: text, key: text }, { required: ['name', 'key'] }),
          instance: selector,
          resync: { ...text, format: 'duration', default: '10m0s' },
          plugins: list(object({ name: text, version: text }, { required: ['name', 'version'] })),
        },
        rules(
          [
            '(has(self.json) ? 1 : 0) + (has(self.url) ? 1 : 0) + (has(self.configMapRef) ? 1 : 0) == 1',
            'one source is needed',
          ],
          ['!has(oldSelf.instance) || self.instance == oldSelf.instance', 'instance is immutable'],
        ),
      ),
    },
    valid: [[{ spec: { json: '{}' } }, { spec: { json: '{}', resync: '10m0s' } }]],
    invalid: [
      [{ spec: { json: '{}', url: 'u' } }, failed('spec', 'one source is needed')],
      [{ spec: {} }, failed('spec', 'one source is needed')],
    ],
    changes: [
      [
        { spec: { url: 'u', instance: { matchLabels: { a: 'b' } } } },
        { spec: { instance: { matchLabels: { a: 'c' } } } },
        failed('spec', 'instance is immutable'),
      ],
    ],
  },
  {
    plural: 'probes',
    kind: 'Probe',
    properties: {
      spec: object({
        target: object(
          {
            http: object(
              { port: either, path: text, headers: list(object({ name: text, value: text })) },
              { required: ['port'] },
            ),
            tcp: object({ port: either }, { required: ['port'] }),
            exec: object({ command: list(text) }),
          },
          { minProperties: 1, maxProperties: 1 },
        ),
        period: { ...int32, minimum: 1, default: 10 },
        success: { type: 'number', minimum: 0, maximum: 1, exclusiveMaximum: true },
        codes: list({ ...whole, minimum: 100, maximum: 600, exclusiveMaximum: true }),
      }),
    },
    valid: [
      [
        { spec: { codes: [200], success: 0.99, target: { http: { port: 'web' } } } },
        { spec: { codes: [200], period: 10, success: 0.99, target: { http: { port: 'web' } } } },
      ],
    ],
    invalid: [
      [
        { spec: { target: { http: { port: 1 }, tcp: { port: 2 } }, success: 1, codes: [600, 99] } },
        inBody('spec.codes[0]', '600', 'should be less than 600'),
        inBody('spec.codes[1]', '99', 'should be greater than or equal to 100'),
        inBody('spec.success', '1', 'should be less than 1'),
        'spec.target TooMany Too many: 2: must have at most 1 items',
      ],
      [{ spec: { target: {} } }, inBody('spec.target', '0', 'should have at least 1 properties')],
    ],
  },
  {
    plural: 'experiments',
    kind: 'Experiment',
    properties: {
      spec: object({
        mode: oneOf('one', 'all', 'fixed', 'percent'),
        value: text,
        duration: { ...text, format: 'duration' },
        selector: object({ namespaces: setOf(text), labels: mapOf(text), pods: mapOf(list(text)) }),
        stress: object(
          {
            cpu: object({ workers: whole, load: whole }, { required: ['workers'] }),
            memory: object({ workers: whole, size: text }, { required: ['workers'] }),
          },
          { allOf: [{ maxProperties: 1 }, { not: { required: ['cpu', 'memory'] } }] },
        ),
      }),
    },
    valid: [
      {
        spec: {
          duration: '30s',
          mode: 'one',
          selector: { pods: { ns: ['a', 'b'] } },
          stress: { cpu: { workers: 1 } },
        },
      },
    ],
    invalid: [
      [
        {
          spec: {
            stress: { cpu: { workers: 1 }, memory: { workers: 1 } },
            selector: { pods: { ns: ['a', 1] } },
          },
        },
        mistyped('spec.selector.pods.ns[1]', 'string', 'integer'),
        'spec.stress TooMany Too many: 2: must have at most 1 items',
        combined('spec.stress', 'not validate the schema (not)'),
        combined('spec.stress', 'validate all the schemas (allOf). None validated'),
      ],
    ],
  },
  {
    plural: 'runners',
    kind: 'Runner',
    properties: {
      spec: object({
        pod: embedded({
          properties: {
            apiVersion: text,
            kind: text,
            metadata: object({ name: text, generateName: text, labels: mapOf(text) }),
            spec: object({ containers: list(container, { minItems: 1 }) }),
          },
          ...rules([
            "self.kind == 'Pod' && (!has(self.metadata.labels) || 'app' in self.metadata.labels)",
            'a pod has a label app, if any',
          ]),
        }),
        group: { ...text, default: 'Default', maxLength: 128 },
      }),
    },
    valid: [
      [
        {
          spec: {
            pod: {
              apiVersion: 'v1',
              kind: 'Pod',
              metadata: { labels: { app: 'a' }, creationTimestamp: null },
              spec: { containers: [{ name: 'c' }] },
            },
          },
        },
        {
          spec: {
            group: 'Default',
            pod: {
              apiVersion: 'v1',
              kind: 'Pod',
              metadata: { labels: { app: 'a' } },
              spec: { containers: [{ name: 'c' }] },
            },
          },
        },
      ],
    ],
    invalid: [
      [
        { spec: { pod: { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { b: 'c' } } } } },
        failed('spec.pod', 'a pod has a label app, if any'),
      ],
      [
        {
          spec: {
            pod: {
              apiVersion: 'v1',
              kind: 'Pod',
              metadata: { name: 'n', finalizers: ['plain'], labels: { app: 'a b' } },
              spec: { containers: [] },
            },
          },
        },
        inBody('spec.pod.spec.containers', '0', 'should have at least 1 items'),
        broken(
          'spec.pod.metadata.labels',
          '"a b"',
          "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        ),
      ],
    ],
  },
  {
    plural: 'tenants',
    kind: 'Tenant',
    version: { subresources: { status: {} } },
    properties: {
      spec: object({
        owners: keyed(
          ['kind', 'name'],
          object(
            {
              kind: { ...oneOf('User', 'Group'), default: 'User' },
              name: text,
              roles: list(text, { default: ['admin'] }),
            },
            { required: ['name'] },
          ),
        ),
        quota: { type: 'integer', minimum: 1 },
        cordoned: { ...flag, default: false },
        options: object({
          annotations: mapOf(text, { nullable: true }),
          forbidden: object({ denied: list(text), regex: text }),
        }),
      }),
      status: object(
        {
          state: { ...oneOf('Active', 'Cordoned'), default: 'Active' },
          size: { ...whole, default: 0 },
          namespaces: list(text),
          since: time,
          conditions,
        },
        { default: {} },
      ),
    },
    valid: [
      [
        { spec: { owners: [{ name: 'a' }], options: { annotations: null } } },
        {
          spec: {
            cordoned: false,
            options: { annotations: null },
            owners: [{ kind: 'User', name: 'a', roles: ['admin'] }],
          },
          status: { size: 0, state: 'Active' },
        },
      ],
    ],
    invalid: [
      [
        { spec: { owners: [{ name: 'a' }, { name: 'a', kind: 'User' }], quota: 0 } },
        inBody('spec.quota', '0', 'should be greater than or equal to 1'),
        'spec.owners[1] Duplicate Duplicate value: map[string]interface {}{"kind":"User", "name":"a"}',
      ],
    ],
  },
  {
    plural: 'exporters',
    kind: 'Exporter',
    properties: {
      spec: object({
        free: anything,
        sized: mapOf(anything, { maxProperties: 1 }),
        nested: list(list({ ...whole, maximum: 9 }, { maxItems: 2 }), { minItems: 1 }),
      }),
    },
    valid: [
      { spec: { free: [{ a: null }], nested: [[1, 2], []], sized: { x: { y: [1] } } } },
      { spec: { free: 'x' } },
    ],
    invalid: [
      [
        { spec: { nested: [[10], [1, 2, 3], 4], sized: { a: 1, b: 2 } } },
        inBody('spec.nested[0][0]', '10', 'should be less than or equal to 9'),
        'spec.nested[1] TooMany Too many: 3: must have at most 2 items',
        mistyped('spec.nested[2]', 'array', 'integer'),
        'spec.sized TooMany Too many: 2: must have at most 1 items',
      ],
    ],
  },
  {
    plural: 'checks',
    kind: 'Check',
    properties: {
      spec: object(
        { a: text, b: text },
        {
          required: ['a'],
          oneOf: [
            { properties: { b: { enum: ['x'] } }, required: ['b'] },
            { properties: { a: { pattern: '^y' } }, not: { required: ['b'] } },
          ],
        },
      ),
    },
    valid: [{ spec: { a: 'a', b: 'x' } }, { spec: { a: 'yes' } }],
    invalid: [
      [
        { spec: { a: 'no' } },
        combined('spec', 'validate one and only one schema (oneOf). Found none valid'),
        inBody('spec.a', '"no"', "should match '^y'"),
      ],
      [
        { spec: { a: 'yes', b: 'z' } },
        combined('spec', 'validate one and only one schema (oneOf). Found none valid'),
        unsupported('spec.b', '"z"', 'x'),
      ],
    ],
  },
]
