/** Shared code of commands about stored data. */
import { product } from '../../vocabulary/index.ts'
import { parseFlags, textFlag, type Flags, type Values } from '../../flags/flags.ts'
import { versionText } from '../version-text.ts'
import type { globalFlags } from '../../flags/global-flags.ts'
import { helpText, shortHelp, type CommandHelp } from '../../flags/help.ts'
import { plainMessage } from '../../base/plain-reason.ts'
import type { Terminal } from '../terminal.ts'
import type { OpenEtcd } from './etcd-access.ts'

/** What runs such a command, and as what. */
export interface DataCommand {
  /** As it is typed. */
  readonly name: string
  readonly about: string
  readonly version: string
  readonly terminal: Terminal
  /** By default that of the package, loaded when it is needed. */
  readonly openEtcd?: OpenEtcd
}

/** The server's data directory. */
export const dataDirFlag = (help: string) =>
  textFlag({ section: 'Storage', default: `./${product.dataDir}`, help })

/** A file that must be named. */
export const pathFlag = (help: string) => ({
  ...textFlag({ section: 'Storage', default: '', help }),
  placeholder: 'file',
})

/** Reads flags, runs the command, reports a failure in one line; resolves with the exit code. Throws FlagError. */
export async function runDataCommand<F extends Flags & typeof globalFlags>(
  { name, about, version, terminal }: DataCommand,
  { flags, ...help }: Omit<CommandHelp, 'about' | 'name' | 'flags'> & { readonly flags: F },
  args: readonly string[],
  act: (values: Values<F>) => Promise<void>,
): Promise<number> {
  // Help needs no mandatory flags.
  const told = { ...help, about, name, flags }
  if (args.includes('--help') || args.includes('-h')) {
    terminal.out(shortHelp(told))
    return 0
  }
  if (args.includes('--help-all')) {
    terminal.out(helpText(told))
    return 0
  }
  const asked = args.find((arg) => arg === '--version' || arg === '--version=raw')
  if (asked !== undefined) {
    terminal.out(versionText(name, version, asked.endsWith('raw') ? 'raw' : true))
    return 0
  }
  const values = parseFlags(flags, args)
  try {
    await act(values)
    return 0
  } catch (error) {
    terminal.err(`${name}: ${plainMessage(error)}\n`)
    return 1
  }
}
