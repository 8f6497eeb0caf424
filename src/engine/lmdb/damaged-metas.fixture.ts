/**
 * Opens copies of a store of which one byte was changed each, one after another, in a process of its own: it might end it.
 * Prints a line for each.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ManualClock } from '../../base/clock.ts'
import { openLmdb } from './engine.ts'

const [good = '', work = '', list = '[]'] = process.argv.slice(2)
const bytes = readFileSync(join(good, 'data.mdb'))
const options = { dir: work, clock: new ManualClock(), journalAfter: Infinity }

async function readAll(): Promise<string> {
  const engine = await openLmdb({ ...options, verify: 'all' })
  const { items } = await engine.range('')
  for await (const _events of engine.changes('', engine.oldest(), engine.revision()));
  const said = `${items.length} objects at ${engine.revision()}`
  // Into the pages that are free.
  await engine.commit([{ key: '/new', value: Buffer.alloc(50_000) }])
  await engine.commit([{ key: '/new', value: null }])
  await engine.close()
  return said
}

for (const [at, value] of JSON.parse(list) as readonly (readonly [number, number])[]) {
  const damaged = Buffer.from(bytes)
  damaged[at] = value
  rmSync(work, { recursive: true, force: true })
  cpSync(good, work, { recursive: true })
  writeFileSync(join(work, 'data.mdb'), damaged)
  try {
    const said = await readAll()
    await readAll()
    console.log(said)
  } catch (error) {
    console.log((error as Error).message)
  }
}
