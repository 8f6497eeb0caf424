/** Servers of this process over one etcd, each with a data directory of its own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer, type RunningServer, type ServerOptions } from '../../src/index.ts'
import { Client, type Credential } from '../client.ts'
import { startEtcd, type Etcd } from '../store/etcd.ts'

/** An etcd, and servers over it. */
export interface Servers {
  readonly etcd: Etcd
  /** Holds the data directories, by name. */
  readonly dir: string
  start(name: string, options?: ServerOptions): Promise<RunningServer>
  client(server: RunningServer, credential?: Credential): Client
  close(): Promise<void>
}

/** Starts the etcd. */
export async function startServers(): Promise<Servers> {
  const dir = await mkdtemp(join(tmpdir(), 'servers-'))
  const closers: (() => unknown)[] = [() => rm(dir, { recursive: true, force: true })]
  const etcd = await startEtcd()
  closers.push(() => etcd.close())
  return {
    etcd,
    dir,
    async start(name, options = {}) {
      const server = await startServer({
        dataDir: join(dir, name),
        etcd: { servers: [etcd.url], prefix: '/registry' },
        ...options,
      })
      closers.push(() => server.close())
      return server
    },
    client(server, credential = {}) {
      const client = new Client(server, credential)
      closers.push(() => client.close())
      return client
    },
    async close() {
      for (const close of closers.splice(0).reverse()) await close()
    },
  }
}

/** Asks until something holds, and gives what was asked last; it is for the test to say that it does. */
export async function until<T>(ask: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  const end = Date.now() + 30_000
  for (;;) {
    const found = await ask()
    if (holds(found) || Date.now() > end) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
