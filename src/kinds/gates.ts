/**
 * The feature gates of release 1.25 that touch the API or the kinds behind it, with stage and default. A gate that is
 * not listed does not exist.
 */
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** Maturity of a feature. */
export type Stage = 'alpha' | 'beta' | 'ga' | 'deprecated'

interface Gate {
  readonly stage: Stage
  readonly on: boolean
  /** The default cannot be changed any more. */
  readonly locked?: true
}

const alpha: Gate = { stage: 'alpha', on: false }
const beta: Gate = { stage: 'beta', on: true }
const betaOff: Gate = { stage: 'beta', on: false }
const ga: Gate = { stage: 'ga', on: true }
const locked: Gate = { stage: 'ga', on: true, locked: true }
const deprecated: Gate = { stage: 'deprecated', on: false }

const GATES: ReadonlyMap<string, Gate> = new Map(
  Object.entries({
    APIListChunking: beta,
    APIPriorityAndFairness: beta,
    APIResponseCompression: beta,
    APIServerIdentity: alpha,
    APIServerTracing: alpha,
    AdvancedAuditing: ga,
    AnyVolumeDataSource: beta,
    AppArmor: beta,
    CPUManager: beta,
    CPUManagerPolicyAlphaOptions: alpha,
    CPUManagerPolicyBetaOptions: beta,
    CPUManagerPolicyOptions: beta,
    CSIInlineVolume: locked,
    CSIMigration: locked,
    CSIMigrationAWS: locked,
    CSIMigrationAzureDisk: locked,
    CSIMigrationAzureFile: beta,
    CSIMigrationGCE: locked,
    CSIMigrationOpenStack: locked,
    CSIMigrationPortworx: betaOff,
    CSIMigrationRBD: alpha,
    CSIMigrationvSphere: beta,
    CSINodeExpandSecret: alpha,
    CSIStorageCapacity: locked,
    CSIVolumeHealth: alpha,
    CSRDuration: locked,
    ContainerCheckpoint: alpha,
    ContextualLogging: alpha,
    ControllerManagerLeaderMigration: locked,
    CronJobTimeZone: beta,
    CustomCPUCFSQuotaPeriod: alpha,
    CustomResourceValidationExpressions: beta,
    DaemonSetUpdateSurge: locked,
    DefaultPodTopologySpread: locked,
    DelegateFSGroupToCSIDriver: beta,
    DevicePlugins: beta,
    DisableAcceleratorUsageMetrics: locked,
    DisableCloudProviders: alpha,
    'Disable{Agent}CloudCredentialProviders': alpha,
    'Dynamic{Agent}Config': deprecated,
    DownwardAPIHugePages: beta,
    DryRun: ga,
    EfficientWatchResumption: locked,
    EndpointSliceTerminatingCondition: beta,
    EphemeralContainers: locked,
    ExecProbeTimeout: ga,
    ExpandCSIVolumes: ga,
    ExpandInUsePersistentVolumes: ga,
    ExpandPersistentVolumes: ga,
    ExpandedDNSConfig: alpha,
    ExperimentalHostUserNamespaceDefaulting: betaOff,
    GRPCContainerProbe: beta,
    GracefulNodeShutdown: beta,
    GracefulNodeShutdownBasedOnPodPriority: beta,
    HPAContainerMetrics: alpha,
    HPAScaleToZero: alpha,
    HonorPVReclaimPolicy: alpha,
    IPTablesOwnershipCleanup: alpha,
    IdentifyPodOS: locked,
    InTreePluginAWSUnregister: alpha,
    InTreePluginAzureDiskUnregister: alpha,
    InTreePluginAzureFileUnregister: alpha,
    InTreePluginGCEUnregister: alpha,
    InTreePluginOpenStackUnregister: alpha,
    InTreePluginPortworxUnregister: alpha,
    InTreePluginRBDUnregister: alpha,
    InTreePluginvSphereUnregister: alpha,
    IndexedJob: locked,
    JobMutableNodeSchedulingDirectives: beta,
    JobPodFailurePolicy: alpha,
    JobReadyPods: beta,
    JobTrackingWithFinalizers: beta,
    KMSv2: alpha,
    '{Agent}CredentialProviders': beta,
    '{Agent}InUserNamespace': alpha,
    '{Agent}PodResources': beta,
    '{Agent}PodResourcesGetAllocatable': beta,
    '{Agent}Tracing': alpha,
    LegacyServiceAccountTokenNoAutoGeneration: beta,
    LocalStorageCapacityIsolation: locked,
    LocalStorageCapacityIsolationFSQuotaMonitoring: alpha,
    LogarithmicScaleDown: beta,
    MatchLabelKeysInPodTopologySpread: alpha,
    MaxUnavailableStatefulSet: alpha,
    MemoryManager: beta,
    MemoryQoS: alpha,
    MinDomainsInPodTopologySpread: betaOff,
    MixedProtocolLBService: beta,
    MultiCIDRRangeAllocator: alpha,
    NetworkPolicyEndPort: locked,
    NetworkPolicyStatus: alpha,
    NodeInclusionPolicyInPodTopologySpread: alpha,
    NodeOutOfServiceVolumeDetach: alpha,
    NodeSwap: alpha,
    NonPreemptingPriority: locked,
    OpenAPIEnums: beta,
    OpenAPIV3: beta,
    PodAffinityNamespaceSelector: locked,
    PodAndContainerStatsFromCRI: alpha,
    PodDeletionCost: beta,
    PodDisruptionConditions: alpha,
    PodHasNetworkCondition: alpha,
    PodOverhead: locked,
    PodSecurity: locked,
    PreferNominatedNode: locked,
    ProbeTerminationGracePeriod: beta,
    ProcMountType: alpha,
    ProxyTerminatingEndpoints: alpha,
    QOSReserved: alpha,
    ReadWriteOncePod: alpha,
    RecoverVolumeExpansionFailure: alpha,
    RemainingItemCount: beta,
    RemoveSelfLink: locked,
    RetroactiveDefaultStorageClass: alpha,
    'Rotate{Agent}ServerCertificate': beta,
    SELinuxMountReadWriteOncePod: alpha,
    SeccompDefault: beta,
    SelectorIndex: ga,
    ServerSideApply: ga,
    ServerSideFieldValidation: beta,
    ServiceIPStaticSubrange: beta,
    ServiceInternalTrafficPolicy: beta,
    ServiceLBNodePortControl: locked,
    ServiceLoadBalancerClass: locked,
    SizeMemoryBackedVolumes: beta,
    StatefulSetAutoDeletePVC: alpha,
    StatefulSetMinReadySeconds: locked,
    StorageVersionAPI: alpha,
    StorageVersionHash: beta,
    SuspendJob: locked,
    TopologyAwareHints: beta,
    TopologyManager: beta,
    UnauthenticatedHTTP2DOSMitigation: betaOff,
    UserNamespacesStatelessPodsSupport: alpha,
    VolumeCapacityPriority: alpha,
    WatchBookmark: locked,
    WinDSR: alpha,
    WinOverlay: beta,
    WindowsHostProcessContainers: beta,
  }),
)

// Groups of gates that are set together.
const ALL: ReadonlyMap<string, Stage> = new Map([
  ['AllAlpha', 'alpha'],
  ['AllBeta', 'beta'],
])

/** Effective gates after settings, with warnings about them. */
export interface GateState {
  readonly gate: (name: string) => boolean
  readonly warnings: readonly string[]
}

/** Whether a feature gate is on by default. */
export const defaultGate = (name: string): boolean => GATES.get(name)?.on ?? false

/**
 * Applies settings of feature gates (the flag of that name; operations page). A group such as `AllAlpha` sets those
 * gates that are not set individually. Throws Error on an unknown or a locked gate.
 */
export function setGates(settings: Readonly<Record<string, boolean>>, v: Vocabulary): GateState {
  const known = new Map([...GATES].map(([name, gate]) => [gateName(name, v), gate]))
  const set = new Map<string, boolean>()
  const warnings: string[] = []
  const given = Object.entries(settings)
  for (const [name, on] of given) {
    const stage = ALL.get(name)
    if (stage === undefined) continue
    for (const [each, gate] of known) if (gate.stage === stage) set.set(each, on)
  }
  for (const [name, on] of given) {
    if (ALL.has(name)) continue
    const gate = known.get(name)
    if (!gate) throw new Error(`unrecognized feature gate: ${name}`)
    if (gate.locked === true && on !== gate.on) {
      throw new Error(`cannot set feature gate ${name} to ${on}, feature is locked to ${gate.on}`)
    }
    if (gate.stage === 'ga' || gate.stage === 'deprecated') {
      const stage = gate.stage === 'ga' ? 'GA' : 'deprecated'
      warnings.push(
        `Setting ${stage} feature gate ${name}=${on}. It will be removed in a future release.`,
      )
    }
    set.set(name, on)
  }
  return {
    gate: set.size === 0 ? defaultGate : (name) => set.get(gateName(name, v)) ?? defaultGate(name),
    warnings,
  }
}

/** Spells the name of a gate; `{Agent}` is the node agent with a capital. */
function gateName(template: string, { words }: Vocabulary): string {
  const agent = words.agent.charAt(0).toUpperCase() + words.agent.slice(1)
  return template.replaceAll('{Agent}', agent)
}
