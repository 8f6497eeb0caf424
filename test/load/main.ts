/**
 * Sends requests of the largest size, one after the other, to a server in a process of its own and prints how long each
 * held its event loop; ends with 1 when one did for longer than 300 ms, or answered otherwise. Arguments choose rows by
 * parts of their names; `--declared` adds a row for every list and map that a kind declares; `--why` tells which functions
 * ran in the longest gap.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { build } from 'esbuild'
import { Client } from '../client.ts'
import type { Ask, Row } from './row.ts'
import { declaredRows } from './declared-rows.ts'
import { writtenRows } from './written-rows.ts'
import type { Command, Message } from './server-process.ts'

/** Milliseconds that a request may hold the event loop without a turn for others. */
const BOUND_MS = 300

const ROOT = join(import.meta.dirname, '..', '..')

type Told<K extends string> = Extract<Message, Record<K, unknown>>

interface Measured {
  readonly longestMs: number
  readonly why: readonly string[]
  readonly status: number
  readonly text: string
}

class Subject {
  readonly #child: ChildProcess
  readonly #client: Client

  readonly #begin: Command

  private constructor(child: ChildProcess, client: Client, begin: Command) {
    this.#child = child
    this.#client = client
    this.#begin = begin
  }

  static async start(begin: 'start' | 'profile'): Promise<Subject> {
    const child = fork(await serverProgram(), [join(ROOT, 'dist', 'src', 'index.js')], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const [told] = (await once(child, 'message')) as [Told<'url'>]
    return new Subject(child, new Client({ ...told }), begin)
  }

  async #tell<K extends string>(command: Command): Promise<Told<K>> {
    this.#child.send(command)
    const [told] = (await once(this.#child, 'message')) as [Told<K>]
    return told
  }

  async send(ask: Ask) {
    const body = ask.body?.()
    return this.#client.ask(ask.method, ask.path, {
      ...(body === undefined ? {} : { raw: body }),
      headers: {
        ...(body === undefined ? {} : { 'content-type': ask.type ?? 'application/json' }),
        ...ask.headers,
      },
    })
  }

  async measure(row: Row): Promise<Measured> {
    for (const ask of row.before ?? []) {
      const { status, text } = await this.send(ask)
      if (status >= 300 && !row.mayFail)
        throw new Error(`${row.name}: ${ask.method} ${ask.path}: ${text.slice(0, 500)}`)
    }
    await this.#tell(this.#begin)
    const { status, text } = await this.send(row.ask)
    const { longestMs, why } = await this.#tell<'longestMs'>('stop')
    for (const ask of row.after ?? []) await this.send(ask)
    return { longestMs, why, status, text }
  }

  async end(): Promise<void> {
    this.#client.close()
    this.#child.send('end' satisfies Command)
    await once(this.#child, 'exit')
  }
}

/** Joins the program of the server into one file that Node.js runs as it is. */
async function serverProgram(): Promise<string> {
  const outfile = join(ROOT, '.cache', 'load', 'server-process.mjs')
  await build({
    entryPoints: [join(import.meta.dirname, 'server-process.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
  })
  return outfile
}

/** What a row came to: the longer of two rounds, since code is cold in the first and memory used in the second. */
async function tried(subject: Subject, row: Row) {
  let longest = 0
  let why: readonly string[] = []
  const faults: string[] = []
  for (let round = 0; round < 2; round++) {
    try {
      const { longestMs, status, text, ...told } = await subject.measure(row)
      if (longestMs > longest) [longest, why] = [longestMs, told.why]
      const isExpected = row.status === 0 ? status < 500 : status === row.status
      if (!isExpected) faults.push(`answered ${status} ${text.slice(0, 300)}`)
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error))
    }
  }
  return { longestMs: longest, why, faults }
}

async function main(words: readonly string[]): Promise<number> {
  const parts = words.filter((word) => !word.startsWith('--'))
  const all = words.includes('--declared') ? [...writtenRows(), ...declaredRows()] : writtenRows()
  const chosen = all.filter(
    ({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)),
  )
  const subject = await Subject.start(words.includes('--why') ? 'profile' : 'start')
  let wrong = 0
  try {
    for (const row of chosen) {
      const { longestMs, why, faults } = await tried(subject, row)
      const isLong = longestMs > BOUND_MS
      if (isLong || faults.length > 0) wrong++
      const mark = isLong ? '!' : ' '
      console.log(`${longestMs.toFixed(0).padStart(6)} ms ${mark} ${row.name} ${faults.join(' ')}`)
      for (const line of why) console.log(`         ${line}`)
    }
  } finally {
    await subject.end()
  }
  console.log(`${chosen.length} rows, ${wrong} over ${BOUND_MS} ms or answered otherwise`)
  return wrong === 0 ? 0 : 1
}

process.exit(await main(process.argv.slice(2)))
