/** Databases, message brokers and volumes. */
import {
  broken,
  combined,
  conditions,
  either,
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
  resources,
  rules,
  setOf,
  type Shape,
  text,
  time,
  UNCHECKED,
  unsupported,
  whole,
} from './schema-words.ts'

const claim = object({
  accessModes: list(text, { 'x-orch-list-type': 'atomic' }),
  resources,
  storageClassName: text,
  dataSource: object(
    { kind: text, name: text },
    { required: ['kind', 'name'], 'x-orch-map-type': 'atomic' },
  ),
})

export const storageShapes: readonly Shape[] = [
  {
    plural: 'databases',
    kind: 'Database',
    version: {
      subresources: {
        status: {},
        scale: { specReplicasPath: '.spec.instances', statusReplicasPath: '.status.instances' },
      },
      additionalPrinterColumns: [
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        { name: 'Instances', type: 'integer', jsonPath: '.status.instances' },
      ],
    },
    properties: {
      spec: object(
        {
          instances: { ...whole, default: 1, minimum: 1 },
          minSync: { ...whole, default: 0, minimum: 0 },
          maxSync: { ...whole, default: 0, minimum: 0 },
          postgres: object({ parameters: mapOf(text), hba: list(text), libraries: list(text) }),
          bootstrap: object(
            {
              initdb: object(
                {
                  database: text,
                  owner: text,
                  walSegmentSize: { ...whole, minimum: 1, maximum: 1024 },
                },
                rules(['!has(self.owner) || has(self.database)', 'an owner needs a database']),
              ),
              recovery: object({ source: text, target: object({ time: text, exclusive: flag }) }),
            },
            { maxProperties: 1 },
          ),
          storage: object({ size: text, class: text, claim, resize: { ...flag, default: true } }),
          affinity: object({ type: oneOf('preferred', 'required'), topologyKey: text }),
          walStorage: object({ size: text }),
        },
        {
          required: ['instances'],
          ...rules(['self.minSync <= self.maxSync', 'minSync is at most maxSync']),
        },
      ),
      status: object({
        instances: whole,
        conditions,
        certificates: object({ expirations: mapOf(text) }),
      }),
    },
    root: { required: ['spec'] },
    valid: [
      [
        { spec: { storage: { size: '1Gi' } } },
        { spec: { instances: 1, maxSync: 0, minSync: 0, storage: { resize: true, size: '1Gi' } } },
      ],
    ],
    invalid: [
      [{ spec: { minSync: 2, maxSync: 1 } }, failed('spec', 'minSync is at most maxSync')],
      [
        { spec: { bootstrap: { initdb: { owner: 'o' }, recovery: {} } } },
        'spec.bootstrap TooMany Too many: 2: must have at most 1 items',
        UNCHECKED,
      ],
      [
        { spec: { bootstrap: { initdb: { owner: 'o', walSegmentSize: 2048 } } } },
        inBody(
          'spec.bootstrap.initdb.walSegmentSize',
          '2048',
          'should be less than or equal to 1024',
        ),
        failed('spec.bootstrap.initdb', 'an owner needs a database'),
      ],
      [
        { spec: { instances: 3_000_000_000 } },
        broken('.spec.instances', '3000000000', 'should be less than or equal to 2147483647'),
      ],
    ],
    changes: [
      [
        { spec: {} },
        { spec: { instances: 0 } },
        inBody('spec.instances', '0', 'should be greater than or equal to 1'),
      ],
      [{ spec: {} }, { spec: { instances: null } }],
    ],
  },
  {
    plural: 'backups2',
    kind: 'Backup2',
    properties: {
      spec: object(
        {
          cluster: object({ name: text }, { required: ['name'] }),
          method: { ...oneOf('object', 'snapshot'), default: 'object' },
          online: flag,
          target: oneOf('primary', 'standby'),
        },
        {
          required: ['cluster'],
          ...rules(['oldSelf == self', 'a backup is immutable once it is there']),
        },
      ),
      status: object(
        { startedAt: time, stoppedAt: time, error: text, phase: text },
        rules([
          '!has(self.stoppedAt) || self.stoppedAt >= self.startedAt',
          'it cannot stop before it starts',
        ]),
      ),
    },
    valid: [
      [
        { spec: { cluster: { name: 'c' } } },
        { spec: { cluster: { name: 'c' }, method: 'object' } },
      ],
    ],
    invalid: [
      [
        {
          spec: { cluster: { name: 'c' } },
          status: { startedAt: '2024-01-02T00:00:00Z', stoppedAt: '2024-01-01T00:00:00Z' },
        },
        failed('status', 'it cannot stop before it starts'),
      ],
    ],
    changes: [
      [
        { spec: { cluster: { name: 'c' } } },
        { spec: { online: true } },
        failed('spec', 'a backup is immutable once it is there'),
      ],
      [{ spec: { cluster: { name: 'c' } } }, { metadata: { labels: { a: 'b' } } }],
    ],
  },
  {
    plural: 'brokers',
    kind: 'Broker',
    properties: {
      spec: object(
        {
          replicas: { ...whole, minimum: 1 },
          listeners: list(
            object(
              {
                name: { ...text, pattern: '^[a-z0-9]{1,11}$' },
                port: { ...whole, minimum: 9092 },
                type: oneOf('internal', 'route', 'loadbalancer'),
                tls: flag,
                auth: object(
                  { type: oneOf('tls', 'scram', 'oauth'), clientId: text, scope: text },
                  { required: ['type'] },
                ),
              },
              { required: ['name', 'port', 'type', 'tls'] },
            ),
            { minItems: 1, 'x-orch-list-type': 'map', 'x-orch-list-map-keys': ['name'] },
          ),
          storage: object(
            {
              type: oneOf('ephemeral', 'persistent', 'jbod'),
              size: text,
              volumes: list(
                object(
                  {
                    id: { ...whole, minimum: 0 },
                    type: oneOf('ephemeral', 'persistent'),
                    size: text,
                  },
                  { required: ['type'] },
                ),
              ),
            },
            { required: ['type'], ...rules("self.type != 'jbod' || has(self.volumes)") },
          ),
          config: open,
          rack: object(
            { topologyKey: { ...text, example: 'zone' } },
            { required: ['topologyKey'] },
          ),
        },
        { required: ['replicas', 'listeners', 'storage'] },
      ),
    },
    valid: [
      {
        spec: {
          config: { 'a.b': 1, c: 'x' },
          listeners: [{ name: 'plain', port: 9092, tls: false, type: 'internal' }],
          replicas: 3,
          storage: { type: 'jbod', volumes: [{ id: 0, type: 'ephemeral' }] },
        },
      },
    ],
    invalid: [
      [
        {
          spec: {
            replicas: 0,
            listeners: [{ name: 'Plain', port: 80, type: 'x', tls: 'no' }],
            storage: { type: 'jbod' },
          },
        },
        inBody('spec.listeners[0].name', '"Plain"', "should match '^[a-z0-9]{1,11}$'"),
        inBody('spec.listeners[0].port', '80', 'should be greater than or equal to 9092'),
        mistyped('spec.listeners[0].tls', 'boolean', 'string'),
        unsupported('spec.listeners[0].type', '"x"', 'internal', 'route', 'loadbalancer'),
        inBody('spec.replicas', '0', 'should be greater than or equal to 1'),
        UNCHECKED,
      ],
      [
        {
          spec: {
            replicas: 1,
            listeners: [{ name: 'a', port: 9092, type: 'route', tls: true }],
            storage: { type: 'jbod' },
          },
        },
        failed('spec.storage', "failed rule: self.type != 'jbod' || has(self.volumes)"),
      ],
    ],
  },
  {
    plural: 'topics',
    kind: 'Topic',
    properties: {
      spec: object({
        partitions: {
          ...whole,
          minimum: 1,
          ...rules(['self >= oldSelf', 'partitions cannot be removed']),
        },
        replicas: { ...whole, minimum: 1, maximum: 32767 },
        config: open,
        name: { ...text, ...rules(["self != '.' && self != '..'", 'not a name']), maxLength: 249 },
      }),
    },
    valid: [{ spec: { config: { 'retention.ms': 1 }, partitions: 3 } }],
    invalid: [
      [
        { spec: { name: '..', partitions: 1.5 } },
        mistyped('spec.partitions', 'integer', 'number'),
        UNCHECKED,
      ],
    ],
    changes: [
      [
        { spec: { partitions: 3 } },
        { spec: { partitions: 2 } },
        failed('spec.partitions', 'partitions cannot be removed', 'integer'),
      ],
      [{ spec: { partitions: 3 } }, { spec: { partitions: null } }],
      [{ spec: {} }, { spec: { partitions: 2 } }],
    ],
  },
  {
    plural: 'filesystems',
    kind: 'Filesystem',
    properties: {
      spec: object({
        metadataPool: { ...pool(), nullable: true },
        dataPools: { ...list(pool()), nullable: true },
        preserve: flag,
        server: object(
          {
            activeCount: { ...int32, minimum: 1, maximum: 50 },
            labels: mapOf(text, { nullable: true, 'x-orch-preserve-unknown-fields': true }),
            resources: { ...resources, nullable: true, 'x-orch-preserve-unknown-fields': true },
          },
          { required: ['activeCount'] },
        ),
        mirroring: object({
          peers: object({ secretNames: setOf(text) }),
          schedules: list(object({ path: text, interval: text })),
        }),
      }),
      status: {
        type: 'object',
        properties: { phase: text, info: { ...mapOf(text), nullable: true } },
        'x-orch-preserve-unknown-fields': true,
      },
    },
    valid: [
      {
        spec: {
          dataPools: null,
          metadataPool: null,
          server: { activeCount: 1, labels: null, resources: null },
        },
        status: { info: null, other: [{ a: null }] },
      },
      [
        { spec: { dataPools: [{ replicated: { size: 3 } }], preserve: null } },
        { spec: { dataPools: [{ replicated: { size: 3 } }] } },
      ],
    ],
    invalid: [
      [
        { spec: { dataPools: [null, { replicated: { size: -1 }, erasure: { chunks: 1 } }] } },
        mistyped('spec.dataPools[0]', 'object', 'null'),
        inBody('spec.dataPools[1].erasure.chunks', '1', 'should be greater than or equal to 2'),
        inBody('spec.dataPools[1].replicated.size', '-1', 'should be greater than or equal to 0'),
      ],
    ],
  },
  {
    plural: 'volumes2',
    kind: 'Volume2',
    properties: {
      spec: object({
        size: {
          ...quantity,
          ...rules(['type(self) == int ? self > 0 : true', 'a size is positive']),
        },
        replicas: { ...int32, minimum: 1, maximum: 20 },
        access: { ...oneOf('rwo', 'rwx'), default: 'rwo' },
        tags: setOf(text, { maxItems: 5 }),
        percent: {
          ...either,
          ...rules([
            "type(self) == string ? self.endsWith('%') : self <= 100",
            'a share ends with % or is at most 100',
          ]),
        },
        shares: mapOf(either, { maxProperties: 4 }),
      }),
    },
    valid: [
      [
        { spec: { percent: '50%', shares: { a: 1, b: '2' }, size: '1Gi', tags: ['x'] } },
        {
          spec: {
            access: 'rwo',
            percent: '50%',
            shares: { a: 1, b: '2' },
            size: '1Gi',
            tags: ['x'],
          },
        },
      ],
      [{ spec: { percent: 7, size: 5 } }, { spec: { access: 'rwo', percent: 7, size: 5 } }],
    ],
    invalid: [
      [
        { spec: { size: 0, percent: 'half', tags: ['a', 'b', 'a'] } },
        'spec.tags[2] Duplicate Duplicate value: "a"',
        failed('spec.percent', 'a share ends with % or is at most 100', ''),
        failed('spec.size', 'a size is positive', ''),
      ],
      [
        { spec: { shares: { a: true } } },
        mistyped('spec.shares.a', 'integer,string', 'boolean'),
        combined('spec.shares.a', 'validate at least one schema (anyOf)'),
        mistyped('spec.shares.a', 'integer', 'boolean'),
        UNCHECKED,
      ],
    ],
  },
  {
    plural: 'caches',
    kind: 'Cache',
    properties: {
      spec: object({
        size: whole,
        template: podTemplate,
        users: keyed(
          ['name', 'realm'],
          object(
            {
              name: { ...text, maxLength: 64 },
              realm: { ...text, maxLength: 64, default: 'local' },
              roles: setOf(text),
            },
            { required: ['name'] },
          ),
          {
            maxItems: 32,
            ...rules([
              'self.all(u, oldSelf.exists(o, o.name == u.name) || size(u.roles) > 0)',
              'new users need roles',
            ]),
          },
        ),
      }),
    },
    valid: [
      [
        { spec: { users: [{ name: 'a' }, { name: 'a', realm: 'x' }] } },
        {
          spec: {
            users: [
              { name: 'a', realm: 'local' },
              { name: 'a', realm: 'x' },
            ],
          },
        },
      ],
    ],
    invalid: [
      [
        { spec: { users: [{ name: 'a' }, { name: 'a', realm: 'local' }, {}] } },
        required('spec.users[2].name'),
        'spec.users[1] Duplicate Duplicate value: map[string]interface {}{"name":"a", "realm":"local"}',
        UNCHECKED,
      ],
    ],
    changes: [
      [
        { spec: { users: [{ name: 'a', roles: ['r'] }] } },
        { spec: { users: [{ name: 'a' }, { name: 'b', roles: [] }] } },
        failed('spec.users', 'new users need roles', 'array'),
      ],
      [
        { spec: { users: [{ name: 'a', roles: ['r'] }] } },
        { spec: { users: [{ name: 'b', roles: ['r'] }, { name: 'a' }] } },
      ],
    ],
  },
  {
    plural: 'snapshots',
    kind: 'Snapshot',
    properties: {
      spec: object(
        {
          source: object(
            { claimName: text, contentName: text },
            { oneOf: [{ required: ['claimName'] }, { required: ['contentName'] }] },
          ),
          className: text,
        },
        { required: ['source'] },
      ),
      status: object({
        readyToUse: flag,
        restoreSize: { ...quantity, ...text, 'x-orch-int-or-string': true, type: undefined },
        error: object({ message: text, time }),
      }),
    },
    valid: [{ spec: { source: { claimName: 'c' } }, status: { restoreSize: '1Gi' } }],
    invalid: [
      [
        { spec: { source: {} } },
        combined('spec.source', 'validate one and only one schema (oneOf). Found none valid'),
        required('spec.source.claimName'),
      ],
      [
        { spec: { source: { claimName: 1, contentName: 2 } } },
        combined(
          'spec.source',
          'validate one and only one schema (oneOf). Found 2 valid alternatives',
        ),
        mistyped('spec.source.claimName', 'string', 'integer'),
        mistyped('spec.source.contentName', 'string', 'integer'),
      ],
    ],
  },
]

function pool() {
  return object({
    replicated: object({ size: { ...whole, minimum: 0 }, safe: flag }, { required: ['size'] }),
    erasure: object({ chunks: { ...whole, minimum: 2 } }, { required: ['chunks'] }),
    parameters: mapOf(text, { nullable: true }),
  })
}
