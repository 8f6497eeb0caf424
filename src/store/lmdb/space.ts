import { statfsSync } from 'node:fs'
import { StoreFull } from '../store.ts'

/** What stays free: room for the inner pages of a transaction, and for whoever else writes meanwhile. */
const RESERVE_BYTES = 4 << 20
/** Pages that one value may touch besides its own. */
const VALUE_BYTES = 32 << 10

/** What a transaction of these values may take at most, as a rule. */
export function spaceFor(values: readonly Uint8Array[]): number {
  return values.reduce((sum, value) => sum + VALUE_BYTES + 2 * value.length, 0)
}

/**
 * Throws StoreFull when the file system of a directory has no room for a transaction. Asked before each one:
 * the library does not outlive every page that it fails to write.
 */
export function checkSpace(dir: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dir)
  if (bavail * bsize >= bytes + RESERVE_BYTES) return
  throw new StoreFull(
    `no space left for ${dir}: ${Math.floor((bavail * bsize) / 1024)} KiB are free; nothing was written`,
  )
}
