import type { Clock } from '../../base/clock.ts'
import { DEFAULT_BUMP, revisionAfter, type Item, type Revision } from '../store.ts'
import type { Heading, KeptFile } from './form.ts'
import { installStore } from './install.ts'
import { openBackup, type Backup } from './read.ts'

/** Where a backup comes from and goes to. */
export interface RestoreOptions {
  readonly path: string
  /** Data directory of a server; made when absent. */
  readonly dataDir: string
  /** How far revisions are moved on at least; see `revisionAfter`. */
  readonly bump?: number
  readonly clock: Clock
}

/** What was restored. */
export interface Restored {
  readonly heading: Heading
  /** Newest revision of the restored store, and the start of its history. */
  readonly revision: Revision
}

/** Reads all of a backup and changes nothing. Throws UnusableBackup. */
export async function checkBackup(path: string): Promise<Heading> {
  const backup = await openBackup(path)
  try {
    for await (const part of backup.read()) void part
    return backup.heading
  } finally {
    await backup.close()
  }
}

/**
 * Makes the store of a data directory out of a backup, with all revisions as they were and its own moved on. It is there
 * whole or not at all. Throws UnusableBackup and UnusableDataDir.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { dataDir, path, clock } = options
  const backup = await openBackup(path)
  try {
    const { heading } = backup
    const revision = revisionAfter(heading.revision, options.bump ?? DEFAULT_BUMP)
    const files: KeptFile[] = []
    await installStore({
      dataDir,
      clock,
      format: heading.format,
      revision,
      items: itemsOnly(backup, files),
      withPki: heading.files > 0,
      files: () => files,
    })
    return { heading, revision }
  } finally {
    await backup.close()
  }
}

async function* itemsOnly(backup: Backup, files: KeptFile[]): AsyncGenerator<readonly Item[]> {
  for await (const part of backup.read()) {
    if ('items' in part) yield part.items
    else files.push(part.file)
  }
}
