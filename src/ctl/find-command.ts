/** Which command a command line names. */
import type { Command } from './base/command.ts'
import { CommandFault, Fault } from './base/faults.ts'
import type { FlagSpec } from './base/flags.ts'
import { globalFlags } from './base/global-flags.ts'
import type { Io } from './base/io.ts'
import { commands } from './commands.ts'

/** What a command line says. */
export interface NamedCommand {
  /** Words of the command. */
  readonly path: string
  /** Flags and arguments. */
  readonly rest: readonly string[]
  /** The command, or the exit code when all has been said. Rejects when there is no such command. */
  readonly load: (said: Said) => Promise<Command | number>
}

/** The program's name, and where it writes. */
interface Said {
  readonly program: string
  readonly io: Io
}

/** Finds the words of a command. */
export function findCommand(args: readonly string[]): NamedCommand {
  const words = wordsOf(args)
  return { ...words, load: (said) => loaded(words, said) }
}

type Words = Pick<NamedCommand, 'path' | 'rest'>

/** Splits arguments into the words of a command and the rest. Global flags may precede the words. */
function wordsOf(args: readonly string[]): Words {
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

async function loaded({ path, rest }: Words, { program, io }: Said): Promise<Command | number> {
  const listed = Object.hasOwn(commands, path) ? commands[path]! : null
  if (listed?.load) return listed.load()
  const help = await import('./help.ts')
  const word = rest.find((arg) => !arg.startsWith('-'))
  if (listed) {
    if (word !== undefined) throw new CommandFault(`unknown command ${JSON.stringify(word)}`)
    const text = help.groupHelp(program, path)
    const isAsked = rest.some((arg) => arg === '--help' || arg === '-h')
    if (isAsked) io.out(text)
    else io.err(text)
    return isAsked ? 0 : 1
  }
  if (word === undefined || word === 'help') {
    await showHelp(rest, { program, io })
    return 0
  }
  const { runPlugin } = await import('./plugins.ts')
  const code = await runPlugin(rest, { program, io })
  if (code !== null) return code
  throw unknownCommand(word, program)
}

async function showHelp(rest: readonly string[], { program, io }: Said): Promise<void> {
  const { commandHelp, groupHelp, programHelp } = await import('./help.ts')
  const words = rest.slice(rest.indexOf('help') + 1).filter((word) => !word.startsWith('-'))
  const { path } = wordsOf(rest.includes('help') ? words : [])
  const listed = Object.hasOwn(commands, path) ? commands[path]! : null
  if (listed?.load) io.out(commandHelp(program, path, await listed.load()))
  else io.out(listed ? groupHelp(program, path) : programHelp(program))
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
