import { mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { openLmdb } from './engine.ts'
import { openLmdbSnapshot } from './snapshot.ts'

let dir = ''
let path = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'data-file-'))
  path = join(dir, 'data.mdb')
  const engine = await openLmdb({ dir, clock: new ManualClock() })
  for (let i = 0; i < 50; i++)
    await engine.commit([{ key: `/things/${i}`, value: Buffer.alloc(2_000, 'v') }])
  await engine.close()
})
afterEach(() => rm(dir, { recursive: true, force: true }))

async function overwrite(at: number, bytes: Buffer): Promise<void> {
  const file = await open(path, 'r+')
  await file.write(bytes, 0, bytes.length, at)
  await file.close()
}

const REMEDY = 'restore a backup into another directory (docs/backup.md)'
const MISSING = /page \d+ of .+ is missing; it has 32768 bytes of up to \d+/
const damages: readonly (readonly [
  what: string,
  damage: () => Promise<void>,
  why: string | RegExp,
])[] = [
  ['a few bytes', () => truncate(path, 100), 'it does not begin as a store does'],
  ['another file', () => writeFile(path, 'x'.repeat(100_000)), 'it does not begin as a store does'],
  [
    'another size of pages',
    () => overwrite(48, Buffer.from([1, 2, 3, 4])),
    'the size of its pages cannot be read',
  ],
  ['its two first pages only', () => truncate(path, 32_768), MISSING],
]

describe.each(damages)('a data file of which is left %s', (_, damage, why) => {
  const message = () => {
    const told = (reason: string) => `data file ${path} is damaged: ${reason}; ${REMEDY}`
    return typeof why === 'string' ? told(why) : expect.stringMatching(why)
  }

  test('is no store', async () => {
    await damage()
    const opening = openLmdb({ dir, clock: new ManualClock() })
    await expect(opening).rejects.toMatchObject({ name: 'UnusableDataDir', message: message() })
  })

  test('has nothing to copy', async () => {
    await damage()
    const opening = openLmdbSnapshot(dir)
    await expect(opening).rejects.toMatchObject({ name: 'UnusableDataDir', message: message() })
  })
})

test('an empty file is accepted: an interrupted first start leaves one', async () => {
  await truncate(path, 0)
  const message = `data file ${path} is empty: remove it if the store was never used, otherwise ${REMEDY}`
  const opening = openLmdb({ dir, clock: new ManualClock() })
  await expect(opening).rejects.toMatchObject({ name: 'UnusableDataDir', message })
})
