/** Pages name files that exist, and names that are in them: a move or a rename has to reach them too. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { rooms } from './layers.ts'

const ROOT = join(import.meta.dirname, '..')
const IN_DOCS = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => join('docs', file))
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...IN_DOCS]

/** What stands in backquotes, and the targets of links. */
const MENTION = /`([^`\n]+)`|\]\(([^)\s]+)\)/g
const PATH = /^(?:[\w.-]+\/)+[\w.-]+\.(?:ts|mjs|md)$/
const NAME = /^[a-zA-Z]\w*/

/** The file of a path as pages write it: from the root, or from `src`. */
const fileOf = (path: string) =>
  [join(ROOT, path), join(ROOT, 'src', path)].find((file) => existsSync(file))

/** Headings as links name them. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

function faultOfLink(page: string, link: string): string | null {
  if (/^https?:/.test(link)) return null
  const [path = '', anchor] = link.split('#')
  const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path)
  if (!existsSync(file)) return `${page}: ${link} does not exist`
  if (anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).includes(anchor)) return null
  return `${page}: ${link} has no such heading`
}

function faultsOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  const faults: string[] = []
  /** A path that was just named: a name right behind it is in that file. */
  let last: { readonly file: string; end: number } | null = null
  for (const { 0: whole, 1: code, 2: link, index } of text.matchAll(MENTION)) {
    if (link !== undefined) {
      const fault = faultOfLink(page, link)
      if (fault !== null) faults.push(fault)
      continue
    }
    if (code === undefined) continue
    const end = index + whole.length
    const name = NAME.exec(code)?.[0]
    if (PATH.test(code)) {
      const file = fileOf(code)
      last = file === undefined ? null : { file, end }
      if (file === undefined) faults.push(`${page}: ${code} does not exist`)
    } else if (last && name !== undefined && /^\s$/.test(text.slice(last.end, index))) {
      if (!readFileSync(last.file, 'utf8').includes(name))
        faults.push(`${page}: ${last.file.slice(ROOT.length + 1)} has no ${name}`)
      last.end = end
    }
  }
  return faults
}

test('files, names in them and headings that pages refer to are there', () => {
  expect(PAGES.length).toBeGreaterThan(50)
  expect(PAGES.flatMap(faultsOf)).toEqual([])
})

/** What the cell of a room lists, in the short forms that the page explains. */
function listed(cell: string, above: readonly string[]): string[] {
  const named = [...cell.matchAll(/`([^`]+)`/g)].map(([, room]) => room!)
  if (cell.startsWith('all of the above but')) return above.filter((room) => !named.includes(room))
  if (cell.includes('without')) return [...named, ...ENTRIES].filter((room) => room !== 'catalogue')
  return cell.includes('*entries*') ? [...named, ...ENTRIES] : named
}

const ENTRIES = ['catalogue', 'codec', 'meta', 'notation', 'base', 'vocabulary']

test('the table of rooms says which may import which', () => {
  const page = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| [^|]+ \| ([^|;]+)(?:;[^|]*)? \|$/gm)]
  const above: string[] = []
  const table = rows
    .filter(([, room]) => Object.hasOwn(rooms, room!))
    .map(([, room, cell]) => {
      const may = listed(cell!, above).filter((other) => other !== room)
      above.push(room!)
      return [room, [...new Set(may)].toSorted()]
    })
  const rules = Object.entries(rooms).map(([room, may]) => [room, [...may].toSorted()])
  expect(Object.fromEntries(table)).toEqual(Object.fromEntries(rules))
})

test('recipes of the test kit are the projects that CI runs', () => {
  const page = readFileSync(join(ROOT, 'docs', 'testing.md'), 'utf8')
  for (const [heading, file] of [
    ['vitest', 'vitest/testing.test.js'],
    ['jest', 'jest/testing.test.js'],
    ['node:test', 'node-test/testing.test.mjs'],
  ] as const) {
    const [, recipe] = page.split(`### ${heading}\n\n\`\`\`js\n`)
    expect(readFileSync(join(ROOT, 'examples', file), 'utf8')).toContain(recipe!.split('```')[0])
  }
})
