import { resolve } from 'node:path'
import { lineLog } from '../../base/log.ts'
import { readFlagFileSync } from '../../base/flag-file.ts'
import { limitHeap } from '../../base/heap-limits.ts'
import { keepTickShape } from '../../base/tick-shape.ts'
import { generateNothing } from '../../codec/generated-code.ts'
import type { EtcdUse } from '../../server/options/etcd-options.ts'
import type { RunningServer, ServerOptions } from '../../server/options/server-options.ts'
import { startFailure } from '../../base/start-failure.ts'
import { controllerSettingsOf } from '../../server/options/controller-flags.ts'
import { product } from '../../vocabulary/index.ts'
import type { Values } from '../../flags/flags.ts'
import { moduleLevels } from '../../flags/log-flags.ts'
import { helpText, shortHelp } from '../../flags/help.ts'
import { flagValues } from '../flag-values.ts'
import { versionText } from '../version-text.ts'
import { signalCode, type EndSignal, type Terminal } from '../terminal.ts'
import { agentTlsOf } from './agent-tls.ts'
import { admissionOf } from '../../server/options/admission-flags.ts'
import { etcdPlaceOf } from './etcd-access.ts'
import { auditOf } from '../../server/options/audit-flags.ts'
import { aggregationOf } from '../../server/options/aggregation-flags.ts'
import { authenticationOf } from '../../server/options/authentication-flags.ts'
import { authorizationOf } from '../../server/options/authorization-flags.ts'
import { servingOf } from '../../server/options/serving-flags.ts'
import { metricsOf } from '../../server/options/metrics-flags.ts'
import { commonServerFlags, serverFlags } from '../../server/options/server-flags.ts'

/** Starts a server, as the package does. */
export type StartServer = (options: ServerOptions) => Promise<RunningServer>

/** What runs the command, and as what. */
export interface ServerCommand {
  /** As it is typed. */
  readonly name: string
  readonly about: string
  readonly version: string
  readonly terminal: Terminal
  /** By default that of the package, loaded when it is needed. */
  readonly start?: StartServer
}

/** What requests and connections get to end, milliseconds. */
const SHUTDOWN_GRACE_MS = 60_000

const HELP = {
  flags: serverFlags,
  common: commonServerFlags,
  example: `--data-dir ./${product.dataDir} --secure-port 6443`,
}

/**
 * Runs the server until a signal; resolves with the exit code when it has ended. A signal before it is ready, and a second
 * one, end it at once. Throws FlagError.
 */
export async function serverCommand(
  command: ServerCommand,
  args: readonly string[],
): Promise<number> {
  const { name, about, version, terminal } = command
  const read = flagValues(serverFlags, args)
  const values = read instanceof Promise ? await read : read
  const help = { ...HELP, about, name }
  if (values.help || values['help-all']) {
    terminal.out(values.help ? shortHelp(help) : helpText(help))
    return 0
  }
  if (values.version !== false) {
    terminal.out(versionText(name, version, values.version))
    return 0
  }
  const write = (line: string) => terminal.err(line)
  const log = lineLog({
    format: values['logging-format'],
    level: values.v,
    modules: moduleLevels(values.vmodule),
    now: Date.now,
    write,
  })
  let options: ServerOptions = {}
  // Always logged: operators look here when a server has ended.
  const lasting = lineLog({
    format: values['logging-format'],
    level: Math.max(values.v, 1),
    now: Date.now,
    write,
  })
  const stopped = (signal: EndSignal, how: string) => lasting.info('stopped', { signal, how })
  let state: 'starting' | 'running' | 'ending' = 'starting'
  // Signals are handled from here on.
  const asked = new Promise<EndSignal>((end) => {
    terminal.onSignal((signal) => {
      if (state !== 'running') {
        stopped(signal, state === 'starting' ? 'before it was ready' : 'at once, second signal')
        terminal.exit(state === 'starting' ? signalCode(signal) : 1)
      }
      state = 'ending'
      end(signal)
    })
  })
  let server: RunningServer
  try {
    if (!command.start) keepTickShape()
    if (!command.start && values['limit-heap']) limitHeap()
    if (!command.start && !values['generate-code']) generateNothing()
    // What is wrong with the flags is found before the server is loaded.
    options = optionsOf(values)
    const start = command.start ?? (await import('../../server/start-server.ts')).launchServer
    server = await start({ ...options, log })
  } catch (error) {
    terminal.err(`${name}: ${startError(error, options, values.v)}\n`)
    return 1
  }
  state = 'running'
  terminal.out(readyLine(server))
  const { NOTIFY_SOCKET } = process.env
  const manager =
    NOTIFY_SOCKET === undefined
      ? null
      : (await import('../service-manager.ts')).serviceManager(process.env, { log })
  manager?.ready(`Serving at ${server.url}`)
  const signal = await asked
  log.info('shutting down', { signal })
  manager?.stopping()
  try {
    await server.close()
    // Otherwise the program could end before the message was sent.
    await manager?.told()
    stopped(signal, 'in order')
    return 0
  } catch (error) {
    log.error('shutdown failed', { error: String(error) })
    return 1
  }
}

type ServerValues = Values<typeof serverFlags>

function optionsOf(values: ServerValues): ServerOptions {
  const hasEtcd = values['etcd-servers'].length > 0
  if (hasEtcd && values.store === 'memory')
    throw new Error('--store memory and --etcd-servers exclude each other')
  const agentTls = agentTlsOf(values)
  const audit = auditOf(values)
  return {
    // Absolute, since the path is shown to users in other directories.
    dataDir: resolve(values['data-dir']),
    // A flag about etcd implies etcd.
    ...(hasEtcd ? { etcd: etcdUseOf(values) } : { store: values.store }),
    shareAuthorities: values['share-authorities'],
    endpointReconciler: values['endpoint-reconciler-type'],
    servingHosts: values['tls-san'],
    eventTtlMs: values['event-ttl'],
    storeJournal: values['store-journal'],
    storeFlushAtOnce: values['store-flush-at-once'],
    unsafeNoFsync: values['unsafe-no-fsync'],
    allowUnlockedDataDir: values['allow-unlocked-data-dir'],
    verify: values.verify,
    encryptionConfigFile: values['encryption-provider-config'],
    vocabulary: values.vocabulary,
    bindAddress: values['bind-address'],
    port: values['secure-port'],
    externalHostname: values['external-hostname'],
    advertiseAddress: values['advertise-address'],
    featureGates: values['feature-gates'],
    runtimeConfig: values['runtime-config'],
    serviceClusterIpRange: values['service-cluster-ip-range'],
    serviceNodePortRange: values['service-node-port-range'],
    allowPrivileged: values['allow-privileged'],
    agentAddressTypes: values['nodeagent-preferred-address-types'],
    serviceNodePort: values['apiserver-service-node-port'],
    serving: servingOf(values),
    authentication: authenticationOf(values),
    authorization: authorizationOf(values),
    aggregation: aggregationOf(values),
    ...metricsOf(values),
    ...(values['tracing-config-file'] === ''
      ? {}
      : { tracingConfigFile: values['tracing-config-file'] }),
    ...(values['egress-selector-config-file'] === ''
      ? {}
      : { egressSelectorConfigFile: values['egress-selector-config-file'] }),
    ...(values.profiling ? {} : { profiling: false }),
    ...admissionOf(values),
    controllers: values.controllers,
    controllerSettings: controllerSettingsOf(values),
    historyMs: values['history-window'],
    selectorIndexBytes: values['selector-index-bytes'],
    requestTimeoutMs: values['request-timeout'],
    shutdownGraceMs: SHUTDOWN_GRACE_MS,
    identityLease: {
      durationSeconds: values['identity-lease-duration-seconds'],
      renewSeconds: values['identity-lease-renew-interval-seconds'],
    },
    livezGraceMs: values['livez-grace-period'],
    shutdownDelayMs: values['shutdown-delay-duration'],
    shutdownSendRetryAfter: values['shutdown-send-retry-after'],
    clusterSigningDurationMs: values['cluster-signing-duration'],
    minRequestTimeoutMs: values['min-request-timeout'] * 1000,
    ...(agentTls ? { agentTls } : {}),
    ...(values['root-ca-file'] === ''
      ? {}
      : { rootCa: readFlagFileSync('root-ca-file', values['root-ca-file']).toString() }),
    ...(audit ? { audit } : {}),
  }
}

const etcdUseOf = (values: ServerValues): EtcdUse => ({
  ...etcdPlaceOf(values),
  transport: values['etcd-transport'],
  compactionIntervalMs: values['etcd-compaction-interval'],
  leaseReuseMs: values['lease-reuse-duration-seconds'] * 1000,
  healthCheckTimeoutMs: values['etcd-healthcheck-timeout'],
  readyCheckTimeoutMs: values['etcd-readycheck-timeout'],
})

/** Printed when the server is ready, with a command for the shells of the platform. */
export function readyLine(
  { url, kubeconfigPath, vocabulary, release }: RunningServer,
  platform: NodeJS.Platform = process.platform,
): string {
  const ready = `${product.title} is ready at ${url} in the vocabulary ${vocabulary}, release ${release}`
  const client = product.clientCommand
  if (kubeconfigPath === undefined) return `${ready}\n`
  if (platform === 'win32')
    return `${ready} - try: ${client} --kubeconfig "${kubeconfigPath}" get namespaces\n`
  return `${ready} - try: KUBECONFIG=${quoted(kubeconfigPath)} ${client} get namespaces\n`
}

/** A word as a shell must get it. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** One line for users; the details at level 4. */
function startError(error: unknown, options: ServerOptions, level: number): string {
  if (level >= 4 && error instanceof Error) return error.stack ?? error.message
  return startFailure(error, options).message
}
