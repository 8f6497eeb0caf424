/** A control plane as the Go test environment starts it: certificates first, then each program, polled until it is ready. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request as plainRequest } from 'node:http'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { issue } from '../../src/pki/issue.ts'
import { launchers, smallHeap } from '../../src/envtest/launchers.ts'

const BIN = join(import.meta.dirname, '..', '..', 'dist', 'bin')
const HOUR_MS = 3_600_000

/** Whether the programs are built. */
export const isBuilt = existsSync(join(BIN, 'envtest-etcd.js'))

/** Writes the executables. */
export async function makeAssets(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'assets-'))
  const runtime = [process.execPath]
  const programs = {
    apiserver: {
      runtime,
      program: join(BIN, 'orch.js'),
      args: ['envtest-apiserver'],
      env: smallHeap,
    },
    etcd: { runtime, program: join(BIN, 'envtest-etcd.js'), args: [] },
    client: { runtime, program: join(BIN, 'orchctl.js'), args: [] },
  }
  for (const [name, text] of launchers(programs))
    await writeFile(join(dir, name), text, { mode: 0o755 })
  return dir
}

/** What came back for a request. */
export interface Answer {
  readonly status: number
  readonly body: unknown
}

export interface Ended {
  readonly code: number | null
  readonly ms: number
}

/** A process, and what it said. */
class Program {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  readonly startedMs = performance.now()
  stderr = ''
  constructor(file: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    this.child = spawn(file, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.child.stderr!.on('data', (data: Buffer) => (this.stderr += data.toString()))
    this.ended = once(this.child, 'close').then(([code]) => code as number | null)
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    const before = performance.now()
    this.child.kill(signal)
    return { code: await this.ended, ms: performance.now() - before }
  }
}

/** Ports, certificates, folders and processes of one. */
export class Environment {
  readonly #assets: string
  readonly #env: Readonly<Record<string, string>>
  readonly port: number
  readonly etcdPort: number
  certDir = ''
  dataDir = ''
  etcd: Program | null = null
  apiserver: Program | null = null
  #agent: Agent | null = null

  constructor(
    assets: string,
    ports: { readonly port: number; readonly etcdPort: number },
    env: Readonly<Record<string, string>> = {},
  ) {
    this.#assets = assets
    this.#env = env
    this.port = ports.port
    this.etcdPort = ports.etcdPort
  }

  /** Makes what is there before the start. */
  async prepare(): Promise<this> {
    this.certDir = await mkdtemp(join(tmpdir(), 'k8s_test_framework_'))
    this.dataDir = await mkdtemp(join(tmpdir(), 'k8s_test_framework_'))
    const now = Date.now()
    const times = { notBeforeMs: now - HOUR_MS, notAfterMs: now + HOUR_MS }
    const authority = (commonName: string) =>
      issue({ subject: { commonName }, ...times, use: 'authority' })
    const [serverCa, clientCa, signer] = ['server', 'client', 'sa-signer'].map(authority)
    const serving = issue({
      subject: { commonName: 'localhost' },
      ...times,
      use: 'server',
      hosts: ['127.0.0.1', 'localhost'],
      issuer: serverCa!,
    })
    const admin = issue({
      subject: { commonName: 'admin', organization: 'system:masters' },
      ...times,
      use: 'client',
      issuer: clientCa!,
    })
    for (const [name, text] of [
      ['apiserver.crt', serving.cert],
      ['apiserver.key', serving.key],
      ['client-cert-auth-ca.crt', clientCa!.cert],
      ['sa-signer.crt', signer!.cert],
      ['sa-signer.key', signer!.key],
    ] as const)
      await writeFile(join(this.certDir, name), text)
    this.#agent = new Agent({ keepAlive: true, ca: serverCa!.cert, ...admin })
    return this
  }

  /** Resolves with the milliseconds until it is healthy. */
  startEtcd(more: readonly string[] = []): Promise<number> {
    const url = `http://127.0.0.1:${this.etcdPort}`
    this.etcd = new Program(
      join(this.#assets, 'etcd'),
      [
        `--listen-peer-urls=http://127.0.0.1:0`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        `--data-dir=${this.dataDir}`,
        '--unsafe-no-fsync=true',
        ...more,
      ],
      this.#env,
    )
    return healthy(this.etcd, `${url}/health`)
  }

  /** The flags of the newest release of the environment. */
  flags(): string[] {
    const file = (name: string) => join(this.certDir, name)
    return [
      `--secure-port=${this.port}`,
      '--bind-address=127.0.0.1',
      `--cert-dir=${this.certDir}`,
      `--etcd-servers=http://127.0.0.1:${this.etcdPort}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      '--allow-privileged=true',
      '--disable-admission-plugins=ServiceAccount',
      '--authorization-mode=RBAC',
      `--service-account-issuer=https://127.0.0.1:${this.port}/`,
      `--service-account-key-file=${file('sa-signer.crt')}`,
      `--service-account-signing-key-file=${file('sa-signer.key')}`,
      `--client-ca-file=${file('client-cert-auth-ca.crt')}`,
    ]
  }

  /** Resolves with the milliseconds until it is ready. */
  startApiserver(more: readonly string[] = []): Promise<number> {
    const file = join(this.#assets, 'kube-apiserver')
    this.apiserver = new Program(file, [...this.flags(), ...more], this.#env)
    return healthy(this.apiserver, `https://127.0.0.1:${this.port}/readyz`)
  }

  /** A request of the administrator, who verifies the server by the environment's own authority. */
  ask(method: string, path: string, body?: unknown): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const url = `https://127.0.0.1:${this.port}${path}`
      const headers = { 'content-type': 'application/json' }
      request(url, { method, headers, agent: this.#agent! }, (response) => {
        let text = ''
        response.on('data', (part: Buffer) => (text += part.toString()))
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, body: parsed(text) }),
        )
      })
        .once('error', reject)
        .end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  /** Opens a watch that nobody ends. */
  watch(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const url = `https://127.0.0.1:${this.port}${path}`
      request(url, { agent: this.#agent! }, (response) => {
        response.once('error', () => {})
        response.once('data', () => resolve())
      })
        .once('error', reject)
        .end()
    })
  }

  /** Begins a write whose body never comes; resolves when the server has asked for it. */
  beginWrite(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': '2' }
      const url = `https://127.0.0.1:${this.port}${path}`
      request(url, {
        method: 'POST',
        headers: { ...headers, expect: '100-continue' },
        agent: this.#agent!,
      })
        .once('continue', resolve)
        .on('error', reject)
        .flushHeaders()
    })
  }

  /** Ends what runs, the server first, and removes the folders. */
  async close(): Promise<readonly Ended[]> {
    this.#agent?.destroy()
    const ended: Ended[] = []
    for (const program of [this.apiserver, this.etcd])
      if (program?.child.exitCode === null) ended.push(await program.stop())
    await rm(this.certDir, { recursive: true, force: true })
    await rm(this.dataDir, { recursive: true, force: true })
    return ended
  }
}

/** JSON, or the text where it is none: paths that are not there get a line. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Polls without credentials and without verifying. */
async function healthy(program: Program, url: string): Promise<number> {
  for (;;) {
    if (program.child.exitCode !== null) throw new Error(`it ended: ${program.stderr}`)
    if (await answersWell(url)) return performance.now() - program.startedMs
    await wait(10)
  }
}

function answersWell(url: string): Promise<boolean> {
  const open = url.startsWith('https:') ? request : plainRequest
  return new Promise((resolve) => {
    open(url, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
      .once('error', () => resolve(false))
      .end()
  })
}

/** Memory of a process in MB: resident, and without what others share of it (each page divided by its users). */
export function memoryOf({ child }: Program): { readonly rss: number; readonly pss: number } {
  const kb = (file: string, name: string) =>
    Number(
      new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(
        readFileSync(`/proc/${child.pid}/${file}`, 'utf8'),
      )?.[1],
    )
  return { rss: kb('status', 'VmRSS') / 1024, pss: kb('smaps_rollup', 'Pss') / 1024 }
}
