/** Brings an embedded store of format 1 into today's form, in its place. */
import { existsSync } from 'node:fs'
import { link, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { syncFolder } from '../backup/write.ts'
import { itemsOf } from '../backup/snapshot.ts'
import type { TimeToLive } from '../expiry.ts'
import { openLmdb } from '../lmdb/engine.ts'
import { fillLmdb } from '../lmdb/fill.ts'
import { DATA_FILE, JOURNAL_FILE } from '../lmdb/layout.ts'
import { lockDir } from '../lmdb/lock.ts'
import { openLmdbSnapshot } from '../lmdb/snapshot.ts'
import { UnusableDataDir, type Item, type Revision } from '../engine.ts'
import { upgradeItems, type Format1 } from './format-1.ts'

export interface LmdbUpgrade {
  /** Directory of the store. */
  readonly dir: string
  readonly clock: Clock
  /** Words that the data depends on, such as the vocabulary. */
  readonly format: Readonly<Record<string, string>>
  readonly from: Format1
  /** How long keys live, from now on. */
  readonly ttlMs?: TimeToLive | undefined
}

export interface Upgraded {
  readonly objects: number
  readonly revision: Revision
  /** The data file as it was, which is kept. */
  readonly oldFile: string
}

const OLD = '1'
const OLD_FILE = 'data.format-1.mdb'
const PARTIAL = 'upgrade.partial'

/**
 * Makes a new data file beside the old one, looks at all of it and puts it in the old one's place at once; the old one
 * stays under another name. Versions of objects are what they were; history begins anew. Nothing is changed when it fails.
 * Throws UnusableDataDir.
 */
export async function upgradeLmdb(upgrade: LmdbUpgrade): Promise<Upgraded> {
  const { dir, clock, format } = upgrade
  // Reported before anything is made: a directory without a store, in use, damaged, or of another format.
  await (await openLmdbSnapshot(dir, OLD)).close()
  const partial = join(dir, PARTIAL)
  await rm(partial, { recursive: true, force: true })
  try {
    const old = await openLmdb({ dir, clock, format, verify: 'all', formatVersion: OLD })
    const revision = old.revision()
    let objects = 0
    try {
      const items = upgraded(itemsOf(old, revision), upgrade.from)
      objects = await fillLmdb({ dir: partial, format, revision, timeMs: clock.now(), items })
    } finally {
      await old.close()
    }
    await proveGood(partial, upgrade)
    const kept = await replace(dir, partial, revision)
    return { objects, revision, oldFile: kept }
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

async function* upgraded(
  pages: AsyncIterable<readonly Item[]>,
  from: Format1,
): AsyncGenerator<readonly Item[]> {
  for await (const items of pages) yield upgradeItems(items, from)
}

async function proveGood(dir: string, { clock, format, ttlMs }: LmdbUpgrade): Promise<void> {
  const engine = await openLmdb({ dir, clock, format, verify: 'all', ttlMs })
  await engine.close()
}

/** Puts the new data file where the old one is, which must not have changed meanwhile. */
async function replace(dir: string, partial: string, revision: Revision): Promise<string> {
  const [data, kept] = [join(dir, DATA_FILE), join(dir, OLD_FILE)]
  const snapshot = await openLmdbSnapshot(dir, OLD)
  await snapshot.close()
  const lock = lockDir(dir)
  try {
    if (snapshot.revision !== revision)
      throw new UnusableDataDir(`a server wrote to ${dir} meanwhile; stop it and try again`)
    if (!existsSync(kept)) await link(data, kept)
    // All that it has is in the data file: it was opened and closed.
    await rm(join(dir, JOURNAL_FILE), { force: true })
    await rename(join(partial, DATA_FILE), data)
    await syncFolder(dir)
    return kept
  } finally {
    lock.release()
  }
}
