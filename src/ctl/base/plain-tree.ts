/** Trees of files that came from elsewhere. */
import { lstatSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** A link that was removed, with where it led. */
export interface RemovedLink {
  readonly path: string
  readonly target: string
}

/**
 * Removes everything below a folder that is neither a file nor a folder: links, which could lead anywhere, and devices. Returns
 * the links. No link is followed.
 */
export function removeLinks(folder: string): RemovedLink[] {
  const removed: RemovedLink[] = []
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const found = lstatSync(path)
    if (found.isDirectory()) removed.push(...removeLinks(path))
    else if (!found.isFile()) {
      if (found.isSymbolicLink()) removed.push({ path, target: readlinkSync(path) })
      rmSync(path)
    }
  }
  return removed
}
