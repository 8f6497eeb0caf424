import { readFileSync, writeSync } from 'node:fs'
import { homedir } from 'node:os'
import type { Readable, Writable } from 'node:stream'

/** What a command has of the process that it runs in; tests pass their own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  /** Folder below which pods find their credentials; the usual one by default. */
  readonly secrets?: string
  /** Whether standard input and output are a terminal. */
  readonly isTerminal: boolean
  out(data: string | Uint8Array): void
  err(text: string): void
  /** Standard input to its end. */
  readInput(): Promise<string>
  /** Standard input as it comes, for sessions. */
  readonly input: Readable & {
    setRawMode?(isRaw: boolean): unknown
  }
  readonly output: Writable & { columns?: number; rows?: number }
  now(): number
  /** Aborted when the user interrupts. */
  readonly interrupted: AbortSignal
}

/** The streams and the environment of this process. */
export function processIo(): Io {
  const ending = new AbortController()
  let isWatched = false
  return {
    env: process.env,
    cwd: process.cwd(),
    home: process.env.HOME ?? homedir(),
    get isTerminal() {
      return process.stdin.isTTY && process.stdout.isTTY
    },
    out: (data) => writeAll(1, data),
    err: (text) => writeAll(2, text),
    async readInput() {
      const chunks: Buffer[] = []
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks).toString('utf8')
    },
    get input() {
      return process.stdin
    },
    get output() {
      return process.stdout
    },
    now: () => Date.now(),
    get interrupted() {
      if (!isWatched) {
        isWatched = true
        process.once('SIGINT', () => ending.abort(new Interrupted()))
        process.once('SIGTERM', () => ending.abort(new Interrupted()))
      }
      return ending.signal
    },
  }
}

/** The user has ended a command. */
export class Interrupted extends Error {}

/** Writes at once: loading the streams of the process would take longer than most commands. */
function writeAll(fd: number, data: string | Uint8Array): void {
  let rest = typeof data === 'string' ? Buffer.from(data) : data
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // A pipe whose reader is slow. Waiting for it has no other way in one step.
      if (code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
      else if (code === 'EPIPE') return
      else throw error
    }
  }
}

/** A file as text, or null when it does not exist. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}
