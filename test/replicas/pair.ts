/** Two servers of this process over one etcd, one late to hear of changes, for tests of what it sees of the other. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer, type RunningServer, type ServerOptions } from '../../src/index.ts'
import { Client, type Credential } from '../client.ts'
import { startEtcd } from '../store/etcd.ts'
import { startLateWatch } from './late-watch.ts'

/** How often each case is tried. */
export const REPEATS = 20

const LANES = 5
const LATE_MS = 12

/** Clients of both servers. */
export interface Clients {
  /** Of the one that hears of changes at once. */
  readonly prompt: Client
  /** Of the one that hears of them late. */
  readonly late: Client
}

/** Two servers, with clients of their administrator. */
export interface Pair extends Clients {
  /** Clients with another credential; the end closes them. */
  as(credential: Credential): Clients
  close(): Promise<void>
}

/** Starts both, with what one hears as many milliseconds late. */
export async function startPair(options: ServerOptions = {}, lateMs = LATE_MS): Promise<Pair> {
  const dir = await mkdtemp(join(tmpdir(), 'pair-'))
  const closers: (() => unknown)[] = [() => rm(dir, { recursive: true, force: true })]
  const close = async () => {
    for (const end of closers.splice(0).reverse()) await end()
  }
  try {
    const etcd = await startEtcd()
    closers.push(() => etcd.close())
    const lateWatch = await startLateWatch(etcd.url, lateMs)
    closers.push(() => lateWatch.close())
    const start = async (name: string, url: string): Promise<RunningServer> => {
      const server = await startServer({
        ...options,
        dataDir: join(dir, name),
        etcd: { servers: [url], prefix: '/registry' },
      })
      closers.push(() => server.close())
      return server
    }
    const [first, second] = await Promise.all([start('a', etcd.url), start('b', lateWatch.url)])
    await Promise.all([first.settled(), second.settled()])
    const as = (credential: Credential): Clients => {
      const clients = {
        prompt: new Client(first, credential),
        late: new Client(second, credential),
      }
      for (const client of Object.values(clients)) closers.push(() => client.close())
      return clients
    }
    return { ...as({}), as, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Tries a case again and again, without a pause, a few at a time; how often it ended in which way. */
export async function tally(run: (i: number) => Promise<string>): Promise<Record<string, number>> {
  const ends: Record<string, number> = {}
  let next = 0
  const lane = async () => {
    while (next < REPEATS) {
      const end = await run(next++)
      ends[end] = (ends[end] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return ends
}
