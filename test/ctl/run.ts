import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type { Io } from '../../src/ctl/base/io.ts'
import { ctlMain } from '../../src/ctl/main.ts'

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A command line of one user, run in this process. */
export class Ctl {
  readonly home: string
  readonly #env: Record<string, string>

  private constructor(home: string, env: Record<string, string>) {
    this.home = home
    this.#env = env
  }

  /** With a configuration in a home of its own, which is the working folder too. */
  static async for(kubeconfig: string, env: Readonly<Record<string, string>> = {}): Promise<Ctl> {
    const home = await mkdtemp(join(tmpdir(), 'ctl-home-'))
    const path = join(home, 'config')
    await writeFile(path, kubeconfig, { mode: 0o600 })
    return new Ctl(home, { KUBECONFIG: path, PATH: process.env.PATH ?? '', ...env })
  }

  async run(
    args: readonly string[],
    {
      input = '',
      signal,
      onOut,
      terminal,
      env = {},
    }: {
      input?: string
      signal?: AbortSignal
      onOut?: (all: string) => void
      terminal?: { columns: number; rows: number }
      env?: Readonly<Record<string, string>>
    } = {},
  ): Promise<Outcome> {
    let [stdout, stderr] = ['', '']
    const io: Io = {
      env: { ...this.#env, ...env },
      cwd: this.home,
      home: this.home,
      isTerminal: terminal !== undefined,
      out: (data) => {
        stdout += typeof data === 'string' ? data : Buffer.from(data).toString('utf8')
        onOut?.(stdout)
      },
      secrets: join(this.home, 'secrets'),
      err: (text) => (stderr += text),
      readInput: () => Promise.resolve(input),
      input: Readable.from([Buffer.from(input)]),
      output: Object.assign(new Writable(), terminal),
      now: () => Date.now(),
      interrupted: signal ?? new AbortController().signal,
    }
    const code = await ctlMain(args, { version: '0.0.0', program: 'orchctl', io })
    return { code, stdout, stderr }
  }

  async ok(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(args)
    if (code !== 0) throw new Error(`${args.join(' ')} exited ${code}: ${stderr}${stdout}`)
    return stdout
  }

  close(): Promise<void> {
    return rm(this.home, { recursive: true, force: true })
  }
}
