/** Flags that are accepted by name: those of an original that have no effect in the program that stands in for it. */
import type { Flag, Flags } from '../flags/flags.ts'

const SECTION = 'Without effect'

/** Declares flags of `names`, separated by white space; `=` marks those that take a value. */
export function namedFlags(names: string): Flags {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((word): [string, Flag<string>] => {
        const takesValue = word.endsWith('=')
        return [
          takesValue ? word.slice(0, -1) : word,
          {
            section: SECTION,
            help: 'Accepted.',
            default: '',
            ...(takesValue ? { placeholder: 'string' } : {}),
            parse: (text) => text,
          },
        ]
      }),
  )
}

/** Arguments without some flags, and those flags. */
export interface Sifted {
  readonly kept: readonly string[]
  /** Names and values, in the order in which they came. */
  readonly taken: readonly (readonly [name: string, value: string])[]
}

/** Takes flags out of arguments, in the forms `--flag=value` and `--flag value`; underscores may replace dashes. */
export function sift(args: readonly string[], flags: Flags): Sifted {
  const kept: string[] = []
  const taken: [string, string][] = []
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    const [, spelling = '', equals, text = ''] = /^--([^=]+)(=)?(.*)$/s.exec(arg) ?? []
    const name = spelling.replaceAll('_', '-')
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
    if (flag === undefined) kept.push(arg)
    else if (equals !== undefined) taken.push([name, text])
    else if (flag.placeholder === undefined) taken.push([name, 'true'])
    else taken.push([name, args[++i] ?? ''])
  }
  return { kept, taken }
}

/** One line about flags without effect; null where there are none. */
export function ignoredLine(taken: Sifted['taken']): string | null {
  const names = [...new Set(taken.map(([name]) => `--${name}`))]
  return names.length === 0 ? null : `accepted without effect: ${names.join(', ')}`
}
