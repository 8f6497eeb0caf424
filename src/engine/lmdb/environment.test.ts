import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { Environment } from './environment.ts'
import { DATA_FILE } from './layout.ts'

const MB = 1 << 20
const PAUSE_MS = 250

const dirs: string[] = []
afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true, force: true })
})

async function newEnvironment() {
  const dir = await mkdtemp(join(tmpdir(), 'environment-'))
  dirs.push(dir)
  const clock = new ManualClock()
  return { clock, file: new Environment(join(dir, DATA_FILE), clock) }
}

const turns = async (count = 5) => {
  for (let i = 0; i < count; i++) await new Promise<void>((resolve) => setImmediate(resolve))
}

test.each<[what: string, touched: readonly number[], times: number]>([
  ['little was touched', [1 * MB, 0], 1],
  ['much was touched, and then nothing', [8 * MB, 0], 2],
  ['much was touched, and little in the pause', [8 * MB, 1, 1], 2],
  ['much was touched, and more in each pause', [8 * MB, 1 * MB, 1 * MB, 1 * MB, 1 * MB], 1],
  ['much was touched, more, and then nothing', [8 * MB, 1 * MB, 1 * MB, 0, 0, 0], 2],
  ['very much was touched without a pause', [40 * MB, 40 * MB], 2],
])('the file is opened anew: %s', async (_what, touched, times) => {
  const { file, clock } = await newEnvironment()
  for (const bytes of touched) {
    file.touched(bytes)
    clock.advance(PAUSE_MS / 2)
    await turns()
  }
  expect(file.times).toBe(times)
  await file.close()
})

test('transactions and reads of the meantime find the writes', async () => {
  const { file, clock } = await newEnvironment()
  const key = (n: number) => Buffer.from(`key ${String(n).padStart(4, '0')}`)
  const found: (string | undefined)[] = []
  const wanted: string[] = []
  const writes: Promise<void>[] = []
  for (let n = 0; n < 200; n++) {
    writes.push(file.transact((writes) => writes.put('values', key(n), Buffer.from(`value ${n}`))))
    if (n % 4 === 0) {
      file.touched(64 * MB)
      clock.advance(PAUSE_MS)
    }
    if (n % 3 === 0) await writes[n]
    if (n % 3 === 1) await turns(1)
    const last = n - (n % 3)
    await writes[last]
    found.push(file.values.get(key(last))?.toString())
    wanted.push(`value ${last}`)
  }
  await Promise.all(writes)
  await turns()
  expect(found).toEqual(wanted)
  expect(file.times).toBeGreaterThan(10)
  expect([...file.values.getKeys()].map(String)).toEqual(
    Array.from({ length: 200 }, (_, n) => String(key(n))),
  )
  await file.close()
})

test('closing waits for a file that is being reopened', async () => {
  const { file, clock } = await newEnvironment()
  const write = file.transact((writes) => writes.put('values', Buffer.from('a'), Buffer.from('b')))
  file.touched(8 * MB)
  clock.advance(PAUSE_MS)
  await Promise.all([write, file.close()])
  file.touched(64 * MB)
  clock.advance(PAUSE_MS)
  await turns()
  expect(file.times).toBe(1)
})
