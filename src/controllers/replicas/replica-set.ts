import type { ReplicaSet } from '../../kinds/apps/replica-set.ts'
import { selectorFromObject } from '../../meta/selectors.ts'
import { REPLICA_SETS } from '../addresses.ts'
import { replicaController } from './replica-controller.ts'

/** Keeps the number of pods of replica sets. */
export const replicaSets = replicaController<ReplicaSet>({
  name: 'replicaset',
  account: 'replicaset-controller',
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  resource: REPLICA_SETS,
  workers: ({ replicaSetWorkers }) => replicaSetWorkers,
  selectorOf: ({ spec }) => selectorFromObject(spec.selector),
})
