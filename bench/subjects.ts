/** What is measured, and what measures it, as processes. */
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { systemClock } from '../src/base/clock.ts'
import { createPki, type Pki } from '../src/pki/files.ts'
import { vocabularies } from '../src/vocabulary/index.ts'
import type { BareMode } from './bare/server.ts'
import type { Etcd } from './etcd.ts'
import type { Job, LoadResult, Target } from './load/job.ts'
import type { LoadAnswer } from './load/process.ts'
import type { ProfilerAnswer, ProfilerOrder } from './profiler.ts'
import type { Workspace } from './workspace.ts'

const START_PATIENCE_MS = 30_000

/** A running server of the product. */
export interface Ours {
  /** The server, met as its administrator. */
  readonly target: Target
  readonly dataDir: string
  /** Asks once as the administrator, on a connection of its own. Rejects on answers that are no success. */
  ask(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ headers: IncomingHttpHeaders; text: string }>
  /** Begins a CPU profile; gives what ends it and writes the file. Rejects when the process has no profiler. */
  profile(): Promise<(file: string) => Promise<void>>
  end(): Promise<void>
}

/** Starts the product and resolves when it says that it is ready. */
export async function startOurs(
  workspace: Workspace,
  command: readonly string[],
  options: {
    readonly dataDir?: string
    readonly store?: 'lmdb' | 'memory'
    /** Keeps objects there instead. */
    readonly etcd?: Etcd
    readonly profiled?: boolean
    readonly flags?: readonly string[]
  } = {},
): Promise<Ours> {
  const dataDir = options.dataDir ?? workspace.folder()
  const { etcd } = options
  const store =
    etcd === undefined ? ['--store', options.store ?? 'lmdb'] : ['--etcd-servers', etcd.url]
  const flags = ['--data-dir', dataDir, '--secure-port', '0', ...store, ...(options.flags ?? [])]
  const argv = [...command, ...flags]
  const child = options.profiled ? workspace.profiled(argv) : workspace.command(argv)
  await firstLine(child, command.join(' '))
  const config = readFileSync(join(dataDir, 'admin.kubeconfig'), 'utf8')
  const field = (name: string): string => {
    const value = new RegExp(`\\b${name}: *"?([^"\\s]+)`).exec(config)?.[1]
    if (value === undefined) throw new Error(`the admin configuration has no ${name}`)
    return value
  }
  const pem = (name: string) => Buffer.from(field(name), 'base64').toString()
  const url = new URL(field('server'))
  const target: Target = {
    port: Number(url.port),
    ca: pem('certificate-authority-data'),
    cert: pem('client-certificate-data'),
    key: pem('client-key-data'),
    pid: child.pid ?? 0,
    ...(etcd === undefined ? {} : { storePid: etcd.pid }),
  }
  return {
    target,
    dataDir,
    ask: (method, path, body) => askAs(target, method, path, body),
    async profile() {
      if (!options.profiled) throw new Error('the server was started without a profiler')
      await exchange<ProfilerAnswer>(child, { begin: true } satisfies ProfilerOrder)
      return async (file) => {
        await exchange<ProfilerAnswer>(child, { end: file } satisfies ProfilerOrder)
      }
    },
    end: () => workspace.end(child),
  }
}

/** Resolves with the first line a process prints. Rejects when it ends before. */
export async function firstLine(child: ChildProcess, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const patience = setTimeout(
      () => reject(new Error(`${name} was not ready in time`)),
      START_PATIENCE_MS,
    )
    const lines = createInterface({ input: child.stdout! })
    lines.once('line', (line) => {
      clearTimeout(patience)
      resolve(line)
      // Later output must not fill the pipe.
      child.stdout?.resume()
    })
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(patience)
      reject(
        new Error(
          `${name} ended with ${String(code)} before it was ready; npm run build makes what is measured`,
        ),
      )
    })
  })
}

/** Asks once as somebody, on a connection of its own. Rejects on answers that are no success. */
export function askAs(
  target: Target,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ headers: IncomingHttpHeaders; text: string }> {
  const { port, ca, cert, key } = target
  const payload = body === undefined ? undefined : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const message = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        agent: new Agent({ keepAlive: false, ca, cert, key }),
        headers: {
          accept: 'application/json',
          'user-agent': 'bench',
          ...(payload === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
        },
      },
      (answer) => {
        const pieces: Buffer[] = []
        answer.on('data', (piece: Buffer) => pieces.push(piece))
        answer.once('error', reject)
        answer.once('end', () => {
          const text = Buffer.concat(pieces).toString()
          if ((answer.statusCode ?? 0) < 300) resolve({ headers: answer.headers, text })
          else
            reject(new Error(`${method} ${path}: ${answer.statusCode ?? 0} ${text.slice(0, 500)}`))
        })
      },
    )
    message.once('error', reject)
    message.end(payload)
  })
}

let pki: Promise<Pki> | null = null

/** Starts a bare server with certificates of the kind the product makes for itself. */
export async function startBareProcess(
  workspace: Workspace,
  mode: BareMode,
): Promise<{ target: Target; end(): Promise<void> }> {
  pki ??= createPki({ vocabulary: vocabularies.orch, clock: systemClock, bindAddress: '127.0.0.1' })
  const { ca, servingCert, servingKey, adminCert, adminKey } = await pki
  const child = workspace.program('bare/process.js')
  const identity = { ca, cert: servingCert, key: servingKey }
  const { port } = await exchange<{ port: number }>(child, { identity, mode })
  return {
    target: { port, ca, cert: adminCert, key: adminKey, pid: child.pid ?? 0 },
    end: () => workspace.end(child),
  }
}

/** Starts a process that makes load. */
export function startLoad(workspace: Workspace): {
  run(job: Job): Promise<LoadResult>
  end(): Promise<void>
} {
  const child = workspace.program('load/process.js')
  return {
    run: async (job) =>
      (await exchange<Extract<LoadAnswer, { readonly result: unknown }>>(child, job)).result,
    end: () => workspace.end(child),
  }
}

/** Sends a message and resolves with the answer. Rejects when it tells of an error or the process ends. */
function exchange<T>(child: ChildProcess, message: object): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      child.off('message', onMessage)
      child.off('exit', onExit)
    }
    const onMessage = (answer: T | { error: string }) => {
      stop()
      if (typeof answer === 'object' && answer !== null && 'error' in answer)
        reject(new Error(answer.error))
      else resolve(answer)
    }
    const onExit = (code: number | null) => {
      stop()
      reject(new Error(`a measuring process ended with ${String(code)}`))
    }
    child.on('message', onMessage)
    child.once('exit', onExit)
    child.send(message)
  })
}
