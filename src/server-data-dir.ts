/** The folder of a server's data while the server starts: whether it can be had, and what goes when the start fails. */
import { accessSync, constants, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolders, removeFolders } from './base/folders.ts'
import { UnusableDataDir } from './store/store.ts'

/** Names in it. */
const STORE = 'store'
const OTHERS = ['pki', 'admin.kubeconfig'] as const

/** What a start makes of a data directory. */
export class StartingDataDir {
  readonly #dir: string
  readonly #made: readonly string[]
  /** What was not there before. */
  readonly #fresh: ReadonlySet<string>

  /** Makes the folder when it is absent. Throws UnusableDataDir where nothing can be written to it. */
  constructor(dir: string) {
    this.#dir = dir
    try {
      this.#made = makeFolders(dir)
      accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK)
    } catch (error) {
      throw dataDirFault(dir, error)
    }
    this.#fresh = new Set([STORE, ...OTHERS].filter((name) => !existsSync(join(dir, name))))
  }

  /**
   * Removes what the start made, as if it had not been: only before any client was served, and after the store was
   * closed. What another server has by now stays.
   */
  async discard(): Promise<void> {
    if (!(await this.#discardStore())) return
    for (const name of OTHERS)
      if (this.#fresh.has(name)) rmSync(join(this.#dir, name), { recursive: true, force: true })
    removeFolders(this.#made)
  }

  /** False when another server has the store. */
  async #discardStore(): Promise<boolean> {
    const dir = join(this.#dir, STORE)
    if (!this.#fresh.has(STORE) || !existsSync(dir)) return true
    const { lockDir } = await import('./store/lmdb/lock.ts')
    try {
      const lock = lockDir(dir)
      lock.removeStore()
      lock.release()
      removeFolders([dir])
      return true
    } catch {
      return false
    }
  }
}

/** An error of the file system below a data directory, told with what would help; any other error as it is. */
export function dataDirFault(dir: string, error: unknown): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (error instanceof UnusableDataDir || code === undefined || syscall === 'listen') return error
  return new UnusableDataDir(
    `data directory ${dir} cannot be used: ${message}; choose another with --data-dir`,
    { cause: error },
  )
}
