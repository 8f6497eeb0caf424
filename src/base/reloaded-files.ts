import type { Clock } from './clock.ts'
import { readFile } from './files.ts'
import type { Log } from './log.ts'
import { plainReason } from './plain-reason.ts'
import { watchFile } from './watch-file.ts'

const REREAD_MS = 60_000

export interface ReloadedOptions<T> {
  readonly paths: readonly string[]
  /** Makes the value of the texts of all files. Throws an Error when they cannot be used. */
  readonly parse: (texts: readonly string[]) => T
  readonly clock: Clock
  readonly log: Log
  /** For the log. */
  readonly what: string
}

/**
 * A value made of files, which are read again every minute and whenever they change. Unusable files leave it as it is,
 * and that is logged once for each reason.
 */
export class ReloadedFiles<T> {
  value: T
  readonly #options: ReloadedOptions<T>
  readonly #listeners = new Set<(value: T) => void>()
  #texts: readonly string[]
  #problem: string | null = null
  #reading: Promise<void> | null = null
  #again = false
  #cancel = () => {}
  #unwatch: readonly (() => void)[] = []
  #isClosed = false

  private constructor(options: ReloadedOptions<T>, texts: readonly string[]) {
    this.#options = options
    this.#texts = texts
    this.value = options.parse(texts)
  }

  /** Rejects when the files cannot be used. */
  static async open<T>(options: ReloadedOptions<T>): Promise<ReloadedFiles<T>> {
    const files = new ReloadedFiles(options, await readAll(options.paths))
    files.#unwatch = options.paths.map((path) => watchFile(path, () => void files.refresh()))
    files.#schedule()
    return files
  }

  /** Calls back after each change of the value. */
  onChange(call: (value: T) => void): void {
    this.#listeners.add(call)
  }

  /** Reads the files now; resolves when their present contents have been tried. */
  refresh(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    this.#again = true
    return (this.#reading ??= this.#readAll().finally(() => (this.#reading = null)))
  }

  close(): void {
    this.#isClosed = true
    this.#cancel()
    for (const end of this.#unwatch) end()
    this.#listeners.clear()
  }

  async #readAll(): Promise<void> {
    const { paths, log, what } = this.#options
    while (this.#again && !this.#isClosed) {
      this.#again = false
      try {
        this.#take(await readAll(paths))
        this.#problem = null
      } catch (error) {
        const problem = plainReason(error)
        if (problem === this.#problem) continue
        this.#problem = problem
        log.warn(`${what} cannot be reloaded, using the previous one`, {
          files: paths.join(', '),
          error: problem,
        })
      }
    }
  }

  #take(texts: readonly string[]): void {
    if (this.#isClosed || texts.every((text, i) => text === this.#texts[i])) return
    const { parse, log, paths, what } = this.#options
    this.value = parse(texts)
    this.#texts = texts
    log.info(`${what} reloaded`, { files: paths.join(', ') })
    for (const call of this.#listeners) call(this.value)
  }

  #schedule(): void {
    if (this.#isClosed) return
    this.#cancel = this.#options.clock.after(REREAD_MS, () => {
      this.#schedule()
      void this.refresh()
    })
  }
}

const readAll = (paths: readonly string[]): Promise<string[]> =>
  Promise.all(paths.map((path) => readFile(path, 'utf8')))
