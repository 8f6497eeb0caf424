import { isIP } from 'node:net'
import type { AnyPluginFactory } from '../../admission/plugin.ts'
import type { EtcdUse } from './etcd-options.ts'
import { parseIpRange, parsePortRange, type IpRange, type ValueRange } from '../../base/ip-range.ts'
import { forFlagSync } from '../../base/plain-reason.ts'
import type { AuditOptions } from './audit-options.ts'
import type { AggregationOptions } from './aggregation-options.ts'
import type { AuthenticationOptions } from './authentication-options.ts'
import type { AuthorizationOptions } from './authorization-options.ts'
import type { FlowOptions } from './flow-options.ts'
import type { Clock } from '../../base/clock.ts'
import type { Ids } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import type { Client } from '../../client/client.ts'
import type { ControllerSettings } from '../../controllers/settings.ts'
import type { Impersonation } from '../../client/client-config.ts'
import type { DeprecatedUse } from '../../http/context.ts'
import type { StageSubscriber } from '../../http/stages.ts'
import type { ServingOptions } from './serving-options.ts'
import type { MetricsOptions } from './metrics-options.ts'
import { isLocalAddress } from '../local-address.ts'
import type { VocabularyName } from '../../vocabulary/vocabulary.ts'

/** Options of a server; all have defaults. */
export interface ServerOptions extends FlowOptions {
  /** Directory of objects, certificates and the admin kubeconfig. Absent: in memory, lost at the end. */
  readonly dataDir?: string
  /** Engine; by default `etcd` where one is named, `lmdb` with a data directory and `memory` without. */
  readonly store?: 'lmdb' | 'memory' | 'etcd'
  /** The etcd that stores the objects. */
  readonly etcd?: EtcdUse
  /** Whether servers over one etcd find their common authority and token keys in it; they do by default. */
  readonly shareAuthorities?: boolean
  /**
   * Lease of a server over etcd, milliseconds: its time to live in whole seconds, and the renewal interval; 15 and 10
   * seconds by default.
   */
  readonly serverLease?: { readonly ttlMs: number; readonly renewMs: number }
  /**
   * Lease by which a server is known, with the feature gate APIServerIdentity: how long it lasts, and how often it is
   * renewed; an hour and 10 seconds by default.
   */
  readonly identityLease?: { readonly durationSeconds: number; readonly renewSeconds: number }
  /** Whether the addresses of all servers that live become the endpoints of their service; they do by default. */
  readonly endpointReconciler?: 'lease' | 'none'
  /** How long events live, milliseconds; 1 hour by default, 0: until they are deleted. */
  readonly eventTtlMs?: number
  /** Whether small transactions of the store lmdb go to a journal first; true by default. */
  readonly storeJournal?: boolean
  /** Whether the main thread flushes that journal where it takes short; true by default. */
  readonly storeFlushAtOnce?: boolean
  /**
   * Whether commits of the store lmdb are acknowledged before they are on disk: fast, and for tests only. A crash of the
   * server loses nothing, one of the machine may damage the store. False by default.
   */
  readonly unsafeNoFsync?: boolean
  /**
   * Accepts a data directory whose file system has no locks, such as some network file systems: then nothing prevents a
   * second server from using it, and two servers on one directory lose acknowledged writes. False by default.
   */
  readonly allowUnlockedDataDir?: boolean
  /** Verifies everything in the data directory at the start, not only the latest writes. */
  readonly verify?: boolean
  /** Encryption configuration file: the resources that are encrypted, and their keys; nothing by default. */
  readonly encryptionConfigFile?: string
  /** Brand words; the product's own by default. */
  readonly vocabulary?: VocabularyName
  /** Address to listen on; 127.0.0.1 by default. */
  readonly bindAddress?: string
  /** Further names and addresses of this server, such as those of a load balancer. */
  readonly servingHosts?: readonly string[]
  /** 0, the default: any free port. */
  readonly port?: number
  /** Group versions and resources that are served or not, by `group/version[/resource]`, `api/alpha` and their like. */
  readonly runtimeConfig?: Readonly<Record<string, boolean>>
  /** Feature gates that differ from the release's defaults. */
  readonly featureGates?: Readonly<Record<string, boolean>>
  /** Networks that services get addresses of, one or one of each family, the default first; `10.0.0.0/16`. */
  readonly serviceClusterIpRange?: string
  /** Ports that services get on every node; `30000-32767`. */
  readonly serviceNodePortRange?: string
  /** Address that others in the cluster reach this server at; by default the bind address or one of this machine. */
  readonly advertiseAddress?: string
  /** Host, or host and port, of this server in documents that clients read; by default where it listens. */
  readonly externalHostname?: string
  /**
   * Authorities that programs in the cluster trust for this server, PEM; its own by default. Needed where it serves a
   * certificate of another authority.
   */
  readonly rootCa?: string
  /** Whether containers may run privileged; not by default. */
  readonly allowPrivileged?: boolean
  /** Types of addresses at which node agents are reached, the preferred ones first. */
  readonly agentAddressTypes?: readonly string[]
  /** Node port of the service of the servers; 0, the default: none. */
  readonly serviceNodePort?: number
  /** Certificates for connections to node agents, PEM; without an authority any certificate of theirs is taken. */
  readonly agentTls?: { readonly ca?: string; readonly cert?: string; readonly key?: string }
  /**
   * Whether `proxy`, `exec` and similar requests may reach loopback and link-local addresses of this machine, such as
   * 127.0.0.1. False by default, and only for tests whose agents and pods listen there: users with access to these
   * sub-resources reach every service on loopback.
   */
  readonly proxiesToLoopback?: boolean
  readonly serving?: ServingOptions
  readonly authentication?: AuthenticationOptions
  readonly authorization?: AuthorizationOptions
  /** Records of requests, for auditors; none by default. */
  readonly audit?: AuditOptions
  readonly aggregation?: AggregationOptions
  /** Admission plugins of the program's own; they run before webhooks and quotas. */
  readonly admission?: readonly AnyPluginFactory[]
  /** Names of admission plugins that are on beside those that are by default. */
  readonly enableAdmissionPlugins?: readonly string[]
  /** Names of admission plugins that are not on. */
  readonly disableAdmissionPlugins?: readonly string[]
  /** Names of the admission plugins that are on, and no others. Deprecated. */
  readonly admissionControl?: readonly string[]
  /** File with configurations of admission plugins. */
  readonly admissionConfigFile?: string
  /** Seconds for which pods tolerate nodes that are not ready, unless they say otherwise; 300 by default. */
  readonly defaultNotReadyTolerationSeconds?: number
  /** The same for unreachable nodes. */
  readonly defaultUnreachableTolerationSeconds?: number
  /**
   * Whether the controllers run; they do by default. `server`: only those that are a part of every server, where a
   * separate controller manager runs the rest. A list of names chooses: `*` is all that are on by default, `-name` is
   * all but one.
   */
  readonly controllers?: boolean | 'server' | readonly string[]
  /** Periods, numbers of workers and limits of controllers; those of the release by default. */
  readonly controllerSettings?: Partial<ControllerSettings>
  /** Longest lifetime of certificates that the controllers sign, milliseconds; a year by default. */
  readonly clusterSigningDurationMs?: number
  /** Called for each request to a deprecated version of a resource. */
  readonly onDeprecated?: (use: DeprecatedUse) => void
  /** Called in this order at the stages of every request; empty by default. See docs/architecture.md. */
  readonly stages?: readonly StageSubscriber[]
  /** File that configures traces of requests; none without. The feature gate APIServerTracing must be on. */
  readonly tracingConfigFile?: string
  /** File that names the proxies of networks, an EgressSelectorConfiguration; connections are direct without. */
  readonly egressSelectorConfigFile?: string
  /** Whether profiles are served below `/debug/pprof/`; true by default. */
  readonly profiling?: boolean
  /** Which metrics show. */
  readonly metrics?: MetricsOptions
  readonly log?: Log
  readonly clock?: Clock
  readonly ids?: Ids
  /** Time that the history of changes is available to watches, milliseconds; 5 minutes by default. */
  readonly historyMs?: number
  /** Maximum memory of indexes for selectors, bytes; 64 MiB by default, 0 makes none. */
  readonly selectorIndexBytes?: number
  /** Bound of a request that is not a watch, milliseconds; 1 minute by default. */
  readonly requestTimeoutMs?: number
  /**
   * Maximum number of connections from one address whose clients have not made a request as an authenticated user;
   * 1,000 by default. The addresses of an IPv6 /64 count as one.
   */
  readonly strangersPerAddress?: number
  /** Maximum memory of the bodies of all requests in progress, bytes; 128 MiB by default. */
  readonly bodyMemoryBytes?: number
  /** Time from the start in which the server counts as live though it has not finished its start; 0 by default. */
  readonly livezGraceMs?: number
  /** Time that a server which shuts down goes on serving, while it is not ready, milliseconds; 0 by default. */
  readonly shutdownDelayMs?: number
  /**
   * Time that requests in progress get to end during shutdown, and after them connections, milliseconds; 5 seconds by
   * default. The program gives them a minute.
   */
  readonly shutdownGraceMs?: number
  /** Whether new requests during shutdown are accepted and told to retry elsewhere; refused by default. */
  readonly shutdownSendRetryAfter?: boolean
  /** A watch without a timeout ends after one to two times this, milliseconds; 30 minutes by default. */
  readonly minRequestTimeoutMs?: number
}

/** A client in the process of its server. */
export interface InProcessClientOptions {
  /** The user that makes the requests; by default the administrator. */
  readonly user?: {
    readonly name: string
    readonly uid?: string
    /** Groups in addition to that of all authenticated users. */
    readonly groups?: readonly string[]
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
  /** User to impersonate, if that is allowed. */
  readonly impersonate?: Impersonation
  /** User agent; the part before the first slash is the field manager. */
  readonly userAgent?: string
  /** Milliseconds that one attempt of a request may take; as many as it takes by default. */
  readonly timeoutMs?: number
  /** Further attempts when the server requests a retry; 10 by default. */
  readonly retries?: number
}

/** A server that is ready. */
export interface RunningServer {
  readonly url: string
  readonly port: number
  /** The names that it speaks. */
  readonly vocabulary: VocabularyName
  /** The release whose behaviour it has, such as 1.25. */
  readonly release: string
  /** Authority of the server's certificate, PEM. */
  readonly ca: string
  /** Configuration for clients, with the administrator's certificate: keep it secret. */
  readonly kubeconfig: string
  /** Where it was written, with a data directory. */
  readonly kubeconfigPath?: string
  /** Resolves when all background work of the server is done for now. */
  settled(): Promise<void>
  /**
   * A client of this server without sockets, as its administrator or as another user: access, admission and all checks
   * are those of any request.
   */
  client(options?: InProcessClientOptions): Promise<Client>
  /** Ends watches, finishes requests and releases all resources. May be called twice. */
  close(): Promise<void>
}

// A day of tests creates thousands of services; a /24 was used up after 250.
const CLUSTER_RANGE = '10.0.0.0/16'
const PORT_RANGE = '30000-32767'

/** Ranges for services, read and checked (operations page, range checks). Throws Error. */
export function serviceRanges(options: ServerOptions): {
  readonly addresses: readonly IpRange[]
  readonly ports: ValueRange
} {
  const texts = (options.serviceClusterIpRange || CLUSTER_RANGE).split(',').map((t) => t.trim())
  if (texts.length > 2)
    throw new Error('--service-cluster-ip-range must not have more than two entries')
  const addresses = texts.map((text) => {
    const range = forFlagSync('service-cluster-ip-range', () => parseIpRange(text))
    const [bits, least] = range.family === 'IPv4' ? [32, 12] : [128, 108]
    if (Number(range.text.slice(range.text.indexOf('/') + 1)) < least) {
      throw new Error(
        `--service-cluster-ip-range ${text} is too large; for ${bits}-bit addresses, the mask must be ${least} or more`,
      )
    }
    if (range.size < 1) throw new Error(`--service-cluster-ip-range ${text} has no usable address`)
    return range
  })
  if (addresses.length === 2 && addresses[0]!.family === addresses[1]!.family) {
    throw new Error('--service-cluster-ip-range with two entries must be of different families')
  }
  checkFamily(addresses[0]!, options)
  const ports = forFlagSync('service-node-port-range', () =>
    parsePortRange(options.serviceNodePortRange || PORT_RANGE),
  )
  return { addresses, ports }
}

/** The service of this server and the address behind it must be of one family, or no connection succeeds. */
function checkFamily(range: IpRange, options: ServerOptions) {
  const { advertiseAddress = '', bindAddress = '', endpointReconciler } = options
  if (endpointReconciler === 'none') return
  const own = advertiseAddress || bindAddress
  if (own === '' || isLocalAddress(own)) return
  if (isIP(own) !== (range.family === 'IPv6' ? 6 : 4)) {
    throw new Error(
      `--service-cluster-ip-range ${range.text} is not of the family of the address of this server, ${own}; choose another with --advertise-address`,
    )
  }
}
