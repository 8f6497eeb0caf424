import type { Flag, Flags } from './flags.ts'

const WIDTH = 100
/** Blanks before the left column and between the two. */
const GAP = 5
/** What is longer has a line of its own. */
const MAX_LEFT = 48

/** Help of a command: what it does, how it is called, its flags by section. */
export function helpText(about: string, usage: string, flags: Flags): string {
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
  return [...wrap(about, WIDTH), '', 'Usage:', `  ${usage}`, ...sections, ''].join('\n')
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
