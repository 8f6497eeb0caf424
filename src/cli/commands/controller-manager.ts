/** Runs the controllers until a signal. */
import { readFlagFileSync } from '../../base/flag-file.ts'
import { lineLog, type Log } from '../../base/log.ts'
import { plainMessage } from '../../base/plain-reason.ts'
import type { ClientConfig } from '../../client/client-config.ts'
import type {
  ControllerManager,
  ControllerManagerOptions,
} from '../../controller-manager/controller-manager.ts'
import { controllerSettingsOf } from '../../server/options/controller-flags.ts'
import { product } from '../../vocabulary/index.ts'
import type { Serving } from '../../controller-manager/serving.ts'
import type { Values } from '../../flags/flags.ts'
import { moduleLevels } from '../../flags/log-flags.ts'
import { helpText } from '../../flags/help.ts'
import { flagValues } from '../flag-values.ts'
import { versionText } from '../version-text.ts'
import { signalCode, type Terminal } from '../terminal.ts'
import { API_BURST, API_QPS } from './api-flags.ts'
import { controllerManagerFlags } from './controller-manager-flags.ts'
import { signingOf } from './signing-flags.ts'

/** Name, version and terminal of the command. */
export interface ControllerManagerCommand {
  readonly name: string
  readonly version: string
  readonly terminal: Terminal
}

const ABOUT = 'Runs the controllers of the cluster API as a client of a server.'
const EXAMPLE = `--kubeconfig ./${product.dataDir}/admin.kubeconfig`

/** Resolves with the exit code when it has ended; a second signal ends it at once. Throws FlagError. */
export async function controllerManagerCommand(
  { name, version, terminal }: ControllerManagerCommand,
  args: readonly string[],
): Promise<number> {
  const read = flagValues(controllerManagerFlags, args)
  const values = read instanceof Promise ? await read : read
  if (values.help || values['help-all']) {
    terminal.out(helpText({ about: ABOUT, name, flags: controllerManagerFlags, example: EXAMPLE }))
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
  const ending = new AbortController()
  terminal.onSignal((signal) => {
    if (ending.signal.aborted) terminal.exit(signalCode(signal))
    ending.abort()
  })
  try {
    // What is wrong with the flags is found before the controllers are loaded.
    const options = await optionsOf(values, log)
    const { controllerManager } = await import('../../controller-manager/controller-manager.ts')
    const manager = controllerManager(options)
    await run(manager, values, log, ending.signal)
    return 0
  } catch (error) {
    terminal.err(`${name}: ${plainMessage(error)}\n`)
    return 1
  }
}

type ManagerValues = Values<typeof controllerManagerFlags>

async function run(
  manager: ControllerManager,
  values: ManagerValues,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const serving = values['secure-port'] === 0 ? null : await serve(manager, values, log)
  if (serving) log.info('serving health and other pages', { url: serving.url })
  // Nothing else keeps the process running while the server is unreachable.
  const awake = setInterval(() => {}, 60_000)
  try {
    await manager.run(signal)
  } finally {
    clearInterval(awake)
    await serving?.close()
  }
}

async function optionsOf(values: ManagerValues, log: Log): Promise<ControllerManagerOptions> {
  const config = await configOf(values)
  return {
    config,
    controllers: values.controllers,
    settings: controllerSettingsOf(values),
    useServiceAccountCredentials: values['use-service-account-credentials'],
    rootCa: values['root-ca-file'] === '' ? (config.ca ?? '') : fileText('root-ca-file', values),
    serviceAccountKey: fileText('service-account-private-key-file', values),
    signing: signingOf(values),
    leaderElection: values['leader-elect']
      ? {
          namespace: values['leader-elect-resource-namespace'],
          name: values['leader-elect-resource-name'],
          leaseDurationMs: values['leader-elect-lease-duration'],
          renewDeadlineMs: values['leader-elect-renew-deadline'],
          retryPeriodMs: values['leader-elect-retry-period'],
        }
      : null,
    rate: { perSecond: values[API_QPS], burst: values[API_BURST] },
    featureGates: values['feature-gates'],
    log,
  }
}

async function configOf({ kubeconfig, context }: ManagerValues): Promise<ClientConfig> {
  if (kubeconfig === '') {
    const { inClusterConfig } = await import('../../client/in-cluster.ts')
    return inClusterConfig()
  }
  const { loadKubeconfig } = await import('../../client/kubeconfig.ts')
  return loadKubeconfig(kubeconfig, context === '' ? undefined : context)
}

type FileFlag = 'root-ca-file' | 'service-account-private-key-file'

const fileText = (flag: FileFlag, values: ManagerValues): string =>
  values[flag] === '' ? '' : readFlagFileSync(flag, values[flag]).toString()

/** Pages of controllers are below this path. */
const DEBUG = '/debug/controllers/'

/** Serves the port of the program. */
async function serve(
  manager: ControllerManager,
  values: ManagerValues,
  log: Log,
): Promise<Serving> {
  const { openPort } = await import('./manager-port.ts')
  const { metricsPage } = await import('../../controller-manager/metrics-page.ts')
  const pages = new Map([
    [
      '/configz',
      { type: 'application/json', text: () => JSON.stringify(configOfPages(manager, values)) },
    ],
    ['/metrics', metricsPage(() => manager.metrics())],
  ])
  const pageAt = (path: string) =>
    path.startsWith(DEBUG) ? manager.debugPages().get(path.slice(DEBUG.length)) : pages.get(path)
  return openPort(values, { manager, pageAt, log })
}

/** What is in force, without anything secret. */
const configOfPages = (manager: ControllerManager, values: ManagerValues) => ({
  [manager.server()?.v.resolve('{system}controllermanager.config{api}') ?? 'config']: {
    controllers: values.controllers,
    settings: controllerSettingsOf(values),
    featureGates: values['feature-gates'],
    leaderElection: values['leader-elect'],
    useServiceAccountCredentials: values['use-service-account-credentials'],
  },
})
