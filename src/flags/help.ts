import type { Flag, Flags } from './flags.ts'

const WIDTH = 100
/** Blanks before the left column and between the two. */
const GAP = 5
/** Longer names get a line of their own. */
const MAX_LEFT = 48

/** Content of the help of a command. */
export interface CommandHelp {
  readonly about: string
  /** As it is typed. */
  readonly name: string
  readonly flags: Flags
  /** The common flags, in display order; all where none are named. */
  readonly common?: readonly string[]
  /** What may follow the name, for a start. */
  readonly example: string
}

/** Help that fits on a screen: an example, and the common flags. */
export function shortHelp({ about, name, flags, common, example }: CommandHelp): string {
  if (!common) return helpText({ about, name, flags, example })
  const rows = common.map((flag): [string, string] => [
    spelling(flag, flags[flag]!),
    meaning(flags[flag]!),
  ])
  const rest = Object.keys(flags).length - common.length
  return [
    ...head({ about, name, example }),
    '',
    'Flags:',
    '',
    ...table(rows),
    '',
    `${name} --help-all lists ${rest} more.`,
    '',
  ].join('\n')
}

const head = ({ about, name, example }: Pick<CommandHelp, 'about' | 'name' | 'example'>) => [
  ...wrap(about, WIDTH),
  '',
  'Usage:',
  `  ${name} [flags]`,
  '',
  'Example:',
  `  ${name} ${example}`,
]

/** Help of a command: description, usage, and flags by section. */
export function helpText({ about, name, flags, example }: CommandHelp): string {
  const spellings = Object.entries(flags).map(([name, flag]) => spelling(name, flag))
  const left = Math.min(widest(spellings), MAX_LEFT)
  const sections = sectionsOf(flags).flatMap(({ section, entries }) => [
    '',
    `${section} flags:`,
    '',
    ...table(
      entries.map(([name, flag]) => [spelling(name, flag), meaning(flag)]),
      left,
    ),
  ])
  return [...head({ about, name, example }), ...sections, ''].join('\n')
}

/** Two columns, the left one `left` wide, the right one wrapped. */
export function table(
  rows: readonly (readonly [string, string])[],
  left = widest(rows.map(([text]) => text)),
): string[] {
  return rows.flatMap(([text, about]) => {
    const lines = wrap(about, WIDTH - left - GAP)
    const isLong = text.length > left
    return [
      ...(isLong ? [`  ${text}`] : []),
      ...lines.map((line, i) => `  ${(i === 0 && !isLong ? text : '').padEnd(left)}   ${line}`),
    ]
  })
}

/** Flags under their headings, in the order in which headings come up. */
export function sectionsOf(flags: Flags): { section: string; entries: [string, Flag][] }[] {
  const all = Object.entries(flags)
  return [...new Set(all.map(([, flag]) => flag.section))].map((section) => ({
    section,
    entries: all.filter(([, flag]) => flag.section === section),
  }))
}

const widest = (texts: readonly string[]): number => Math.max(...texts.map((text) => text.length))

function spelling(name: string, { short, placeholder }: Flag): string {
  const letter = short === undefined ? '    ' : `-${short}, `
  return `${letter}--${name}${placeholder === undefined ? '' : ` ${placeholder}`}`
}

function meaning(flag: Flag): string {
  const showsDefault =
    flag.default !== '' && (flag.placeholder !== undefined || flag.default === 'true')
  return showsDefault ? `${flag.help} (default ${flag.default})` : flag.help
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}
