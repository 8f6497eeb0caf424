/** Clusters, machines, nodes, compositions, policies and certificates. */
import {
  anything,
  broken,
  combined,
  conditions,
  either,
  embedded,
  failed,
  flag,
  inBody,
  int32,
  keyed,
  list,
  mapOf,
  mistyped,
  object,
  oneOf,
  open,
  podTemplate,
  quantity,
  required,
  rules,
  selector,
  setOf,
  type Shape,
  text,
  time,
  UNCHECKED,
  unsupported,
  whole,
} from './schema-words.ts'

const reference = object(
  { apiVersion: text, kind: text, name: text, namespace: text },
  { 'x-orch-map-type': 'atomic' },
)

export const platformShapes: readonly Shape[] = [
  {
    plural: 'machines',
    kind: 'Machine',
    version: { subresources: { status: {} } },
    properties: {
      spec: object(
        {
          clusterName: {
            ...text,
            minLength: 1,
            ...rules(['self == oldSelf', 'clusterName is immutable']),
          },
          bootstrap: object(
            { configRef: reference, dataSecretName: text },
            { oneOf: [{ required: ['configRef'] }, { required: ['dataSecretName'] }] },
          ),
          version: {
            ...text,
            ...rules(["self.startsWith('v')", 'a version begins with v']),
            maxLength: 256,
          },
          drain: { ...text, format: 'duration' },
          providerID: {
            ...text,
            ...rules(['oldSelf.size() == 0 || self == oldSelf', 'providerID can be set once']),
            maxLength: 512,
          },
        },
        { required: ['clusterName', 'bootstrap'] },
      ),
      status: object({
        phase: text,
        conditions,
        addresses: list(object({ type: text, address: text }, { required: ['address', 'type'] })),
      }),
    },
    valid: [
      {
        spec: {
          bootstrap: { dataSecretName: 's' },
          clusterName: 'c',
          drain: '10m',
          version: 'v1.2.3',
        },
      },
    ],
    invalid: [
      [
        { spec: { clusterName: '', bootstrap: {}, version: '1.2.3' } },
        combined('spec.bootstrap', 'validate one and only one schema (oneOf). Found none valid'),
        required('spec.bootstrap.configRef'),
        inBody('spec.clusterName', '""', 'should be at least 1 chars long'),
        UNCHECKED,
      ],
    ],
    changes: [
      [
        { spec: { clusterName: 'c', bootstrap: { dataSecretName: 's' } } },
        { spec: { clusterName: 'd', version: '1' } },
        failed('spec.clusterName', 'clusterName is immutable', 'string'),
        failed('spec.version', 'a version begins with v', 'string'),
      ],
      [
        { spec: { clusterName: 'c', bootstrap: { dataSecretName: 's' }, providerID: '' } },
        { spec: { providerID: 'x://1' } },
      ],
      [
        { spec: { clusterName: 'c', bootstrap: { dataSecretName: 's' }, providerID: 'x://1' } },
        { spec: { providerID: 'x://2' } },
        failed('spec.providerID', 'providerID can be set once', 'string'),
      ],
      [
        { spec: { clusterName: 'c', bootstrap: { dataSecretName: 's' } } },
        { spec: { bootstrap: { dataSecretName: null, configRef: { name: 'x' } } } },
      ],
    ],
  },
  {
    plural: 'machinesets',
    kind: 'MachineSet',
    version: {
      subresources: {
        status: {},
        scale: {
          specReplicasPath: '.spec.replicas',
          statusReplicasPath: '.status.replicas',
          labelSelectorPath: '.status.selector',
        },
      },
    },
    properties: {
      spec: object(
        {
          replicas: { ...int32, default: 1 },
          selector,
          template: object({ metadata: object({ labels: mapOf(text) }), spec: open }),
          deletePolicy: oneOf('Random', 'Newest', 'Oldest'),
        },
        { required: ['selector'] },
      ),
      status: object({ replicas: int32, selector: text }),
    },
    valid: [
      [
        { spec: { selector: { matchLabels: { a: 'b' } } } },
        { spec: { replicas: 1, selector: { matchLabels: { a: 'b' } } } },
      ],
    ],
    invalid: [
      [
        { spec: { replicas: -1, selector: { matchExpressions: [{ key: 'a' }] } } },
        required('spec.selector.matchExpressions[0].operator'),
        broken('.spec.replicas', '-1', 'should be a non-negative integer'),
      ],
    ],
  },
  {
    // Requirements over labels, limits, budgets and what may not change.
    plural: 'nodepools',
    kind: 'NodePool',
    properties: {
      spec: object({
        limits: mapOf(quantity),
        weight: { ...int32, minimum: 1, maximum: 100 },
        template: object({
          labels: mapOf(
            { ...text, maxLength: 63, pattern: '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$' },
            {
              maxProperties: 100,
              ...rules(["self.all(x, x != 'example.com/pool')", 'label is restricted']),
            },
          ),
          requirements: list(
            object(
              {
                key: { ...text, maxLength: 316 },
                operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'),
                values: list({ ...text, maxLength: 63 }, { maxItems: 50 }),
                minValues: { ...whole, minimum: 1, maximum: 50 },
              },
              { required: ['key', 'operator'] },
            ),
            {
              maxItems: 100,
              ...rules(
                [
                  "self.all(x, x.operator == 'In' ? x.values.size() != 0 : true)",
                  "requirements with operator 'In' must have a value defined",
                ],
                [
                  "self.all(x, (x.operator == 'Gt' || x.operator == 'Lt') ? (x.values.size() == 1 && int(x.values[0]) >= 0) : true)",
                  "requirements operator 'Gt' or 'Lt' must have a single positive integer value",
                ],
              ),
            },
          ),
          expireAfter: { ...text, default: '720h', pattern: '^(([0-9]+(s|m|h))+|Never)$' },
        }),
        disruption: object(
          {
            consolidateAfter: { ...text, pattern: '^(([0-9]+(s|m|h))+|Never)$' },
            policy: { ...oneOf('WhenEmpty', 'WhenUnderutilized'), default: 'WhenUnderutilized' },
            budgets: list(
              object(
                {
                  nodes: { ...text, default: '10%', pattern: '^((100|[0-9]{1,2})%|[0-9]+)$' },
                  schedule: text,
                  duration: text,
                },
                { required: ['nodes'] },
              ),
              {
                maxItems: 50,
                default: [{ nodes: '10%' }],
                ...rules([
                  'self.all(x, has(x.schedule) == has(x.duration))',
                  "'schedule' must be set with 'duration'",
                ]),
              },
            ),
          },
          {
            default: {},
            ...rules([
              "has(self.consolidateAfter) ? self.policy != 'WhenUnderutilized' || self.consolidateAfter == 'Never' : true",
              'consolidateAfter cannot be combined with WhenUnderutilized',
            ]),
          },
        ),
      }),
    },
    valid: [
      [
        { spec: { limits: { cpu: 10, memory: '1Ti' } } },
        {
          spec: {
            disruption: { budgets: [{ nodes: '10%' }], policy: 'WhenUnderutilized' },
            limits: { cpu: 10, memory: '1Ti' },
          },
        },
      ],
    ],
    invalid: [
      [
        {
          spec: {
            template: {
              labels: { 'example.com/pool': 'x' },
              requirements: [
                { key: 'a', operator: 'In', values: [] },
                { key: 'b', operator: 'Gt', values: ['-1'] },
              ],
            },
            disruption: { budgets: [{ schedule: 's' }] },
          },
        },
        failed('spec.disruption.budgets', "'schedule' must be set with 'duration'", 'array'),
        failed('spec.template.labels', 'label is restricted'),
        failed(
          'spec.template.requirements',
          "requirements with operator 'In' must have a value defined",
          'array',
        ),
        failed(
          'spec.template.requirements',
          "requirements operator 'Gt' or 'Lt' must have a single positive integer value",
          'array',
        ),
      ],
      [
        {
          spec: {
            limits: { cpu: '1 core' },
            weight: 0,
            disruption: { budgets: [{ nodes: '110%' }] },
          },
        },
        inBody(
          'spec.disruption.budgets[0].nodes',
          '"110%"',
          "should match '^((100|[0-9]{1,2})%|[0-9]+)$'",
        ),
        inBody(
          'spec.limits.cpu',
          '"1 core"',
          "should match '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$'",
        ),
        inBody('spec.weight', '0', 'should be greater than or equal to 1'),
      ],
    ],
  },
  {
    plural: 'nodeclasses',
    kind: 'NodeClass',
    properties: {
      spec: object(
        {
          amis: list(
            object({
              id: { ...text, pattern: 'ami-[0-9a-z]+' },
              alias: { ...text, maxLength: 30 },
              tags: mapOf(text, {
                maxProperties: 20,
                ...rules([
                  "self.all(k, k != '' && self[k] != '')",
                  "empty tag keys or values aren't supported",
                ]),
              }),
            }),
            {
              minItems: 1,
              maxItems: 30,
              ...rules(
                [
                  'self.all(x, has(x.tags) || has(x.id) || has(x.alias))',
                  "expected at least one, got none, ['tags', 'id', 'alias']",
                ],
                [
                  '!(self.exists(x, has(x.alias)) && self.size() != 1)',
                  "'alias' is mutually exclusive, cannot be set with other terms",
                ],
              ),
            },
          ),
          role: {
            ...text,
            ...rules(
              ["self != ''", 'role cannot be empty'],
              ['self == oldSelf', 'immutable field changed'],
            ),
          },
          device: object({
            size: { ...either, pattern: '^[0-9]+(Gi|Ti)$' },
            iops: { ...whole, format: 'int64' },
          }),
        },
        { required: ['amis'] },
      ),
    },
    valid: [
      {
        spec: { amis: [{ id: 'ami-1' }, { tags: { a: 'b' } }], device: { size: '4Gi' }, role: 'r' },
      },
    ],
    invalid: [
      [
        { spec: { amis: [{}, { alias: 'a' }] } },
        failed('spec.amis', "expected at least one, got none, ['tags', 'id', 'alias']", 'array'),
        failed(
          'spec.amis',
          "'alias' is mutually exclusive, cannot be set with other terms",
          'array',
        ),
      ],
      [
        { spec: { amis: [{ tags: { a: '' } }], role: '' } },
        failed('spec.amis[0].tags', "empty tag keys or values aren't supported"),
        failed('spec.role', 'role cannot be empty', 'string'),
      ],
    ],
  },
  {
    plural: 'compositions',
    kind: 'Composition',
    properties: {
      spec: object(
        {
          compositeTypeRef: {
            ...object({ apiVersion: text, kind: text }, { required: ['apiVersion', 'kind'] }),
            ...rules(['self == oldSelf', 'Value is immutable']),
          },
          mode: { ...oneOf('Resources', 'Pipeline'), default: 'Resources' },
          pipeline: keyed(
            ['step'],
            object(
              {
                step: text,
                functionRef: object({ name: text }, { required: ['name'] }),
                input: embedded(),
              },
              { required: ['step', 'functionRef'] },
            ),
          ),
          resources: list(
            object(
              {
                name: text,
                base: embedded(),
                patches: list(
                  object({
                    type: { ...oneOf('From', 'To'), default: 'From' },
                    transforms: list(
                      object({
                        math: object({ multiply: { ...whole, format: 'int64' } }),
                        map: mapOf(anything),
                      }),
                    ),
                  }),
                ),
              },
              { required: ['base'] },
            ),
          ),
        },
        {
          required: ['compositeTypeRef'],
          ...rules([
            "self.mode == 'Pipeline' ? has(self.pipeline) && !has(self.resources) : !has(self.pipeline)",
            'mode and its members must agree',
          ]),
        },
      ),
    },
    valid: [
      [
        {
          spec: {
            compositeTypeRef: { apiVersion: 'a/v1', kind: 'X' },
            resources: [
              {
                base: { apiVersion: 'v1', kind: 'Pod', spec: { any: [1] } },
                patches: [{ transforms: [{ map: { a: 1, b: { c: [] } } }] }],
              },
            ],
          },
        },
        {
          spec: {
            compositeTypeRef: { apiVersion: 'a/v1', kind: 'X' },
            mode: 'Resources',
            resources: [
              {
                base: { apiVersion: 'v1', kind: 'Pod', spec: { any: [1] } },
                patches: [{ transforms: [{ map: { a: 1, b: { c: [] } } }], type: 'From' }],
              },
            ],
          },
        },
      ],
    ],
    invalid: [
      [
        { spec: { compositeTypeRef: { apiVersion: 'a/v1', kind: 'X' }, mode: 'Pipeline' } },
        failed('spec', 'mode and its members must agree'),
      ],
      [
        { spec: { compositeTypeRef: {}, resources: [{ base: {} }] } },
        required('spec.compositeTypeRef.apiVersion'),
        required('spec.compositeTypeRef.kind'),
        required('spec.resources[0].base.apiVersion') + ': must not be empty',
        required('spec.resources[0].base.kind') + ': must not be empty',
        UNCHECKED,
      ],
    ],
    changes: [
      [
        { spec: { compositeTypeRef: { apiVersion: 'a/v1', kind: 'X' } } },
        { spec: { compositeTypeRef: { kind: 'Y' } } },
        failed('spec.compositeTypeRef', 'Value is immutable'),
      ],
    ],
  },
  {
    plural: 'policies2',
    kind: 'Policy2',
    properties: {
      spec: object({
        action: { ...oneOf('audit', 'enforce', 'Audit', 'Enforce'), default: 'Audit' },
        background: { ...flag, default: true },
        failurePolicy: oneOf('Ignore', 'Fail'),
        rules: list(
          object(
            {
              name: { ...text, maxLength: 63 },
              match: object(
                {
                  any: list(object({ kinds: list(text), selector })),
                  all: list(object({ kinds: list(text) })),
                },
                { not: { required: ['any', 'all'] } },
              ),
              validate: object({
                message: text,
                pattern: anything,
                deny: object({ conditions: anything }),
                foreach: list(object({ list: text, pattern: anything })),
              }),
              mutate: object({ patch: anything, json: text }),
            },
            { required: ['name'] },
          ),
        ),
      }),
    },
    valid: [
      [
        {
          spec: {
            rules: [
              {
                name: 'r',
                match: { any: [{ kinds: ['Pod'] }] },
                validate: { pattern: { spec: { '=(a)': '?*' } }, deny: { conditions: [1, 'x'] } },
              },
            ],
          },
        },
        {
          spec: {
            action: 'Audit',
            background: true,
            rules: [
              {
                name: 'r',
                match: { any: [{ kinds: ['Pod'] }] },
                validate: { pattern: { spec: { '=(a)': '?*' } }, deny: { conditions: [1, 'x'] } },
              },
            ],
          },
        },
      ],
    ],
    invalid: [
      [
        { spec: { action: 'x', rules: [{ name: 'r', match: { any: [], all: [] } }] } },
        unsupported('spec.action', '"x"', 'audit', 'enforce', 'Audit', 'Enforce'),
        combined('spec.rules[0].match', 'not validate the schema (not)'),
      ],
    ],
  },
  {
    plural: 'certificates2',
    kind: 'Certificate2',
    properties: {
      spec: object(
        {
          secretName: text,
          dnsNames: setOf({ ...text, format: 'hostname' }),
          emails: list({ ...text, format: 'email' }),
          ips: list({ ...text, anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] }),
          uris: list({ ...text, format: 'uri' }),
          duration: text,
          issuerRef: object({ name: text, kind: text, group: text }, { required: ['name'] }),
          privateKey: object({
            algorithm: oneOf('RSA', 'ECDSA', 'Ed25519'),
            size: whole,
            rotationPolicy: oneOf('Never', 'Always'),
          }),
          usages: list(oneOf('signing', 'digital signature', 'server auth')),
          keystores: object({
            jks: object(
              { create: flag, alias: { ...text, minLength: 1 } },
              { required: ['create'] },
            ),
          }),
        },
        { required: ['issuerRef', 'secretName'] },
      ),
      status: object({ conditions, notAfter: time, revision: whole }),
    },
    valid: [
      {
        spec: {
          dnsNames: ['a.example.com', 'b'],
          emails: ['a@b.c'],
          ips: ['1.2.3.4'],
          issuerRef: { name: 'i' },
          secretName: 's',
          uris: ['spiffe://a/b'],
          usages: ['signing'],
        },
      },
    ],
    invalid: [
      [
        {
          spec: {
            secretName: 's',
            issuerRef: { name: 'i' },
            dnsNames: ['a', 'a'],
            usages: ['x'],
            keystores: { jks: { alias: '' } },
          },
        },
        inBody('spec.keystores.jks.alias', '""', 'should be at least 1 chars long'),
        required('spec.keystores.jks.create'),
        unsupported('spec.usages[0]', '"x"', 'signing', 'digital signature', 'server auth'),
        'spec.dnsNames[1] Duplicate Duplicate value: "a"',
      ],
    ],
  },
  {
    plural: 'scaledthings',
    kind: 'ScaledThing',
    properties: {
      spec: object(
        {
          target: object({ name: text, kind: text, container: text }, { required: ['name'] }),
          polling: { ...int32, minimum: 1 },
          min: { ...int32, minimum: 0 },
          max: int32,
          triggers: list(
            object(
              {
                type: text,
                metadata: mapOf(text),
                metric: oneOf('AverageValue', 'Value', 'Utilization'),
                authRef: object({ name: text, kind: text }, { required: ['name'] }),
              },
              { required: ['type', 'metadata'] },
            ),
          ),
          advanced: object({
            behavior: object({
              scaleDown: object({
                stabilization: int32,
                policies: list(
                  object({ type: text, value: int32 }, { required: ['type', 'value'] }),
                  { 'x-orch-list-type': 'atomic' },
                ),
              }),
            }),
          }),
        },
        {
          required: ['target', 'triggers'],
          ...rules([
            '!has(self.min) || !has(self.max) || self.min <= self.max',
            'min is at most max',
          ]),
        },
      ),
    },
    valid: [
      {
        spec: {
          max: 5,
          min: 0,
          target: { name: 't' },
          triggers: [{ metadata: { a: 'b' }, type: 'cron' }],
        },
      },
    ],
    invalid: [
      [
        { spec: { min: 3, max: 2, target: { name: 't' }, triggers: [] } },
        failed('spec', 'min is at most max'),
      ],
      [
        { spec: { target: { name: 't' }, triggers: [{ type: 'cron', metadata: { a: 1 } }] } },
        mistyped('spec.triggers[0].metadata.a', 'string', 'integer'),
        UNCHECKED,
      ],
    ],
  },
  {
    plural: 'jobs2',
    kind: 'Job2',
    properties: {
      spec: object({
        schedule: {
          ...text,
          pattern:
            '^(@(annually|yearly|monthly|weekly|daily|hourly))|((((\\d+,)+\\d+|(\\d+(/|-)\\d+)|\\d+|\\*) ?){5,7})$',
        },
        template: podTemplate,
        backoff: { ...int32, minimum: 0, nullable: true },
        history: object({ success: int32, failed: int32 }, { default: { failed: 1, success: 3 } }),
      }),
    },
    valid: [
      [
        {
          spec: {
            backoff: null,
            schedule: '*/5 * * * *'.replace('*/5', '5'),
            template: { spec: { containers: [{ name: 'a' }] } },
          },
        },
        {
          spec: {
            backoff: null,
            history: { failed: 1, success: 3 },
            schedule: '5 * * * *',
            template: { spec: { containers: [{ name: 'a' }] } },
          },
        },
      ],
    ],
    invalid: [
      [
        {
          spec: {
            template: {
              spec: {
                containers: [
                  {
                    name: 'a',
                    ports: [{ containerPort: 1 }, { containerPort: 1, protocol: 'TCP' }],
                  },
                  { name: 'a' },
                ],
              },
            },
          },
        },
        'spec.template.spec.containers[1] Duplicate Duplicate value: map[string]interface {}{"name":"a"}',
        'spec.template.spec.containers[0].ports[1] Duplicate Duplicate value: map[string]interface {}{"containerPort":1, "protocol":"TCP"}',
      ],
    ],
  },
  {
    // A rule without access to what it is about.
    plural: 'vaguethings',
    kind: 'VagueThing',
    properties: { spec: object({ any: { ...anything, ...rules('true') } }) },
    refused: [
      "spec.validation.openAPIV3Schema.properties[spec].properties[any].x-orch-validations InternalError Internal error: rule declared on schema that does not support validation rules type: '' x-orch-preserve-unknown-fields: 'true'",
    ],
    valid: [],
    invalid: [],
  },
]
