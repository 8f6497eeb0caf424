/** Flags of the API server's original that the server lacks, and the spelling of those whose names have a brand word. */
import { textFlag, type Flag, type Flags } from '../flags/flags.ts'
import { dropIn } from '../vocabulary/index.ts'
import { namedFlags } from './known-flags.ts'

const { words } = dropIn.spoken

const certDir: Flags = {
  'cert-dir': textFlag({
    section: 'Secure serving',
    default: '',
    help: 'Directory of apiserver.crt and apiserver.key, the serving certificate and its key. Without these files the server creates a certificate, which it keeps elsewhere.',
  }),
}

const KNOWN = namedFlags(
  `
  apiserver-count= cors-allowed-origins= delete-collection-workers= egress-selector-config-file=
  enable-priority-and-fairness etcd-count-metric-poll-period= etcd-db-metric-poll-interval= etcd-servers-overrides=
  external-hostname= goaway-chance= http2-max-streams-per-connection= identity-lease-duration-seconds=
  identity-lease-renew-interval-seconds= lease-reuse-duration-seconds= livez-grace-period= master-service-namespace=
  max-connection-bytes-per-sec= max-mutating-requests-inflight= max-requests-inflight= permit-address-sharing
  permit-port-sharing shutdown-delay-duration= shutdown-send-retry-after storage-backend= storage-media-type=
  strict-transport-security-directives= tls-cipher-suites= tls-min-version= tls-sni-cert-key= tracing-config-file=
  watch-cache watch-cache-sizes= enable-garbage-collector profiling contention-profiling enable-logs-handler
  cloud-config= cloud-provider= cloud-provider-gce-l7lb-src-cidrs= cloud-provider-gce-lb-src-cidrs=
  add-dir-header alsologtostderr log-backtrace-at= log-dir= log-file= log-file-max-size= log-flush-frequency=
  logtostderr one-output skip-headers skip-log-headers stderrthreshold= vmodule=
  allow-metric-labels= disabled-metrics= show-hidden-metrics-for-version=
  service-account-extend-token-expiration service-account-api-audiences= kms-provider=
  {agent}-preferred-address-types= {agent}-timeout= {agent}-port= {agent}-read-only-port= {agent}-https
  {brand}-service-node-port=
  `
    .replaceAll('{agent}', words.agent)
    .replaceAll('{brand}', words.brand),
)

const AGENT = `${words.agent}-`
const OWN_AGENT = `${dropIn.own.words.agent}-`

const OWN_NODE_PORT = 'apiserver-service-node-port'
const NODE_PORT = `${words.brand}-service-node-port`

/** How the drop-in program calls a flag of the server. */
function spellingOf(name: string): string {
  if (name === OWN_NODE_PORT) return NODE_PORT
  return name.startsWith(OWN_AGENT) ? AGENT + name.slice(OWN_AGENT.length) : name
}

/** All flags of the drop-in program by their names there, and which of them have no effect. */
export interface ApiserverFlags {
  readonly all: Flags
  readonly ignored: Flags
  /** The one that names other flags' files. */
  readonly certDir: Flags
}

/** Adds to the flags of the server what it lacks. */
export function apiserverFlags(own: Flags): ApiserverFlags {
  const branded = Object.entries(own)
    // Here they are named, but never refused.
    .filter(([, { section }]) => section !== 'Without effect')
    .map(([name, flag]): [string, Flag] => [spellingOf(name), flag])
  const spelled = Object.fromEntries(branded)
  const lacking = (flags: Flags) =>
    Object.fromEntries(Object.entries(flags).filter(([name]) => !Object.hasOwn(spelled, name)))
  const ignored = lacking(KNOWN)
  return { all: { ...spelled, ...certDir, ...ignored }, certDir, ignored }
}

/** An argument with the server's own name of the flag. */
export function ownSpelling(arg: string): string {
  const dashed = arg.replace(/^--[^=]+/, (flag) => flag.replaceAll('_', '-'))
  if (dashed.startsWith(`--${NODE_PORT}`)) return dashed.replace(NODE_PORT, OWN_NODE_PORT)
  return dashed.startsWith(`--${AGENT}`) ? `--${OWN_AGENT}${dashed.slice(AGENT.length + 2)}` : arg
}
