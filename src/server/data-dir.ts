/** The data directory during the start: whether it is usable, and which files are removed when the start fails. */
import { accessSync, constants, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolders, removeFolders } from '../base/folders.ts'
import { UnusableDataDir } from '../engine/engine.ts'

/** Names in it. */
const STORE = 'store'
const KUBECONFIG = 'admin.kubeconfig'
const OTHERS = ['pki', KUBECONFIG] as const

/** Files that a start creates in a data directory. */
export class StartingDataDir {
  readonly #dir: string
  readonly #made: readonly string[]
  #isKept = false
  /** Entries that did not exist before. */
  readonly #fresh: ReadonlySet<string>

  /** Creates the directory when it is absent. Throws UnusableDataDir when it is not writable. */
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

  /** Clients may have seen the content of the store: nothing is removed from now on. */
  keep(): void {
    this.#isKept = true
  }

  /**
   * Unless kept, removes the files that the start created beside the store; returns whether the store is to be removed.
   * Called under its lock.
   */
  discardHeld(): boolean {
    if (this.#isKept) return false
    this.#removeOthers()
    return this.#fresh.has(STORE)
  }

  /**
   * Unless kept, removes the remaining files of the start after everything is closed. Only the holder of the store's
   * lock may remove files beside it; without a lock, a kubeconfig shows that another server uses the directory.
   */
  discard({ isLocked }: { readonly isLocked: boolean }): void {
    if (this.#isKept) return
    if (!isLocked && !existsSync(join(this.#dir, KUBECONFIG))) this.#removeOthers()
    removeFolders(this.#made)
  }

  #removeOthers(): void {
    for (const name of OTHERS)
      if (this.#fresh.has(name)) rmSync(join(this.#dir, name), { recursive: true, force: true })
  }
}

/** A file system error below a data directory, with a suggestion; any other error as it is. */
export function dataDirFault(dir: string, error: unknown): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (error instanceof UnusableDataDir || code === undefined || syscall === 'listen') return error
  return new UnusableDataDir(
    `data directory ${dir} cannot be used: ${message}; choose another with --data-dir`,
    { cause: error },
  )
}
