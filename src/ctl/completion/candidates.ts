/** What may come next on a command line that is being typed. */
import { Context } from '../base/context.ts'
import { FlagValues, type FlagSpec, type FlagSpecs } from '../base/flags.ts'
import { globalFlags, helpFlag } from '../base/global-flags.ts'
import { argumentsOf, valuesOf, type Offer } from './values.ts'

/** A word, and what it means where that is known. */
type Candidate = readonly [word: string, about?: string]

/** Longest time that a person waits after a key. */
const PATIENCE = '3s'

/**
 * Lines for the scripts: a word each, a tab and its meaning where there is one, and at the end `:files` where the shell is to
 * offer files, else `:none`.
 */
export async function completionLines(c: Context, words: readonly string[]): Promise<string> {
  const before = [...words]
  // The way in which a shell that drops empty words says one.
  const typed = (before.pop() ?? '').replace(/^""$/, '')
  // A server that is not there, or refuses: nothing is offered, and nothing said.
  const found = await candidates(c, before, typed).catch(() => [])
  if (found === 'files') return ':files\n'
  const lines = new Set<string>()
  for (const [word, about] of found)
    if (word.startsWith(typed)) lines.add(about === undefined ? word : `${word}\t${about}`)
  return `${[...lines, ':none'].join('\n')}\n`
}

async function candidates(
  c: Context,
  words: readonly string[],
  typed: string,
): Promise<readonly Candidate[] | 'files'> {
  if (words[0] === 'help') return childrenOf(c, words.slice(1).join(' '))
  const { commands, findCommand } = await c.lookup()
  const { path, rest } = findCommand(words)
  const own = (await commands[path]?.load?.())?.flags ?? {}
  const specs: FlagSpecs = { ...globalFlags, ...helpFlag, ...own }
  const read = readFlags(specs, rest)
  if (read.isOver) return []
  const of = readerOf(c, path, specs, read)
  try {
    return await afterWords(of, { path, specs, read, typed })
  } finally {
    await of.close()
  }
}

interface Typing {
  readonly path: string
  readonly specs: FlagSpecs
  readonly read: Read
  readonly typed: string
}

/** What follows the words of a command. */
async function afterWords(
  of: Context,
  { path, specs, read, typed }: Typing,
): Promise<readonly Candidate[] | 'files'> {
  if (read.open !== null) return offered(await valuesOf(of, read.open, typed))
  if (typed.startsWith('--') && typed.includes('=')) {
    const start = typed.slice(0, typed.indexOf('=') + 1)
    const name = start.slice(2, -1)
    if (!Object.hasOwn(specs, name)) return []
    const offer = await valuesOf(of, [name, specs[name]!], typed.slice(start.length))
    return offer === 'files' ? offer : plain(offer.map((one) => start + one))
  }
  if (typed.startsWith('-')) return flagsOf(specs)
  const children = read.args.length === 0 ? await childrenOf(of, path) : []
  const offer = await argumentsOf(of, path, read.args, typed)
  return offer === 'files' ? offer : [...children, ...plain(offer)]
}

const offered = (offer: Offer) => (offer === 'files' ? offer : plain(offer))

const plain = (offer: readonly string[]): Candidate[] => [...offer].sort().map((word) => [word])

/** Words that make a longer command of `path`. */
async function childrenOf(c: Context, path: string): Promise<Candidate[]> {
  const prefix = path === '' ? '' : `${path} `
  return Object.entries((await c.lookup()).commands)
    .map(([words, { about }]): [string, string] => [words, about])
    .filter(
      ([words]) =>
        words.startsWith(prefix) &&
        !words.startsWith('__') &&
        !words.slice(prefix.length).includes(' ') &&
        words !== path,
    )
    .map(([words, about]): Candidate => [words.slice(prefix.length), about])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Flags that take a value by `=` alone have it at their end. */
const flagsOf = (specs: FlagSpecs): Candidate[] =>
  Object.entries(specs)
    .filter(([, { isHidden }]) => !isHidden)
    .map(([name, { help, bare }]): Candidate => [
      bare === undefined ? `--${name}` : `--${name}=`,
      help.split(/(?<=\.)\s|\n/, 1)[0] ?? '',
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1))

interface Read {
  readonly args: readonly string[]
  readonly given: ReadonlyMap<string, readonly string[]>
  /** A flag whose value comes next. */
  readonly open: readonly [string, FlagSpec] | null
  /** Whether `--` came: what follows is the command of a container. */
  readonly isOver: boolean
}

/** Reads flags as far as they are understood; a line that is being typed may be wrong. */
function readFlags(specs: FlagSpecs, words: readonly string[]): Read {
  const args: string[] = []
  const given = new Map<string, string[]>()
  let open: Read['open'] = null
  const add = (name: string, value: string) => given.set(name, [...(given.get(name) ?? []), value])
  for (const word of words) {
    if (open !== null) {
      add(open[0], word)
      open = null
    } else if (word === '--') return { args, given, open, isOver: true }
    else if (!word.startsWith('-') || word === '-') args.push(word)
    else {
      const [, flag = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? []
      const found = Object.entries(specs).find(([name, { short }]) =>
        flag.startsWith('--') ? `--${name}` === flag : short !== undefined && flag === `-${short}`,
      )
      if (found === undefined) continue
      if (value !== undefined) add(found[0], value)
      else if (found[1].type === 'bool' || found[1].bare !== undefined)
        add(found[0], found[1].bare ?? 'true')
      else open = found
    }
  }
  return { args, given, open, isOver: false }
}

/** What asks the server that the line is for, as the user whom it names. */
function readerOf(c: Context, path: string, specs: FlagSpecs, { args, given }: Read): Context {
  const flags = new FlagValues(specs, new Map([['request-timeout', [PATIENCE]], ...given]))
  const { io, program, version, lookup } = c
  return new Context({
    io: { ...io, err: () => {}, isTerminal: false },
    parsed: { args, dash: -1, flags },
    program,
    command: `${program} ${path}`,
    version,
    lookup,
  })
}
