import { cpSync, mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { main } from '../main.ts'
import { openLmdb } from '../../engine/lmdb/engine.ts'
import { temporaryDir } from '../../engine/backup/store.fixture.ts'

const dir = temporaryDir()
const PAGE = 16_384
const fileOf = (name: string) => join(dir, name, 'store', 'data.mdb')
let pages = 0

beforeAll(async () => {
  const engine = await openLmdb({ dir: join(dir, 'good', 'store'), clock: new ManualClock() })
  const value = Buffer.alloc(3000, 'x')
  for (let i = 0; i < 20; i++)
    await Promise.all(
      Array.from({ length: 20 }, (_, j) => engine.commit([{ key: `/a/${i}-${j}`, value }])),
    )
  await engine.close()
  pages = statSync(fileOf('good')).size / PAGE
})

async function overwrite(path: string, page: number): Promise<void> {
  const file = await open(path, 'r+')
  await file.write(Buffer.alloc(PAGE, 0xa5), 0, PAGE, page * PAGE)
  await file.close()
}

const START = 'it does not begin as a store does'
const END = /^page \d+ of .+ is missing; it has \d+ bytes of up to \d+$/
test.each<[title: string, why: string | RegExp | null, act: (path: string) => unknown]>([
  ['nothing', null, () => {}],
  ['a few bytes', START, (path) => truncateSync(path, 100)],
  ['one page', START, (path) => truncateSync(path, PAGE)],
  ['another file', START, (path) => writeFileSync(path, 'hello'.repeat(10_000))],
  ['first page overwritten', START, (path) => overwrite(path, 0)],
  ['second page overwritten', START, (path) => overwrite(path, 1)],
  ['cut off in the middle', END, (path) => truncateSync(path, (pages >> 1) * PAGE + 5)],
  ['cut off after the first pages', END, (path) => truncateSync(path, 2 * PAGE)],
])('a data file with damage: %s', async (title, why, act) => {
  const home = join(dir, title)
  mkdirSync(home)
  cpSync(join(dir, 'good'), home, { recursive: true })
  await act(fileOf(title))
  const said = { code: -1, stderr: '' }
  await main(['backup', '--data-dir', home, '--file', `${home}.backup`], {
    version: '1',
    terminal: {
      out: () => {},
      err: (text) => void (said.stderr += text),
      onSignal: () => {},
      exit: (code) => void (said.code = code),
    },
  })
  if (why === null) {
    expect(said).toEqual({ code: 0, stderr: '' })
    return
  }
  const told =
    /^orch backup: data file (.+) is damaged: (.+); restore a backup into another directory \(docs\/backup\.md\)\n$/
  const [, path, reason] = told.exec(said.stderr) ?? []
  expect({ code: said.code, path, reason }).toEqual({
    code: 1,
    path: fileOf(title),
    reason: typeof why === 'string' ? why : expect.stringMatching(why),
  })
})
