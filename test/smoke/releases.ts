/** The built program, run by one release of Node.js or another. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const WITH_NODE = join(ROOT, 'tools', 'with-node.mjs')

export const DIST = join(ROOT, 'dist')

/** A release by its name in tools/with-node.mjs, or the one that runs the tests. */
export type Release = string | null

/** Whether releases can be had besides the one that runs the tests. */
export const canFetch = process.platform === 'linux' && process.arch === 'x64'

export const titleOf = (release: Release): string =>
  release === null ? `Node.js ${process.version}` : `Node.js ${release}`

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A script that a release of Node.js runs. */
export class Run {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  #stdout = ''
  #stderr = ''

  constructor(release: Release, args: readonly string[]) {
    const command = release === null ? args : [WITH_NODE, release, 'node', ...args]
    this.child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.child.stdout!.on('data', (data: Buffer) => (this.#stdout += data.toString()))
    this.child.stderr!.on('data', (data: Buffer) => (this.#stderr += data.toString()))
    this.ended = once(this.child, 'close').then(([code]: unknown[]) => ({
      code: code as number | null,
      stdout: this.#stdout,
      stderr: this.#stderr,
    }))
  }

  /** The first line of output; rejects with the errors when there is none. */
  async line(): Promise<string> {
    while (!this.#stdout.includes('\n')) {
      const next = once(this.child.stdout!, 'data')
      const ended = await Promise.race([next.then(() => null), this.ended])
      if (ended !== null && !ended.stdout.includes('\n')) throw new Error(ended.stderr)
    }
    return this.#stdout.slice(0, this.#stdout.indexOf('\n'))
  }
}
