import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { Engine } from '../engine.ts'
import { openLmdb } from './engine.ts'

let dir: string
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'gather-'))))
afterEach(() => rmSync(dir, { recursive: true }))

const put = (engine: Engine, key: string) => engine.commit([{ key, value: Buffer.from('v') }])

/** Keys of each transaction, of commits that begin in one turn of the event loop after the other. */
async function transactions(gatherTurns: number, together: number): Promise<readonly string[]> {
  const path = join(dir, `${gatherTurns} ${together}`)
  const options = { dir: path, clock: new ManualClock(), journalAfter: 0, gatherTurns }
  const engine = await openLmdb(options)
  await Promise.all(Array.from({ length: together }, (_, i) => put(engine, `/first/${i}`)))
  const seen: string[] = []
  engine.subscribe((events) => seen.push(events.map(({ key }) => key).join(' ')))
  const commits = [put(engine, '/a')]
  for (const key of ['/b', '/c', '/d']) {
    await yieldToEventLoop()
    commits.push(put(engine, key))
  }
  const revisions = (await Promise.all(commits)).map((commit) => commit.done && commit.at)
  expect(revisions).toEqual([1, 2, 3, 4].map((n) => together + n))
  await engine.close()
  return seen
}

test('commits of several callers wait for those of the next turns', async () => {
  expect(await transactions(5, 2)).toEqual(['/a /b /c /d'])
})

test('they wait for a limited number of turns', async () => {
  expect((await transactions(2, 2))[0]).toBe('/a /b /c')
})

test.each([
  ['after one caller alone', 5, 1],
  ['when that is switched off', 0, 2],
])('a commit waits for no other %s', async (_, turns, together) => {
  const [first, ...others] = await transactions(turns, together)
  expect(first).toBe('/a')
  expect(others.join(' ')).toBe('/b /c /d')
})
