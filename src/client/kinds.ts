/**
 * Types of the built-in kinds under the names of the wire, made of their declarations: `npx vitest run
 * src/client/kinds.test.ts -u` writes this file. What clients need not send is optional.
 */
import type { Spelled } from '../vocabulary/spelled.ts'
import type { Metadata } from './transport.ts'

export type Binding = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  target: ObjectReference
}

export type ObjectReference = {
  kind?: string
  namespace?: string
  name?: string
  uid?: string
  apiVersion?: string
  resourceVersion?: string
  fieldPath?: string
}

export type ComponentStatus = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  conditions?: ComponentCondition[]
}

export type ComponentCondition = {
  type: string
  status: string
  message?: string
  error?: string
}

export type ConfigMap = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  immutable?: boolean
  data?: Record<string, string>
  binaryData?: Record<string, string>
}

export type Endpoints = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  subsets?: EndpointSubset[]
}

export type EndpointSubset = {
  addresses?: EndpointAddress[]
  notReadyAddresses?: EndpointAddress[]
  ports?: EndpointPort[]
}

export type EndpointAddress = {
  ip: string
  hostname?: string
  nodeName?: string
  targetRef?: ObjectReference
}

export type EndpointPort = {
  name?: string
  port: number
  protocol?: 'SCTP' | 'TCP' | 'UDP'
  appProtocol?: string
}

export type Event = {
  apiVersion?: string
  kind?: string
  metadata: Metadata
  involvedObject: ObjectReference
  reason?: string
  message?: string
  source?: EventSource
  firstTimestamp?: string
  lastTimestamp?: string
  count?: number
  type?: string
  eventTime?: string
  series?: EventSeries
  action?: string
  related?: ObjectReference
  reportingComponent?: string
  reportingInstance?: string
}

export type EventSource = {
  component?: string
  host?: string
}

export type EventSeries = {
  count?: number
  lastObservedTime?: string
}

export type LimitRange = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: LimitRangeSpec
}

export type LimitRangeSpec = {
  limits: LimitRangeItem[]
}

export type LimitRangeItem = {
  type: string
  max?: Record<string, string>
  min?: Record<string, string>
  default?: Record<string, string>
  defaultRequest?: Record<string, string>
  maxLimitRequestRatio?: Record<string, string>
}

export type Namespace = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: NamespaceSpec
  status?: NamespaceStatus
}

export type NamespaceSpec = {
  finalizers?: string[]
}

export type NamespaceStatus = {
  phase?: 'Active' | 'Terminating'
  conditions?: NamespaceCondition[]
}

export type NamespaceCondition = {
  type: string
  status: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export type Node = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: NodeSpec
  status?: NodeStatus
}

export type NodeSpec = {
  podCIDR?: string
  podCIDRs?: string[]
  providerID?: string
  unschedulable?: boolean
  taints?: Taint[]
  configSource?: NodeConfigSource
  externalID?: string
}

export type Taint = {
  key: string
  value?: string
  effect: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule'
  timeAdded?: string
}

export type NodeConfigSource = {
  configMap?: ConfigMapNodeConfigSource
}

export type ConfigMapNodeConfigSource = {
  namespace: string
  name: string
  uid?: string
  resourceVersion?: string
} & { [K in Spelled<'{agent}ConfigKey'>]?: string }

export type NodeStatus = {
  capacity?: Record<string, string>
  allocatable?: Record<string, string>
  phase?: 'Pending' | 'Running' | 'Terminated'
  conditions?: NodeCondition[]
  addresses?: NodeAddress[]
  daemonEndpoints?: NodeDaemonEndpoints
  nodeInfo?: NodeSystemInfo
  images?: ContainerImage[]
  volumesInUse?: string[]
  volumesAttached?: AttachedVolume[]
  config?: NodeConfigStatus
}

export type NodeCondition = {
  type: string
  status: string
  lastHeartbeatTime?: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export type NodeAddress = {
  type: string
  address: string
}

export type NodeDaemonEndpoints = {} & { [K in Spelled<'{agent}Endpoint'>]?: DaemonEndpoint }

export type DaemonEndpoint = {
  Port: number
}

export type NodeSystemInfo = {
  machineID: string
  systemUUID: string
  bootID: string
  kernelVersion: string
  osImage: string
  containerRuntimeVersion: string
  operatingSystem: string
  architecture: string
} & { [K in Spelled<'{agent}Version'>]?: string } & { [K in Spelled<'{system}ProxyVersion'>]?: string }

export type ContainerImage = {
  names?: string[]
  sizeBytes?: number
}

export type AttachedVolume = {
  name: string
  devicePath: string
}

export type NodeConfigStatus = {
  assigned?: NodeConfigSource
  active?: NodeConfigSource
  lastKnownGood?: NodeConfigSource
  error?: string
}

export type PersistentVolumeClaim = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: PersistentVolumeClaimSpec
  status?: PersistentVolumeClaimStatus
}

export type PersistentVolumeClaimSpec = {
  accessModes?: string[]
  selector?: LabelSelector
  resources?: ResourceRequirements
  volumeName?: string
  storageClassName?: string
  volumeMode?: 'Block' | 'Filesystem'
  dataSource?: TypedLocalObjectReference
  dataSourceRef?: TypedLocalObjectReference
}

export type LabelSelector = {
  matchLabels?: Record<string, string>
  matchExpressions?: LabelSelectorRequirement[]
}

export type LabelSelectorRequirement = {
  key: string
  operator: string
  values?: string[]
}

export type ResourceRequirements = {
  limits?: Record<string, string>
  requests?: Record<string, string>
}

export type TypedLocalObjectReference = {
  apiGroup?: string
  kind: string
  name: string
}

export type PersistentVolumeClaimStatus = {
  phase?: 'Bound' | 'Lost' | 'Pending'
  accessModes?: string[]
  capacity?: Record<string, string>
  conditions?: PersistentVolumeClaimCondition[]
  allocatedResources?: Record<string, string>
  resizeStatus?: '' | 'ControllerExpansionFailed' | 'ControllerExpansionInProgress' | 'NodeExpansionFailed' | 'NodeExpansionInProgress' | 'NodeExpansionPending'
}

export type PersistentVolumeClaimCondition = {
  type: string
  status: string
  lastProbeTime?: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export type PersistentVolume = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: PersistentVolumeSpec
  status?: PersistentVolumeStatus
}

export type PersistentVolumeSpec = {
  capacity?: Record<string, string>
  gcePersistentDisk?: GCEPersistentDiskVolumeSource
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource
  hostPath?: HostPathVolumeSource
  glusterfs?: GlusterfsPersistentVolumeSource
  nfs?: NFSVolumeSource
  rbd?: RBDPersistentVolumeSource
  iscsi?: ISCSIPersistentVolumeSource
  cinder?: CinderPersistentVolumeSource
  cephfs?: CephFSPersistentVolumeSource
  fc?: FCVolumeSource
  flocker?: FlockerVolumeSource
  flexVolume?: FlexPersistentVolumeSource
  azureFile?: AzureFilePersistentVolumeSource
  vsphereVolume?: VsphereVirtualDiskVolumeSource
  quobyte?: QuobyteVolumeSource
  azureDisk?: AzureDiskVolumeSource
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource
  portworxVolume?: PortworxVolumeSource
  scaleIO?: ScaleIOPersistentVolumeSource
  local?: LocalVolumeSource
  storageos?: StorageOSPersistentVolumeSource
  csi?: CSIPersistentVolumeSource
  accessModes?: string[]
  claimRef?: ObjectReference
  persistentVolumeReclaimPolicy?: 'Delete' | 'Recycle' | 'Retain'
  storageClassName?: string
  mountOptions?: string[]
  volumeMode?: 'Block' | 'Filesystem'
  nodeAffinity?: VolumeNodeAffinity
}

export type GCEPersistentDiskVolumeSource = {
  pdName: string
  fsType?: string
  partition?: number
  readOnly?: boolean
}

export type AWSElasticBlockStoreVolumeSource = {
  volumeID: string
  fsType?: string
  partition?: number
  readOnly?: boolean
}

export type HostPathVolumeSource = {
  path: string
  type?: '' | 'BlockDevice' | 'CharDevice' | 'Directory' | 'DirectoryOrCreate' | 'File' | 'FileOrCreate' | 'Socket'
}

export type GlusterfsPersistentVolumeSource = {
  endpoints: string
  path: string
  readOnly?: boolean
  endpointsNamespace?: string
}

export type NFSVolumeSource = {
  server: string
  path: string
  readOnly?: boolean
}

export type RBDPersistentVolumeSource = {
  monitors: string[]
  image: string
  fsType?: string
  pool?: string
  user?: string
  keyring?: string
  secretRef?: SecretReference
  readOnly?: boolean
}

export type SecretReference = {
  name?: string
  namespace?: string
}

export type ISCSIPersistentVolumeSource = {
  targetPortal: string
  iqn: string
  lun: number
  iscsiInterface?: string
  fsType?: string
  readOnly?: boolean
  portals?: string[]
  chapAuthDiscovery?: boolean
  chapAuthSession?: boolean
  secretRef?: SecretReference
  initiatorName?: string
}

export type CinderPersistentVolumeSource = {
  volumeID: string
  fsType?: string
  readOnly?: boolean
  secretRef?: SecretReference
}

export type CephFSPersistentVolumeSource = {
  monitors: string[]
  path?: string
  user?: string
  secretFile?: string
  secretRef?: SecretReference
  readOnly?: boolean
}

export type FCVolumeSource = {
  targetWWNs?: string[]
  lun?: number
  fsType?: string
  readOnly?: boolean
  wwids?: string[]
}

export type FlockerVolumeSource = {
  datasetName?: string
  datasetUUID?: string
}

export type FlexPersistentVolumeSource = {
  driver: string
  fsType?: string
  secretRef?: SecretReference
  readOnly?: boolean
  options?: Record<string, string>
}

export type AzureFilePersistentVolumeSource = {
  secretName: string
  shareName: string
  readOnly?: boolean
  secretNamespace?: string
}

export type VsphereVirtualDiskVolumeSource = {
  volumePath: string
  fsType?: string
  storagePolicyName?: string
  storagePolicyID?: string
}

export type QuobyteVolumeSource = {
  registry: string
  volume: string
  readOnly?: boolean
  user?: string
  group?: string
  tenant?: string
}

export type AzureDiskVolumeSource = {
  diskName: string
  diskURI: string
  cachingMode?: 'None' | 'ReadOnly' | 'ReadWrite'
  fsType?: string
  readOnly?: boolean
  kind?: 'Dedicated' | 'Managed' | 'Shared'
}

export type PhotonPersistentDiskVolumeSource = {
  pdID: string
  fsType?: string
}

export type PortworxVolumeSource = {
  volumeID: string
  fsType?: string
  readOnly?: boolean
}

export type ScaleIOPersistentVolumeSource = {
  gateway: string
  system: string
  secretRef: SecretReference
  sslEnabled?: boolean
  protectionDomain?: string
  storagePool?: string
  storageMode?: string
  volumeName?: string
  fsType?: string
  readOnly?: boolean
}

export type LocalVolumeSource = {
  path: string
  fsType?: string
}

export type StorageOSPersistentVolumeSource = {
  volumeName?: string
  volumeNamespace?: string
  fsType?: string
  readOnly?: boolean
  secretRef?: ObjectReference
}

export type CSIPersistentVolumeSource = {
  driver: string
  volumeHandle: string
  readOnly?: boolean
  fsType?: string
  volumeAttributes?: Record<string, string>
  controllerPublishSecretRef?: SecretReference
  nodeStageSecretRef?: SecretReference
  nodePublishSecretRef?: SecretReference
  controllerExpandSecretRef?: SecretReference
  nodeExpandSecretRef?: SecretReference
}

export type VolumeNodeAffinity = {
  required?: NodeSelector
}

export type NodeSelector = {
  nodeSelectorTerms: NodeSelectorTerm[]
}

export type NodeSelectorTerm = {
  matchExpressions?: NodeSelectorRequirement[]
  matchFields?: NodeSelectorRequirement[]
}

export type NodeSelectorRequirement = {
  key: string
  operator: 'DoesNotExist' | 'Exists' | 'Gt' | 'In' | 'Lt' | 'NotIn'
  values?: string[]
}

export type PersistentVolumeStatus = {
  phase?: 'Available' | 'Bound' | 'Failed' | 'Pending' | 'Released'
  message?: string
  reason?: string
}

export type Pod = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: PodSpec
  status?: PodStatus
}

export type PodSpec = {
  volumes?: Volume[]
  initContainers?: Container[]
  containers: Container[]
  ephemeralContainers?: EphemeralContainer[]
  restartPolicy?: 'Always' | 'Never' | 'OnFailure'
  terminationGracePeriodSeconds?: number
  activeDeadlineSeconds?: number
  dnsPolicy?: 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None'
  nodeSelector?: Record<string, string>
  serviceAccountName?: string
  serviceAccount?: string
  automountServiceAccountToken?: boolean
  nodeName?: string
  hostNetwork?: boolean
  hostPID?: boolean
  hostIPC?: boolean
  shareProcessNamespace?: boolean
  securityContext?: PodSecurityContext
  imagePullSecrets?: LocalObjectReference[]
  hostname?: string
  subdomain?: string
  affinity?: Affinity
  schedulerName?: string
  tolerations?: Toleration[]
  hostAliases?: HostAlias[]
  priorityClassName?: string
  priority?: number
  dnsConfig?: PodDNSConfig
  readinessGates?: PodReadinessGate[]
  runtimeClassName?: string
  enableServiceLinks?: boolean
  preemptionPolicy?: 'Never' | 'PreemptLowerPriority'
  overhead?: Record<string, string>
  topologySpreadConstraints?: TopologySpreadConstraint[]
  setHostnameAsFQDN?: boolean
  os?: PodOS
  hostUsers?: boolean
}

export type Volume = {
  name: string
  hostPath?: HostPathVolumeSource
  emptyDir?: EmptyDirVolumeSource
  gcePersistentDisk?: GCEPersistentDiskVolumeSource
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource
  gitRepo?: GitRepoVolumeSource
  secret?: SecretVolumeSource
  nfs?: NFSVolumeSource
  iscsi?: ISCSIVolumeSource
  glusterfs?: GlusterfsVolumeSource
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource
  rbd?: RBDVolumeSource
  flexVolume?: FlexVolumeSource
  cinder?: CinderVolumeSource
  cephfs?: CephFSVolumeSource
  flocker?: FlockerVolumeSource
  downwardAPI?: DownwardAPIVolumeSource
  fc?: FCVolumeSource
  azureFile?: AzureFileVolumeSource
  configMap?: ConfigMapVolumeSource
  vsphereVolume?: VsphereVirtualDiskVolumeSource
  quobyte?: QuobyteVolumeSource
  azureDisk?: AzureDiskVolumeSource
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource
  projected?: ProjectedVolumeSource
  portworxVolume?: PortworxVolumeSource
  scaleIO?: ScaleIOVolumeSource
  storageos?: StorageOSVolumeSource
  csi?: CSIVolumeSource
  ephemeral?: EphemeralVolumeSource
}

export type EmptyDirVolumeSource = {
  medium?: string
  sizeLimit?: string
}

export type GitRepoVolumeSource = {
  repository: string
  revision?: string
  directory?: string
}

export type SecretVolumeSource = {
  secretName?: string
  items?: KeyToPath[]
  defaultMode?: number
  optional?: boolean
}

export type KeyToPath = {
  key: string
  path: string
  mode?: number
}

export type ISCSIVolumeSource = {
  targetPortal: string
  iqn: string
  lun: number
  iscsiInterface?: string
  fsType?: string
  readOnly?: boolean
  portals?: string[]
  chapAuthDiscovery?: boolean
  chapAuthSession?: boolean
  secretRef?: LocalObjectReference
  initiatorName?: string
}

export type LocalObjectReference = {
  name?: string
}

export type GlusterfsVolumeSource = {
  endpoints: string
  path: string
  readOnly?: boolean
}

export type PersistentVolumeClaimVolumeSource = {
  claimName: string
  readOnly?: boolean
}

export type RBDVolumeSource = {
  monitors: string[]
  image: string
  fsType?: string
  pool?: string
  user?: string
  keyring?: string
  secretRef?: LocalObjectReference
  readOnly?: boolean
}

export type FlexVolumeSource = {
  driver: string
  fsType?: string
  secretRef?: LocalObjectReference
  readOnly?: boolean
  options?: Record<string, string>
}

export type CinderVolumeSource = {
  volumeID: string
  fsType?: string
  readOnly?: boolean
  secretRef?: LocalObjectReference
}

export type CephFSVolumeSource = {
  monitors: string[]
  path?: string
  user?: string
  secretFile?: string
  secretRef?: LocalObjectReference
  readOnly?: boolean
}

export type DownwardAPIVolumeSource = {
  items?: DownwardAPIVolumeFile[]
  defaultMode?: number
}

export type DownwardAPIVolumeFile = {
  path: string
  fieldRef?: ObjectFieldSelector
  resourceFieldRef?: ResourceFieldSelector
  mode?: number
}

export type ObjectFieldSelector = {
  apiVersion?: string
  fieldPath: string
}

export type ResourceFieldSelector = {
  containerName?: string
  resource: string
  divisor?: string
}

export type AzureFileVolumeSource = {
  secretName: string
  shareName: string
  readOnly?: boolean
}

export type ConfigMapVolumeSource = {
  name?: string
  items?: KeyToPath[]
  defaultMode?: number
  optional?: boolean
}

export type ProjectedVolumeSource = {
  sources?: VolumeProjection[]
  defaultMode?: number
}

export type VolumeProjection = {
  secret?: SecretProjection
  downwardAPI?: DownwardAPIProjection
  configMap?: ConfigMapProjection
  serviceAccountToken?: ServiceAccountTokenProjection
}

export type SecretProjection = {
  name?: string
  items?: KeyToPath[]
  optional?: boolean
}

export type DownwardAPIProjection = {
  items?: DownwardAPIVolumeFile[]
}

export type ConfigMapProjection = {
  name?: string
  items?: KeyToPath[]
  optional?: boolean
}

export type ServiceAccountTokenProjection = {
  audience?: string
  expirationSeconds?: number
  path: string
}

export type ScaleIOVolumeSource = {
  gateway: string
  system: string
  secretRef: LocalObjectReference
  sslEnabled?: boolean
  protectionDomain?: string
  storagePool?: string
  storageMode?: string
  volumeName?: string
  fsType?: string
  readOnly?: boolean
}

export type StorageOSVolumeSource = {
  volumeName?: string
  volumeNamespace?: string
  fsType?: string
  readOnly?: boolean
  secretRef?: LocalObjectReference
}

export type CSIVolumeSource = {
  driver: string
  readOnly?: boolean
  fsType?: string
  volumeAttributes?: Record<string, string>
  nodePublishSecretRef?: LocalObjectReference
}

export type EphemeralVolumeSource = {
  volumeClaimTemplate?: PersistentVolumeClaimTemplate
}

export type PersistentVolumeClaimTemplate = {
  metadata?: Metadata
  spec: PersistentVolumeClaimSpec
}

export type Container = {
  name: string
  image?: string
  command?: string[]
  args?: string[]
  workingDir?: string
  ports?: ContainerPort[]
  envFrom?: EnvFromSource[]
  env?: EnvVar[]
  resources?: ResourceRequirements
  volumeMounts?: VolumeMount[]
  volumeDevices?: VolumeDevice[]
  livenessProbe?: Probe
  readinessProbe?: Probe
  startupProbe?: Probe
  lifecycle?: Lifecycle
  terminationMessagePath?: string
  terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File'
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  securityContext?: SecurityContext
  stdin?: boolean
  stdinOnce?: boolean
  tty?: boolean
}

export type ContainerPort = {
  name?: string
  hostPort?: number
  containerPort: number
  protocol?: 'SCTP' | 'TCP' | 'UDP'
  hostIP?: string
}

export type EnvFromSource = {
  prefix?: string
  configMapRef?: ConfigMapEnvSource
  secretRef?: SecretEnvSource
}

export type ConfigMapEnvSource = {
  name?: string
  optional?: boolean
}

export type SecretEnvSource = {
  name?: string
  optional?: boolean
}

export type EnvVar = {
  name: string
  value?: string
  valueFrom?: EnvVarSource
}

export type EnvVarSource = {
  fieldRef?: ObjectFieldSelector
  resourceFieldRef?: ResourceFieldSelector
  configMapKeyRef?: ConfigMapKeySelector
  secretKeyRef?: SecretKeySelector
}

export type ConfigMapKeySelector = {
  name?: string
  key: string
  optional?: boolean
}

export type SecretKeySelector = {
  name?: string
  key: string
  optional?: boolean
}

export type VolumeMount = {
  name: string
  readOnly?: boolean
  mountPath: string
  subPath?: string
  mountPropagation?: 'Bidirectional' | 'HostToContainer' | 'None'
  subPathExpr?: string
}

export type VolumeDevice = {
  name: string
  devicePath: string
}

export type Probe = {
  exec?: ExecAction
  httpGet?: HTTPGetAction
  tcpSocket?: TCPSocketAction
  grpc?: GRPCAction
  initialDelaySeconds?: number
  timeoutSeconds?: number
  periodSeconds?: number
  successThreshold?: number
  failureThreshold?: number
  terminationGracePeriodSeconds?: number
}

export type ExecAction = {
  command?: string[]
}

export type HTTPGetAction = {
  path?: string
  port: number | string
  host?: string
  scheme?: 'HTTP' | 'HTTPS'
  httpHeaders?: HTTPHeader[]
}

export type HTTPHeader = {
  name: string
  value: string
}

export type TCPSocketAction = {
  port: number | string
  host?: string
}

export type GRPCAction = {
  port: number
  service?: string
}

export type Lifecycle = {
  postStart?: LifecycleHandler
  preStop?: LifecycleHandler
}

export type LifecycleHandler = {
  exec?: ExecAction
  httpGet?: HTTPGetAction
  tcpSocket?: TCPSocketAction
}

export type SecurityContext = {
  capabilities?: Capabilities
  privileged?: boolean
  seLinuxOptions?: SELinuxOptions
  windowsOptions?: WindowsSecurityContextOptions
  runAsUser?: number
  runAsGroup?: number
  runAsNonRoot?: boolean
  readOnlyRootFilesystem?: boolean
  allowPrivilegeEscalation?: boolean
  procMount?: 'Default' | 'Unmasked'
  seccompProfile?: SeccompProfile
}

export type Capabilities = {
  add?: string[]
  drop?: string[]
}

export type SELinuxOptions = {
  user?: string
  role?: string
  type?: string
  level?: string
}

export type WindowsSecurityContextOptions = {
  gmsaCredentialSpecName?: string
  gmsaCredentialSpec?: string
  runAsUserName?: string
  hostProcess?: boolean
}

export type SeccompProfile = {
  type: 'Localhost' | 'RuntimeDefault' | 'Unconfined'
  localhostProfile?: string
}

export type EphemeralContainer = {
  name: string
  image?: string
  command?: string[]
  args?: string[]
  workingDir?: string
  ports?: ContainerPort[]
  envFrom?: EnvFromSource[]
  env?: EnvVar[]
  resources?: ResourceRequirements
  volumeMounts?: VolumeMount[]
  volumeDevices?: VolumeDevice[]
  livenessProbe?: Probe
  readinessProbe?: Probe
  startupProbe?: Probe
  lifecycle?: Lifecycle
  terminationMessagePath?: string
  terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File'
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  securityContext?: SecurityContext
  stdin?: boolean
  stdinOnce?: boolean
  tty?: boolean
  targetContainerName?: string
}

export type PodSecurityContext = {
  seLinuxOptions?: SELinuxOptions
  windowsOptions?: WindowsSecurityContextOptions
  runAsUser?: number
  runAsGroup?: number
  runAsNonRoot?: boolean
  supplementalGroups?: number[]
  fsGroup?: number
  sysctls?: Sysctl[]
  fsGroupChangePolicy?: 'Always' | 'OnRootMismatch'
  seccompProfile?: SeccompProfile
}

export type Sysctl = {
  name: string
  value: string
}

export type Affinity = {
  nodeAffinity?: NodeAffinity
  podAffinity?: PodAffinity
  podAntiAffinity?: PodAntiAffinity
}

export type NodeAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[]
}

export type PreferredSchedulingTerm = {
  weight: number
  preference: NodeSelectorTerm
}

export type PodAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[]
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[]
}

export type PodAffinityTerm = {
  labelSelector?: LabelSelector
  namespaces?: string[]
  topologyKey: string
  namespaceSelector?: LabelSelector
}

export type WeightedPodAffinityTerm = {
  weight: number
  podAffinityTerm: PodAffinityTerm
}

export type PodAntiAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[]
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[]
}

export type Toleration = {
  key?: string
  operator?: 'Equal' | 'Exists'
  value?: string
  effect?: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule'
  tolerationSeconds?: number
}

export type HostAlias = {
  ip?: string
  hostnames?: string[]
}

export type PodDNSConfig = {
  nameservers?: string[]
  searches?: string[]
  options?: PodDNSConfigOption[]
}

export type PodDNSConfigOption = {
  name?: string
  value?: string
}

export type PodReadinessGate = {
  conditionType: string
}

export type TopologySpreadConstraint = {
  maxSkew: number
  topologyKey: string
  whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway'
  labelSelector?: LabelSelector
  minDomains?: number
  nodeAffinityPolicy?: 'Honor' | 'Ignore'
  nodeTaintsPolicy?: 'Honor' | 'Ignore'
  matchLabelKeys?: string[]
}

export type PodOS = {
  name: string
}

export type PodStatus = {
  phase?: 'Failed' | 'Pending' | 'Running' | 'Succeeded' | 'Unknown'
  conditions?: PodCondition[]
  message?: string
  reason?: string
  nominatedNodeName?: string
  hostIP?: string
  podIP?: string
  podIPs?: PodIP[]
  startTime?: string
  initContainerStatuses?: ContainerStatus[]
  containerStatuses?: ContainerStatus[]
  qosClass?: 'BestEffort' | 'Burstable' | 'Guaranteed'
  ephemeralContainerStatuses?: ContainerStatus[]
}

export type PodCondition = {
  type: string
  status: string
  lastProbeTime?: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export type PodIP = {
  ip?: string
}

export type ContainerStatus = {
  name: string
  state?: ContainerState
  lastState?: ContainerState
  ready: boolean
  restartCount: number
  image: string
  imageID: string
  containerID?: string
  started?: boolean
}

export type ContainerState = {
  waiting?: ContainerStateWaiting
  running?: ContainerStateRunning
  terminated?: ContainerStateTerminated
}

export type ContainerStateWaiting = {
  reason?: string
  message?: string
}

export type ContainerStateRunning = {
  startedAt?: string
}

export type ContainerStateTerminated = {
  exitCode: number
  signal?: number
  reason?: string
  message?: string
  startedAt?: string
  finishedAt?: string
  containerID?: string
}

export type PodTemplate = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  template?: PodTemplateSpec
}

export type PodTemplateSpec = {
  metadata?: Metadata
  spec?: PodSpec
}

export type ReplicationController = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: ReplicationControllerSpec
  status?: ReplicationControllerStatus
}

export type ReplicationControllerSpec = {
  replicas?: number
  minReadySeconds?: number
  selector?: Record<string, string>
  template?: PodTemplateSpec
}

export type ReplicationControllerStatus = {
  replicas: number
  fullyLabeledReplicas?: number
  readyReplicas?: number
  availableReplicas?: number
  observedGeneration?: number
  conditions?: ReplicationControllerCondition[]
}

export type ReplicationControllerCondition = {
  type: string
  status: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export type ResourceQuota = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: ResourceQuotaSpec
  status?: ResourceQuotaStatus
}

export type ResourceQuotaSpec = {
  hard?: Record<string, string>
  scopes?: string[]
  scopeSelector?: ScopeSelector
}

export type ScopeSelector = {
  matchExpressions?: ScopedResourceSelectorRequirement[]
}

export type ScopedResourceSelectorRequirement = {
  scopeName: 'BestEffort' | 'CrossNamespacePodAffinity' | 'NotBestEffort' | 'NotTerminating' | 'PriorityClass' | 'Terminating'
  operator: 'DoesNotExist' | 'Exists' | 'In' | 'NotIn'
  values?: string[]
}

export type ResourceQuotaStatus = {
  hard?: Record<string, string>
  used?: Record<string, string>
}

export type Secret = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  immutable?: boolean
  data?: Record<string, string>
  stringData?: Record<string, string>
  type?: string
}

export type ServiceAccount = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  secrets?: ObjectReference[]
  imagePullSecrets?: LocalObjectReference[]
  automountServiceAccountToken?: boolean
}

export type Service = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: ServiceSpec
  status?: ServiceStatus
}

export type ServiceSpec = {
  ports?: ServicePort[]
  selector?: Record<string, string>
  clusterIP?: string
  clusterIPs?: string[]
  type?: 'ClusterIP' | 'ExternalName' | 'LoadBalancer' | 'NodePort'
  externalIPs?: string[]
  sessionAffinity?: 'ClientIP' | 'None'
  loadBalancerIP?: string
  loadBalancerSourceRanges?: string[]
  externalName?: string
  externalTrafficPolicy?: 'Cluster' | 'Local'
  healthCheckNodePort?: number
  publishNotReadyAddresses?: boolean
  sessionAffinityConfig?: SessionAffinityConfig
  ipFamilies?: string[]
  ipFamilyPolicy?: 'PreferDualStack' | 'RequireDualStack' | 'SingleStack'
  allocateLoadBalancerNodePorts?: boolean
  loadBalancerClass?: string
  internalTrafficPolicy?: 'Cluster' | 'Local'
}

export type ServicePort = {
  name?: string
  protocol?: 'SCTP' | 'TCP' | 'UDP'
  appProtocol?: string
  port: number
  targetPort?: number | string
  nodePort?: number
}

export type SessionAffinityConfig = {
  clientIP?: ClientIPConfig
}

export type ClientIPConfig = {
  timeoutSeconds?: number
}

export type ServiceStatus = {
  loadBalancer?: LoadBalancerStatus
  conditions?: Condition[]
}

export type LoadBalancerStatus = {
  ingress?: LoadBalancerIngress[]
}

export type LoadBalancerIngress = {
  ip?: string
  hostname?: string
  ports?: PortStatus[]
}

export type PortStatus = {
  port: number
  protocol: 'SCTP' | 'TCP' | 'UDP'
  error?: string
}

export type Condition = {
  type: string
  status: string
  observedGeneration?: number
  lastTransitionTime: string
  reason: string
  message: string
}

export type MutatingWebhookConfiguration = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  webhooks?: MutatingWebhook[]
}

export type MutatingWebhook = {
  name: string
  clientConfig: WebhookClientConfig
  rules?: RuleWithOperations[]
  failurePolicy?: 'Fail' | 'Ignore'
  matchPolicy?: 'Equivalent' | 'Exact'
  namespaceSelector?: LabelSelector
  objectSelector?: LabelSelector
  sideEffects: string
  timeoutSeconds?: number
  admissionReviewVersions: string[]
  reinvocationPolicy?: 'IfNeeded' | 'Never'
}

export type WebhookClientConfig = {
  url?: string
  service?: ServiceReference
  caBundle?: string
}

export type ServiceReference = {
  namespace: string
  name: string
  path?: string
  port?: number
}

export type RuleWithOperations = {
  operations?: string[]
  apiGroups?: string[]
  apiVersions?: string[]
  resources?: string[]
  scope?: '*' | 'Cluster' | 'Namespaced'
}

export type ValidatingWebhookConfiguration = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  webhooks?: ValidatingWebhook[]
}

export type ValidatingWebhook = {
  name: string
  clientConfig: WebhookClientConfig
  rules?: RuleWithOperations[]
  failurePolicy?: 'Fail' | 'Ignore'
  matchPolicy?: 'Equivalent' | 'Exact'
  namespaceSelector?: LabelSelector
  objectSelector?: LabelSelector
  sideEffects: string
  timeoutSeconds?: number
  admissionReviewVersions: string[]
}

export type CustomResourceDefinition = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec: CustomResourceDefinitionSpec
  status?: CustomResourceDefinitionStatus
}

export type CustomResourceDefinitionSpec = {
  group: string
  names: CustomResourceDefinitionNames
  scope: string
  versions: CustomResourceDefinitionVersion[]
  conversion?: CustomResourceConversion
  preserveUnknownFields?: boolean
}

export type CustomResourceDefinitionNames = {
  plural: string
  singular?: string
  shortNames?: string[]
  kind: string
  listKind?: string
  categories?: string[]
}

export type CustomResourceDefinitionVersion = {
  name: string
  served: boolean
  storage: boolean
  deprecated?: boolean
  deprecationWarning?: string
  schema?: CustomResourceValidation
  subresources?: CustomResourceSubresources
  additionalPrinterColumns?: CustomResourceColumnDefinition[]
}

export type CustomResourceValidation = {
  openAPIV3Schema?: JSONSchemaProps
}

export type JSONSchemaProps = {
  id?: string
  '$schema'?: string
  '$ref'?: string
  description?: string
  type?: string
  format?: string
  title?: string
  default?: unknown
  maximum?: number
  exclusiveMaximum?: boolean
  minimum?: number
  exclusiveMinimum?: boolean
  maxLength?: number
  minLength?: number
  pattern?: string
  maxItems?: number
  minItems?: number
  uniqueItems?: boolean
  multipleOf?: number
  enum?: unknown[]
  maxProperties?: number
  minProperties?: number
  required?: string[]
  items?: JSONSchemaProps | JSONSchemaProps[]
  allOf?: JSONSchemaProps[]
  oneOf?: JSONSchemaProps[]
  anyOf?: JSONSchemaProps[]
  not?: JSONSchemaProps
  properties?: Record<string, JSONSchemaProps>
  additionalProperties?: JSONSchemaProps | boolean
  patternProperties?: Record<string, JSONSchemaProps>
  dependencies?: Record<string, JSONSchemaProps | string[]>
  additionalItems?: JSONSchemaProps | boolean
  definitions?: Record<string, JSONSchemaProps>
  externalDocs?: ExternalDocumentation
  example?: unknown
  nullable?: boolean
} & { [K in Spelled<'x-{brand}-preserve-unknown-fields'>]?: boolean } & { [K in Spelled<'x-{brand}-embedded-resource'>]?: boolean } & { [K in Spelled<'x-{brand}-int-or-string'>]?: boolean } & { [K in Spelled<'x-{brand}-list-map-keys'>]?: string[] } & { [K in Spelled<'x-{brand}-list-type'>]?: string } & { [K in Spelled<'x-{brand}-map-type'>]?: string } & { [K in Spelled<'x-{brand}-validations'>]?: ValidationRule[] }

export type ExternalDocumentation = {
  description?: string
  url?: string
}

export type ValidationRule = {
  rule: string
  message?: string
}

export type CustomResourceSubresources = {
  status?: CustomResourceSubresourceStatus
  scale?: CustomResourceSubresourceScale
}

export type CustomResourceSubresourceStatus = {}

export type CustomResourceSubresourceScale = {
  specReplicasPath: string
  statusReplicasPath: string
  labelSelectorPath?: string
}

export type CustomResourceColumnDefinition = {
  name: string
  type: string
  format?: string
  description?: string
  priority?: number
  jsonPath: string
}

export type CustomResourceConversion = {
  strategy: string
  webhook?: WebhookConversion
}

export type WebhookConversion = {
  clientConfig?: ApiextensionsV1WebhookClientConfig
  conversionReviewVersions: string[]
}

export type ApiextensionsV1WebhookClientConfig = {
  url?: string
  service?: ApiextensionsV1ServiceReference
  caBundle?: string
}

export type ApiextensionsV1ServiceReference = {
  namespace: string
  name: string
  path?: string
  port?: number
}

export type CustomResourceDefinitionStatus = {
  conditions?: CustomResourceDefinitionCondition[]
  acceptedNames?: CustomResourceDefinitionNames
  storedVersions?: string[]
}

export type CustomResourceDefinitionCondition = {
  type: string
  status: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export type APIService = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: APIServiceSpec
  status?: APIServiceStatus
}

export type APIServiceSpec = {
  service?: ApiregistrationV1ServiceReference
  group?: string
  version?: string
  insecureSkipTLSVerify?: boolean
  caBundle?: string
  groupPriorityMinimum: number
  versionPriority: number
}

export type ApiregistrationV1ServiceReference = {
  namespace?: string
  name?: string
  port?: number
}

export type APIServiceStatus = {
  conditions?: APIServiceCondition[]
}

export type APIServiceCondition = {
  type: string
  status: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export type StorageVersion = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec: StorageVersionSpec
  status: StorageVersionStatus
}

export type StorageVersionSpec = {}

export type StorageVersionStatus = {
  storageVersions?: ServerStorageVersion[]
  commonEncodingVersion?: string
  conditions?: StorageVersionCondition[]
}

export type ServerStorageVersion = {
  apiServerID?: string
  encodingVersion?: string
  decodableVersions?: string[]
}

export type StorageVersionCondition = {
  type: string
  status: string
  observedGeneration?: number
  lastTransitionTime?: string
  reason: string
  message?: string
}

export type ControllerRevision = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  data?: unknown
  revision: number
}

export type DaemonSet = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: DaemonSetSpec
  status?: DaemonSetStatus
}

export type DaemonSetSpec = {
  selector: LabelSelector
  template: PodTemplateSpec
  updateStrategy?: DaemonSetUpdateStrategy
  minReadySeconds?: number
  revisionHistoryLimit?: number
}

export type DaemonSetUpdateStrategy = {
  type?: 'OnDelete' | 'RollingUpdate'
  rollingUpdate?: RollingUpdateDaemonSet
}

export type RollingUpdateDaemonSet = {
  maxUnavailable?: number | string
  maxSurge?: number | string
}

export type DaemonSetStatus = {
  currentNumberScheduled: number
  numberMisscheduled: number
  desiredNumberScheduled: number
  numberReady: number
  observedGeneration?: number
  updatedNumberScheduled?: number
  numberAvailable?: number
  numberUnavailable?: number
  collisionCount?: number
  conditions?: DaemonSetCondition[]
}

export type DaemonSetCondition = {
  type: string
  status: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export type Deployment = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: DeploymentSpec
  status?: DeploymentStatus
}

export type DeploymentSpec = {
  replicas?: number
  selector: LabelSelector
  template: PodTemplateSpec
  strategy?: DeploymentStrategy
  minReadySeconds?: number
  revisionHistoryLimit?: number
  paused?: boolean
  progressDeadlineSeconds?: number
}

export type DeploymentStrategy = {
  type?: 'Recreate' | 'RollingUpdate'
  rollingUpdate?: RollingUpdateDeployment
}

export type RollingUpdateDeployment = {
  maxUnavailable?: number | string
  maxSurge?: number | string
}

export type DeploymentStatus = {
  observedGeneration?: number
  replicas?: number
  updatedReplicas?: number
  readyReplicas?: number
  availableReplicas?: number
  unavailableReplicas?: number
  conditions?: DeploymentCondition[]
  collisionCount?: number
}

export type DeploymentCondition = {
  type: string
  status: string
  lastUpdateTime?: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export type ReplicaSet = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: ReplicaSetSpec
  status?: ReplicaSetStatus
}

export type ReplicaSetSpec = {
  replicas?: number
  minReadySeconds?: number
  selector: LabelSelector
  template?: PodTemplateSpec
}

export type ReplicaSetStatus = {
  replicas: number
  fullyLabeledReplicas?: number
  readyReplicas?: number
  availableReplicas?: number
  observedGeneration?: number
  conditions?: ReplicaSetCondition[]
}

export type ReplicaSetCondition = {
  type: string
  status: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export type StatefulSet = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: StatefulSetSpec
  status?: StatefulSetStatus
}

export type StatefulSetSpec = {
  replicas?: number
  selector: LabelSelector
  template: PodTemplateSpec
  volumeClaimTemplates?: PersistentVolumeClaim[]
  serviceName: string
  podManagementPolicy?: 'OrderedReady' | 'Parallel'
  updateStrategy?: StatefulSetUpdateStrategy
  revisionHistoryLimit?: number
  minReadySeconds?: number
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy
}

export type StatefulSetUpdateStrategy = {
  type?: 'OnDelete' | 'RollingUpdate'
  rollingUpdate?: RollingUpdateStatefulSetStrategy
}

export type RollingUpdateStatefulSetStrategy = {
  partition?: number
  maxUnavailable?: number | string
}

export type StatefulSetPersistentVolumeClaimRetentionPolicy = {
  whenDeleted?: string
  whenScaled?: string
}

export type StatefulSetStatus = {
  observedGeneration?: number
  replicas: number
  readyReplicas?: number
  currentReplicas?: number
  updatedReplicas?: number
  currentRevision?: string
  updateRevision?: string
  collisionCount?: number
  conditions?: StatefulSetCondition[]
  availableReplicas?: number
}

export type StatefulSetCondition = {
  type: string
  status: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export type TokenReview = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec: TokenReviewSpec
  status?: TokenReviewStatus
}

export type TokenReviewSpec = {
  token?: string
  audiences?: string[]
}

export type TokenReviewStatus = {
  authenticated?: boolean
  user?: UserInfo
  audiences?: string[]
  error?: string
}

export type UserInfo = {
  username?: string
  uid?: string
  groups?: string[]
  extra?: Record<string, string[]>
}

export type LocalSubjectAccessReview = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec: SubjectAccessReviewSpec
  status?: SubjectAccessReviewStatus
}

export type SubjectAccessReviewSpec = {
  resourceAttributes?: ResourceAttributes
  nonResourceAttributes?: NonResourceAttributes
  user?: string
  groups?: string[]
  extra?: Record<string, string[]>
  uid?: string
}

export type ResourceAttributes = {
  namespace?: string
  verb?: string
  group?: string
  version?: string
  resource?: string
  subresource?: string
  name?: string
}

export type NonResourceAttributes = {
  path?: string
  verb?: string
}

export type SubjectAccessReviewStatus = {
  allowed: boolean
  denied?: boolean
  reason?: string
  evaluationError?: string
}

export type SelfSubjectAccessReview = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec: SelfSubjectAccessReviewSpec
  status?: SubjectAccessReviewStatus
}

export type SelfSubjectAccessReviewSpec = {
  resourceAttributes?: ResourceAttributes
  nonResourceAttributes?: NonResourceAttributes
}

export type SelfSubjectRulesReview = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec: SelfSubjectRulesReviewSpec
  status?: SubjectRulesReviewStatus
}

export type SelfSubjectRulesReviewSpec = {
  namespace?: string
}

export type SubjectRulesReviewStatus = {
  resourceRules: ResourceRule[]
  nonResourceRules: NonResourceRule[]
  incomplete: boolean
  evaluationError?: string
}

export type ResourceRule = {
  verbs: string[]
  apiGroups?: string[]
  resources?: string[]
  resourceNames?: string[]
}

export type NonResourceRule = {
  verbs: string[]
  nonResourceURLs?: string[]
}

export type SubjectAccessReview = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec: SubjectAccessReviewSpec
  status?: SubjectAccessReviewStatus
}

export type HorizontalPodAutoscaler = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: HorizontalPodAutoscalerSpec
  status?: HorizontalPodAutoscalerStatus
}

export type HorizontalPodAutoscalerSpec = {
  scaleTargetRef: CrossVersionObjectReference
  minReplicas?: number
  maxReplicas: number
  metrics?: MetricSpec[]
  behavior?: HorizontalPodAutoscalerBehavior
}

export type CrossVersionObjectReference = {
  kind: string
  name: string
  apiVersion?: string
}

export type MetricSpec = {
  type: string
  object?: ObjectMetricSource
  pods?: PodsMetricSource
  resource?: ResourceMetricSource
  containerResource?: ContainerResourceMetricSource
  external?: ExternalMetricSource
}

export type ObjectMetricSource = {
  describedObject: CrossVersionObjectReference
  target: MetricTarget
  metric: MetricIdentifier
}

export type MetricTarget = {
  type: string
  value?: string
  averageValue?: string
  averageUtilization?: number
}

export type MetricIdentifier = {
  name: string
  selector?: LabelSelector
}

export type PodsMetricSource = {
  metric: MetricIdentifier
  target: MetricTarget
}

export type ResourceMetricSource = {
  name: string
  target: MetricTarget
}

export type ContainerResourceMetricSource = {
  name: string
  target: MetricTarget
  container: string
}

export type ExternalMetricSource = {
  metric: MetricIdentifier
  target: MetricTarget
}

export type HorizontalPodAutoscalerBehavior = {
  scaleUp?: HPAScalingRules
  scaleDown?: HPAScalingRules
}

export type HPAScalingRules = {
  stabilizationWindowSeconds?: number
  selectPolicy?: string
  policies?: HPAScalingPolicy[]
}

export type HPAScalingPolicy = {
  type: string
  value: number
  periodSeconds: number
}

export type HorizontalPodAutoscalerStatus = {
  observedGeneration?: number
  lastScaleTime?: string
  currentReplicas?: number
  desiredReplicas: number
  currentMetrics?: MetricStatus[]
  conditions?: HorizontalPodAutoscalerCondition[]
}

export type MetricStatus = {
  type: string
  object?: ObjectMetricStatus
  pods?: PodsMetricStatus
  resource?: ResourceMetricStatus
  containerResource?: ContainerResourceMetricStatus
  external?: ExternalMetricStatus
}

export type ObjectMetricStatus = {
  metric: MetricIdentifier
  current: MetricValueStatus
  describedObject: CrossVersionObjectReference
}

export type MetricValueStatus = {
  value?: string
  averageValue?: string
  averageUtilization?: number
}

export type PodsMetricStatus = {
  metric: MetricIdentifier
  current: MetricValueStatus
}

export type ResourceMetricStatus = {
  name: string
  current: MetricValueStatus
}

export type ContainerResourceMetricStatus = {
  name: string
  current: MetricValueStatus
  container: string
}

export type ExternalMetricStatus = {
  metric: MetricIdentifier
  current: MetricValueStatus
}

export type HorizontalPodAutoscalerCondition = {
  type: string
  status: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export type CronJob = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: CronJobSpec
  status?: CronJobStatus
}

export type CronJobSpec = {
  schedule: string
  timeZone?: string
  startingDeadlineSeconds?: number
  concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace'
  suspend?: boolean
  jobTemplate: JobTemplateSpec
  successfulJobsHistoryLimit?: number
  failedJobsHistoryLimit?: number
}

export type JobTemplateSpec = {
  metadata?: Metadata
  spec?: JobSpec
}

export type JobSpec = {
  parallelism?: number
  completions?: number
  activeDeadlineSeconds?: number
  podFailurePolicy?: PodFailurePolicy
  backoffLimit?: number
  selector?: LabelSelector
  manualSelector?: boolean
  template: PodTemplateSpec
  ttlSecondsAfterFinished?: number
  completionMode?: 'Indexed' | 'NonIndexed'
  suspend?: boolean
}

export type PodFailurePolicy = {
  rules: PodFailurePolicyRule[]
}

export type PodFailurePolicyRule = {
  action: 'Count' | 'FailJob' | 'Ignore'
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[]
}

export type PodFailurePolicyOnExitCodesRequirement = {
  containerName?: string
  operator: 'In' | 'NotIn'
  values: number[]
}

export type PodFailurePolicyOnPodConditionsPattern = {
  type: string
  status: string
}

export type CronJobStatus = {
  active?: ObjectReference[]
  lastScheduleTime?: string
  lastSuccessfulTime?: string
}

export type Job = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: JobSpec
  status?: JobStatus
}

export type JobStatus = {
  conditions?: JobCondition[]
  startTime?: string
  completionTime?: string
  active?: number
  succeeded?: number
  failed?: number
  completedIndexes?: string
  uncountedTerminatedPods?: UncountedTerminatedPods
  ready?: number
}

export type JobCondition = {
  type: string
  status: string
  lastProbeTime?: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export type UncountedTerminatedPods = {
  succeeded?: string[]
  failed?: string[]
}

export type CertificateSigningRequest = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec: CertificateSigningRequestSpec
  status?: CertificateSigningRequestStatus
}

export type CertificateSigningRequestSpec = {
  request: string
  signerName: string
  expirationSeconds?: number
  usages?: string[]
  username?: string
  uid?: string
  groups?: string[]
  extra?: Record<string, string[]>
}

export type CertificateSigningRequestStatus = {
  conditions?: CertificateSigningRequestCondition[]
  certificate?: string
}

export type CertificateSigningRequestCondition = {
  type: string
  status: string
  reason?: string
  message?: string
  lastUpdateTime?: string
  lastTransitionTime?: string
}

export type Lease = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: LeaseSpec
}

export type LeaseSpec = {
  holderIdentity?: string
  leaseDurationSeconds?: number
  acquireTime?: string
  renewTime?: string
  leaseTransitions?: number
}

export type EndpointSlice = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  addressType: 'FQDN' | 'IPv4' | 'IPv6'
  endpoints: Endpoint[]
  ports?: DiscoveryV1EndpointPort[]
}

export type Endpoint = {
  addresses: string[]
  conditions?: EndpointConditions
  hostname?: string
  targetRef?: ObjectReference
  deprecatedTopology?: Record<string, string>
  nodeName?: string
  zone?: string
  hints?: EndpointHints
}

export type EndpointConditions = {
  ready?: boolean
  serving?: boolean
  terminating?: boolean
}

export type EndpointHints = {
  forZones?: ForZone[]
}

export type ForZone = {
  name: string
}

export type DiscoveryV1EndpointPort = {
  name?: string
  protocol?: 'SCTP' | 'TCP' | 'UDP'
  port?: number
  appProtocol?: string
}

export type FlowSchema = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: FlowSchemaSpec
  status?: FlowSchemaStatus
}

export type FlowSchemaSpec = {
  priorityLevelConfiguration: PriorityLevelConfigurationReference
  matchingPrecedence?: number
  distinguisherMethod?: FlowDistinguisherMethod
  rules?: PolicyRulesWithSubjects[]
}

export type PriorityLevelConfigurationReference = {
  name: string
}

export type FlowDistinguisherMethod = {
  type: string
}

export type PolicyRulesWithSubjects = {
  subjects: Subject[]
  resourceRules?: ResourcePolicyRule[]
  nonResourceRules?: NonResourcePolicyRule[]
}

export type Subject = {
  kind: string
  user?: UserSubject
  group?: GroupSubject
  serviceAccount?: ServiceAccountSubject
}

export type UserSubject = {
  name: string
}

export type GroupSubject = {
  name: string
}

export type ServiceAccountSubject = {
  namespace: string
  name: string
}

export type ResourcePolicyRule = {
  verbs: string[]
  apiGroups: string[]
  resources: string[]
  clusterScope?: boolean
  namespaces?: string[]
}

export type NonResourcePolicyRule = {
  verbs: string[]
  nonResourceURLs: string[]
}

export type FlowSchemaStatus = {
  conditions?: FlowSchemaCondition[]
}

export type FlowSchemaCondition = {
  type?: string
  status?: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export type PriorityLevelConfiguration = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: PriorityLevelConfigurationSpec
  status?: PriorityLevelConfigurationStatus
}

export type PriorityLevelConfigurationSpec = {
  type: string
  limited?: LimitedPriorityLevelConfiguration
}

export type LimitedPriorityLevelConfiguration = {
  assuredConcurrencyShares?: number
  limitResponse?: LimitResponse
}

export type LimitResponse = {
  type: string
  queuing?: QueuingConfiguration
}

export type QueuingConfiguration = {
  queues?: number
  handSize?: number
  queueLengthLimit?: number
}

export type PriorityLevelConfigurationStatus = {
  conditions?: PriorityLevelConfigurationCondition[]
}

export type PriorityLevelConfigurationCondition = {
  type?: string
  status?: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

export type ClusterCIDR = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: ClusterCIDRSpec
}

export type ClusterCIDRSpec = {
  nodeSelector?: NodeSelector
  perNodeHostBits: number
  ipv4?: string
  ipv6?: string
}

export type IngressClass = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: IngressClassSpec
}

export type IngressClassSpec = {
  controller?: string
  parameters?: IngressClassParametersReference
}

export type IngressClassParametersReference = {
  apiGroup?: string
  kind: string
  name: string
  scope?: string
  namespace?: string
}

export type Ingress = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: IngressSpec
  status?: IngressStatus
}

export type IngressSpec = {
  ingressClassName?: string
  defaultBackend?: IngressBackend
  tls?: IngressTLS[]
  rules?: IngressRule[]
}

export type IngressBackend = {
  service?: IngressServiceBackend
  resource?: TypedLocalObjectReference
}

export type IngressServiceBackend = {
  name: string
  port?: ServiceBackendPort
}

export type ServiceBackendPort = {
  name?: string
  number?: number
}

export type IngressTLS = {
  hosts?: string[]
  secretName?: string
}

export type IngressRule = {
  host?: string
  http?: HTTPIngressRuleValue
}

export type HTTPIngressRuleValue = {
  paths: HTTPIngressPath[]
}

export type HTTPIngressPath = {
  path?: string
  pathType: 'Exact' | 'ImplementationSpecific' | 'Prefix'
  backend: IngressBackend
}

export type IngressStatus = {
  loadBalancer?: LoadBalancerStatus
}

export type NetworkPolicy = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: NetworkPolicySpec
  status?: NetworkPolicyStatus
}

export type NetworkPolicySpec = {
  podSelector: LabelSelector
  ingress?: NetworkPolicyIngressRule[]
  egress?: NetworkPolicyEgressRule[]
  policyTypes?: string[]
}

export type NetworkPolicyIngressRule = {
  ports?: NetworkPolicyPort[]
  from?: NetworkPolicyPeer[]
}

export type NetworkPolicyPort = {
  protocol?: 'TCP' | 'UDP' | 'SCTP'
  port?: number | string
  endPort?: number
}

export type NetworkPolicyPeer = {
  podSelector?: LabelSelector
  namespaceSelector?: LabelSelector
  ipBlock?: IPBlock
}

export type IPBlock = {
  cidr: string
  except?: string[]
}

export type NetworkPolicyEgressRule = {
  ports?: NetworkPolicyPort[]
  to?: NetworkPolicyPeer[]
}

export type NetworkPolicyStatus = {
  conditions?: Condition[]
}

export type RuntimeClass = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  handler: string
  overhead?: Overhead
  scheduling?: Scheduling
}

export type Overhead = {
  podFixed?: Record<string, string>
}

export type Scheduling = {
  nodeSelector?: Record<string, string>
  tolerations?: Toleration[]
}

export type PodDisruptionBudget = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: PodDisruptionBudgetSpec
  status?: PodDisruptionBudgetStatus
}

export type PodDisruptionBudgetSpec = {
  minAvailable?: number | string
  selector?: LabelSelector
  maxUnavailable?: number | string
}

export type PodDisruptionBudgetStatus = {
  observedGeneration?: number
  disruptedPods?: Record<string, string>
  disruptionsAllowed: number
  currentHealthy: number
  desiredHealthy: number
  expectedPods: number
  conditions?: Condition[]
}

export type ClusterRoleBinding = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  subjects?: RbacAuthorizationV1Subject[]
  roleRef: RoleRef
}

export type RbacAuthorizationV1Subject = {
  kind: string
  apiGroup?: string
  name: string
  namespace?: string
}

export type RoleRef = {
  apiGroup: string
  kind: string
  name: string
}

export type ClusterRole = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  rules?: PolicyRule[]
  aggregationRule?: AggregationRule
}

export type PolicyRule = {
  verbs: string[]
  apiGroups?: string[]
  resources?: string[]
  resourceNames?: string[]
  nonResourceURLs?: string[]
}

export type AggregationRule = {
  clusterRoleSelectors?: LabelSelector[]
}

export type RoleBinding = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  subjects?: RbacAuthorizationV1Subject[]
  roleRef: RoleRef
}

export type Role = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  rules?: PolicyRule[]
}

export type PriorityClass = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  value: number
  globalDefault?: boolean
  description?: string
  preemptionPolicy?: 'Never' | 'PreemptLowerPriority'
}

export type CSIDriver = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec: CSIDriverSpec
}

export type CSIDriverSpec = {
  attachRequired?: boolean
  podInfoOnMount?: boolean
  volumeLifecycleModes?: string[]
  storageCapacity?: boolean
  fsGroupPolicy?: string
  tokenRequests?: TokenRequest[]
  requiresRepublish?: boolean
  seLinuxMount?: boolean
}

export type TokenRequest = {
  audience: string
  expirationSeconds?: number
}

export type CSINode = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec: CSINodeSpec
}

export type CSINodeSpec = {
  drivers: CSINodeDriver[]
}

export type CSINodeDriver = {
  name: string
  nodeID: string
  topologyKeys?: string[]
  allocatable?: VolumeNodeResources
}

export type VolumeNodeResources = {
  count?: number
}

export type CSIStorageCapacity = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  nodeTopology?: LabelSelector
  storageClassName: string
  capacity?: string
  maximumVolumeSize?: string
}

export type StorageClass = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  provisioner: string
  parameters?: Record<string, string>
  reclaimPolicy?: 'Delete' | 'Recycle' | 'Retain'
  mountOptions?: string[]
  allowVolumeExpansion?: boolean
  volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer'
  allowedTopologies?: TopologySelectorTerm[]
}

export type TopologySelectorTerm = {
  matchLabelExpressions?: TopologySelectorLabelRequirement[]
}

export type TopologySelectorLabelRequirement = {
  key: string
  values: string[]
}

export type VolumeAttachment = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec: VolumeAttachmentSpec
  status?: VolumeAttachmentStatus
}

export type VolumeAttachmentSpec = {
  attacher: string
  source: VolumeAttachmentSource
  nodeName: string
}

export type VolumeAttachmentSource = {
  persistentVolumeName?: string
  inlineVolumeSpec?: PersistentVolumeSpec
}

export type VolumeAttachmentStatus = {
  attached: boolean
  attachmentMetadata?: Record<string, string>
  attachError?: VolumeError
  detachError?: VolumeError
}

export type VolumeError = {
  time?: string
  message?: string
}

export type EventsV1Event = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  eventTime: string
  series?: EventsV1EventSeries
  reportingController?: string
  reportingInstance?: string
  action?: string
  reason?: string
  regarding?: ObjectReference
  related?: ObjectReference
  note?: string
  type?: string
  deprecatedSource?: EventSource
  deprecatedFirstTimestamp?: string
  deprecatedLastTimestamp?: string
  deprecatedCount?: number
}

export type EventsV1EventSeries = {
  count: number
  lastObservedTime: string
}

export type AutoscalingV1HorizontalPodAutoscaler = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: AutoscalingV1HorizontalPodAutoscalerSpec
  status?: AutoscalingV1HorizontalPodAutoscalerStatus
}

export type AutoscalingV1HorizontalPodAutoscalerSpec = {
  scaleTargetRef: AutoscalingV1CrossVersionObjectReference
  minReplicas?: number
  maxReplicas: number
  targetCPUUtilizationPercentage?: number
}

export type AutoscalingV1CrossVersionObjectReference = {
  kind: string
  name: string
  apiVersion?: string
}

export type AutoscalingV1HorizontalPodAutoscalerStatus = {
  observedGeneration?: number
  lastScaleTime?: string
  currentReplicas: number
  desiredReplicas: number
  currentCPUUtilizationPercentage?: number
}

export type AutoscalingV2beta2HorizontalPodAutoscaler = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: HorizontalPodAutoscalerSpec
  status?: HorizontalPodAutoscalerStatus
}

export type FlowcontrolApiserverV1beta1FlowSchema = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: FlowSchemaSpec
  status?: FlowSchemaStatus
}

export type FlowcontrolApiserverV1beta1PriorityLevelConfiguration = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  spec?: PriorityLevelConfigurationSpec
  status?: PriorityLevelConfigurationStatus
}

export type StorageV1beta1CSIStorageCapacity = {
  apiVersion?: string
  kind?: string
  metadata?: Metadata
  nodeTopology?: LabelSelector
  storageClassName: string
  capacity?: string
  maximumVolumeSize?: string
}

/** Kinds by group version, as a template, and resource. */
interface Declared {
  'admissionregistration{api}/v1': {
    mutatingwebhookconfigurations: MutatingWebhookConfiguration
    validatingwebhookconfigurations: ValidatingWebhookConfiguration
  }
  'apiextensions{api}/v1': {
    customresourcedefinitions: CustomResourceDefinition
  }
  'apiregistration{api}/v1': {
    apiservices: APIService
  }
  'apps/v1': {
    controllerrevisions: ControllerRevision
    daemonsets: DaemonSet
    deployments: Deployment
    replicasets: ReplicaSet
    statefulsets: StatefulSet
  }
  'authentication{api}/v1': {
    tokenreviews: TokenReview
  }
  'authorization{api}/v1': {
    localsubjectaccessreviews: LocalSubjectAccessReview
    selfsubjectaccessreviews: SelfSubjectAccessReview
    selfsubjectrulesreviews: SelfSubjectRulesReview
    subjectaccessreviews: SubjectAccessReview
  }
  'autoscaling/v1': {
    horizontalpodautoscalers: AutoscalingV1HorizontalPodAutoscaler
  }
  'autoscaling/v2': {
    horizontalpodautoscalers: HorizontalPodAutoscaler
  }
  'autoscaling/v2beta2': {
    horizontalpodautoscalers: AutoscalingV2beta2HorizontalPodAutoscaler
  }
  'batch/v1': {
    cronjobs: CronJob
    jobs: Job
  }
  'certificates{api}/v1': {
    certificatesigningrequests: CertificateSigningRequest
  }
  'coordination{api}/v1': {
    leases: Lease
  }
  'discovery{api}/v1': {
    endpointslices: EndpointSlice
  }
  'events{api}/v1': {
    events: EventsV1Event
  }
  'flowcontrol.apiserver{api}/v1beta1': {
    flowschemas: FlowcontrolApiserverV1beta1FlowSchema
    prioritylevelconfigurations: FlowcontrolApiserverV1beta1PriorityLevelConfiguration
  }
  'flowcontrol.apiserver{api}/v1beta2': {
    flowschemas: FlowSchema
    prioritylevelconfigurations: PriorityLevelConfiguration
  }
  'internal.apiserver{api}/v1alpha1': {
    storageversions: StorageVersion
  }
  'networking{api}/v1': {
    ingressclasses: IngressClass
    ingresses: Ingress
    networkpolicies: NetworkPolicy
  }
  'networking{api}/v1alpha1': {
    clustercidrs: ClusterCIDR
  }
  'node{api}/v1': {
    runtimeclasses: RuntimeClass
  }
  'policy/v1': {
    poddisruptionbudgets: PodDisruptionBudget
  }
  'rbac.authorization{api}/v1': {
    clusterrolebindings: ClusterRoleBinding
    clusterroles: ClusterRole
    rolebindings: RoleBinding
    roles: Role
  }
  'scheduling{api}/v1': {
    priorityclasses: PriorityClass
  }
  'storage{api}/v1': {
    csidrivers: CSIDriver
    csinodes: CSINode
    csistoragecapacities: CSIStorageCapacity
    storageclasses: StorageClass
    volumeattachments: VolumeAttachment
  }
  'storage{api}/v1beta1': {
    csistoragecapacities: StorageV1beta1CSIStorageCapacity
  }
  'v1': {
    bindings: Binding
    componentstatuses: ComponentStatus
    configmaps: ConfigMap
    endpoints: Endpoints
    events: Event
    limitranges: LimitRange
    namespaces: Namespace
    nodes: Node
    persistentvolumeclaims: PersistentVolumeClaim
    persistentvolumes: PersistentVolume
    pods: Pod
    podtemplates: PodTemplate
    replicationcontrollers: ReplicationController
    resourcequotas: ResourceQuota
    secrets: Secret
    serviceaccounts: ServiceAccount
    services: Service
  }
}

/** Kinds by `apiVersion` and resource, in the spelling of either vocabulary. */
export type BuiltInKinds = { [G in keyof Declared as Spelled<G>]: Declared[G] }
