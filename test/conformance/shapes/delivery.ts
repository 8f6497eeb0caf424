/** Pipelines, workflows, sources and releases. */
import {
  anything,
  broken,
  combined,
  conditions,
  container,
  embedded,
  failed,
  flag,
  inBody,
  type Json,
  keyed,
  list,
  mapOf,
  mistyped,
  object,
  oneOf,
  open,
  podTemplate,
  required,
  rules,
  setOf,
  type Shape,
  text,
  time,
  UNCHECKED,
  unsupported,
  whole,
} from './schema-words.ts'

const duration: Json = { ...text, pattern: '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$' }

export const deliveryShapes: readonly Shape[] = [
  {
    plural: 'sources',
    kind: 'Source',
    version: {
      subresources: { status: {} },
      additionalPrinterColumns: [
        { name: 'URL', type: 'string', jsonPath: '.spec.url' },
        {
          name: 'Ready',
          type: 'string',
          jsonPath: ".status.conditions[?(@.type=='Ready')].status",
        },
      ],
    },
    properties: {
      spec: object(
        {
          url: { ...text, pattern: '^(http|https|ssh)://.*$' },
          interval: duration,
          timeout: { ...duration, default: '60s' },
          ref: object({
            branch: text,
            tag: text,
            semver: text,
            commit: { ...text, maxLength: 64 },
          }),
          ignore: text,
          suspend: flag,
          verify: object(
            {
              mode: { ...oneOf('head', 'HEAD'), default: 'HEAD' },
              secretRef: object({ name: text }, { required: ['name'] }),
            },
            { required: ['secretRef'] },
          ),
        },
        { required: ['interval', 'url'] },
      ),
      status: object(
        {
          conditions,
          observedGeneration: whole,
          artifact: object({ digest: text, size: { ...whole, format: 'int64' } }),
        },
        { default: { observedGeneration: -1 } },
      ),
    },
    valid: [
      [
        { spec: { interval: '1m', url: 'https://a/b', verify: { secretRef: { name: 's' } } } },
        {
          spec: {
            interval: '1m',
            timeout: '60s',
            url: 'https://a/b',
            verify: { mode: 'HEAD', secretRef: { name: 's' } },
          },
          status: { observedGeneration: -1 },
        },
      ],
    ],
    invalid: [
      [
        { spec: { interval: '5 minutes', url: 'ftp://a' } },
        inBody('spec.interval', '"5 minutes"', "should match '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$'"),
        inBody('spec.url', '"ftp://a"', "should match '^(http|https|ssh)://.*$'"),
      ],
      [{ spec: {} }, required('spec.interval'), required('spec.url')],
    ],
  },
  {
    plural: 'releases',
    kind: 'Release',
    properties: {
      spec: object(
        {
          chart: object(
            {
              spec: object(
                { chart: text, version: { ...text, default: '*' }, values: list(text) },
                { required: ['chart'] },
              ),
            },
            { required: ['spec'] },
          ),
          chartRef: object(
            { kind: oneOf('Chart', 'Source'), name: { ...text, minLength: 1 } },
            { required: ['kind', 'name'] },
          ),
          values: anything,
          install: object({ retries: whole, crds: oneOf('Skip', 'Create', 'CreateReplace') }),
          dependsOn: list(object({ name: text }, { required: ['name'] })),
        },
        rules([
          '(has(self.chart) && !has(self.chartRef)) || (!has(self.chart) && has(self.chartRef))',
          'either chart or chartRef must be set',
        ]),
      ),
    },
    valid: [
      [
        {
          spec: { chart: { spec: { chart: 'c' } }, values: { a: [1, null, { b: true }], z: 'x' } },
        },
        {
          spec: {
            chart: { spec: { chart: 'c', version: '*' } },
            values: { a: [1, null, { b: true }], z: 'x' },
          },
        },
      ],
      { spec: { chartRef: { kind: 'Chart', name: 'n' }, values: 5 } },
    ],
    invalid: [
      [{ spec: {} }, failed('spec', 'either chart or chartRef must be set')],
      [
        { spec: { chartRef: { kind: 'X', name: '' }, install: { crds: 'No', retries: '3' } } },
        unsupported('spec.chartRef.kind', '"X"', 'Chart', 'Source'),
        inBody('spec.chartRef.name', '""', 'should be at least 1 chars long'),
        unsupported('spec.install.crds', '"No"', 'Skip', 'Create', 'CreateReplace'),
        mistyped('spec.install.retries', 'integer', 'string'),
        UNCHECKED,
      ],
    ],
  },
  {
    // A workflow keeps what it does not know, nearly everywhere.
    plural: 'flows',
    kind: 'Flow',
    properties: {
      spec: {
        type: 'object',
        'x-orch-preserve-unknown-fields': true,
        'x-orch-map-type': 'atomic',
        properties: {
          entry: text,
          templates: list(
            object({ name: text, container }, { 'x-orch-preserve-unknown-fields': true }),
          ),
        },
      },
      status: open,
    },
    valid: [
      {
        spec: {
          entry: 'a',
          other: { x: [null] },
          templates: [{ name: 't', extra: 1, container: { name: 'c' } }],
        },
        status: { a: 1 },
      },
      [
        {
          spec: {
            templates: [{ container: { name: 'c', unknown: 1, ports: [{ containerPort: 1 }] } }],
          },
        },
        {
          spec: {
            templates: [
              { container: { name: 'c', ports: [{ containerPort: 1, protocol: 'TCP' }] } },
            ],
          },
        },
      ],
    ],
    invalid: [
      [
        { spec: { entry: 1, templates: [{ container: { env: [{ name: 'a' }, { name: 'a' }] } }] } },
        mistyped('spec.entry', 'string', 'integer'),
        required('spec.templates[0].container.name'),
        'spec.templates[0].container.env[1] Duplicate Duplicate value: map[string]interface {}{"name":"a"}',
      ],
    ],
  },
  {
    plural: 'applications',
    kind: 'Application',
    properties: {
      spec: object(
        {
          destination: object({ server: text, name: text, namespace: text }),
          source: object(
            {
              repo: text,
              path: text,
              helm: object({
                parameters: list(object({ name: text, value: text, forceString: flag })),
                valuesObject: open,
              }),
            },
            { required: ['repo'] },
          ),
          sources: list(object({ repo: text }, { required: ['repo'] })),
          syncPolicy: object({
            automated: object({ prune: flag, selfHeal: flag }),
            retry: object({
              limit: { ...whole, format: 'int64' },
              backoff: object({ duration: text, factor: { ...whole, format: 'int64' } }),
            }),
          }),
          info: list(object({ name: text, value: text }, { required: ['name', 'value'] })),
        },
        { required: ['destination'] },
      ),
      operation: object({
        sync: object({ revision: text, manifests: list(text) }),
        initiatedBy: object({ automated: flag }),
      }),
      status: object({
        health: object({ status: text }),
        history: list(object({ id: whole, deployedAt: time }, { required: ['id', 'deployedAt'] })),
      }),
    },
    root: { required: ['spec'] },
    valid: [
      {
        operation: { sync: { revision: 'r' } },
        spec: { destination: { server: 's' }, source: { repo: 'r' } },
        status: { history: [{ deployedAt: '2024-01-02T03:04:05Z', id: 1 }] },
      },
    ],
    invalid: [
      [{}, required('spec')],
      [
        {
          spec: { destination: {}, sources: [{}] },
          status: { history: [{ id: 1, deployedAt: 'now' }] },
        },
        required('spec.sources[0].repo'),
        'status.history[0].deployedAt TypeInvalid Invalid value: "now": status.history[0].deployedAt in body must be of type date-time: "now"',
      ],
    ],
  },
  {
    // Values of parameters are texts, lists or objects.
    plural: 'tasks',
    kind: 'Task',
    properties: {
      spec: object({
        params: keyed(
          ['name'],
          object(
            {
              name: text,
              type: oneOf('string', 'array', 'object'),
              default: anything,
              enum: setOf(text),
            },
            { required: ['name'] },
          ),
        ),
        steps: list({
          ...container,
          properties: {
            ...(container['properties'] as Json),
            script: text,
            onError: oneOf('continue', 'stopAndFail'),
          },
        }),
        results: keyed(['name'], object({ name: text, value: anything }, { required: ['name'] })),
        sidecars: list(open),
        timeout: { ...text, format: 'duration' },
      }),
    },
    valid: [
      {
        spec: {
          params: [
            { default: ['a'], name: 'a', type: 'array' },
            { default: { x: '1' }, name: 'o' },
            { default: 's', name: 's' },
          ],
          results: [{ name: 'r', value: { a: [] } }],
          timeout: '1h30m',
        },
      },
    ],
    invalid: [
      [
        { spec: { params: [{ name: 'a', enum: ['x', 'x'] }, {}, 'text'], timeout: 'soon' } },
        required('spec.params[1].name'),
        mistyped('spec.params[2]', 'object', 'string'),
        'spec.timeout TypeInvalid Invalid value: "soon": spec.timeout in body must be of type duration: "soon"',
        broken('spec.params[2]', '"text"', 'must be an object for an array of list-type map'),
        'spec.params[0].enum[1] Duplicate Duplicate value: "x"',
      ],
      [
        { spec: { params: [null, { name: 'a' }, null] } },
        mistyped('spec.params[0]', 'object', 'null'),
        mistyped('spec.params[2]', 'object', 'null'),
        'spec.params[2] Duplicate Duplicate value: map[string]interface {}{}',
      ],
    ],
  },
  {
    plural: 'revisions2',
    kind: 'Revision2',
    properties: {
      spec: object({
        template: {
          ...podTemplate,
          properties: {
            ...(podTemplate['properties'] as Json),
            metadata: { ...open, nullable: true },
          },
        },
        concurrency: { ...whole, format: 'int64', minimum: 0, maximum: 1000, default: 0 },
        traffic: list(
          object({ percent: { ...whole, minimum: 0, maximum: 100 }, tag: text, latest: flag }),
          {
            maxItems: 20,
            ...rules([
              'self.exists_one(t, has(t.latest) && t.latest)',
              'one part goes to the latest',
            ]),
          },
        ),
      }),
    },
    valid: [
      [
        {
          spec: {
            template: {
              metadata: null,
              spec: {
                containers: [{ name: 'c', resources: { limits: { cpu: 1, memory: '1Gi' } } }],
              },
            },
            traffic: [{ percent: 100, latest: true }],
          },
        },
        {
          spec: {
            concurrency: 0,
            template: {
              metadata: null,
              spec: {
                containers: [{ name: 'c', resources: { limits: { cpu: 1, memory: '1Gi' } } }],
              },
            },
            traffic: [{ percent: 100, latest: true }],
          },
        },
      ],
    ],
    invalid: [
      [
        { spec: { traffic: [{ percent: 60 }, { percent: 50 }] } },
        failed('spec.traffic', 'one part goes to the latest', 'array'),
      ],
      [
        {
          spec: {
            template: {
              spec: { containers: [{ name: 'c', resources: { limits: { cpu: '1 core' } } }] },
            },
          },
        },
        inBody(
          'spec.template.spec.containers[0].resources.limits.cpu',
          '"1 core"',
          "should match '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$'",
        ),
      ],
      [
        {
          spec: {
            template: {
              spec: { containers: [{ name: 'c', resources: { limits: { cpu: 1.5 } } }] },
            },
          },
        },
        mistyped(
          'spec.template.spec.containers[0].resources.limits.cpu',
          'integer,string',
          'number',
        ),
        combined(
          'spec.template.spec.containers[0].resources.limits.cpu',
          'validate at least one schema (anyOf)',
        ),
        mistyped('spec.template.spec.containers[0].resources.limits.cpu', 'integer', 'number'),
        UNCHECKED,
      ],
    ],
  },
  {
    plural: 'bundles',
    kind: 'Bundle',
    properties: {
      spec: object({
        objects: list(
          embedded({
            properties: { apiVersion: text, kind: { ...text, enum: ['ConfigMap', 'Secret'] } },
          }),
        ),
        order: setOf(oneOf('first', 'last')),
      }),
    },
    valid: [
      {
        spec: {
          objects: [{ apiVersion: 'v1', kind: 'Secret', data: {}, metadata: { name: 'a' } }],
          order: ['last'],
        },
      },
    ],
    invalid: [
      [
        {
          spec: {
            objects: [
              { apiVersion: 'a/b/c', kind: 'Pod' },
              { apiVersion: '', kind: 'Secret', metadata: { name: 'a/b' } },
            ],
          },
        },
        unsupported('spec.objects[0].kind', '"Pod"', 'ConfigMap', 'Secret'),
        broken('spec.objects[0].apiVersion', '"a/b/c"', 'unexpected GroupVersion string: a/b/c'),
        broken('spec.objects[1].apiVersion', '""', 'must not be empty'),
        broken('spec.objects[1].metadata.name', '"a/b"', "may not contain '/'"),
      ],
    ],
  },
  {
    plural: 'packages',
    kind: 'Package',
    properties: {
      spec: object(
        {
          image: {
            ...text,
            ...rules([
              "self.matches('^[a-z0-9.-]+/[a-z0-9/._-]+:.+$')",
              'must name a registry and a tag',
            ]),
            maxLength: 255,
          },
          policy: { ...oneOf('Automatic', 'Manual'), default: 'Automatic' },
          history: { ...whole, format: 'int64', default: 1, minimum: 0 },
          labels: mapOf(text),
          skip: { ...flag, default: false },
        },
        { required: ['image'] },
      ),
    },
    valid: [
      [
        { spec: { image: 'a.b/c:1' } },
        { spec: { history: 1, image: 'a.b/c:1', policy: 'Automatic', skip: false } },
      ],
    ],
    invalid: [
      [{ spec: { image: 'c' } }, failed('spec.image', 'must name a registry and a tag', 'string')],
    ],
  },
]
