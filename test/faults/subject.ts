/** Servers under test, as processes of their own, and what can be done to them. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '../client.ts'
import { freePort } from '../ports.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** Servers over one store. */
export interface Subject {
  readonly name: string
  readonly servers: readonly ServerProcess[]
  /** How long history is kept, milliseconds. */
  readonly historyMs: number
  /**
   * Whether nothing that was asked can still take effect once the server has ended: not so for a store
   * that is a process of its own.
   */
  readonly endsWhole: boolean
}

/** How servers are started. */
export interface SubjectOptions {
  /** Each server has a directory of its own in it. */
  readonly dir: string
  readonly historyMs: number
  /** For each server the addresses of an etcd; without, there is one with the store that is part of it. */
  readonly etcd?: readonly (readonly string[])[]
  /** For each server where it runs; without, on loopback. */
  readonly places?: readonly Place[]
}

/** Where and how a server runs. */
export interface Place {
  readonly host: string
  /** The program that starts it, with arguments, such as one that changes to another network. */
  readonly command?: readonly string[]
  /** Flags of Node.js. */
  readonly nodeFlags?: readonly string[]
}

const LOOPBACK: Place = { host: '127.0.0.1' }

/** Makes servers that are not started yet. */
export async function subjectOf(options: SubjectOptions): Promise<Subject> {
  const { dir, historyMs, etcd, places = [] } = options
  const servers: ServerProcess[] = []
  for (const urls of etcd ?? [[]]) {
    const place = places[servers.length] ?? LOOPBACK
    const flags = [
      `--bind-address=${place.host}`,
      `--history-window=${historyMs}ms`,
      ...(urls.length > 0 ? [`--etcd-servers=${urls.join()}`] : []),
    ]
    const dataDir = join(dir, `server-${servers.length}`)
    servers.push(new ServerProcess(dataDir, await freePort(), flags, place))
  }
  return { name: etcd ? 'etcd' : 'lmdb', servers, historyMs, endsWhole: !etcd }
}

/** One server, started and ended as often as one likes. */
export class ServerProcess {
  readonly #dataDir: string
  readonly #port: number
  readonly #flags: readonly string[]
  readonly #place: Place
  #child: ChildProcess | null = null
  #ended: Promise<unknown> = Promise.resolve()
  #kubeconfig = ''
  /** What it said on standard error since the last start. */
  errors = ''

  constructor(dataDir: string, port: number, flags: readonly string[], place = LOOPBACK) {
    this.#dataDir = dataDir
    this.#port = port
    this.#flags = flags
    this.#place = place
  }

  get running(): boolean {
    return this.#child !== null
  }

  /** Starts it on what is there; throws with what it said when it does not start. */
  async start(): Promise<void> {
    const { command = [], nodeFlags = [] } = this.#place
    const [program = '', ...args] = [
      ...[...command, process.execPath, '--import', 'tsx', ...nodeFlags],
      ...[join(ROOT, 'bin', 'orch.ts'), 'server'],
      ...[`--data-dir=${this.#dataDir}`, `--secure-port=${this.#port}`, ...this.#flags],
    ]
    const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
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
    this.#kubeconfig = await readFile(join(this.#dataDir, 'admin.kubeconfig'), 'utf8')
  }

  /** A client with connections of its own; outlives restarts. */
  client(): Client {
    const ca = /certificate-authority-data: (\S+)/.exec(this.#kubeconfig)?.[1] ?? ''
    return new Client({
      url: `https://${this.#place.host}:${this.#port}`,
      ca: Buffer.from(ca, 'base64').toString(),
      kubeconfig: this.#kubeconfig,
    })
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(name)
  }

  /** Ends it without a word; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#ended
  }

  /** Asks it to end; the exit code. */
  async stop(): Promise<number | null> {
    const child = this.#child
    child?.kill('SIGTERM')
    await this.#ended
    return child?.exitCode ?? null
  }
}
