/** A real etcd for tests: a process of its own on free ports, with its data in a directory that goes. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  Compacted,
  FutureRevision,
  type Engine,
  type Event,
  type Item,
} from '../../src/engine/engine.ts'
import { freePort, isListening } from '../ports.ts'

/** Whether the machine has the program. */
export const hasEtcd = spawnSync('etcd', ['--version']).status === 0

/** Why cases are skipped without it. */
export const NO_ETCD = 'there is no etcd program; install the package etcd-server'

/** A running etcd. */
export interface Etcd {
  readonly url: string
  /** Stops it at once, as a lost machine does; `start` begins again with the same data. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Takes the data of a killed one away. */
  wipe(): Promise<void>
  /** Keeps it from doing anything, with its connections open. */
  pause(): void
  resume(): void
  /** Ends it and takes its data away. */
  close(): Promise<void>
}

/** Starts an etcd that takes transactions and values larger than by default. */
export async function startEtcd(
  options: { readonly args?: readonly string[]; readonly scheme?: 'http' | 'https' } = {},
): Promise<Etcd> {
  const { args = [], scheme = 'http' } = options
  const dir = await mkdtemp(join(tmpdir(), 'etcd-'))
  const [port, peerPort] = [await freePort(), await freePort()]
  const url = `${scheme}://127.0.0.1:${port}`
  const peer = `http://127.0.0.1:${peerPort}`
  let child: ChildProcess | null = null

  const start = async (): Promise<void> => {
    let log = ''
    const started = spawn(
      'etcd',
      [
        ...['--name=one', `--data-dir=${join(dir, 'data')}`, '--logger=zap', '--log-level=warn'],
        ...[`--listen-client-urls=${url}`, `--advertise-client-urls=${url}`],
        ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`],
        ...[`--initial-cluster=one=${peer}`, '--max-txn-ops=1024', '--max-request-bytes=8388608'],
        ...['--heartbeat-interval=50', '--election-timeout=500', ...args],
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    started.stderr.on('data', (chunk) => (log = `${log}${chunk}`.slice(-4000)))
    child = started
    started.once('exit', () => {
      if (child === started) console.error(`etcd ended by itself:\n${log}`)
    })
    for (let i = 0; i < 200 && started.exitCode === null; i++) {
      if (await isListening(port)) return
      await wait(25)
    }
    throw new Error(`etcd did not start:\n${log}`)
  }
  const kill = async (): Promise<void> => {
    const running = child
    child = null
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    const gone = new Promise((resolve) => running.once('exit', resolve))
    running.kill('SIGKILL')
    await gone
  }
  await start()
  return {
    url,
    kill,
    start,
    wipe: () => rm(join(dir, 'data'), { recursive: true, force: true }),
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    close: async () => {
      await kill()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/**
 * The engine as if its history began with it: what others did in the same etcd before is revision 0.
 */
export function rebased(engine: Engine): Engine {
  const base = engine.revision()
  const down = (revision: number) => Math.max(0, revision - base)
  const itemDown = (item: Item): Item => ({
    ...item,
    created: down(item.created),
    changed: down(item.changed),
  })
  const eventDown = (event: Event): Event => ({
    ...event,
    at: down(event.at),
    created: down(event.created),
    ...(event.before ? { before: itemDown(event.before) } : {}),
  })
  const at = (options?: { readonly at?: number }) =>
    options?.at === undefined ? {} : { at: options.at + base }
  const told = (error: unknown): never => {
    if (error instanceof Compacted) throw new Compacted(down(error.oldest))
    if (error instanceof FutureRevision) throw new FutureRevision(down(error.current))
    throw error
  }
  return {
    name: engine.name,
    isShared: engine.isShared,
    revision: () => down(engine.revision()),
    oldest: () => down(engine.oldest()),
    async commit(changes) {
      const commit = await engine.commit(
        changes.map((change) =>
          change.ifChangedAt ? { ...change, ifChangedAt: change.ifChangedAt + base } : change,
        ),
      )
      if (commit.done) return { done: true, at: down(commit.at) }
      return { ...commit, found: commit.found && itemDown(commit.found) }
    },
    async get(key, options) {
      const item = await engine.get(key, at(options)).catch(told)
      return item && itemDown(item)
    },
    async range(prefix, options) {
      const page = await engine.range(prefix, { ...options, ...at(options) }).catch(told)
      return { ...page, at: down(page.at), items: page.items.map(itemDown) }
    },
    async *changes(prefix, from, to) {
      try {
        for await (const events of engine.changes(prefix, from + base, to + base))
          yield events.map(eventDown)
      } catch (error) {
        told(error)
      }
    },
    subscribe: (listener) => engine.subscribe((events) => listener(events.map(eventDown))),
    compact: (upTo) => engine.compact(upTo + base),
    revisionAt: (timeMs) => down(engine.revisionAt(timeMs)),
    close: () => engine.close(),
  }
}
