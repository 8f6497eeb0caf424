import { join } from 'node:path'
import type { Engine } from '../../engine/engine.ts'
import type { EtcdEngine } from '../../engine/etcd/engine.ts'
import { eventLifetime } from '../../engine/event-lifetime.ts'
import type { StartingDataDir } from '../data-dir.ts'
import { SERVER_LEASE_MS, SERVER_LEASE_PREFIX } from '../server-records.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

const ETCD_DIAL_MS = 20_000
const ETCD_REQUEST_MS = 10_000
const ETCD_COMPACTION_MS = 300_000

/** An open engine; a remote one has a health check. */
export type OpenEngine = Engine & Partial<Pick<EtcdEngine, 'check'>>

/** Opens the engine that the options name. Throws UnusableDataDir and StoreUnavailable. */
export const engine = (settings: Settings) =>
  component({
    name: 'engine',
    needs: ['dataDir'],
    async start({ dataDir }) {
      const part = await openers[settings.store](settings, dataDir)
      return { part, stop: () => part.close() }
    },
  })

type Opener = (settings: Settings, dataDir: StartingDataDir | null) => Promise<OpenEngine>

const openers: Readonly<Record<Settings['store'], Opener>> = {
  async memory(settings) {
    const { openMemory } = await import('../../engine/memory/engine.ts')
    return openMemory({ clock: settings.clock, ttlMs: lifetimes(settings) })
  },
  async etcd(settings) {
    const { options, clock, log } = settings
    if (!options.etcd) throw new Error('--store etcd needs --etcd-servers')
    const { openEtcd } = await import('../../engine/etcd/engine.ts')
    const { ttlMs: leaseMs = SERVER_LEASE_MS } = options.serverLease ?? {}
    const ttlMs = lifetimes(settings)
    return openEtcd({
      ...options.etcd,
      clock,
      log,
      dialTimeoutMs: ETCD_DIAL_MS,
      requestTimeoutMs: ETCD_REQUEST_MS,
      ttlMs: (key) => (key.startsWith(SERVER_LEASE_PREFIX) ? leaseMs : ttlMs?.(key)),
      compactionIntervalMs: options.etcd.compactionIntervalMs ?? ETCD_COMPACTION_MS,
    })
  },
  async lmdb(settings, dataDir) {
    const { options, clock, log, v } = settings
    if (options.dataDir === undefined) throw new Error('--store lmdb needs --data-dir')
    const { openLmdb } = await import('../../engine/lmdb/engine.ts')
    return openLmdb({
      dir: join(options.dataDir, 'store'),
      clock,
      onReadable: (what) => log.warn(what),
      isToGo: () => dataDir?.discardHeld() ?? false,
      ...(options.allowUnlockedDataDir === true
        ? {
            onUnlocked: (why: string) =>
              log.warn(`${why}; nothing prevents a second server from using it`),
          }
        : {}),
      format: { vocabulary: v.name },
      verify: options.verify === true ? 'all' : 'newest',
      ttlMs: lifetimes(settings),
    })
  },
}

const lifetimes = ({ options: { eventTtlMs } }: Settings) =>
  eventTtlMs === 0 ? undefined : eventLifetime(eventTtlMs)
