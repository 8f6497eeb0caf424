import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, open, rm, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  encodeFile,
  encodeHeading,
  encodeObject,
  FORM_VERSION,
  KIND,
  type Heading,
  type BackupFile,
} from './form.ts'
import type { Snapshot } from './snapshot.ts'

/** Contents of a backup besides the objects. */
export interface BackupOptions {
  readonly path: string
  readonly timeMs: number
  readonly files?: readonly BackupFile[]
}

/** Bytes that are written in one call. */
const CHUNK = 1 << 20

/**
 * Writes a backup that only its owner may read: whole or not at all, also after a power loss. An existing file
 * is left alone. Throws an Error that says what would help.
 */
export async function writeBackup(snapshot: Snapshot, options: BackupOptions): Promise<Heading> {
  const { path, files = [] } = options
  const heading: Heading = {
    version: FORM_VERSION,
    format: snapshot.format,
    revision: snapshot.revision,
    time: new Date(options.timeMs).toISOString(),
    objects: snapshot.objects,
    files: files.length,
  }
  await onceOnly(path, (file) => fill(file, heading, snapshot, files))
  return heading
}

/** Makes a file that must not exist yet, whole or not at all. */
export async function onceOnly(
  path: string,
  fillIt: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const taken = (cause?: unknown) =>
    new Error(`${path} is there already; choose another name or remove it`, { cause })
  // Checked first as well, so that nothing long is done in vain.
  if (existsSync(path)) throw taken()
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await fillIt(file)
      await file.sync()
    } finally {
      await file.close()
    }
    // Unlike a rename this replaces nothing.
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? taken(error) : error
    })
  } finally {
    await rm(temporary, { force: true })
  }
  await syncFolder(dirname(path))
}

/** Makes names in a folder last. */
export async function syncFolder(path: string): Promise<void> {
  // Windows opens no directories, and makes names durable without a flush.
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function fill(
  file: FileHandle,
  heading: Heading,
  snapshot: Snapshot,
  files: readonly BackupFile[],
): Promise<void> {
  const hash = createHash('sha256')
  let waiting: Buffer[] = []
  let bytes = 0
  const flush = async () => {
    const chunk = Buffer.concat(waiting)
    waiting = []
    bytes = 0
    // A single call may write less than it was given.
    for (let at = 0; at < chunk.length;)
      at += (await file.write(chunk, at, chunk.length - at)).bytesWritten
  }
  const put = (part: Buffer) => {
    hash.update(part)
    waiting.push(part)
    bytes += part.length
  }
  put(encodeHeading(heading))
  put(hash.copy().digest())
  let objects = 0
  for await (const items of snapshot.items()) {
    for (const item of items) {
      objects++
      put(encodeObject(item))
      if (bytes >= CHUNK) await flush()
    }
  }
  if (objects !== heading.objects)
    throw new Error(`the store gave ${objects} objects where it had counted ${heading.objects}`)
  for (const kept of files) put(encodeFile(kept))
  put(Buffer.from([KIND.end]))
  put(hash.copy().digest())
  await flush()
}
