import { chmodSync, existsSync, lstatSync, mkdirSync, rmdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Mode of folders and files that only their owner may read. */
export const OWNER_FOLDER = 0o700
export const OWNER_FILE = 0o600

/** Permission bits, without those of the set-id kind. */
const PERMISSIONS = 0o777

/**
 * Makes a folder for its owner alone and those above it that are missing, whatever the umask. Returns the paths of those
 * that were made, the outermost first. Throws the system's error; those that were made are then removed again. Node's
 * own recursive call never ends on a file system that answers ENOENT to it, as /proc does.
 */
export function makeFolders(path: string): readonly string[] {
  const missing: string[] = []
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) {
    // A broken link counts as there: making it fails with the system's error.
    missing.unshift(at)
    if (isLink(at)) break
  }
  if (missing.length === 0 && !statSync(path).isDirectory())
    throw Object.assign(new Error(`${path} is not a directory`), { code: 'ENOTDIR' })
  const made: string[] = []
  try {
    for (const folder of missing) if (makeFolder(folder)) made.push(folder)
    return made
  } catch (error) {
    removeFolders(made)
    throw error
  }
}

/** Removes folders that are empty, the last one first; those that are not stay. */
export function removeFolders(paths: readonly string[]): void {
  for (const path of [...paths].reverse()) {
    try {
      rmdirSync(path)
    } catch {
      return
    }
  }
}

/**
 * Leaves a file or folder of ours to its owner alone: earlier releases, or a copy, made it readable to others. Where it
 * belongs to another user, it stays as it is, and the text of a warning is returned.
 */
export function keepToOwner(path: string, mode: number): string | null {
  const found = statSync(path).mode & PERMISSIONS
  if (process.platform === 'win32' || found === mode) return null
  try {
    chmodSync(path, mode)
    return null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
    // Narrower than requested, it does no harm.
    if ((found & ~mode) === 0) return null
    return `${path} is not for its owner alone (mode ${found.toString(8)}) and belongs to another user`
  }
}

/** False when another process made it meanwhile. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: OWNER_FOLDER })
    keepToOwner(path, OWNER_FOLDER)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && !isLink(path)) return false
    throw error
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    // A path that is missing, or below a file, is reported by its user.
    return false
  }
}
