/**
 * Servers in trouble: every client's operations are recorded, and checked when the rounds are over. A few
 * rounds by default; FAULT_ROUNDS=60 for many (`npm run test:faults`), FAULT_SEED for another course.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkHistory } from './check.ts'
import {
  diskFull,
  diskFullKilled,
  killed,
  killedTwice,
  mountDisk,
  paused,
  readOnlyDisk,
  stopped,
  wait,
  type Disk,
  type Fault,
  type Scene,
} from './faults.ts'
import { History } from './history.ts'
import { Load } from './load.ts'
import { seeded } from './random.ts'
import { embedded } from './subject.ts'

const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? '0')
const SEED = Number(process.env['FAULT_SEED'] ?? '1')
const LONG = ROUNDS > 0
/** Of the data directory; the store itself needs a small part of it. */
const DISK_BYTES = 48 << 20

let dir = ''
let disk: Disk | null = null
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'faults-'))
  await mkdir(join(dir, 'disk'))
  disk = mountDisk(join(dir, 'disk'), DISK_BYTES)
})
afterAll(async () => {
  disk?.unmount()
  await rm(dir, { recursive: true, force: true })
})

const SHORT: readonly Fault[] = [killed, diskFull, paused, killed]
const ALWAYS: readonly Fault[] = [killed, killed, killedTwice, stopped, paused]
const ON_DISK: readonly Fault[] = [diskFull, diskFullKilled, readOnlyDisk]
const needsDisk = (fault: Fault) => ON_DISK.includes(fault)

test(
  'the embedded store loses nothing, and says nothing that was not so',
  { timeout: LONG ? ROUNDS * 30_000 : 60_000 },
  async () => {
    const now = () => performance.now()
    const random = seeded(SEED)
    const history = new History(now)
    const subject = await embedded({
      dataDir: disk ? join(disk.path, 'data') : join(dir, 'data'),
      historyMs: LONG ? 8000 : 5000,
    })
    await subject.start()
    const load = new Load({
      seed: SEED,
      keys: 6,
      writers: 12,
      watchers: 5,
      history,
      endsWhole: subject.endsWhole,
      connect: () => subject.client(),
      now,
    })
    const scene: Scene = { subject, history, random, load, ...(disk ? { disk } : {}) }
    const all = disk ? [...ALWAYS, ...ON_DISK] : ALWAYS
    const rounds = LONG
      ? Array.from({ length: ROUNDS }, (_, i) => all[i % all.length]!)
      : SHORT.filter((fault) => disk !== null || !needsDisk(fault))
    const troubles: string[] = []
    await load.start()
    try {
      for (const [i, fault] of rounds.entries()) {
        await wait(200 + random.below(600))
        await fault.run(scene).catch(async (error: Error) => {
          troubles.push(`round ${i}, ${fault.name}: ${error.message}`)
          if (!subject.running) await subject.start()
        })
      }
      await load.end()
    } finally {
      await subject.kill()
    }
    const { wrong, counts } = checkHistory(history, load, subject)
    if (process.env['FAULT_REPORT'] !== undefined)
      process.stderr.write(
        `${JSON.stringify({ rounds: rounds.length, ...counts, statuses: Object.fromEntries(load.tally.statuses) })}\n`,
      )
    expect({ troubles, surprises: load.tally.surprises, wrong: wrong.slice(0, 20) }).toEqual({
      troubles: [],
      surprises: [],
      wrong: [],
    })
    expect(counts.operations).toBeGreaterThan(rounds.length * 20)
  },
)
