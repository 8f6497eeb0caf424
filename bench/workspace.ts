/** Processes and folders of one run, all of them gone at its end. */
import { fork, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const KILL_AFTER_MS = 3_000
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const exit = () => process.exit(130)

export class Workspace {
  readonly #base: string
  readonly #programs: string
  readonly #children = new Set<ChildProcess>()
  readonly #folders = new Set<string>()

  /** `base` is where folders are made, `programs` where the bundled measuring programs lie. */
  constructor(base: string, programs: string) {
    this.#base = base
    this.#programs = programs
    // Whatever happens: nothing stays behind.
    process.on('exit', this.#sweep)
    for (const signal of SIGNALS) process.on(signal, exit)
  }

  folder(): string {
    const folder = mkdtempSync(join(this.#base, 'bench-'))
    this.#folders.add(folder)
    return folder
  }

  /** Starts one of the measuring programs, with a channel for messages. */
  program(name: string): ChildProcess {
    return this.#keep(
      fork(join(this.#programs, name), {
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      }),
    )
  }

  /** Starts one of the measuring programs, which prints a line when it listens. */
  listening(name: string, args: readonly string[]): ChildProcess {
    return this.command([process.execPath, join(this.#programs, name), ...args])
  }

  /** Starts one of the measuring programs, its temporary files in a folder of ours, and reads what it prints. */
  async output(name: string, args: readonly string[]): Promise<string> {
    const child = this.command([process.execPath, join(this.#programs, name), ...args], {
      TMPDIR: this.folder(),
    })
    let text = ''
    child.stdout?.on('data', (piece: Buffer) => (text += piece.toString()))
    const code = await new Promise((resolve) => child.once('close', resolve))
    if (code !== 0) throw new Error(`${name} ended with ${String(code)}`)
    return text
  }

  /** Starts a Node command with its output to be read, and with a profiler that a channel for messages commands. */
  profiled(argv: readonly string[]): ChildProcess {
    const profiler = pathToFileURL(join(this.#programs, 'profiler.js')).href
    const NODE_OPTIONS = `${process.env['NODE_OPTIONS'] ?? ''} --import=${profiler}`.trim()
    return this.command(argv, { NODE_OPTIONS }, 'ipc')
  }

  /** Starts a command with its output to be read. */
  command(
    argv: readonly string[],
    env: Readonly<Record<string, string>> = {},
    channel: 'ipc' | 'ignore' = 'ignore',
    errors: 'inherit' | 'ignore' = 'inherit',
  ): ChildProcess {
    const [file = '', ...args] = argv
    return this.#keep(
      spawn(file, args, {
        stdio: ['ignore', 'pipe', errors, channel],
        env: { ...process.env, ...env },
      }),
    )
  }

  /** Ends a process that was started here, by force when it does not go. */
  async end(child: ChildProcess): Promise<void> {
    if (!this.#children.has(child)) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    const force = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS)
    await gone
    clearTimeout(force)
  }

  /** Ends everything that runs and removes the folders. */
  async close(): Promise<void> {
    await Promise.all([...this.#children].map((child) => this.end(child)))
    this.#sweep()
    process.off('exit', this.#sweep)
    for (const signal of SIGNALS) process.off(signal, exit)
  }

  #keep(child: ChildProcess): ChildProcess {
    this.#children.add(child)
    child.once('exit', () => this.#children.delete(child))
    child.once('error', () => this.#children.delete(child))
    return child
  }

  readonly #sweep = (): void => {
    for (const child of this.#children) child.kill('SIGKILL')
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true })
    this.#folders.clear()
  }
}
