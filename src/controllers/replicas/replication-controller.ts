import type { ReplicationController } from '../../kinds/core/replication-controller.ts'
import { nothing, selectorFromLabels } from '../../meta/selectors.ts'
import { REPLICATION_CONTROLLERS } from '../addresses.ts'
import { replicaController } from './replica-controller.ts'

/** Keeps the number of pods of replication controllers. */
export const replicationControllers = replicaController<ReplicationController>({
  name: 'replicationcontroller',
  account: 'replication-controller',
  apiVersion: 'v1',
  kind: 'ReplicationController',
  resource: REPLICATION_CONTROLLERS,
  workers: ({ replicationControllerWorkers }) => replicationControllerWorkers,
  selectorOf: ({ spec }) =>
    Object.keys(spec.selector ?? {}).length === 0 ? nothing : selectorFromLabels(spec.selector),
})
