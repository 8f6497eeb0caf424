import { product } from '../vocabulary/index.ts'
import { FlagError } from './flags.ts'
import { serverCommand, type Terminal } from './commands/server.ts'

const process_: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  onSignal: (call) => {
    process.on('SIGTERM', call)
    process.on('SIGINT', call)
  },
  exit: (code) => process.exit(code),
}

/** The all-in-one program: its commands by name. */
export async function main(args: readonly string[], version: string, terminal: Terminal = process_): Promise<void> {
  const [command, ...rest] = args
  await run(terminal, async () => {
    switch (command) {
      case 'server':
        return serverCommand(`${product.command} server`, rest, terminal)
      case '--version':
      case 'version':
        terminal.out(`${product.command} ${version}\n`)
        return 0
      case undefined:
      case '--help':
      case '-h':
      case 'help':
        terminal.out(HELP)
        return command === undefined ? 1 : 0
      default:
        terminal.err(`${product.command}: unknown command ${JSON.stringify(command)}\n\n${HELP}`)
        return 1
    }
  })
}

const HELP = `The API server of a container-cluster control plane.

Usage:
  ${product.command} <command> [flags]

Commands:
  server      Serve the cluster API over HTTPS; ${product.command} server --help lists its flags
  version     Show the version

`

/** The API server by itself. */
export async function apiserverMain(args: readonly string[], terminal: Terminal = process_): Promise<void> {
  await run(terminal, () => serverCommand(`${product.command}-apiserver`, args, terminal))
}

/** The controllers by themselves, which this release does not have. */
export async function controllerManagerMain(terminal: Terminal = process_): Promise<void> {
  await run(terminal, async () => {
    terminal.err(`${product.command}-controller-manager: this release has no controllers that run by themselves\n`)
    return 1
  })
}

async function run(terminal: Terminal, work: () => Promise<number>): Promise<void> {
  try {
    terminal.exit(await work())
  } catch (error) {
    if (!(error instanceof FlagError)) throw error
    terminal.err(`${product.command}: ${error.message}\n`)
    terminal.exit(1)
  }
}
