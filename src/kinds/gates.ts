/**
 * Feature gates that are on at release 1.25 and decide about fields of built-in kinds. All others are off.
 */
const ON: ReadonlySet<string> = new Set([
  'AnyVolumeDataSource',
  'AppArmor',
  'CSIInlineVolume',
  'CSIStorageCapacity',
  'DownwardAPIHugePages',
  'EphemeralContainers',
  'ExpandCSIVolumes',
  'GRPCContainerProbe',
  'IdentifyPodOS',
  'LocalStorageCapacityIsolation',
  'NonPreemptingPriority',
  'PodAffinityNamespaceSelector',
  'PodDeletionCost',
  'PodOverhead',
  'ProbeTerminationGracePeriod',
  'WindowsHostProcessContainers',
])

/** Whether a feature gate is on by default. */
export const defaultGate = (name: string): boolean => ON.has(name)
