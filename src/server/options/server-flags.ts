import { isIP } from 'node:net'
import { isDns1123Subdomain } from '../../meta/names.ts'
import { product, vocabularies } from '../../vocabulary/index.ts'
import type { VocabularyName } from '../../vocabulary/vocabulary.ts'
import { truthOr } from '../../base/value-checks.ts'
import { admissionFlags } from './admission-flags.ts'
import { globalFlags } from '../../flags/global-flags.ts'
import { authenticationFlags } from './authentication-flags.ts'
import { authorizationFlags } from './authorization-flags.ts'
import { etcdFlags } from './etcd-flags.ts'
import {
  boolFlag,
  choiceFlag,
  durationFlag,
  fileFlag,
  intFlag,
  ipFlag,
  listFlag,
  onFlag,
  orNone,
  switchesFlag,
  textFlag,
} from '../../flags/flags.ts'

const words = Object.keys(vocabularies) as VocabularyName[]

/** A file; '' where none is given. */
const agentFile = (option: string, help: string) => ({
  ...textFlag({ option, section: 'Cluster', default: '', help }),
  placeholder: 'file',
  check: () => null,
})

/** Flags of the server, in the spelling of the reference where it has them. */
export const serverFlags = {
  'data-dir': textFlag({
    option: 'dataDir',
    section: 'Storage',
    default: `./${product.dataDir}`,
    help: 'Folder for objects, certificates and the client configuration of the administrator.',
  }),
  store: choiceFlag(['lmdb', 'memory'], {
    option: 'store',
    section: 'Storage',
    default: 'lmdb',
    help: 'Where objects are kept; those in memory are gone when the server ends.',
  }),
  'encryption-provider-config': fileFlag({
    option: 'encryptionConfigFile',
    section: 'Storage',
    help: 'What is kept encrypted, and with which keys.',
  }),
  'history-window': durationFlag({
    option: 'historyMs',
    section: 'Storage',
    default: '5m',
    help: 'How far back watches and exact lists may start.',
  }),
  'allow-unlocked-data-dir': boolFlag({
    option: 'allowUnlockedDataDir',
    section: 'Storage',
    help: 'Take a data directory whose file system has no locks. Nothing keeps a second server away from it then.',
  }),
  verify: boolFlag({
    option: 'verify',
    section: 'Storage',
    help: 'Look at everything in the data directory before starting, not only at what was written last.',
  }),
  'event-ttl': orNone(
    durationFlag({
      option: 'eventTtlMs',
      section: 'Storage',
      default: '1h',
      help: 'How long events live after they were written last; 0 for ever.',
    }),
  ),
  ...etcdFlags,
  'etcd-compaction-interval': orNone(
    durationFlag({
      option: 'etcd.compactionIntervalMs',
      section: 'Storage',
      default: '5m',
      help: 'How often the servers of an etcd, by turns, have it forget what is older than that; 0 for never.',
    }),
  ),
  'etcd-healthcheck-timeout': durationFlag({
    option: 'etcd.healthCheckTimeoutMs',
    section: 'Storage',
    default: '2s',
    help: 'How long checks of health wait for etcd.',
  }),
  'etcd-readycheck-timeout': durationFlag({
    option: 'etcd.readyCheckTimeoutMs',
    section: 'Storage',
    default: '2s',
    help: 'How long the check of readiness waits for etcd.',
  }),
  'share-authorities': onFlag({
    option: 'shareAuthorities',
    section: 'Storage',
    help: 'Have one certificate authority and one key for tokens of service accounts on all servers over one etcd, kept in it.',
  }),
  'bind-address': ipFlag({
    option: 'bindAddress',
    section: 'Secure serving',
    default: '127.0.0.1',
    help: 'Address to listen on; 0.0.0.0 or :: for all of the machine.',
  }),
  'secure-port': intFlag(
    { min: 0, max: 65_535 },
    {
      option: 'port',
      section: 'Secure serving',
      default: '6443',
      help: 'Port to serve HTTPS on; 0 takes any free one.',
    },
  ),
  'tls-san': {
    ...listFlag({
      option: 'servingHosts',
      section: 'Secure serving',
      help: 'Further names and addresses that clients reach the server by, such as those of a balancer; the serving certificate is made good for them.',
    }),
    check(hosts: readonly string[]): string | null {
      const wrong = hosts.find((host) => isIP(host) === 0 && isDns1123Subdomain(host).length > 0)
      return wrong === undefined
        ? null
        : `${JSON.stringify(wrong)} is neither a name nor an address`
    },
  },
  'advertise-address': ipFlag({
    option: 'advertiseAddress',
    section: 'Generic',
    default: '',
    help: 'Address that the rest of the cluster reaches this server at; the bind address unless that is of this machine alone, else one of its network interfaces.',
  }),
  'endpoint-reconciler-type': choiceFlag(['lease', 'none'], {
    option: 'endpointReconciler',
    section: 'Generic',
    default: 'lease',
    help: 'Whether the addresses of all servers that live become the endpoints of their service in the namespace default.',
  }),
  'feature-gates': switchesFlag({
    option: 'featureGates',
    section: 'Generic',
    default: '',
    help: 'Features to turn on or off. AllAlpha and AllBeta stand for all of their stage.',
  }),
  vocabulary: choiceFlag(words, {
    option: 'vocabulary',
    section: 'Generic',
    default: words[0] ?? '',
    help: 'Brand words of groups, labels and system names. Objects are kept with the words they were made with.',
  }),
  'request-timeout': durationFlag({
    option: 'requestTimeoutMs',
    section: 'Generic',
    default: '1m',
    help: 'Longest time until a request that is no watch is answered.',
  }),
  'min-request-timeout': intFlag(
    { min: 1, max: 1_000_000 },
    {
      option: 'minRequestTimeoutMs',
      section: 'Generic',
      default: '1800',
      help: 'Seconds until a watch that gives no timeout is ended, at the earliest; at random up to twice that.',
    },
  ),
  'runtime-config': switchesFlag({
    option: 'runtimeConfig',
    section: 'API enablement',
    default: '',
    help: 'What is served: group/version, group/version/resource, or api/all, api/ga, api/beta, api/alpha. Alpha versions are not unless asked for.',
  }),
  'service-cluster-ip-range': {
    ...textFlag({
      option: 'serviceClusterIpRange',
      section: 'Cluster',
      default: '10.0.0.0/24',
      help: 'Network that services get addresses of; two of different families with a comma for both.',
    }),
    // Scripts give it empty where they mean the default.
    check: () => null,
  },
  'service-node-port-range': textFlag({
    option: 'serviceNodePortRange',
    section: 'Cluster',
    default: '30000-32767',
    help: 'Ports that services of type NodePort and LoadBalancer get on every node.',
  }),
  'allow-privileged': boolFlag({
    option: 'allowPrivileged',
    section: 'Cluster',
    help: 'Let containers run privileged.',
  }),
  'nodeagent-certificate-authority': agentFile(
    'agentTls.ca',
    'Certificates of the authorities that node agents are known by, PEM; without, any certificate of theirs is taken.',
  ),
  'nodeagent-client-certificate': agentFile(
    'agentTls.cert',
    'Certificate that node agents know this server by, PEM.',
  ),
  'nodeagent-client-key': agentFile('agentTls.key', 'Key of that certificate, PEM.'),
  controllers: {
    option: 'controllers',
    section: 'Cluster',
    default: 'true',
    help: 'Keep in order what belongs to the API: garbage, namespaces, service accounts, aggregated roles. server: only what is a part of every server.',
    takes: truthOr('server'),
    parse: (text: string): boolean | 'server' => {
      if (text === 'server') return text
      return onFlag({ section: '', help: '' }).parse(text)
    },
  },
  ...authenticationFlags,
  ...authorizationFlags,
  ...admissionFlags,
  v: intFlag(
    { min: 0, max: 10 },
    {
      section: 'Logs',
      short: 'v',
      default: '0',
      help: 'Level of detail: 0 for warnings and errors, 1 for what happens, 4 for the causes of a failed start.',
    },
  ),
  'logging-format': choiceFlag(['text', 'json'], {
    section: 'Logs',
    default: 'text',
    help: 'Form of log lines, which go to standard error.',
  }),
  ...globalFlags,
}

/** The flags that people use, the first to be told. */
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
