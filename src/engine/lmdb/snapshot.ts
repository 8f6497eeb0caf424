import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { RootDatabase } from 'lmdb'
import { open } from './library.ts'
import { systemClock } from '../../base/clock.ts'
import type { Snapshot } from '../backup/snapshot.ts'
import { UnusableDataDir, type Item } from '../engine.ts'
import { checkDataFile } from './data-file.ts'
import { openLmdb } from './engine.ts'
import { judgeJournal, readJournal, type DataState } from './journal-check.ts'
import { readJournalMark } from './journal-mark.ts'
import {
  DAMAGED,
  DATA_FILE,
  databases,
  FORMAT_VERSION,
  openOptions,
  otherFormat,
  readFormat,
  readRevisions,
  unusable,
} from './layout.ts'
import { DataDirInUse } from './lock.ts'
import { decodeHead, decodeValue, isIntact, placeKey } from './value-record.ts'

const PAGE = 200
const PATIENCE_MS = 10_000
const LOOK_MS = 20

/**
 * The newest state of an embedded store, also while a server of another process has it: a read transaction, from which
 * writers keep away. Writes meanwhile take new space in the file until this is closed. Throws UnusableDataDir.
 */
export async function openLmdbSnapshot(
  dir: string,
  formatVersion = FORMAT_VERSION,
): Promise<Snapshot> {
  const path = join(dir, DATA_FILE)
  if (!existsSync(path)) {
    throw new UnusableDataDir(`there is no store in ${dir}; choose another with --data-dir`)
  }
  // Read first: whatever was acknowledged by now is in it, or in LMDB's file.
  let file = await readJournal(dir)
  let isHeld = false
  for (const until = performance.now() + PATIENCE_MS; ;) {
    const { snapshot, state } = await openFile(dir, formatVersion)
    const { following, damage } = judgeJournal(dir, file, state)
    // Of a server that runs, the file may show more than the journal did before.
    if (following.length === 0 && (!damage || isHeld)) return snapshot
    await snapshot.close()
    if (performance.now() > until)
      throw new UnusableDataDir(
        `the server that has ${dir} does not write its journal to the store`,
      )
    isHeld = await isHeldOrApplied(dir, formatVersion)
    if (!isHeld) file = await readJournal(dir)
  }
}

/**
 * Whether a server has the store: it brings its journal to LMDB within a moment. Of a store without a server that is done
 * here, and damage is reported.
 */
async function isHeldOrApplied(dir: string, formatVersion: string): Promise<boolean> {
  try {
    const engine = await openLmdb({ dir, clock: systemClock, formatVersion })
    await engine.close()
    return false
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error
    await wait(LOOK_MS)
    return true
  }
}

interface OpenSnapshot {
  readonly snapshot: Snapshot
  readonly state: DataState
}

async function openFile(dir: string, formatVersion: string): Promise<OpenSnapshot> {
  const path = join(dir, DATA_FILE)
  let root: RootDatabase<Buffer, Buffer> | undefined
  await checkDataFile(dir, 'all')
  try {
    root = open(openOptions(path, { readOnly: true })) as RootDatabase<Buffer, Buffer>
    return read(root, dir, formatVersion)
  } catch (error) {
    await root?.close()
    throw unusable(`data directory ${dir} cannot be read`, error)
  }
}

function read(
  root: RootDatabase<Buffer, Buffer>,
  dir: string,
  formatVersion: string,
): OpenSnapshot {
  const { values, heads, meta } = databases(root)
  // From here on everything is read as it is now.
  const transaction = root.useReadTransaction()
  const { version, ...format } = readFormat(meta, dir, { transaction }) ?? {}
  if (version === undefined) throw new UnusableDataDir(`there is no store in ${dir} yet`)
  if (version !== formatVersion) throw otherFormat(dir, version, formatVersion)
  const { revision } = readRevisions({ values, meta }, { transaction })
  let objects = 0
  for (const { value } of heads.getRange({ transaction })) if (!decodeHead(value).deleted) objects++

  async function* items(): AsyncGenerator<readonly Item[]> {
    try {
      yield* pages()
    } catch (error) {
      throw unusable(`data directory ${dir} cannot be read`, error)
    }
  }

  async function* pages(): AsyncGenerator<readonly Item[]> {
    let start: Buffer | undefined
    for (;;) {
      const page: Item[] = []
      let seen = 0
      const range = { limit: PAGE, transaction, ...(start === undefined ? {} : { start }) }
      for (const { key, value } of heads.getRange(range)) {
        seen++
        start = Buffer.concat([key, Buffer.from([0])])
        const head = decodeHead(value)
        if (head.deleted) continue
        const bytes = values.get(placeKey(head.revision, head.index), { transaction })
        const record = bytes && isIntact(bytes) ? decodeValue(bytes) : null
        if (record === null || record.key !== key.toString('utf8')) {
          throw new UnusableDataDir(
            `data directory ${dir} is damaged: the value of ${key.toString('utf8')} cannot be read; ${DAMAGED}`,
          )
        }
        page.push({
          key: record.key,
          value: record.value,
          created: record.created,
          changed: head.revision,
        })
      }
      if (page.length > 0) yield page
      if (seen < PAGE) return
    }
  }

  let closed: Promise<void> | null = null
  const close = () =>
    (closed ??= (async () => {
      transaction.done()
      await root.close()
    })())
  const mark = readJournalMark(meta, dir, { transaction })
  return {
    snapshot: { revision, format, objects, items, close },
    state: { revision, mark },
  }
}
