/** The entry `client` of the package: clients of servers that speak this API, wherever they run. */
export { CallError } from './call-error.ts'
export { Client } from './client.ts'
export type { ClientConfig, Impersonation } from './client-config.ts'
export { connect, type ConnectOptions } from './connect.ts'
export type { Entry } from './entry.ts'
export { EventRecorder, type EventRecorderOptions, type ObjectReference } from './event-recorder.ts'
export { inClusterConfig } from './in-cluster.ts'
export { Informer, type InformerHandler, type InformerOptions, type Lister } from './informer.ts'
export type * from './kinds.ts'
export { loadKubeconfig, readKubeconfig } from './kubeconfig.ts'
export { LeaderElector, type LeaderElectionOptions } from './leader-election.ts'
export {
  isNotFound,
  ResourceClient,
  SubresourceClient,
  type ApplyOptions,
  type DeleteOptions,
  type GetOptions,
  type ListOptions,
  type PatchOptions,
  type PatchType,
  type RequestOptions,
  type WatchOptions,
  type WriteOptions,
} from './resource-client.ts'
export { SharedInformers } from './shared-informers.ts'
export type {
  ApiObject,
  Metadata,
  ObjectList,
  OwnerReference,
  ResourceAddress,
  ServedResource,
  ServedResources,
  Transport,
  WatchEvent,
} from './transport.ts'
export { keyOf, placeIn } from './transport.ts'
export { WorkQueue, type WorkQueueOptions } from './work-queue.ts'
export { ManualClock, systemClock, type Clock } from '../base/clock.ts'
export { StatusError, type Status } from '../meta/errors.ts'
