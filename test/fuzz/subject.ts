/** The server under test: the program itself, as a process of its own, with a way to ask for its memory. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { VocabularyName } from '../../src/vocabulary/vocabulary.ts'
import { startEtcd, type Etcd } from '../store/etcd.ts'
import { tokenFile } from './identities.ts'
import type { Where } from './transport.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** Bytes in use after everything was collected that can be. */
export interface Memory {
  readonly heapUsed: number
  readonly external: number
  readonly arrayBuffers: number
  readonly rss: number
  /** The longest time for which the loop stood since the last question. */
  readonly longestTurnMs: number
}

/** What a run is made against. */
export interface Subject {
  readonly name: string
  readonly where: Where
  /** Lines of the log since they were taken last. */
  takeLog(): string[]
  /** Why it is over; null while it lives. */
  readonly death: string | null
  memory(): Promise<Memory>
  close(): Promise<void>
}

/** One that was started here. */
export interface StartedSubject extends Subject {
  /** Credentials of the administrator. */
  readonly kubeconfig: string
  /** Open file descriptors; null where the system does not say. */
  descriptors(): number | null
}

export interface SubjectOptions {
  readonly vocabulary: VocabularyName
  readonly store: 'lmdb' | 'memory' | 'etcd'
}

/** Starts one with a data directory of its own. */
export async function startSubject({ vocabulary, store }: SubjectOptions): Promise<StartedSubject> {
  const dir = await mkdtemp(join(tmpdir(), 'fuzz-'))
  const tokens = join(dir, 'tokens.csv')
  await writeFile(tokens, tokenFile)
  let etcd: Etcd | null = null
  const flags = [
    ...[`--vocabulary=${vocabulary}`, `--data-dir=${join(dir, 'data')}`, '--secure-port=0'],
    ...['--runtime-config=api/all=true', `--token-auth-file=${tokens}`, '--logging-format=json'],
    // Short, so that what is deleted soon takes no memory.
    '--history-window=5s',
  ]
  if (store === 'etcd') {
    etcd = await startEtcd()
    flags.push(`--etcd-servers=${etcd.url}`, '--etcd-compaction-interval=5s')
  } else flags.push(`--store=${store}`)
  const probe = pathToFileURL(join(import.meta.dirname, 'probe.ts')).href
  const child = spawn(
    process.execPath,
    [
      ...['--expose-gc', '--import', 'tsx', '--import', probe, join(ROOT, 'bin', 'orch.ts')],
      ...['server', ...flags],
    ],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  )
  const server = new ServerProcess(`${vocabulary}, ${store}`, child)
  const close = async () => {
    await server.end()
    await etcd?.close()
    await rm(dir, { recursive: true, force: true })
  }
  try {
    const port = await server.ready()
    const kubeconfig = await readFile(join(dir, 'data', 'admin.kubeconfig'), 'utf8')
    const read = (name: string) =>
      Buffer.from(new RegExp(`${name}: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64').toString()
    const where: Where = {
      port,
      ca: read('certificate-authority-data'),
      cert: read('client-certificate-data'),
      key: read('client-key-data'),
    }
    return {
      name: server.name,
      where,
      kubeconfig,
      takeLog: () => server.takeLog(),
      get death() {
        return server.death
      },
      memory: () => server.memory(),
      descriptors: () => server.descriptors(),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

class ServerProcess {
  readonly name: string
  readonly #child: ChildProcess
  readonly #lines: string[] = []
  readonly #over: Promise<void>
  #rest = ''
  #isEnding = false
  death: string | null = null

  constructor(name: string, child: ChildProcess) {
    this.name = name
    this.#child = child
    child.stderr!.on('data', (data: Buffer) => {
      const lines = (this.#rest + data.toString()).split('\n')
      this.#rest = lines.pop()!
      this.#lines.push(...lines)
    })
    this.#over = once(child, 'close').then(([code, signal]) => {
      if (!this.#isEnding) this.death = `the server ended with ${String(code ?? signal)}`
    })
    // Nothing of it outlives this process.
    process.once('exit', () => child.kill('SIGKILL'))
  }

  /** Resolves with the port when it serves. */
  async ready(): Promise<number> {
    const said = once(this.#child.stdout!, 'data') as Promise<[Buffer]>
    const first = await Promise.race([said, this.#over])
    const port = /:(\d+)\b/.exec(first?.[0].toString() ?? '')?.[1]
    if (port === undefined) throw new Error(`the server did not start: ${this.#lines.join('\n')}`)
    return Number(port)
  }

  takeLog(): string[] {
    return this.#lines.splice(0)
  }

  async memory(): Promise<Memory> {
    const answer = once(this.#child, 'message') as Promise<[Memory]>
    this.#child.send('memory')
    const told = await Promise.race([answer, this.#over])
    if (!told) throw new Error(this.death ?? 'the server is over')
    return told[0]
  }

  descriptors(): number | null {
    const folder = `/proc/${this.#child.pid}/fd`
    return existsSync(folder) ? readdirSync(folder).length : null
  }

  async end(): Promise<void> {
    this.#isEnding = true
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 20_000)
    await this.#over
    clearTimeout(timer)
  }
}
