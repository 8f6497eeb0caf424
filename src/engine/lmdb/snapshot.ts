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
import { readJournal } from './journal.ts'
import { entriesAfter } from './journal-pages.ts'
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
  const { entries } = await readJournal(dir)
  for (const until = performance.now() + PATIENCE_MS; ;) {
    const snapshot = await openFile(dir, formatVersion)
    if (entriesAfter(entries, snapshot.revision).length === 0) return snapshot
    await snapshot.close()
    if (performance.now() > until)
      throw new UnusableDataDir(
        `the server that has ${dir} does not write its journal to the store`,
      )
    await applyJournal(dir, formatVersion)
  }
}

/** A running server brings its journal to LMDB within a moment; for a store without one, it is done here. */
async function applyJournal(dir: string, formatVersion: string): Promise<void> {
  try {
    const engine = await openLmdb({ dir, clock: systemClock, formatVersion })
    await engine.close()
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error
    await wait(LOOK_MS)
  }
}

async function openFile(dir: string, formatVersion: string): Promise<Snapshot> {
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

function read(root: RootDatabase<Buffer, Buffer>, dir: string, formatVersion: string): Snapshot {
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
  return {
    revision,
    format,
    objects,
    items,
    close() {
      return (closed ??= (async () => {
        transaction.done()
        await root.close()
      })())
    },
  }
}
