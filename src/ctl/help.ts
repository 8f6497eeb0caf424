/** Help texts: of the program, of words that commands begin with, and of commands. */
import type { Command } from './base/command.ts'
import { flagLines } from './base/flag-help.ts'
import { commands, sections } from './commands.ts'

/** Names and what they mean, in two columns. */
function rows(pairs: readonly (readonly [string, string])[], indent = '  '): string[] {
  const width = Math.max(0, ...pairs.map(([name]) => name.length))
  return pairs.map(([name, about]) => `${indent}${name.padEnd(width)}   ${about}`)
}

const last = (path: string) => path.slice(path.lastIndexOf(' ') + 1)

/** The help of the program. */
export function programHelp(program: string): string {
  const lines = [`${program} controls the cluster through its API server.`, '']
  for (const section of sections) {
    const pairs = Object.entries(commands)
      .filter(([path, listed]) => listed.section === section && !path.includes(' '))
      .map(([path, { about }]) => [path, about] as const)
    if (pairs.length > 0) lines.push(`${section}:`, ...rows(pairs), '')
  }
  lines.push('Usage:', `  ${program} [flags] [options]`, '')
  lines.push(
    `Use "${program} <command> --help" for more information about a given command.`,
    `Use "${program} options" for a list of global command-line options (applies to all commands).`,
    '',
  )
  return lines.join('\n')
}

const below = (path: string) =>
  Object.entries(commands)
    .filter(
      ([other]) => other.startsWith(`${path} `) && !other.slice(path.length + 1).includes(' '),
    )
    .map(([other, { about }]) => [last(other), about] as const)

/** The help of words that commands begin with. */
export function groupHelp(program: string, path: string): string {
  return [
    `${commands[path]!.about}.`,
    '',
    'Available Commands:',
    ...rows(below(path)),
    '',
    'Usage:',
    `  ${program} ${path} SUBCOMMAND [options]`,
    '',
    `Use "${program} ${path} <command> --help" for more information about a given command.`,
    '',
  ].join('\n')
}

/** The help of a command. */
export function commandHelp(program: string, path: string, command: Command): string {
  const lines = [command.text, '']
  if (command.examples) {
    lines.push('Examples:')
    for (const [comment, args] of command.examples) {
      lines.push(`  # ${comment}`, `  ${program} ${args}`, '')
    }
  }
  const children = below(path)
  if (children.length > 0) lines.push('Available Commands:', ...rows(children), '')
  const options = Object.entries(command.flags ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  if (options.length > 0) lines.push('Options:', ...flagLines(Object.fromEntries(options)))
  lines.push('Usage:', `  ${program} ${path} ${command.use}`.trimEnd(), '')
  lines.push(
    `Use "${program} options" for a list of global command-line options (applies to all commands).`,
    '',
  )
  return lines.join('\n')
}
