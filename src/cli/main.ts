import { product } from '../vocabulary/index.ts'
import { serverCommand, type StartServer } from './commands/server.ts'
import { FlagError } from './flags.ts'
import { table } from './help.ts'
import { processTerminal, type Terminal } from './terminal.ts'

/** What a program is given besides its arguments; tests give their own terminal and server. */
export interface Surroundings {
  readonly version: string
  readonly terminal?: Terminal
  readonly start?: StartServer
}

const ABOUT = 'The API server of a container-cluster control plane.'
const SERVER = 'Serves the cluster API over HTTPS.'

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
    case 'version':
    case '--version':
      terminal.out(`${name} ${version}\n`)
      return terminal.exit(0)
    case 'help':
    case '--help':
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

/** The API server by itself. */
export function apiserverMain(args: readonly string[], around: Surroundings): Promise<void> {
  const name = `${product.command}-apiserver`
  const about = `${SERVER} Controllers are not part of it; in this release it is the same as "${product.command} server".`
  return server(name, about, args, around)
}

/** The controllers by themselves, which this release does not have. */
export function controllerManagerMain(args: readonly string[], around: Surroundings): void {
  const { terminal = processTerminal, version } = around
  const name = `${product.command}-controller-manager`
  const about = `${name}: this release has no controllers that run by themselves\n`
  if (args.includes('--version')) {
    terminal.out(`${name} ${version}\n`)
    return terminal.exit(0)
  }
  if (args.includes('--help') || args.includes('-h')) {
    terminal.out(about)
    return terminal.exit(0)
  }
  terminal.err(about)
  terminal.exit(1)
}

async function server(
  name: string,
  about: string,
  args: readonly string[],
  { version, terminal = processTerminal, start }: Surroundings,
): Promise<void> {
  try {
    const command = { name, about, version, terminal, ...(start === undefined ? {} : { start }) }
    terminal.exit(await serverCommand(command, args))
  } catch (error) {
    if (!(error instanceof FlagError)) throw error
    terminal.err(`${name}: ${error.message}\nSee ${name} --help.\n`)
    terminal.exit(1)
  }
}
