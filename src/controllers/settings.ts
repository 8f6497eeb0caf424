/** Periods, numbers of workers and limits of controllers. Durations are in milliseconds. */
export interface ControllerSettings {
  /** Pause between the starts of two controllers. */
  readonly startIntervalMs: number
  readonly namespaceWorkers: number
  /** How often terminating namespaces are looked at again. */
  readonly namespaceSyncMs: number
  /** Whether the garbage collector runs. */
  readonly collectsGarbage: boolean
  readonly garbageWorkers: number
  readonly quotaWorkers: number
  /** How often the use of quotas is counted anew. */
  readonly quotaSyncMs: number
  readonly tokenWorkers: number
  readonly endpointWorkers: number
  /** Delay after changes of pods, so that several of them become one write of Endpoints. */
  readonly endpointBatchMs: number
  readonly endpointSliceWorkers: number
  /** Endpoints in one slice. */
  readonly maxEndpointsPerSlice: number
  /** The same delay for slices. */
  readonly endpointSliceBatchMs: number
  readonly mirroringWorkers: number
  /** Addresses of one subset that are mirrored. */
  readonly mirroringMaxEndpointsPerSubset: number
  /** Delay after changes of Endpoints, so that several of them become one write of slices. */
  readonly mirroringBatchMs: number
  readonly finishedJobWorkers: number
  readonly ephemeralVolumeWorkers: number
  /** How often what is not bound is looked at again. */
  readonly volumeSyncMs: number
  /** Whether provisioners are asked for volumes that claims wait for. */
  readonly provisionsVolumes: boolean
  /** How often volumes that count as attached are compared with their VolumeAttachments. */
  readonly attachVerifyMs: number
  /** Whether they are not compared. */
  readonly skipsAttachVerification: boolean
  /** Number of pods that may have ended; 0 or less: any number. */
  readonly terminatedPodThreshold: number
  /** How often nodes are looked at. */
  readonly nodeMonitorMs: number
  /** How long a node may be silent before it counts as not ready. */
  readonly nodeGraceMs: number
  /** The same for one that has not reported yet. */
  readonly nodeStartupGraceMs: number
  /** Nodes of a zone that lose their pods in a second. */
  readonly nodeEvictionRate: number
  /** The same where much of a large zone is not ready. */
  readonly secondaryNodeEvictionRate: number
  /** Number of nodes above which a zone is large. */
  readonly largeClusterSize: number
  /** Share of nodes that are not ready from which on a zone is unhealthy. */
  readonly unhealthyZoneThreshold: number
  /** Whether pods leave by taints, as they tolerate; otherwise they are deleted after a while. */
  readonly usesTaintManager: boolean
  /** That while. */
  readonly podEvictionMs: number
  readonly deploymentWorkers: number
  readonly replicaSetWorkers: number
  readonly replicationControllerWorkers: number
  readonly statefulSetWorkers: number
  readonly daemonSetWorkers: number
  readonly jobWorkers: number
  readonly cronJobWorkers: number
}

/** The settings of the release. */
export const defaultSettings: ControllerSettings = {
  startIntervalMs: 0,
  namespaceWorkers: 10,
  namespaceSyncMs: 300_000,
  collectsGarbage: true,
  garbageWorkers: 20,
  quotaWorkers: 5,
  quotaSyncMs: 300_000,
  tokenWorkers: 5,
  endpointWorkers: 5,
  endpointBatchMs: 0,
  endpointSliceWorkers: 5,
  maxEndpointsPerSlice: 100,
  endpointSliceBatchMs: 0,
  mirroringWorkers: 5,
  mirroringMaxEndpointsPerSubset: 1000,
  mirroringBatchMs: 0,
  finishedJobWorkers: 5,
  ephemeralVolumeWorkers: 5,
  volumeSyncMs: 15_000,
  provisionsVolumes: true,
  attachVerifyMs: 60_000,
  skipsAttachVerification: false,
  terminatedPodThreshold: 12_500,
  nodeMonitorMs: 5_000,
  nodeGraceMs: 40_000,
  nodeStartupGraceMs: 60_000,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  largeClusterSize: 50,
  unhealthyZoneThreshold: 0.55,
  usesTaintManager: true,
  podEvictionMs: 300_000,
  deploymentWorkers: 5,
  replicaSetWorkers: 5,
  replicationControllerWorkers: 5,
  statefulSetWorkers: 5,
  daemonSetWorkers: 2,
  jobWorkers: 5,
  cronJobWorkers: 5,
}
