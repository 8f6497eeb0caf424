/** Flags of controllers, for the server and for the program that runs controllers apart. */
import { choiceFault } from '../../controllers/choice.ts'
import { defaultSettings, type ControllerSettings } from '../../controllers/settings.ts'
import { milliseconds, numberBetween, texts, truthOr } from '../../base/value-checks.ts'
import {
  boolFlag,
  durationFlag,
  intFlag,
  listFlag,
  onFlag,
  orNone,
  type Flag,
  type Values,
} from '../../flags/flags.ts'

const section = 'Controllers'
const MAX_WORKERS = 1000
const MAX_INTEGER = 2 ** 31 - 1

const GROUP = 'controllerSettings.'
const option = (name: keyof ControllerSettings) => GROUP + name

const workers = (name: keyof ControllerSettings, standard: string, of: string): Flag<number> =>
  intFlag(
    { min: 1, max: MAX_WORKERS },
    { section, option: option(name), default: standard, help: `How many ${of} at a time.` },
  )

const period = (name: keyof ControllerSettings, standard: string, help: string): Flag<number> =>
  durationFlag({ section, option: option(name), default: standard, help })

const batch = (name: keyof ControllerSettings, help: string): Flag<number> =>
  orNone(durationFlag({ section, option: option(name), default: '0s', help }))

/** A number that is not negative. */
const share = (
  name: keyof ControllerSettings,
  standard: string,
  help: string,
  most: number,
): Flag<number> => ({
  section,
  option: option(name),
  default: standard,
  help,
  placeholder: 'float',
  takes: numberBetween(0, most),
  parse(text) {
    if (!/^\d+(\.\d+)?$/.test(text)) throw new Error('must be a number')
    return Number(text)
  },
  check: (value) => (value > most ? `must be from 0 to ${most}, not ${value}` : null),
})
const MAX_RATE = 1_000_000

/** Settings of the controllers that are here. */
export const controllerFlags = {
  'controller-start-interval': batch('startIntervalMs', 'Pause between the starts of controllers.'),
  'concurrent-namespace-syncs': workers('namespaceWorkers', '10', 'namespaces are emptied'),
  'namespace-sync-period': period(
    'namespaceSyncMs',
    '5m',
    'How often namespaces that are being deleted are looked at again.',
  ),
  'enable-garbage-collector': onFlag({
    section,
    option: option('collectsGarbage'),
    help: 'Run the garbage collector. The server must have the same setting.',
  }),
  'concurrent-gc-syncs': workers('garbageWorkers', '20', 'objects the garbage collector works on'),
  'concurrent-resource-quota-syncs': workers('quotaWorkers', '5', 'quotas are counted'),
  'resource-quota-sync-period': period(
    'quotaSyncMs',
    '5m',
    'How often the use of all quotas is counted anew.',
  ),
  'concurrent-serviceaccount-token-syncs': workers('tokenWorkers', '5', 'token secrets are filled'),
  'concurrent-endpoint-syncs': workers('endpointWorkers', '5', 'services get Endpoints'),
  'endpoint-updates-batch-period': batch(
    'endpointBatchMs',
    'Delay of Endpoints after changes of pods, so that several changes become one write.',
  ),
  'concurrent-service-endpoint-syncs': workers(
    'endpointSliceWorkers',
    '5',
    'services get endpoint slices',
  ),
  'max-endpoints-per-slice': intFlag(
    { min: 1, max: 1000 },
    {
      section,
      option: option('maxEndpointsPerSlice'),
      default: '100',
      help: 'Largest number of endpoints in an endpoint slice.',
    },
  ),
  'endpointslice-updates-batch-period': batch(
    'endpointSliceBatchMs',
    'Delay of endpoint slices after changes of pods, so that several changes become one write.',
  ),
  'mirroring-concurrent-service-endpoint-syncs': workers(
    'mirroringWorkers',
    '5',
    'Endpoints are mirrored',
  ),
  'mirroring-max-endpoints-per-subset': intFlag(
    { min: 1, max: 1000 },
    {
      section,
      option: option('mirroringMaxEndpointsPerSubset'),
      default: '1000',
      help: 'Largest number of addresses of a subset that are mirrored.',
    },
  ),
  'mirroring-endpointslice-updates-batch-period': batch(
    'mirroringBatchMs',
    'Delay of mirrored slices after changes of Endpoints, so that several changes become one write.',
  ),
  'concurrent-ttl-after-finished-syncs': workers(
    'finishedJobWorkers',
    '5',
    'finished jobs are worked on',
  ),
  'concurrent-ephemeralvolume-syncs': workers(
    'ephemeralVolumeWorkers',
    '5',
    'pods get claims for ephemeral volumes',
  ),
  'pvclaimbinder-sync-period': period(
    'volumeSyncMs',
    '15s',
    'How often volumes and claims that are not bound are looked at again.',
  ),
  'enable-dynamic-provisioning': onFlag({
    section,
    option: option('provisionsVolumes'),
    help: 'Ask the provisioner of a storage class for volumes that claims wait for.',
  }),
  'attach-detach-reconcile-sync-period': {
    ...period(
      'attachVerifyMs',
      '1m',
      'How often attached volumes are compared with their VolumeAttachments.',
    ),
    takes: milliseconds(1001),
    check: (value: number) => (value > 1000 ? null : 'must be more than 1s'),
  },
  'disable-attach-detach-reconcile-sync': boolFlag({
    section,
    option: option('skipsAttachVerification'),
    help: 'Do not compare attached volumes with their VolumeAttachments.',
  }),
  'terminated-pod-gc-threshold': intFlag(
    { min: -MAX_INTEGER, max: MAX_INTEGER },
    {
      section,
      option: option('terminatedPodThreshold'),
      default: '12500',
      help: 'How many pods that have ended are kept; any number if 0 or less.',
    },
  ),
  'node-monitor-period': period('nodeMonitorMs', '5s', 'How often nodes are looked at.'),
  'node-monitor-grace-period': period(
    'nodeGraceMs',
    '40s',
    'How long a node may be silent before it counts as not ready.',
  ),
  'node-startup-grace-period': period(
    'nodeStartupGraceMs',
    '1m',
    'How long a new node may take until its first report.',
  ),
  'node-eviction-rate': share(
    'nodeEvictionRate',
    '0.1',
    'Nodes of a zone that may lose their pods in a second.',
    MAX_RATE,
  ),
  'secondary-node-eviction-rate': share(
    'secondaryNodeEvictionRate',
    '0.01',
    'The same if the zone is unhealthy; smaller zones lose none then.',
    MAX_RATE,
  ),
  'large-cluster-size-threshold': intFlag(
    { min: 0, max: MAX_INTEGER },
    {
      section,
      option: option('largeClusterSize'),
      default: '50',
      help: 'Number of nodes of a zone above which --secondary-node-eviction-rate applies.',
    },
  ),
  'unhealthy-zone-threshold': share(
    'unhealthyZoneThreshold',
    '0.55',
    'Share of nodes that are not ready from which on a zone is unhealthy.',
    1,
  ),
  'enable-taint-manager': onFlag({
    section,
    option: option('usesTaintManager'),
    help: 'Evict pods by taints, as far as they do not tolerate them.',
  }),
  'pod-eviction-timeout': orNone(
    period(
      'podEvictionMs',
      '5m',
      'How long pods stay on nodes that are not ready, with --enable-taint-manager=false.',
    ),
  ),
  'concurrent-deployment-syncs': workers('deploymentWorkers', '5', 'deployments are rolled out'),
  'concurrent-replicaset-syncs': workers('replicaSetWorkers', '5', 'replica sets are kept'),
  'concurrent-rc-syncs': workers(
    'replicationControllerWorkers',
    '5',
    'replication controllers are kept',
  ),
  'concurrent-statefulset-syncs': workers('statefulSetWorkers', '5', 'stateful sets are kept'),
} as const

/** The settings that these flags mean. */
export function controllerSettingsOf(values: Values<typeof controllerFlags>): ControllerSettings {
  const settings = Object.entries(controllerFlags).map(([flag, { option: path = '' }]) => [
    path.slice(GROUP.length),
    values[flag as keyof typeof controllerFlags],
  ])
  // Each flag has the type of the setting that its option names.
  return { ...defaultSettings, ...Object.fromEntries(settings) } as ControllerSettings
}

/** Which controllers a program of its own runs. */
export const managerControllersFlag: Flag<readonly string[]> = {
  ...listFlag({
    section,
    default: '*',
    help: 'Controllers to run: * enables all that are on by default, api those of them that run no workloads, name enables one, -name disables one.',
  }),
  check: choiceFault,
}

type ServerChoice = boolean | 'server' | readonly string[]

const names = listFlag({ section, help: '' })

/** Which controllers a server runs. */
export const serverControllersFlag: Flag<ServerChoice> = {
  option: 'controllers',
  section: 'Cluster',
  default: 'true',
  placeholder: 'true|false|server|name,...',
  help: 'Controllers to run: all, none, or only those that are a part of every server; or a list of names: * enables all that are on by default, api those of them that run no workloads, name enables one, -name disables one.',
  takes: (value) => (Array.isArray(value) ? texts(value) : truthOr('server')(value)),
  parse(text) {
    if (text === 'server') return text
    try {
      return onFlag({ section, help: '' }).parse(text)
    } catch {
      return names.parse(text)
    }
  },
  merge: (before, after) => (isList(before) && isList(after) ? [...before, ...after] : after),
  check: (value) => (isList(value) ? choiceFault(value) : null),
}

const isList = (value: ServerChoice): value is readonly string[] => Array.isArray(value)
