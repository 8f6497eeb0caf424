import { ManualClock } from '../base/clock.ts'
import type {
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
} from '../kinds/flowcontrol/flow-schema-spec.ts'
import type { LevelObject, SchemaObject } from './flow-control.ts'
import type { FlowAttributes } from './matching.ts'

/** A clock that starts at 0 and moves when it is told to. */
export const flowClock = (): ManualClock => new ManualClock(0)

/** A level with queues; without `queues`, one that rejects. */
export const level = (
  name: string,
  shares: number,
  queues?: {
    readonly queues: number
    readonly handSize: number
    readonly queueLengthLimit: number
  },
): LevelObject => ({
  metadata: { name, uid: `uid-${name}` },
  spec: {
    type: 'Limited',
    limited: {
      assuredConcurrencyShares: shares,
      limitResponse: queues ? { type: 'Queue', queuing: queues } : { type: 'Reject' },
    },
  },
})

/** Rules for all requests of users. */
export const everythingOf = (...users: string[]): PolicyRulesWithSubjects => ({
  subjects: users.map((name) => ({ kind: 'User', user: { name } })),
  resourceRules: [
    {
      verbs: ['*'],
      apiGroups: ['*'],
      resources: ['*'],
      clusterScope: true,
      namespaces: ['*'],
    },
  ],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
})

/** A schema. */
export const schema = (
  name: string,
  levelName: string,
  spec: Partial<FlowSchemaSpec> = {},
): SchemaObject => ({
  metadata: { name, uid: `uid-${name}` },
  spec: {
    priorityLevelConfiguration: { name: levelName },
    matchingPrecedence: 1000,
    rules: [everythingOf('*')],
    ...spec,
  },
})

/** A get of a pod. */
export const podGet = (namespace = 'default'): FlowAttributes => ({
  isResource: true,
  verb: 'get',
  path: `/api/v1/namespaces/${namespace}/pods/p`,
  group: '',
  resource: 'pods',
  subresource: '',
  namespace,
})
