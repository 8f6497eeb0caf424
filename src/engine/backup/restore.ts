import type { Clock } from '../../base/clock.ts'
import { DEFAULT_BUMP, revisionAfter, type Item, type Revision } from '../engine.ts'
import { upgradeItems, type Format1 } from '../upgrade/format-1.ts'
import { OLD_FORM_VERSION, UnusableBackup, type Heading, type BackupFile } from './form.ts'
import { installStore } from './install.ts'
import { openBackup, type Backup } from './read.ts'

/** Source and target of a restore. */
export interface RestoreOptions {
  readonly path: string
  /** Data directory of a server; made when absent. */
  readonly dataDir: string
  /** How far revisions are moved on at least; see `revisionAfter`. */
  readonly bump?: number
  readonly clock: Clock
  /** Reads data of the previous format; called when the backup has it, which is refused without this. */
  readonly format1?: (heading: Heading) => Promise<Format1>
}

/** Result of a restore. */
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
    const files: BackupFile[] = []
    const from = heading.version === OLD_FORM_VERSION ? await formerOf(options, heading) : null
    await installStore({
      dataDir,
      clock,
      format: heading.format,
      revision,
      items: itemsOnly(backup, files, from),
      withPki: heading.files > 0,
      files: () => files,
    })
    return { heading, revision }
  } finally {
    await backup.close()
  }
}

async function formerOf({ path, format1 }: RestoreOptions, heading: Heading): Promise<Format1> {
  if (format1) return format1(heading)
  throw new UnusableBackup(`${path} has form ${heading.version}, which cannot be read here`)
}

async function* itemsOnly(
  backup: Backup,
  files: BackupFile[],
  from: Format1 | null,
): AsyncGenerator<readonly Item[]> {
  for await (const part of backup.read()) {
    if ('items' in part) yield from === null ? part.items : upgradeItems(part.items, from)
    else files.push(part.file)
  }
}
