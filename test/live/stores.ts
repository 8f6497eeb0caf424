/** The stores that servers of these tests have, each with a place of its own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type SuiteAPI } from 'vitest'
import type { ServerOptions } from '../../src/server/options/server-options.ts'
import { hasEtcd, NO_ETCD, startEtcd } from '../store/etcd.ts'

/** A store that servers may be started over, one after the other. */
export interface StoreCase {
  readonly options: ServerOptions
  close(): Promise<void>
}

async function folder(options: (dir: string) => ServerOptions, end = async () => {}) {
  const dir = await mkdtemp(join(tmpdir(), 'live-'))
  return {
    options: options(dir),
    async close() {
      await end()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function overEtcd(): Promise<StoreCase> {
  const etcd = await startEtcd()
  return folder(
    (dataDir) => ({ dataDir, etcd: { servers: [etcd.url], prefix: '/registry' } }),
    () => etcd.close(),
  )
}

/** Every store, and what opens one; without the program, etcd is left out and says why. */
export const stores: readonly {
  readonly name: string
  readonly open: () => Promise<StoreCase>
  readonly suite: SuiteAPI | SuiteAPI['skip']
}[] = [
  { name: 'lmdb', open: () => folder((dataDir) => ({ dataDir })), suite: describe },
  {
    name: hasEtcd ? 'etcd' : `etcd: ${NO_ETCD}`,
    open: overEtcd,
    suite: hasEtcd ? describe : describe.skip,
  },
]
