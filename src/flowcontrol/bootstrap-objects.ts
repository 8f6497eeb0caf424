/** FlowSchemas and priority levels that every server keeps. Names are templates. */
import type { JsonObject } from '../codec/codec.ts'
import { MANDATORY_FLOW_SCHEMAS } from '../kinds/flowcontrol/flow-schema-rules.ts'
import { MANDATORY_PRIORITY_LEVELS } from '../kinds/flowcontrol/priority-level-configuration.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** Kinds of configuration, by the plural names of their resources. */
export type FlowResource = 'flowschemas' | 'prioritylevelconfigurations'

/** One object of the set. */
export interface BootstrapObject {
  readonly resource: FlowResource
  readonly name: string
  readonly spec: JsonObject
  /** Mandatory objects are always repaired; others as long as nobody takes charge of them. */
  readonly isMandatory: boolean
}

const EVERY_RESOURCE = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
}
const EVERYTHING = {
  resourceRules: [EVERY_RESOURCE],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}
const COORDINATION = 'coordination{api}'

const group = (name: string) => ({ kind: 'Group', group: { name } })
const user = (name: string) => ({ kind: 'User', user: { name } })
const account = (name: string) => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace: '{system}-system', name },
})
const EVERYONE = [group('system:unauthenticated'), group('system:authenticated')]
const CONTROLLER_MANAGER = user('system:{system}-controller-manager')
const SCHEDULER = user('system:{system}-scheduler')

/** Requests of controllers and schedulers for resources that they elect leaders with. */
const writes = (apiGroup: string, ...resources: string[]) => ({
  verbs: ['get', 'create', 'update'],
  apiGroups: [apiGroup],
  resources,
  namespaces: ['*'],
})

/** Shares, queues and hand size of the suggested levels. */
const LEVELS: readonly (readonly [name: string, shares: number, queues: number, hand: number])[] = [
  ['system', 30, 64, 6],
  ['node-high', 40, 64, 6],
  ['leader-election', 10, 16, 4],
  ['workload-high', 40, 128, 6],
  ['workload-low', 100, 128, 6],
  ['global-default', 20, 128, 6],
]
const QUEUE_LENGTH = 50

/** The suggested schemas: name, level, precedence, distinguisher, rules. */
const SCHEMAS: readonly (readonly [string, string, number, string | null, readonly object[]])[] = [
  [
    'probes',
    'exempt',
    2,
    null,
    [
      {
        subjects: EVERYONE,
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
      },
    ],
  ],
  [
    'system-leader-election',
    'leader-election',
    100,
    'ByUser',
    [
      {
        subjects: [CONTROLLER_MANAGER, SCHEDULER, account('*')],
        resourceRules: [writes(COORDINATION, 'leases')],
      },
    ],
  ],
  [
    'endpoint-controller',
    'workload-high',
    150,
    'ByUser',
    [
      {
        subjects: [
          CONTROLLER_MANAGER,
          account('endpoint-controller'),
          account('endpointslicemirroring-controller'),
        ],
        resourceRules: [writes('', 'endpoints')],
      },
    ],
  ],
  [
    'workload-leader-election',
    'leader-election',
    200,
    'ByUser',
    [
      {
        subjects: [account('*')],
        resourceRules: [writes('', 'endpoints', 'configmaps'), writes(COORDINATION, 'leases')],
      },
    ],
  ],
  [
    'system-node-high',
    'node-high',
    400,
    'ByUser',
    [
      {
        subjects: [group('system:nodes')],
        resourceRules: [
          { ...EVERY_RESOURCE, apiGroups: [''], resources: ['nodes', 'nodes/status'] },
          { verbs: ['*'], apiGroups: [COORDINATION], resources: ['leases'], namespaces: ['*'] },
        ],
      },
    ],
  ],
  ['system-nodes', 'system', 500, 'ByUser', [{ subjects: [group('system:nodes')], ...EVERYTHING }]],
  [
    '{system}-controller-manager',
    'workload-high',
    800,
    'ByNamespace',
    [{ subjects: [CONTROLLER_MANAGER], ...EVERYTHING }],
  ],
  [
    '{system}-scheduler',
    'workload-high',
    800,
    'ByNamespace',
    [{ subjects: [SCHEDULER], ...EVERYTHING }],
  ],
  [
    '{system}-system-service-accounts',
    'workload-high',
    900,
    'ByNamespace',
    [{ subjects: [account('*')], ...EVERYTHING }],
  ],
  [
    'service-accounts',
    'workload-low',
    9000,
    'ByUser',
    [{ subjects: [group('system:serviceaccounts')], ...EVERYTHING }],
  ],
  ['global-default', 'global-default', 9900, 'ByUser', [{ subjects: EVERYONE, ...EVERYTHING }]],
]

/** The whole set in the names of a vocabulary, the suggested objects first. */
export function bootstrapObjects(v: Vocabulary): readonly BootstrapObject[] {
  const mandatory = (resource: FlowResource, specs: ReadonlyMap<string, object>) =>
    [...specs].map(([name, spec]): BootstrapObject => ({
      resource,
      name,
      spec: spec as JsonObject,
      isMandatory: true,
    }))
  return [
    ...LEVELS.map(levelOf),
    ...SCHEMAS.map((schema) => schemaOf(schema, v)),
    ...mandatory('prioritylevelconfigurations', MANDATORY_PRIORITY_LEVELS),
    ...mandatory('flowschemas', MANDATORY_FLOW_SCHEMAS),
  ]
}

const levelOf = ([name, shares, queues, handSize]: (typeof LEVELS)[number]): BootstrapObject => ({
  resource: 'prioritylevelconfigurations',
  name,
  spec: {
    type: 'Limited',
    limited: {
      assuredConcurrencyShares: shares,
      limitResponse: {
        type: 'Queue',
        queuing: { queues, handSize, queueLengthLimit: QUEUE_LENGTH },
      },
    },
  },
  isMandatory: false,
})

function schemaOf(
  [name, level, matchingPrecedence, distinguisher, rules]: (typeof SCHEMAS)[number],
  v: Vocabulary,
): BootstrapObject {
  return {
    resource: 'flowschemas',
    name: v.resolve(name),
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(distinguisher === null ? {} : { distinguisherMethod: { type: distinguisher } }),
      rules: resolved(rules, v),
    } as JsonObject,
    isMandatory: false,
  }
}

/** A value with the templates in it resolved. */
function resolved(value: unknown, v: Vocabulary): unknown {
  if (typeof value === 'string') return v.resolve(value)
  if (Array.isArray(value)) return value.map((item) => resolved(item, v))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolved(one, v)]))
}
