import { dropIn, product } from '../vocabulary/index.ts'
import { backupCommand } from './commands/backup.ts'
import { cutJournalCommand } from './commands/cut-journal.ts'
import type { DataCommand } from './commands/data-command.ts'
import type { OpenEtcd } from './commands/etcd-access.ts'
import { migrateCommand } from './commands/migrate.ts'
import { renewKubeconfigCommand } from './commands/renew-kubeconfig.ts'
import { restoreCommand } from './commands/restore.ts'
import { serverCommand, type StartServer } from './commands/server.ts'
import { ASSETS_ABOUT, assetsCommand } from './commands/envtest-assets.ts'
import { FlagError } from '../flags/flags.ts'
import { table } from '../flags/help.ts'
import { versionText } from './version-text.ts'
import { processTerminal, type Terminal } from './terminal.ts'

/** Dependencies of a program besides its arguments; tests pass their own terminal and server. */
export interface Surroundings {
  readonly version: string
  readonly terminal?: Terminal
  readonly start?: StartServer
  /** How commands reach an etcd. */
  readonly openEtcd?: OpenEtcd
}

const ABOUT = 'The API server of a container-cluster control plane.'
const SERVER = 'Serves the cluster API over HTTPS.'
const TEST_SERVER = 'Serves it in memory for tests in any language, with calls such as reset.'

/** Commands about the files of a server. */
const DATA = {
  backup: {
    run: backupCommand,
    about: 'Backs up the store to a file. The server may run meanwhile.',
  },
  restore: { run: restoreCommand, about: 'Creates a store from a backup.' },
  migrate: {
    run: migrateCommand,
    about: 'Copies the embedded store to etcd or back; migrates a store from the previous format.',
  },
  'cut-journal': {
    run: cutJournalCommand,
    about: 'Cuts a damaged journal, giving up the writes that it has lost.',
  },
  'renew-kubeconfig': {
    run: renewKubeconfigCommand,
    about: 'Gives admin.kubeconfig a new certificate. The server may run meanwhile.',
  },
} as const

const programHelp = (name: string) =>
  [
    ABOUT,
    '',
    'Usage:',
    `  ${name} <command> [flags]`,
    '',
    'Commands:',
    ...table([
      ['server', `${SERVER} Its flags: ${name} server --help`],
      ...Object.entries(DATA).map(([command, { about }]): [string, string] => [command, about]),
      ['envtest-assets', ASSETS_ABOUT],
      ['test-server', TEST_SERVER],
      ['version', 'Shows the version.'],
      ['help', 'Shows this help.'],
    ]),
    '',
  ].join('\n')

/** The program that has everything; its first argument is a command. */
export async function main(args: readonly string[], around: Surroundings): Promise<void> {
  const [command, ...rest] = args
  const { terminal = processTerminal, version } = around
  const name = product.command
  switch (command) {
    case 'server':
      return server(`${name} server`, SERVER, rest, around)
    case 'test-server':
      return testServer(rest, around)
    case 'backup':
    case 'restore':
    case 'migrate':
    case 'cut-journal':
    case 'renew-kubeconfig': {
      const { run, about } = DATA[command]
      return ended({ name: `${name} ${command}`, about, ...dataParts(around) }, run, rest)
    }
    case 'envtest-assets':
      return terminal.exit(
        assetsCommand({ name: `${name} ${command}`, about: ASSETS_ABOUT, terminal }, rest),
      )
    case 'envtest-apiserver':
      return envtest(rest, around)
    case 'version':
    case '--version':
    case '--version=true':
    case '--version=raw':
      terminal.out(versionText(name, version, command === '--version=raw' ? 'raw' : true))
      return terminal.exit(0)
    case 'help':
    case '--help':
    case '--help-all':
    case '-h':
      terminal.out(programHelp(name))
      return terminal.exit(0)
    case undefined:
      terminal.err(programHelp(name))
      return terminal.exit(1)
    default:
      terminal.err(`${name}: unknown command ${JSON.stringify(command)}\nSee ${name} --help.\n`)
      return terminal.exit(1)
  }
}

/** The API server alone. */
export function apiserverMain(args: readonly string[], around: Surroundings): Promise<void> {
  const name = `${product.command}-apiserver`
  const about = `${SERVER} Controllers are not part of it; in this release it is the same as "${product.command} server".`
  return server(name, about, args, around)
}

/** The controllers as a separate program. */
export async function controllerManagerMain(
  args: readonly string[],
  { version, terminal = processTerminal }: Surroundings,
): Promise<void> {
  const name = `${product.command}-controller-manager`
  const { controllerManagerCommand } = await import('./commands/controller-manager.ts')
  return ended({ name, about: '', version, terminal }, controllerManagerCommand, args)
}

/** The server as test environments start it. */
async function envtest(
  args: readonly string[],
  { version, terminal = processTerminal }: Surroundings,
): Promise<void> {
  const { envtestApiserver } = await import('./commands/envtest-apiserver.ts')
  const command = { name: dropIn.apiserver, about: '', version, terminal, env: process.env }
  return ended(command, envtestApiserver, args)
}

/** A server of the test kit; it has the flags of any server. */
async function testServer(args: readonly string[], around: Surroundings): Promise<void> {
  const start: StartServer = async (options) =>
    (await import('../testing/test-program.ts')).startForPrograms(options)
  const name = `${product.command} test-server`
  // The last of two equal flags counts.
  return server(name, TEST_SERVER, ['--store=memory', ...args], { start, ...around })
}

async function server(
  name: string,
  about: string,
  args: readonly string[],
  { version, terminal = processTerminal, start }: Surroundings,
): Promise<void> {
  const command = { name, about, version, terminal, ...(start === undefined ? {} : { start }) }
  return ended(command, serverCommand, args)
}

const dataParts = ({ version, terminal = processTerminal, openEtcd }: Surroundings) => ({
  version,
  terminal,
  ...(openEtcd === undefined ? {} : { openEtcd }),
})

/** Runs a command and ends the program with its exit code. */
async function ended<C extends Omit<DataCommand, 'openEtcd'>>(
  command: C,
  run: (command: C, args: readonly string[]) => Promise<number>,
  args: readonly string[],
): Promise<void> {
  const { name, terminal } = command
  try {
    terminal.exit(await run(command, args))
  } catch (error) {
    if (!(error instanceof FlagError)) throw error
    terminal.err(`${name}: ${error.message}\nSee ${name} --help.\n`)
    terminal.exit(1)
  }
}
