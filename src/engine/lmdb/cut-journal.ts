import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { revisionAfter, UnusableDataDir, type Revision } from '../engine.ts'
import { openLmdb, type LmdbOptions } from './engine.ts'
import { Environment } from './environment.ts'
import { DamagedJournal } from './journal-check.ts'
import { endedMark, readJournalMark, writeMark } from './journal-mark.ts'
import { DATA_FILE, JOURNAL_FILE, META } from './layout.ts'
import { lockDir, type LockOptions } from './lock.ts'

/** How it is done. */
export interface CutOptions extends LockOptions {
  readonly clock: Clock
  /** How far revisions are moved on at least. */
  readonly bump: number
}

/** Result of cutting a damaged journal. */
export interface CutJournal {
  /** The newest revision that is kept. */
  readonly kept: Revision
  /** How many writes behind it are given up, as far as the journal shows; null: it does not. */
  readonly lost: number | null
  /** Newest revision of the store from now on, and the start of its history. */
  readonly revision: Revision
}

/**
 * Drops a damaged journal from the damage on, or does without one that is missing, and advances revisions as a restore does, so that none is used
 * for a second time. Null when the journal is not damaged: nothing is changed then. Throws UnusableDataDir.
 */
export async function cutJournal(
  dir: string,
  { bump, ...options }: CutOptions,
): Promise<CutJournal | null> {
  if (!existsSync(join(dir, DATA_FILE)))
    throw new UnusableDataDir(`there is no store in ${dir}; choose another with --data-dir`)
  const damage = await findDamage({ dir, ...options })
  if (damage === null) return null
  const { after: kept, last } = damage
  const engine = await openLmdb({ dir, ...options, cutJournal: true })
  // History is forgotten as ever: its start is moved behind all of it.
  await engine.compact(engine.revision())
  await engine.close()
  const revision = revisionAfter(last ?? kept, bump)
  await moveOn(dir, revision, options)
  return { kept, lost: last === null ? null : last - kept, revision }
}

async function findDamage(options: LmdbOptions): Promise<DamagedJournal | null> {
  try {
    const engine = await openLmdb(options)
    await engine.close()
    return null
  } catch (error) {
    if (error instanceof DamagedJournal) return error
    throw error
  }
}

/** Begins the history of a store anew at a later revision; only then is the journal of no use. */
async function moveOn(
  dir: string,
  revision: Revision,
  options: Omit<CutOptions, 'bump'>,
): Promise<void> {
  const lock = lockDir(dir, options)
  try {
    const file = new Environment(join(dir, DATA_FILE), options.clock)
    try {
      const mark = readJournalMark(file.meta, dir)
      await file.transact((writes) => {
        writes.put('meta', META.floor, Buffer.from(String(revision)))
        if (mark) writeMark(writes, endedMark(mark))
      })
    } finally {
      await file.close()
    }
    rmSync(join(dir, JOURNAL_FILE), { force: true })
  } finally {
    lock.release()
  }
}
