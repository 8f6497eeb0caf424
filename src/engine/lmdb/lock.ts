import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { systemLocks, type FileLocks } from '../../base/file-lock.ts'
import {
  keepToOwner,
  makeFolders,
  OWNER_FILE,
  OWNER_FOLDER,
  removeFolders,
} from '../../base/folders.ts'
import { UnusableDataDir } from '../engine.ts'
import { DATA_FILE, JOURNAL_FILE, RESERVE_FILE } from './layout.ts'

/** Name of the lock file in the store's directory. */
export const LOCK_FILE = 'lock'
/** How often one begins again because the file was removed between opening and locking it. */
const MAX_TRIES = 100

/** Another process has the data directory, or another part of this one. */
export class DataDirInUse extends UnusableDataDir {
  override name = 'DataDirInUse'
}

/** How a directory is locked. */
export interface LockOptions {
  /**
   * Permits a directory whose file system has no locks, and is called with the reason. Absent: such a directory is
   * refused.
   */
  readonly onUnlocked?: ((why: string) => void) | undefined
  /** Called with files that others may read, and that cannot be protected from them. */
  readonly onReadable?: ((what: string) => void) | undefined
  /** Those of the system by default. */
  readonly locks?: FileLocks
}

/**
 * The right to a data directory. It is held by locks of the system on two open files, the lock file and the data file, so
 * that it ends with the process and counts in other containers too, and so that removing the lock file by hand lets no
 * second server in. See docs/store.md.
 */
export class DirLock {
  /** Whether the one before ended without releasing it. */
  readonly isLeft: boolean
  readonly #dir: string
  readonly #options: LockOptions
  /** Folders that were made for it. */
  readonly #made: readonly string[]
  /** Open files that hold the locks, the lock file first. */
  #files: readonly number[] = []
  /** Whether the lack of locks was reported. */
  #isUnlocked = false

  constructor(dir: string, options: LockOptions) {
    this.#dir = dir
    this.#options = options
    this.#made = this.#prepared()
    try {
      const { fd, isLeft } = this.#lockFile()
      this.isLeft = isLeft
      this.#files = [fd]
      write(fd)
      if (existsSync(join(dir, DATA_FILE))) this.holdData()
    } catch (error) {
      this.release()
      removeFolders(this.#made)
      throw error
    }
  }

  /** Locks the data file too, once there is one; may be called again. Throws DataDirInUse. */
  holdData(): void {
    if (this.#files.length > 1) return
    const path = join(this.#dir, DATA_FILE)
    const fd = openSync(path, 'r+')
    for (const file of [path, `${path}-lock`]) if (existsSync(file)) this.#keepToOwner(file)
    if (this.#isTaken(fd)) {
      this.#files = [...this.#files, fd]
      return
    }
    closeSync(fd)
    // The lock file may be one that was made after another was removed by hand.
    this.release()
    throw inUse(this.#dir, '')
  }

  /** Removes the files of a store that was begun and is not to be, unless another process has it. */
  removeStore(): void {
    const path = join(this.#dir, DATA_FILE)
    try {
      if (existsSync(path)) this.holdData()
    } catch {
      return
    }
    for (const name of [JOURNAL_FILE, RESERVE_FILE, `${DATA_FILE}-lock`, DATA_FILE])
      rmSync(join(this.#dir, name), { force: true })
  }

  /**
   * Gives the directory back. Folders that were made for it go if they are empty. May be called twice.
   */
  release(): void {
    const files = this.#files
    this.#files = []
    const [own] = files
    if (own === undefined) return
    // Removed while it is still held: a process that had it open finds that its file is not that of the directory.
    const path = join(this.#dir, LOCK_FILE)
    if (isStill(own, path)) rmSync(path, { force: true })
    for (const fd of files) this.#letGo(fd)
    removeFolders(this.#made)
  }

  /** The lock file, opened and locked. Throws DataDirInUse. */
  #lockFile(): { readonly fd: number; readonly isLeft: boolean } {
    const path = join(this.#dir, LOCK_FILE)
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const { fd, isNew } = this.#openOrMake(path)
      if (fd === null) continue
      try {
        if (!this.#isTaken(fd) || isOfEarlierRelease(path))
          throw inUse(this.#dir, readFileSync(path, 'utf8'))
        if (!isStill(fd, path)) {
          this.#letGo(fd)
          continue
        }
        return { fd, isLeft: !isNew }
      } catch (error) {
        this.#letGo(fd)
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue
        if (isNew && !(error instanceof DataDirInUse)) rmSync(path, { force: true })
        throw error
      }
    }
    throw inUse(this.#dir, '')
  }

  /** Closes a file that is locked, or was to be. */
  #letGo(fd: number): void {
    try {
      ;(this.#options.locks ?? systemLocks).unlock(fd)
    } catch {
      // There was none, where the file system has no locks.
    }
    closeSync(fd)
  }

  /** Makes the directory, or leaves an existing one to its owner alone. */
  #prepared(): readonly string[] {
    const dir = this.#dir
    try {
      const made = makeFolders(dir)
      if (!made.includes(dir)) this.#keepToOwner(dir, OWNER_FOLDER)
      return made
    } catch (cause) {
      throw unusableDir(join(dir, LOCK_FILE), (cause as Error).message, cause)
    }
  }

  /** Null when it was there and is not any more. */
  #openOrMake(path: string): { readonly fd: number | null; readonly isNew: boolean } {
    for (const [flags, isNew] of [
      ['wx+', true],
      ['r+', false],
    ] as const) {
      try {
        const fd = openSync(path, flags, OWNER_FILE)
        this.#keepToOwner(path)
        return { fd, isNew }
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException
        if (code === 'ENOENT') break
        if (!isNew || code !== 'EEXIST') throw unusableDir(path, message, error)
      }
    }
    return { fd: null, isNew: false }
  }

  #keepToOwner(path: string, mode = OWNER_FILE): void {
    const left = keepToOwner(path, mode)
    if (left !== null) this.#options.onReadable?.(left)
  }

  #isTaken(fd: number): boolean {
    const { locks = systemLocks, onUnlocked } = this.#options
    try {
      return locks.tryLock(fd)
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException
      const why = `data directory ${this.#dir} cannot be locked (${code ?? message})`
      if (onUnlocked) {
        if (!this.#isUnlocked) onUnlocked(why)
        this.#isUnlocked = true
        return true
      }
      throw new UnusableDataDir(
        `${why}: nothing would keep a second server away from it; choose one on a local disk with --data-dir, or make sure that there is one server and start it with --allow-unlocked-data-dir`,
        { cause },
      )
    }
  }
}

/** Takes a data directory, made when absent. Throws UnusableDataDir, and DataDirInUse when another has it. */
export const lockDir = (dir: string, options: LockOptions = {}): DirLock =>
  new DirLock(dir, options)

const unusableDir = (path: string, why: string, cause: unknown) =>
  new UnusableDataDir(
    `data directory ${dirname(path)} cannot be used: ${why}; choose another with --data-dir`,
    { cause },
  )

/** Whether an open file is the one that has a name. */
function isStill(fd: number, path: string): boolean {
  const [mine, named] = [
    fstatSync(fd, { bigint: true }),
    statSync(path, { bigint: true, throwIfNoEntry: false }),
  ]
  return named !== undefined && mine.ino === named.ino && mine.dev === named.dev
}

/** Which process it is, for messages; a full disk has no room for it. */
function write(fd: number): void {
  try {
    ftruncateSync(fd)
    writeSync(fd, `${process.pid} ${startTime(process.pid)} ${hostname()} ${pidSpace()}\n`, 0)
  } catch {
    // The lock itself needs no content.
  }
}

function inUse(dir: string, text: string): DataDirInUse {
  const [pid = '', , host = '', space = ''] = text.trim().split(' ')
  const isNear = host === '' || (host === hostname() && space === pidSpace())
  const holder = !/^\d+$/.test(pid)
    ? 'another process'
    : isNear
      ? `process ${pid}`
      : `process ${pid} of ${host}, in another container or machine`
  return new DataDirInUse(
    `data directory ${dir} is in use by ${holder}; stop it or choose another with --data-dir`,
  )
}

/** Earlier releases wrote a process and its start, and had no lock of the system: one that still runs has the directory. */
function isOfEarlierRelease(path: string): boolean {
  const [pid = '', started, ...more] = readFileSync(path, 'utf8').trim().split(' ')
  if (!/^\d+$/.test(pid) || more.length > 0 || started === undefined || started === '-')
    return false
  return startTime(Number(pid)) === started
}

/** Scope of process numbers; a constant where the system does not report it. */
function pidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return '-'
  }
}

/** States of a process that has ended and is not collected yet, as in a container without an init. */
const ENDED = new Set(['Z', 'X'])

/** Start time of a process in ticks since boot, `ended` after its end; a constant where the system reports none. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = '', ...numbers] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ENDED.has(state) ? 'ended' : (numbers[18] ?? '-')
  } catch {
    return '-'
  }
}
