import { resolve } from 'node:path'
import { lineLog } from '../../base/log.ts'
import { limitHeap } from '../../base/heap-limits.ts'
import type { EtcdUse } from '../../etcd-options.ts'
import type { RunningServer, ServerOptions } from '../../server-options.ts'
import { product } from '../../vocabulary/index.ts'
import { parseFlags, type Values } from '../flags.ts'
import { helpText } from '../help.ts'
import type { Terminal } from '../terminal.ts'
import { agentTlsOf } from './agent-tls.ts'
import { etcdPlaceOf } from './etcd-access.ts'
import { authenticationOf } from './authentication-flags.ts'
import { authorizationOf } from './authorization-flags.ts'
import { serverFlags } from './server-flags.ts'

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

/**
 * Runs the server until a signal; resolves with the exit code when it has ended. A second signal ends it at once.
 * Throws FlagError.
 */
export async function serverCommand(
  command: ServerCommand,
  args: readonly string[],
): Promise<number> {
  const { name, about, version, terminal } = command
  const values = parseFlags(serverFlags, args)
  if (values.help) {
    terminal.out(helpText(about, `${name} [flags]`, serverFlags))
    return 0
  }
  if (values.version) {
    terminal.out(`${name} ${version}\n`)
    return 0
  }
  const write = (line: string) => terminal.err(line)
  const log = lineLog({ format: values['logging-format'], level: values.v, now: Date.now, write })
  const options = optionsOf(values)
  // From here on a signal is heard, also one that comes before the server is ready.
  const asked = new Promise<void>((end) => {
    let isEnding = false
    terminal.onSignal(() => {
      if (isEnding) terminal.exit(1)
      isEnding = true
      end()
    })
  })
  let server: RunningServer
  try {
    if (!command.start) limitHeap()
    const start = command.start ?? (await import('../../server.ts')).startServer
    const agentTls = agentTlsOf(values)
    server = await start({ ...options, ...(agentTls ? { agentTls } : {}), log })
  } catch (error) {
    terminal.err(`${name}: ${startError(error, options, values.v)}\n`)
    return 1
  }
  terminal.out(readyLine(server))
  await asked
  log.info('shutting down')
  try {
    await server.close()
    return 0
  } catch (error) {
    log.error('shutdown failed', { error: String(error) })
    return 1
  }
}

type ServerValues = Values<typeof serverFlags>

const optionsOf = (values: ServerValues) =>
  ({
    // The path is shown to people who may be in another folder.
    dataDir: resolve(values['data-dir']),
    // What names an etcd means it.
    ...(values['etcd-servers'].length > 0 ? { etcd: etcdUseOf(values) } : { store: values.store }),
    shareAuthorities: values['share-authorities'],
    endpointReconciler: values['endpoint-reconciler-type'],
    servingHosts: values['tls-san'],
    eventTtlMs: values['event-ttl'],
    verify: values.verify,
    encryptionConfigFile: values['encryption-provider-config'],
    vocabulary: values.vocabulary,
    bindAddress: values['bind-address'],
    port: values['secure-port'],
    advertiseAddress: values['advertise-address'],
    featureGates: values['feature-gates'],
    runtimeConfig: values['runtime-config'],
    serviceClusterIpRange: values['service-cluster-ip-range'],
    serviceNodePortRange: values['service-node-port-range'],
    allowPrivileged: values['allow-privileged'],
    authentication: authenticationOf(values),
    authorization: authorizationOf(values),
    controllers: values.controllers,
    historyMs: values['history-window'],
    requestTimeoutMs: values['request-timeout'],
    minRequestTimeoutMs: values['min-request-timeout'] * 1000,
  }) satisfies ServerOptions

const etcdUseOf = (values: ServerValues): EtcdUse => ({
  ...etcdPlaceOf(values),
  compactionIntervalMs: values['etcd-compaction-interval'],
  healthCheckTimeoutMs: values['etcd-healthcheck-timeout'],
  readyCheckTimeoutMs: values['etcd-readycheck-timeout'],
})

/** What is said when clients can come, with a command that the shells of the platform understand. */
export function readyLine(
  { url, kubeconfigPath }: RunningServer,
  platform: NodeJS.Platform = process.platform,
): string {
  const ready = `${product.title} is ready at ${url}`
  const client = product.clientCommand
  if (kubeconfigPath === undefined) return `${ready}\n`
  if (platform === 'win32')
    return `${ready} - try: ${client} --kubeconfig "${kubeconfigPath}" get namespaces\n`
  return `${ready} - try: KUBECONFIG=${quoted(kubeconfigPath)} ${client} get namespaces\n`
}

/** A word as a shell must get it. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** One line for people; at level 4 the whole story. */
function startError(error: unknown, options: ReturnType<typeof optionsOf>, level: number): string {
  if (!(error instanceof Error)) return String(error)
  if (level >= 4) return error.stack ?? error.message
  const { code, syscall } = error as NodeJS.ErrnoException
  const { bindAddress, port } = options
  const address = `${bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress}:${port}`
  if (code === 'EADDRINUSE') {
    return `address ${address} is in use; choose another port with --secure-port`
  }
  if (code === 'EADDRNOTAVAIL') {
    return `address ${bindAddress} is not one of this machine; choose another with --bind-address`
  }
  if (code === 'EACCES' && syscall === 'listen') {
    return `not allowed to listen on ${address}; choose a port above 1023 with --secure-port`
  }
  return error.message.replaceAll('\n', ' ')
}
