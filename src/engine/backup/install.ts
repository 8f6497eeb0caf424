import { existsSync, readdirSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { makeFolders, OWNER_FILE, OWNER_FOLDER, removeFolders } from '../../base/folders.ts'
import type { TimeToLive } from '../expiry.ts'
import { openLmdb } from '../lmdb/engine.ts'
import { fillLmdb } from '../lmdb/fill.ts'
import { lockDir } from '../lmdb/lock.ts'
import { UnusableDataDir, type Item, type Revision } from '../engine.ts'
import { UnusableBackup, type BackupFile } from './form.ts'
import { syncFolder } from './write.ts'

/** A store that is to be made in a data directory. */
export interface Installation {
  /** Data directory of a server; made when absent. */
  readonly dataDir: string
  readonly clock: Clock
  readonly format: Readonly<Record<string, string>>
  /** Newest revision of the store, and the start of its history. */
  readonly revision: Revision
  readonly items: AsyncIterable<readonly Item[]>
  /** How long keys live, from now on; without it, that begins when a server is started on the store. */
  readonly ttlMs?: TimeToLive | undefined
  /** Whether keys and certificates come along. */
  readonly withPki?: boolean
  /** The keys and certificates; called when all items were read. */
  readonly files?: () => readonly BackupFile[]
}

/** Names in a data directory that do not belong to the store: identity, which is left alone. */
const IDENTITY = ['pki', 'admin.kubeconfig']

/**
 * Makes the store of a data directory: whole or not at all. Resolves with how many objects it has. Throws
 * UnusableDataDir, and whatever the items throw.
 */
export async function installStore(what: Installation): Promise<number> {
  const { dataDir, clock, revision, format, items } = what
  checkFree(dataDir, what.withPki ?? false)
  const made = makeFolders(dataDir)
  const [partial, partialPki] = [join(dataDir, 'store.partial'), join(dataDir, 'pki.partial')]
  let isMine = false
  try {
    await removeIfIdle(partial)
    isMine = true
    await rm(partialPki, { recursive: true, force: true })
    const count = await fillLmdb({ dir: partial, format, revision, timeMs: clock.now(), items })
    await proveGood(partial, what)
    const files = what.files?.() ?? []
    if (files.length > 0) await writeFiles(partialPki, files)
    await moveIn(dataDir, files.length > 0)
    return count
  } catch (error) {
    if (isMine) {
      await rm(partial, { recursive: true, force: true })
      await rm(partialPki, { recursive: true, force: true })
    }
    removeFolders(made)
    throw error
  }
}

/** Puts the finished pieces in their places. */
async function moveIn(dataDir: string, withPki: boolean): Promise<void> {
  const [pki, partialPki] = [join(dataDir, 'pki'), join(dataDir, 'pki.partial')]
  if (withPki) await rename(partialPki, pki)
  try {
    await rename(join(dataDir, 'store.partial'), join(dataDir, 'store'))
  } catch (error) {
    if (withPki) await rename(pki, partialPki)
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['ENOTEMPTY', 'EEXIST'].includes(code)) throw error
    throw new UnusableDataDir(
      `a server began to use ${dataDir} meanwhile; choose another directory with --data-dir`,
      { cause: error },
    )
  }
  await syncFolder(dataDir)
}

/** Refuses a data directory with a store, or with what no server puts there. */
function checkFree(dataDir: string, withPki: boolean): void {
  const names = existsSync(dataDir) ? readdirSync(dataDir) : []
  const isEmpty = (name: string) => readdirSync(join(dataDir, name)).length === 0
  if (names.includes('store') && !isEmpty('store')) {
    throw new UnusableDataDir(
      `${join(dataDir, 'store')} holds a store already; choose another directory with --data-dir`,
    )
  }
  const known = ['store', 'store.partial', 'pki.partial', ...IDENTITY]
  const other = names.find((name) => !known.includes(name))
  if (other !== undefined) {
    throw new UnusableDataDir(
      `directory ${dataDir} holds other files, such as ${other}; choose an empty one with --data-dir`,
    )
  }
  if (withPki && names.includes('pki') && !isEmpty('pki')) {
    throw new UnusableDataDir(
      `${join(dataDir, 'pki')} holds keys already and the backup has keys too; remove it or choose another directory with --data-dir`,
    )
  }
}

/** Removes the remains of a killed process; the lock shows whether it still runs. */
async function removeIfIdle(dir: string): Promise<void> {
  if (!existsSync(dir)) return
  const lock = lockDir(dir)
  try {
    await rm(dir, { recursive: true, force: true })
  } finally {
    lock.release()
  }
}

/** Opens the written data as a server would, and reads all of it. */
async function proveGood(
  dir: string,
  { revision, clock, ttlMs }: Pick<Installation, 'revision' | 'clock' | 'ttlMs'>,
): Promise<void> {
  const engine = await openLmdb({ dir, clock, verify: 'all', ttlMs })
  const [found, oldest] = [engine.revision(), engine.oldest()]
  await engine.close()
  if (found !== revision || oldest !== revision)
    throw new Error(`the new store is at revision ${found}, not ${revision}`)
}

async function writeFiles(dir: string, files: readonly BackupFile[]): Promise<void> {
  await mkdir(dir, { mode: OWNER_FOLDER })
  for (const { name, content } of files) {
    if (basename(name) !== name || name === '' || name === '.' || name === '..')
      throw new UnusableBackup(
        `the backup has a file whose name is a path: ${JSON.stringify(name)}`,
      )
    const file = await open(join(dir, name), 'wx', OWNER_FILE)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
  }
  await syncFolder(dir)
}
