import { createRequire } from 'node:module'

/** Locks on open files that the system keeps for as long as they are open, and no longer than their process lives. */
export interface FileLocks {
  /**
   * Takes the lock of an open file; false when another opening of the same file has it, in whatever process. Throws the
   * system's error where the file system has no locks.
   */
  tryLock(fd: number): boolean
  /**
   * Gives the lock of an open file back, before it is closed: a child process that is just starting has a copy of all
   * open files, and would keep the lock until it runs its program.
   */
  unlock(fd: number): void
}

/** The native part of the package, as it is called by its own code. */
interface Binding {
  tryLock(fd: number, offset: number, length: number, exclusive: boolean): void
  unlock(fd: number, offset: number, length: number): void
}

/**
 * Offset of the lock: far behind any content, since a lock on Windows prevents reads of the range it covers. macOS
 * has locks of whole files only, which do not prevent reads.
 */
const [OFFSET, LENGTH] = process.platform === 'darwin' ? [0, 0] : [2 ** 62, 1]
/** Error codes that mean that another process has the lock; EBUSY is that of Windows. */
const HELD = new Set(['EAGAIN', 'EBUSY'])

let binding: Binding | undefined

/**
 * Locks of the system: of open file descriptions on Linux, which unlike those of processes survive the closing of another
 * descriptor of the file and hold within one process too; flock on macOS; LockFileEx on Windows. All work between
 * containers on one volume, and end with the process, however it ends.
 */
export const systemLocks: FileLocks = {
  tryLock(fd) {
    try {
      native().tryLock(fd, OFFSET, LENGTH, true)
      return true
    } catch (error) {
      if (HELD.has((error as NodeJS.ErrnoException).code ?? '')) return false
      throw error
    }
  },
  unlock(fd) {
    native().unlock(fd, OFFSET, LENGTH)
  },
}

/** Loaded without the package's search for it, which takes longer than everything else about a lock. */
function native(): Binding {
  const { platform, arch } = process
  const path = `fs-native-extensions/prebuilds/${platform}-${arch}/fs-native-extensions.node`
  try {
    return (binding ??= createRequire(import.meta.url)(path) as Binding)
  } catch (cause) {
    const error = new Error(`there is no code for locks on ${platform}-${arch}`, { cause })
    throw Object.assign(error, { code: 'ENOLOCKS' })
  }
}
