import { isIP } from 'node:net'
import { isDns1123Subdomain } from '../../meta/names.ts'
import { product, vocabularies } from '../../vocabulary/index.ts'
import type { VocabularyName } from '../../vocabulary/vocabulary.ts'
import { admissionFlags } from './admission-flags.ts'
import { auditFlags } from './audit-flags.ts'
import { aggregationFlags } from './aggregation-flags.ts'
import { flowFlags } from './flow-flags.ts'
import { logFlags } from '../../flags/log-flags.ts'
import { configFlag, globalFlags } from '../../flags/global-flags.ts'
import { compatibilityFlags } from './compatibility-flags.ts'
import { controllerFlags, serverControllersFlag } from './controller-flags.ts'
import { authenticationFlags } from './authentication-flags.ts'
import { authorizationFlags } from './authorization-flags.ts'
import { metricsFlags } from './metrics-flags.ts'
import { TRANSPORTS } from '../../engine/etcd/transport.ts'
import { etcdFlags } from './etcd-flags.ts'
import { servingFlags } from './serving-flags.ts'
import {
  boolFlag,
  choiceFlag,
  durationFlag,
  fileFlag,
  intFlag,
  ipFlag,
  listFlag,
  onFlag,
  optionalTextFlag,
  orNone,
  switchesFlag,
  textFlag,
} from '../../flags/flags.ts'

/** Types of addresses of nodes. */
const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP']

const words = Object.keys(vocabularies) as VocabularyName[]

/** A file; '' when absent. */
const agentFile = (option: string, help: string) => ({
  ...textFlag({ option, section: 'Cluster', default: '', help }),
  placeholder: 'file',
  check: () => null,
})

const MAX_SECONDS = 2_147_483_647

/** Flags of the server, in the spelling of the reference where it has them. */
export const serverFlags = {
  'data-dir': textFlag({
    option: 'dataDir',
    section: 'Storage',
    default: `./${product.dataDir}`,
    help: 'Directory for objects, certificates and the kubeconfig of the administrator.',
  }),
  store: choiceFlag(['lmdb', 'memory'], {
    option: 'store',
    section: 'Storage',
    default: 'lmdb',
    help: 'Storage engine. Objects in memory are lost when the server stops.',
  }),
  'store-journal': onFlag({
    option: 'storeJournal',
    section: 'Storage',
    help: 'Write transactions of up to 256 KiB to a journal first, which takes one flush of the disk instead of two. Only for the store lmdb.',
  }),
  'store-flush-at-once': onFlag({
    option: 'storeFlushAtOnce',
    section: 'Storage',
    help: 'Flush the journal on the main thread where that is short, which saves waking another one. A disk that stalls at that moment keeps all requests waiting. Only for the store lmdb.',
  }),
  'unsafe-no-fsync': boolFlag({
    option: 'unsafeNoFsync',
    section: 'Storage',
    help: 'Acknowledge writes before they are on disk, for tests. A crash of the machine may then damage the store. Only for the store lmdb.',
  }),
  'encryption-provider-config': fileFlag({
    option: 'encryptionConfigFile',
    section: 'Storage',
    help: 'File that says which resources are encrypted at rest, and with which keys.',
  }),
  'history-window': durationFlag({
    option: 'historyMs',
    section: 'Storage',
    default: '5m',
    help: 'How long history is kept: the age of the oldest revision at which a watch or an exact list may start.',
  }),
  'selector-index-bytes': intFlag(
    { min: 0, max: 1 << 30 },
    {
      option: 'selectorIndexBytes',
      section: 'Storage',
      default: String(64 << 20),
      help: 'Memory that indexes of objects may take, in bytes. They are made for label and field selectors that choose few of many objects, again and again. 0 makes none.',
    },
  ),
  'allow-unlocked-data-dir': boolFlag({
    option: 'allowUnlockedDataDir',
    section: 'Storage',
    help: 'Start on a data directory whose file system has no locks. Nothing then prevents a second server from using it.',
  }),
  verify: boolFlag({
    option: 'verify',
    section: 'Storage',
    help: 'Check the whole data directory before starting, instead of the newest writes only.',
  }),
  'event-ttl': orNone(
    durationFlag({
      option: 'eventTtlMs',
      section: 'Storage',
      default: '1h',
      help: 'How long events are kept after their last update; 0 keeps them forever.',
    }),
  ),
  ...etcdFlags,
  'etcd-transport': choiceFlag(TRANSPORTS, {
    option: 'etcd.transport',
    section: 'Storage',
    default: 'builtin',
    help: 'What carries the calls to etcd. For grpc-js, the package @grpc/grpc-js must be installed; it takes about twice the CPU.',
  }),
  'etcd-compaction-interval': orNone(
    durationFlag({
      option: 'etcd.compactionIntervalMs',
      section: 'Storage',
      default: '5m',
      help: 'Interval between compactions of etcd, which remove history older than one interval. One of the servers compacts at a time. 0 disables it.',
    }),
  ),
  'etcd-healthcheck-timeout': durationFlag({
    option: 'etcd.healthCheckTimeoutMs',
    section: 'Storage',
    default: '2s',
    help: 'Timeout of the health checks of etcd.',
  }),
  'etcd-readycheck-timeout': durationFlag({
    option: 'etcd.readyCheckTimeoutMs',
    section: 'Storage',
    default: '2s',
    help: 'Timeout of the readiness check of etcd.',
  }),
  'lease-reuse-duration-seconds': intFlag(
    { min: 1, max: 86_400 },
    {
      option: 'etcd.leaseReuseMs',
      section: 'Storage',
      default: '60',
      help: 'How long events that are written to etcd share a lease, in seconds. They live up to that much longer.',
    },
  ),
  'share-authorities': onFlag({
    option: 'shareAuthorities',
    section: 'Storage',
    help: 'Share the certificate authority and the service account key of this cluster between all servers, by storing them in etcd.',
  }),
  'bind-address': ipFlag({
    option: 'bindAddress',
    section: 'Secure serving',
    default: '127.0.0.1',
    help: 'Address to listen on; 0.0.0.0 or :: for all addresses of the machine.',
  }),
  'secure-port': intFlag(
    { min: 0, max: 65_535 },
    {
      option: 'port',
      section: 'Secure serving',
      default: '6443',
      help: 'Port to serve HTTPS on; 0 picks a free port.',
    },
  ),
  'tls-san': {
    ...listFlag({
      option: 'servingHosts',
      section: 'Secure serving',
      help: 'Additional DNS names and IP addresses in the serving certificate, such as those of a load balancer.',
    }),
    check(hosts: readonly string[]): string | null {
      const wrong = hosts.find((host) => isIP(host) === 0 && isDns1123Subdomain(host).length > 0)
      return wrong === undefined
        ? null
        : `${JSON.stringify(wrong)} is neither a name nor an address`
    },
  },
  ...servingFlags,
  'advertise-address': ipFlag({
    option: 'advertiseAddress',
    section: 'Generic',
    default: '',
    help: 'Address at which the rest of the cluster reaches this server. Defaults to the bind address, or to the address of a network interface if that is a loopback or unspecified address.',
  }),
  'external-hostname': optionalTextFlag({
    option: 'externalHostname',
    section: 'Generic',
    help: 'Host of this server in documents that clients read, such as the discovery of the issuer of tokens. Defaults to where it listens.',
  }),
  'endpoint-reconciler-type': choiceFlag(['lease', 'none'], {
    option: 'endpointReconciler',
    section: 'Generic',
    default: 'lease',
    help: "How the endpoints of the server's own service are maintained: lease writes the addresses of all running servers, none leaves them alone.",
  }),
  'feature-gates': switchesFlag({
    option: 'featureGates',
    section: 'Generic',
    default: '',
    help: 'Feature gates to turn on or off. AllAlpha and AllBeta set all gates of that stage.',
  }),
  vocabulary: choiceFlag(words, {
    option: 'vocabulary',
    section: 'Generic',
    default: words[0] ?? '',
    help: 'Brand names of API groups, labels and system objects. It cannot be changed for an existing store.',
  }),
  'request-timeout': durationFlag({
    option: 'requestTimeoutMs',
    section: 'Generic',
    default: '1m',
    help: 'Timeout of requests other than watches and streams.',
  }),
  'min-request-timeout': intFlag(
    { min: 1, max: 1_000_000 },
    {
      option: 'minRequestTimeoutMs',
      section: 'Generic',
      default: '1800',
      help: 'Minimum duration of a watch without a timeout, in seconds. The server ends it at a random time between one and two times this value.',
    },
  ),
  ...flowFlags,
  'identity-lease-duration-seconds': intFlag(
    { min: 1, max: MAX_SECONDS },
    {
      option: 'identityLease.durationSeconds',
      section: 'Generic',
      default: '3600',
      help: 'With the feature gate APIServerIdentity: seconds after which the Lease of a server that is gone expires.',
    },
  ),
  'identity-lease-renew-interval-seconds': intFlag(
    { min: 1, max: MAX_SECONDS },
    {
      option: 'identityLease.renewSeconds',
      section: 'Generic',
      default: '10',
      help: 'How often a server renews this Lease, in seconds.',
    },
  ),
  'livez-grace-period': orNone(
    durationFlag({
      option: 'livezGraceMs',
      section: 'Generic',
      default: '0s',
      help: 'How long from its start the server counts as live although its start is not finished.',
    }),
  ),
  'shutdown-delay-duration': orNone(
    durationFlag({
      option: 'shutdownDelayMs',
      section: 'Generic',
      default: '0s',
      help: 'How long the server goes on serving after the signal to end. It is not ready meanwhile, so that load balancers stop sending requests.',
    }),
  ),
  'shutdown-send-retry-after': boolFlag({
    option: 'shutdownSendRetryAfter',
    section: 'Generic',
    help: 'Answer new requests with 429 and Retry-After while requests in progress are finished, instead of refusing connections.',
  }),
  'runtime-config': switchesFlag({
    option: 'runtimeConfig',
    section: 'API enablement',
    default: '',
    help: 'API versions and resources to turn on or off: group/version, group/version/resource, or api/all, api/ga, api/beta, api/alpha. Alpha versions are off by default.',
  }),
  'service-cluster-ip-range': {
    ...textFlag({
      option: 'serviceClusterIpRange',
      section: 'Cluster',
      default: '10.0.0.0/16',
      help: 'CIDR from which services get their cluster IPs; two, separated by a comma, for dual stack.',
    }),
    // Scripts pass an empty value where they mean the default.
    check: () => null,
  },
  'service-node-port-range': textFlag({
    option: 'serviceNodePortRange',
    section: 'Cluster',
    default: '30000-32767',
    help: 'Range of the node ports of services of type NodePort and LoadBalancer.',
  }),
  'allow-privileged': boolFlag({
    option: 'allowPrivileged',
    section: 'Cluster',
    help: 'Allow privileged containers.',
  }),
  'nodeagent-certificate-authority': agentFile(
    'agentTls.ca',
    'CA bundle that verifies the serving certificates of node agents, PEM. Without it they are not verified.',
  ),
  'nodeagent-client-certificate': agentFile(
    'agentTls.cert',
    'Client certificate for connections to node agents, PEM.',
  ),
  'nodeagent-client-key': agentFile(
    'agentTls.key',
    'Private key of the client certificate for node agents, PEM.',
  ),
  'nodeagent-preferred-address-types': {
    ...listFlag({
      option: 'agentAddressTypes',
      section: 'Cluster',
      help: `Types of addresses of nodes at which their agents are reached; the first that a node has counts. Defaults to ${ADDRESS_TYPES.join(', ')}.`,
    }),
    check(types: readonly string[]): string | null {
      const wrong = types.find((type) => !ADDRESS_TYPES.includes(type))
      return wrong === undefined ? null : `must be of ${ADDRESS_TYPES.join(', ')}, not ${wrong}`
    },
  },
  'apiserver-service-node-port': intFlag(
    { min: 0, max: 65_535 },
    {
      option: 'serviceNodePort',
      section: 'Cluster',
      default: '0',
      help: 'Node port of the service by which programs in the cluster find the servers; 0: the service has none.',
    },
  ),
  'root-ca-file': agentFile(
    'rootCa',
    'CA bundle that programs in the cluster get to verify the certificate of this server, PEM; needed with --tls-cert-file. Defaults to its own authority.',
  ),
  controllers: serverControllersFlag,
  'egress-selector-config-file': fileFlag({
    option: 'egressSelectorConfigFile',
    section: 'Cluster',
    help: 'File that names proxies for connections to the cluster, to etcd and to webhooks: an EgressSelectorConfiguration. Without it, connections are direct.',
  }),
  'cluster-signing-duration': durationFlag({
    option: 'clusterSigningDurationMs',
    section: 'Cluster',
    default: '8760h',
    help: 'Longest lifetime of certificates that the controllers sign. Requests can ask for less.',
  }),
  ...controllerFlags,
  ...authenticationFlags,
  ...authorizationFlags,
  ...admissionFlags,
  ...auditFlags,
  ...aggregationFlags,
  ...metricsFlags,
  'tracing-config-file': fileFlag({
    option: 'tracingConfigFile',
    section: 'Traces',
    help: 'File that configures the traces of requests: a TracingConfiguration. The feature gate APIServerTracing must be on, and packages of OpenTelemetry must be installed.',
  }),
  profiling: onFlag({
    option: 'profiling',
    section: 'Features',
    help: 'Serve CPU and heap profiles of the process below /debug/pprof/, to users who may read that path.',
  }),
  ...logFlags(
    '0',
    'Log verbosity: 0 logs warnings and errors, 1 also informational messages, 2 also refused credentials, 3 also every request, 4 also the causes of a failed start.',
  ),
  'limit-heap': onFlag({
    section: 'Process',
    help: 'Limit how far the heap of the process grows beyond its live objects.',
  }),
  'generate-code': onFlag({
    section: 'Process',
    help: 'Generate code that reads and writes the types of objects that are in use. Without it declarations are interpreted, which takes longer.',
  }),
  ...compatibilityFlags,
  ...configFlag,
  ...globalFlags,
}

/** The common flags, in display order. */
export const commonServerFlags = [
  'data-dir',
  'vocabulary',
  'secure-port',
  'bind-address',
  'tls-san',
  'store',
  'etcd-servers',
  'authorization-mode',
  'runtime-config',
  'v',
] as const satisfies readonly (keyof typeof serverFlags)[]
