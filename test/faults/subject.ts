/** A server under test, as a process of its own, and what can be done to it. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Client } from '../client.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** One server with whatever it keeps its objects in. */
export interface Subject {
  readonly name: string
  /** How long history is kept, milliseconds. */
  readonly historyMs: number
  /**
   * Whether nothing that was asked can still take effect once the server has ended: not so for a store
   * that is a process of its own.
   */
  readonly endsWhole: boolean
  /** Starts it on what is there; throws with what it said when it does not start. */
  start(): Promise<void>
  /** A client with connections of its own; outlives restarts. */
  client(): Client
  readonly running: boolean
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** Ends it without a word; resolves when it is gone. */
  kill(): Promise<void>
  /** Asks it to end; the exit code. */
  stop(): Promise<number | null>
  /** What it said on standard error since the last start. */
  readonly errors: string
}

/** How the server of a subject is started. */
export interface ServerOptions {
  readonly dataDir: string
  readonly historyMs: number
  /** Further flags, such as those that choose a store. */
  readonly flags?: readonly string[]
  /** Limit of the size of a file in bytes, the way of a shell; to fill a disk where nothing can be mounted. */
  readonly fileSizeLimit?: number
}

/** The server on the store that is part of it. */
export async function embedded(options: ServerOptions): Promise<Subject> {
  return new Server('lmdb', true, await freePort(), options)
}

/** The server on a store that others keep running, which the flags name. */
export async function remote(name: string, options: ServerOptions): Promise<Subject> {
  return new Server(name, false, await freePort(), options)
}

class Server implements Subject {
  readonly name: string
  readonly endsWhole: boolean
  readonly historyMs: number
  readonly #port: number
  readonly #options: ServerOptions
  #child: ChildProcess | null = null
  #ended: Promise<unknown> = Promise.resolve()
  #kubeconfig = ''
  errors = ''

  constructor(name: string, endsWhole: boolean, port: number, options: ServerOptions) {
    this.name = name
    this.endsWhole = endsWhole
    this.historyMs = options.historyMs
    this.#port = port
    this.#options = options
  }

  get running(): boolean {
    return this.#child !== null
  }

  async start(): Promise<void> {
    const { dataDir, historyMs, flags = [], fileSizeLimit } = this.#options
    const command = [
      process.execPath,
      '--import',
      'tsx',
      join(ROOT, 'bin', 'orch.ts'),
      'server',
      `--data-dir=${dataDir}`,
      `--secure-port=${this.#port}`,
      `--history-window=${historyMs}ms`,
      ...flags,
    ]
    // The shell counts in blocks of 1024 bytes; the limit's signal is ignored, so that writes fail instead.
    const limited =
      fileSizeLimit === undefined
        ? command
        : [
            'bash',
            '-c',
            `trap '' XFSZ; ulimit -f ${Math.ceil(fileSizeLimit / 1024)}; exec "$@"`,
            'limited',
            ...command,
          ]
    const child = spawn(limited[0]!, limited.slice(1), {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.errors = ''
    child.stderr.on('data', (data: Buffer) => (this.errors += data.toString()))
    this.#ended = once(child, 'close').then(() => {
      if (this.#child === child) this.#child = null
    })
    this.#child = child
    await Promise.race([
      once(child.stdout, 'data'),
      this.#ended.then(() => {
        throw new Error(
          `the server ended with ${child.exitCode ?? child.signalCode}: ${this.errors}`,
        )
      }),
    ])
    this.#kubeconfig = await readFile(join(dataDir, 'admin.kubeconfig'), 'utf8')
  }

  client(): Client {
    const ca = /certificate-authority-data: (\S+)/.exec(this.#kubeconfig)?.[1] ?? ''
    return new Client({
      url: `https://127.0.0.1:${this.#port}`,
      ca: Buffer.from(ca, 'base64').toString(),
      kubeconfig: this.#kubeconfig,
    })
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(name)
  }

  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#ended
  }

  async stop(): Promise<number | null> {
    const child = this.#child
    child?.kill('SIGTERM')
    await this.#ended
    return child?.exitCode ?? null
  }
}

/** A port that is free now; the server keeps it over restarts, so that clients find it again. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
