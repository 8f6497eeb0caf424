/** The command line client: finds the command, reads its flags, runs it, and shows its failures in one line. */
import { Context } from './base/context.ts'
import { parseArgs } from './base/flags.ts'
import { globalFlags, helpFlag } from './base/global-flags.ts'
import { Interrupted, processIo, type Io } from './base/io.ts'
import type { NamedCommand } from './find-command.ts'

/** See {@link ctlMain}. */
export interface CtlOptions {
  readonly version: string
  /** Name of the program in texts. */
  readonly program: string
  readonly io?: Io
  /** Whether the process ends with the command, and its connections with that. */
  readonly isLast?: boolean
}

/** Runs the program; resolves with its exit code. */
export async function ctlMain(args: readonly string[], options: CtlOptions): Promise<number> {
  const { program, version, io = processIo() } = options
  let command = program
  let context: Context | null = null
  try {
    const { path, rest, load } = await commandOf(args)
    if (path !== '') command = `${program} ${path}`
    const loaded = await load({ program, io })
    if (typeof loaded === 'number') return loaded
    const specs = { ...globalFlags, ...helpFlag, ...loaded.flags }
    // Words to complete may be flags of any command.
    const isRaw = path === '__complete'
    const parsed = parseArgs(specs, isRaw ? ['--', ...rest] : rest)
    if (parsed.flags.is('help')) {
      const { commandHelp } = await import('./help.ts')
      io.out(commandHelp(program, path, loaded))
      return 0
    }
    const lookup = async () => {
      const { commands } = await import('./commands.ts')
      return { commands, findCommand: (await import('./find-command.ts')).findCommand }
    }
    context = new Context({ io, parsed, program, command, version, lookup })
    await loaded.run(context)
    context.throwFailures()
    context.checkWarnings()
    return 0
  } catch (error) {
    if (error instanceof Interrupted) return 130
    const { failureText } = await import('./base/failure-text.ts')
    const { text, code } = failureText(error, command)
    io.err(text)
    return code
  } finally {
    if (options.isLast !== true) await context?.close()
  }
}

async function commandOf(args: readonly string[]): Promise<NamedCommand> {
  // People wait for it the most: it does without the list of all commands.
  if (args[0] === 'get') {
    const load = async () => (await import('./commands/get.ts')).get
    return { path: 'get', rest: args.slice(1), load }
  }
  return (await import('./find-command.ts')).findCommand(args)
}
