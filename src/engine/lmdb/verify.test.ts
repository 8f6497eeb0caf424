import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open, type RootDatabase } from 'lmdb'
import { afterAll, describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { databases, META, openOptions, type Databases } from './layout.ts'
import { openLmdb } from './engine.ts'
import { openLmdbSnapshot } from './snapshot.ts'
import { encodeHead, placeKey } from './value-record.ts'

const clock = new ManualClock()
const root = mkdtempSync(join(tmpdir(), 'verify-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

async function changed(dir: string, change: (stores: Databases) => void): Promise<void> {
  const file = open(openOptions(join(dir, 'data.mdb'))) as RootDatabase<Buffer, Buffer>
  const stores = databases(file)
  await file.transaction(() => change(stores))
  await file.close()
}

/** Flips one bit of the change at a revision. */
const flip =
  (revision: number, at: number) =>
  ({ values }: Databases) => {
    const bytes = Buffer.from(values.get(placeKey(revision, 0))!)
    bytes[at < 0 ? bytes.length + at : at]! ^= 1
    values.putSync(placeKey(revision, 0), bytes)
  }

describe('damage is found when a store is opened', () => {
  const [first, newest] = [3, 1_503]
  for (const [i, { name, change, what, onlyAll = false }] of [
    {
      name: 'the newest value',
      change: flip(newest, -1),
      what: `the change at revision ${newest} cannot be read`,
    },
    {
      name: 'its key',
      change: flip(newest, 34),
      what: `the change at revision ${newest} cannot be read`,
    },
    {
      name: 'its mark',
      change: flip(newest, 0),
      what: `the change at revision ${newest} cannot be read`,
    },
    {
      name: 'an old value',
      change: flip(first, -1),
      what: `the change at revision ${first} cannot be read`,
      onlyAll: true,
    },
    {
      name: 'a missing value',
      change: ({ values }: Databases) => void values.removeSync(placeKey(first, 0)),
      what: 'the value of /k0 cannot be found',
      onlyAll: true,
    },
    {
      name: 'a missing past value',
      change: ({ values }: Databases) => void values.removeSync(placeKey(2, 0)),
      what: `what the change at revision ${newest} superseded is gone`,
    },
    {
      name: 'a missing key',
      change: ({ heads }: Databases) => void heads.removeSync(Buffer.from('/k1499')),
      what: 'the change at revision 1502 belongs to no key',
    },
    {
      name: 'a key that leads to another',
      change: ({ heads }: Databases) =>
        heads.putSync(
          Buffer.from('/other'),
          encodeHead({ revision: 9, index: 0, created: 9, deleted: false }),
        ),
      what: 'the value of /other cannot be found',
      onlyAll: true,
    },
    {
      name: 'an expiry',
      change: ({ expiries }: Databases) => expiries.putSync(Buffer.from('x'), Buffer.from('/k1')),
      what: 'an expiry time cannot be read',
      onlyAll: true,
    },
    {
      name: 'the floor of history',
      change: ({ meta }: Databases) => meta.putSync(META.floor, Buffer.from('x')),
      what: 'the revision at which its history starts cannot be read',
    },
    {
      name: 'the mark of the journal',
      change: ({ meta }: Databases) =>
        meta.putSync(META.journal, Buffer.from('{"store":"00","journal":null,"reach":0}')),
      what: 'its mark of the journal cannot be read',
    },
    {
      name: 'the format mark',
      change: ({ meta }: Databases) => meta.putSync(META.format, Buffer.from('{')),
      what: 'its format mark cannot be read',
    },
  ].entries()) {
    test(name, async () => {
      const dir = join(root, `${i}`)
      const engine = await openLmdb({ dir, clock })
      await engine.commit([{ key: '/first', value: Buffer.from('1') }])
      await engine.commit([{ key: '/last', value: Buffer.from('1') }])
      await Promise.all(
        Array.from({ length: 1_500 }, (_, k) =>
          engine.commit([{ key: `/k${k}`, value: Buffer.from('v') }]),
        ),
      )
      await engine.commit([{ key: '/last', value: Buffer.from('2') }])
      await engine.close()
      await (await openLmdb({ dir, clock, verify: 'all' })).close()
      await changed(dir, change)
      const message = `data directory ${dir} is damaged: ${what}; restore a backup into another directory (docs/backup.md)`
      await expect(openLmdb({ dir, clock, verify: 'all' })).rejects.toThrow(message)
      if (onlyAll) await (await openLmdb({ dir, clock })).close()
      else await expect(openLmdb({ dir, clock })).rejects.toThrow(message)
    })
  }

  test('a backup does not include damaged values', async () => {
    const dir = join(root, 'snapshot')
    const engine = await openLmdb({ dir, clock })
    await engine.commit([{ key: '/a', value: Buffer.from('1') }])
    await engine.close()
    await changed(dir, flip(1, -1))
    const snapshot = await openLmdbSnapshot(dir)
    await expect(snapshot.items()[Symbol.asyncIterator]().next()).rejects.toThrow(
      `data directory ${dir} is damaged: the value of /a cannot be read; restore a backup into another directory (docs/backup.md)`,
    )
    await snapshot.close()
  })

  test('values of the first versions, without a checksum, are read', async () => {
    const dir = join(root, 'old')
    const engine = await openLmdb({ dir, clock })
    await engine.commit([{ key: '/a', value: Buffer.from('1') }])
    await engine.close()
    await changed(dir, ({ values }) => {
      const bytes = values.get(placeKey(1, 0))!
      const old = Buffer.concat([Buffer.from([0]), bytes.subarray(1, 29), bytes.subarray(33)])
      values.putSync(placeKey(1, 0), old)
    })
    const again = await openLmdb({ dir, clock, verify: 'all' })
    expect(await again.get('/a')).toEqual({
      key: '/a',
      value: Buffer.from('1'),
      created: 1,
      changed: 1,
    })
    await again.close()
  })
})

test('a key created again over a compacted deletion is no damage', async () => {
  const dir = mkdtempSync(join(root, 'anew-'))
  const value = Buffer.from('v')
  const engine = await openLmdb({ dir, clock, format: {} })
  for (const change of [value, null, value, value, null]) {
    await engine.commit([{ key: '/a', value: change }])
  }
  await engine.compact(2)
  await engine.close()
  for (const verify of ['newest', 'all'] as const) {
    const again = await openLmdb({ dir, clock, format: {}, verify })
    expect([again.revision(), again.oldest()]).toEqual([5, 2])
    expect((await again.get('/a', { at: 4 }))?.created).toBe(3)
    await again.close()
  }
})
