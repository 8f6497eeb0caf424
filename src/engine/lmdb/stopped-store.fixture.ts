/** Makes a store with a journal, keeps copies of its files on the way, and waits to be killed or closes it. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { ManualClock } from '../../base/clock.ts'
import { openLmdb } from './engine.ts'

const [root = '', how = 'killed'] = process.argv.slice(2)
const dir = join(root, 'store')
const options = { dir, clock: new ManualClock(), journalAfter: 0 }

let made = 0
let engine = await openLmdb(options)
const commitTo = async (count: number): Promise<void> => {
  while (made < count) {
    const bytes = made % 5 === 4 ? 6_000 : 30
    await engine.commit([{ key: `/a/${made++}`, value: Buffer.alloc(bytes, 'v') }])
  }
}
const keep = (name: string): void => {
  for (const file of ['data.mdb', 'journal']) cpSync(join(dir, file), join(root, `${file}.${name}`))
}

await commitTo(4)
await engine.close()
keep('last-time')
engine = await openLmdb(options)
keep('begun')
await commitTo(9)
keep('early')
await commitTo(14)
// A read brings everything to LMDB.
await engine.get('/a/0')
await commitTo(24)
await engine.get('/a/0')
keep('applied')
await commitTo(30)
keep('late')
await commitTo(36)
if (how === 'closed') await engine.close()
console.log('done')
setInterval(() => {}, 1_000)
