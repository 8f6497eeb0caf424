/** The command line client: finds the command, reads its flags, runs it, and shows its failures in one line. */
import type { Command } from './base/command.ts'
import { Context } from './base/context.ts'
import { failureText } from './base/failure-text.ts'
import { Fault, UsageFault } from './base/faults.ts'
import { parseArgs, type FlagSpec } from './base/flags.ts'
import { globalFlags, helpFlag } from './base/global-flags.ts'
import { Interrupted, processIo, type Io } from './base/io.ts'
import { commands } from './commands.ts'

/** See {@link ctlMain}. */
export interface CtlOptions {
  readonly version: string
  /** Name of the program in texts. */
  readonly program: string
  readonly io?: Io
}

/** Runs the program; resolves with its exit code. */
export async function ctlMain(args: readonly string[], options: CtlOptions): Promise<number> {
  const { program, version, io = processIo() } = options
  const found = findCommand(args)
  const command = found.path === '' ? program : `${program} ${found.path}`
  let context: Context | null = null
  try {
    const loaded = await loadedCommand(found, { program, io })
    if (loaded === null) return 0
    if (typeof loaded === 'number') return loaded
    const specs = { ...globalFlags, ...helpFlag, ...loaded.flags }
    // Words to complete may be flags of any command.
    const isRaw = found.path === '__complete'
    const parsed = parseArgs(specs, isRaw ? ['--', ...found.rest] : found.rest)
    if (parsed.flags.is('help')) {
      const { commandHelp } = await import('./help.ts')
      io.out(commandHelp(program, found.path, loaded))
      return 0
    }
    context = new Context({ io, parsed, program, command, version, commands })
    await loaded.run(context)
    context.checkWarnings()
    return 0
  } catch (error) {
    if (error instanceof Interrupted) return 130
    const { text, code } = failureText(error, command)
    io.err(text)
    return code
  } finally {
    await context?.close()
  }
}

interface FoundCommand {
  /** Words of the command. */
  readonly path: string
  /** Flags and arguments. */
  readonly rest: readonly string[]
}

/** Splits arguments into the words of a command and the rest. Global flags may precede the words. */
function findCommand(args: readonly string[]): FoundCommand {
  const before: string[] = []
  let path = ''
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    if (arg === '--') return { path, rest: [...before, ...args.slice(i)] }
    if (arg.startsWith('-') && arg !== '-') {
      before.push(arg)
      if (takesNext(arg) && i + 1 < args.length) before.push(args[++i]!)
      continue
    }
    const next = childOf(path, arg)
    if (next === null) return { path, rest: [...before, ...args.slice(i)] }
    path = next
    if (!hasChildren(path)) return { path, rest: [...before, ...args.slice(i + 1)] }
  }
  return { path, rest: before }
}

function childOf(path: string, word: string): string | null {
  const prefix = path === '' ? '' : `${path} `
  const full = prefix + word
  if (!word.includes(' ') && Object.hasOwn(commands, full)) return full
  for (const [other, { aliases = [] }] of Object.entries(commands)) {
    const isChild = other.startsWith(prefix) && !other.slice(prefix.length).includes(' ')
    if (isChild && aliases.includes(word)) return other
  }
  return null
}

const hasChildren = (path: string): boolean =>
  Object.keys(commands).some((other) => other.startsWith(`${path} `))

/** Whether a global flag takes its value from the next argument. */
function takesNext(arg: string): boolean {
  if (arg.includes('=')) return false
  const flags = Object.entries(globalFlags as Readonly<Record<string, FlagSpec>>)
  const found = arg.startsWith('--')
    ? flags.find(([name]) => name === arg.slice(2))
    : flags.find(([, { short }]) => arg === `-${short}`)
  return found !== undefined && found[1].type !== 'bool'
}

/** The command, or null when all has been said, or an exit code. */
async function loadedCommand(
  { path, rest }: FoundCommand,
  { program, io }: { readonly program: string; readonly io: Io },
): Promise<Command | number | null> {
  const listed = Object.hasOwn(commands, path) ? commands[path]! : null
  if (listed?.load) return listed.load()
  const help = await import('./help.ts')
  const word = rest.find((arg) => !arg.startsWith('-'))
  if (listed) {
    if (word !== undefined)
      throw new UsageFault(`unknown command "${word}" for "${program} ${path}"`)
    io.out(help.groupHelp(program, path))
    return null
  }
  if (word === undefined || word === 'help') {
    return shownHelp(rest, { program, io })
  }
  const { runPlugin } = await import('./plugins.ts')
  const code = await runPlugin(rest, { program, io })
  if (code !== null) return code
  throw unknownCommand(word, program)
}

async function shownHelp(
  rest: readonly string[],
  { program, io }: { readonly program: string; readonly io: Io },
): Promise<number | null> {
  const { commandHelp, groupHelp, programHelp } = await import('./help.ts')
  const words = rest.slice(rest.indexOf('help') + 1).filter((word) => !word.startsWith('-'))
  const { path } = findCommand(rest.includes('help') ? words : [])
  const listed = Object.hasOwn(commands, path) ? commands[path]! : null
  if (listed?.load) io.out(commandHelp(program, path, await listed.load()))
  else io.out(listed ? groupHelp(program, path) : programHelp(program))
  return null
}

function unknownCommand(word: string, program: string): Fault {
  const near = Object.keys(commands).filter(
    (name) => !name.includes(' ') && (isNear(name, word) || name.startsWith(word)),
  )
  const hint =
    near.length === 0 ? '' : `\n\nDid you mean this?\n${near.map((name) => `\t${name}\n`).join('')}`
  return new Fault(`error: unknown command "${word}" for "${program}"${hint}`)
}

/** Whether two words differ in at most two letters. */
function isNear(a: string, b: string): boolean {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row.at(-1)! <= 2
}
