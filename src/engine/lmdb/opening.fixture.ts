/** Opens a store and reads all of it, in a process of its own: a damaged one might end it. */
import { ManualClock } from '../../base/clock.ts'
import { openLmdb } from './engine.ts'
import type { Verify } from './verify.ts'

const [dir = '', verify = 'newest'] = process.argv.slice(2)
try {
  const engine = await openLmdb({ dir, clock: new ManualClock(), verify: verify as Verify })
  const { items } = await engine.range('')
  for await (const _events of engine.changes('', engine.oldest(), engine.revision()));
  await engine.commit([{ key: '/new', value: Buffer.alloc(50_000) }])
  await engine.close()
  console.log(`${items.length} objects`)
} catch (error) {
  console.log((error as Error).message)
  process.exitCode = 1
}
