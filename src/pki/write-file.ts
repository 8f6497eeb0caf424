import { randomBytes } from 'node:crypto'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { flushed, rename, rm } from '../base/files.ts'

/** Writes a file so that it is there whole or not at all, also after a power loss. */
export async function writeFileAtomically(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeFlushed(temporary, text, mode)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Writes a file that must not exist yet and waits until it is on disk. */
export async function writeFlushed(path: string, text: string, mode: number): Promise<void> {
  const file = openSync(path, 'wx', mode)
  try {
    // A short text is written sooner than a thread is woken to write it; the disk takes its time.
    writeFileSync(file, text)
    await flushed(file)
  } finally {
    closeSync(file)
  }
}
