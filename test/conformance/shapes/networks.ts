/** Gateways, meshes and name servers. */
import {
  broken,
  combined,
  conditions,
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
  rules,
  setOf,
  type Shape,
  text,
  UNCHECKED,
  unsupported,
  whole,
} from './schema-words.ts'

const hostname: Json = {
  ...text,
  minLength: 1,
  maxLength: 253,
  pattern: '^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
}
const port: Json = { ...int32, minimum: 1, maximum: 65535 }
const sectionName: Json = { ...text, minLength: 1, maxLength: 253 }

export const networkShapes: readonly Shape[] = [
  {
    // Listeners that are told apart by several rules over the list.
    plural: 'entrances',
    kind: 'Entrance',
    version: { subresources: { status: {} } },
    properties: {
      spec: object(
        {
          className: text,
          listeners: keyed(
            ['name'],
            object(
              {
                name: sectionName,
                hostname,
                port,
                protocol: { ...text, maxLength: 64 },
                tls: object(
                  {
                    mode: { ...oneOf('Terminate', 'Passthrough'), default: 'Terminate' },
                    certificates: list(open, { maxItems: 64 }),
                  },
                  rules([
                    "self.mode == 'Terminate' ? size(self.certificates) > 0 : true",
                    'certificates must be specified when mode is Terminate',
                  ]),
                ),
              },
              { required: ['name', 'port', 'protocol'] },
            ),
            {
              minItems: 1,
              maxItems: 16,
              ...rules(
                [
                  "self.all(l, l.protocol in ['HTTP', 'TCP', 'UDP'] ? !has(l.tls) : true)",
                  'tls must not be specified for protocols HTTP, TCP and UDP',
                ],
                [
                  'self.all(l1, self.exists_one(l2, l1.port == l2.port && l1.protocol == l2.protocol && (has(l1.hostname) && has(l2.hostname) ? l1.hostname == l2.hostname : !has(l1.hostname) && !has(l2.hostname))))',
                  'combination of port, protocol and hostname must be unique for each listener',
                ],
              ),
            },
          ),
        },
        { required: ['className', 'listeners'] },
      ),
      status: object(
        {
          conditions,
          addresses: list(object({ type: { ...text, default: 'IPAddress' }, value: text })),
        },
        {
          default: {
            conditions: [
              { type: 'Accepted', status: 'Unknown', reason: 'Pending', message: 'waiting' },
            ],
          },
        },
      ),
    },
    valid: [
      [
        {
          spec: {
            className: 'a',
            listeners: [
              { name: 'x', port: 80, protocol: 'HTTP' },
              { name: 'y', port: 443, protocol: 'HTTPS', tls: { certificates: [{ name: 'c' }] } },
            ],
          },
        },
        {
          spec: {
            className: 'a',
            listeners: [
              { name: 'x', port: 80, protocol: 'HTTP' },
              {
                name: 'y',
                port: 443,
                protocol: 'HTTPS',
                tls: { certificates: [{ name: 'c' }], mode: 'Terminate' },
              },
            ],
          },
          status: {
            conditions: [
              { message: 'waiting', reason: 'Pending', status: 'Unknown', type: 'Accepted' },
            ],
          },
        },
      ],
    ],
    invalid: [
      [
        {
          spec: {
            className: 'a',
            listeners: [
              { name: 'x', port: 80, protocol: 'HTTP', tls: { mode: 'Passthrough' } },
              { name: 'y', port: 80, protocol: 'HTTP' },
            ],
          },
        },
        failed(
          'spec.listeners',
          'tls must not be specified for protocols HTTP, TCP and UDP',
          'array',
        ),
        failed(
          'spec.listeners',
          'combination of port, protocol and hostname must be unique for each listener',
          'array',
        ),
      ],
      [
        {
          spec: {
            className: 'a',
            listeners: [{ name: 'x', port: 0, protocol: 'HTTP', hostname: '-' }],
          },
        },
        inBody(
          'spec.listeners[0].hostname',
          '"-"',
          "should match '^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'",
        ),
        inBody('spec.listeners[0].port', '0', 'should be greater than or equal to 1'),
      ],
      [
        { spec: { className: 'a', listeners: [] } },
        inBody('spec.listeners', '0', 'should have at least 1 items'),
      ],
    ],
  },
  {
    // A union by a type and members beside it.
    plural: 'paths',
    kind: 'Path',
    properties: {
      spec: object({
        filters: list(
          object(
            {
              type: oneOf('Headers', 'Mirror', 'Redirect'),
              headers: object({
                set: keyed(
                  ['name'],
                  object({ name: text, value: text }, { required: ['name', 'value'] }),
                  { maxItems: 16 },
                ),
                remove: setOf(text, { maxItems: 16 }),
              }),
              mirror: object(
                { service: text, percent: { ...int32, minimum: 0, maximum: 100 } },
                { required: ['service'] },
              ),
              redirect: object({ code: { ...whole, enum: [301, 302], default: 302 }, host: text }),
            },
            {
              required: ['type'],
              ...rules(
                [
                  "!(has(self.headers) && self.type != 'Headers')",
                  'headers must be nil if the type is not Headers',
                ],
                [
                  "!(!has(self.headers) && self.type == 'Headers')",
                  'headers must be specified for Headers',
                ],
                [
                  "!(has(self.mirror) && self.type != 'Mirror')",
                  'mirror must be nil if the type is not Mirror',
                ],
                [
                  "!(!has(self.mirror) && self.type == 'Mirror')",
                  'mirror must be specified for Mirror',
                ],
              ),
            },
          ),
          {
            maxItems: 16,
            ...rules(
              ["self.filter(f, f.type == 'Redirect').size() <= 1", 'Redirect cannot be repeated'],
              [
                "!(self.exists(f, f.type == 'Redirect') && self.exists(f, f.type == 'Mirror'))",
                'may specify either Redirect or Mirror, but not both',
              ],
            ),
          },
        ),
      }),
    },
    valid: [
      {
        spec: {
          filters: [
            { type: 'Headers', headers: { remove: ['a', 'b'], set: [{ name: 'x', value: '1' }] } },
          ],
        },
      },
      [
        { spec: { filters: [{ type: 'Redirect', redirect: {} }] } },
        { spec: { filters: [{ redirect: { code: 302 }, type: 'Redirect' }] } },
      ],
    ],
    invalid: [
      [
        { spec: { filters: [{ type: 'Headers', mirror: { service: 's' } }] } },
        failed('spec.filters[0]', 'headers must be specified for Headers'),
        failed('spec.filters[0]', 'mirror must be nil if the type is not Mirror'),
      ],
      [
        {
          spec: {
            filters: [
              { type: 'Redirect' },
              { type: 'Redirect' },
              { type: 'Mirror', mirror: { service: 's' } },
            ],
          },
        },
        failed('spec.filters', 'Redirect cannot be repeated', 'array'),
        failed('spec.filters', 'may specify either Redirect or Mirror, but not both', 'array'),
      ],
      [
        { spec: { filters: [{ type: 'Redirect', redirect: { code: 303 } }, { type: 'X' }] } },
        unsupported('spec.filters[0].redirect.code', '303', '301', '302'),
        unsupported('spec.filters[1].type', '"X"', 'Headers', 'Mirror', 'Redirect'),
      ],
      [
        {
          spec: {
            filters: [
              {
                type: 'Headers',
                headers: {
                  remove: ['a', 'a'],
                  set: [
                    { name: 'x', value: '1' },
                    { name: 'x', value: '2' },
                  ],
                },
              },
            ],
          },
        },
        'spec.filters[0].headers.remove[1] Duplicate Duplicate value: "a"',
        'spec.filters[0].headers.set[1] Duplicate Duplicate value: map[string]interface {}{"name":"x"}',
      ],
    ],
  },
  {
    // Alternatives of which none but one may be there, written with not and anyOf.
    plural: 'meshroutes',
    kind: 'MeshRoute',
    properties: {
      spec: object({
        match: object(
          { exact: text, prefix: text, regex: text },
          {
            oneOf: [
              {
                not: {
                  anyOf: [
                    { required: ['exact'] },
                    { required: ['prefix'] },
                    { required: ['regex'] },
                  ],
                },
              },
              { required: ['exact'] },
              { required: ['prefix'] },
              { required: ['regex'] },
            ],
          },
        ),
        weight: { ...whole, format: 'int32', minimum: 0 },
        timeout: {
          ...text,
          ...rules([
            "duration(self) >= duration('1ms')",
            'must be a valid duration greater than 1ms',
          ]),
          maxLength: 32,
        },
      }),
    },
    valid: [{ spec: { match: {} } }, { spec: { match: { exact: 'a' }, timeout: '5s', weight: 1 } }],
    invalid: [
      [
        { spec: { match: { exact: 'a', prefix: 'b' } } },
        combined(
          'spec.match',
          'validate one and only one schema (oneOf). Found 2 valid alternatives',
        ),
      ],
      [
        { spec: { timeout: '1us' } },
        failed('spec.timeout', 'must be a valid duration greater than 1ms', 'string'),
      ],
      [{ spec: { weight: 'x' } }, mistyped('spec.weight', 'integer', 'string'), UNCHECKED],
    ],
  },
  {
    // A proxy whose settings are embedded objects and free ones.
    plural: 'proxies',
    kind: 'Proxy',
    properties: {
      spec: object(
        {
          provider: object(
            {
              type: oneOf('Cluster', 'Host'),
              cluster: object({
                deployment: object({
                  replicas: { ...int32, minimum: 0 },
                  patch: object(
                    {
                      type: { ...text, default: 'Strategic' },
                      value: { 'x-orch-preserve-unknown-fields': true },
                    },
                    { required: ['value'] },
                  ),
                }),
                autoscaler: object(
                  { min: { ...int32, minimum: 1 }, max: int32 },
                  {
                    required: ['max'],
                    ...rules([
                      '!has(self.min) || self.min <= self.max',
                      'max cannot be less than min',
                    ]),
                  },
                ),
              }),
            },
            { required: ['type'] },
          ),
          telemetry: object({
            format: open,
            sinks: list(object({ type: oneOf('File', 'Stream') }, { required: ['type'] }), {
              minItems: 1,
            }),
          }),
          extra: embedded(),
        },
        rules([
          '!has(self.provider) || !has(self.provider.cluster) || !has(self.provider.cluster.deployment) || !has(self.provider.cluster.autoscaler) || !has(self.provider.cluster.deployment.replicas)',
          'replicas cannot be set together with an autoscaler',
        ]),
      ),
    },
    valid: [
      {
        spec: {
          extra: {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            data: { a: 'b' },
            metadata: { labels: { a: 'b' }, name: 'n' },
          },
        },
      },
      [
        {
          spec: {
            provider: {
              type: 'Cluster',
              cluster: { deployment: { patch: { value: [1, { a: null }] } } },
            },
          },
        },
        {
          spec: {
            provider: {
              cluster: { deployment: { patch: { type: 'Strategic', value: [1, { a: null }] } } },
              type: 'Cluster',
            },
          },
        },
      ],
    ],
    invalid: [
      [
        { spec: { extra: { kind: '-' } } },
        required('spec.extra.apiVersion') + ': must not be empty',
        broken(
          'spec.extra.kind',
          '"-"',
          "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        ),
        UNCHECKED,
      ],
      [
        {
          spec: {
            provider: {
              type: 'Cluster',
              cluster: { deployment: { replicas: 1 }, autoscaler: { min: 3, max: 2 } },
            },
          },
        },
        failed('spec', 'replicas cannot be set together with an autoscaler'),
        failed('spec.provider.cluster.autoscaler', 'max cannot be less than min'),
      ],
    ],
  },
  {
    // Entries of a registry, with values that may not change.
    plural: 'services2',
    kind: 'ServiceEntry2',
    properties: {
      spec: object(
        {
          hosts: list(hostname, { minItems: 1, maxItems: 256 }),
          addresses: list({ ...text, maxLength: 64 }, { maxItems: 256 }),
          ports: keyed(
            ['name'],
            object(
              {
                name: { ...text, maxLength: 63 },
                number: port,
                target: { ...port, nullable: true },
              },
              { required: ['name', 'number'] },
            ),
            {
              maxItems: 256,
              ...rules([
                'self.all(l1, self.exists_one(l2, l1.number == l2.number))',
                'port number cannot be duplicated',
              ]),
            },
          ),
          resolution: {
            ...oneOf('NONE', 'STATIC', 'DNS'),
            default: 'NONE',
            ...rules(['self == oldSelf', 'resolution is immutable']),
          },
          workload: object({ labels: mapOf({ ...text, maxLength: 63 }, { maxProperties: 256 }) }),
          endpoints: list(object({ address: text })),
        },
        {
          required: ['hosts'],
          ...rules([
            '!(has(self.workload) && has(self.endpoints))',
            'only one of workload or endpoints can be set',
          ]),
        },
      ),
    },
    valid: [
      [
        { spec: { hosts: ['*.a.com'], ports: [{ name: 'a', number: 80, target: null }] } },
        {
          spec: {
            hosts: ['*.a.com'],
            ports: [{ name: 'a', number: 80, target: null }],
            resolution: 'NONE',
          },
        },
      ],
    ],
    invalid: [
      [
        {
          spec: {
            hosts: ['a'],
            workload: {},
            endpoints: [],
            ports: [
              { name: 'a', number: 1 },
              { name: 'b', number: 1 },
            ],
          },
        },
        failed('spec', 'only one of workload or endpoints can be set'),
        failed('spec.ports', 'port number cannot be duplicated', 'array'),
      ],
    ],
    changes: [
      [
        { spec: { hosts: ['a'] } },
        { spec: { resolution: 'DNS' } },
        failed('spec.resolution', 'resolution is immutable', 'string'),
      ],
      [{ spec: { hosts: ['a'] } }, { spec: { hosts: ['b'] } }],
    ],
  },
  {
    plural: 'zones',
    kind: 'Zone',
    properties: {
      spec: object({
        cidr: { ...text, format: 'cidr' },
        servers: list({ ...text, anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] }),
        mac: { ...text, format: 'mac' },
        asn: { ...whole, format: 'int32', minimum: 0 },
        node: { ...selectorTerms() },
      }),
    },
    valid: [
      {
        spec: {
          asn: 4_200_000_000,
          cidr: '10.0.0.0/8',
          mac: '01:23:45:67:89:ab',
          servers: ['1.1.1.1', '::1'],
        },
      },
    ],
    invalid: [
      [
        { spec: { cidr: '10.0.0.0', mac: 'x' } },
        'spec.cidr TypeInvalid Invalid value: "10.0.0.0": spec.cidr in body must be of type cidr: "10.0.0.0"',
        'spec.mac TypeInvalid Invalid value: "x": spec.mac in body must be of type mac: "x"',
      ],
      [
        { spec: { servers: ['a'] } },
        combined('spec.servers[0]', 'validate at least one schema (anyOf)'),
        'spec.servers[0] TypeInvalid Invalid value: "a": spec.servers[0] in body must be of type ipv4: "a"',
      ],
    ],
  },
  {
    plural: 'tunnels',
    kind: 'Tunnel',
    properties: {
      spec: object(
        {
          from: text,
          to: text,
          both: flag,
          hops: { ...whole, default: 1, minimum: 1, multipleOf: 2 },
        },
        { anyOf: [{ required: ['from'] }, { required: ['to'] }] },
      ),
    },
    refused: [
      broken(
        'spec.validation.openAPIV3Schema.properties[spec].properties[hops].default',
        '1',
        'in body should be a multiple of 2',
      ),
    ],
    valid: [],
    invalid: [],
  },
]

function selectorTerms(): Json {
  return object({
    terms: list(
      object({
        key: text,
        operator: oneOf('In', 'NotIn', 'Exists', 'Gt'),
        values: list(text),
      }),
    ),
  })
}
