/** The stores that a server can be started with, and what the rest of the start asks of them before they are open. */
import { join } from 'node:path'
import type { Engine } from '../engine/engine.ts'
import type { EtcdEngine } from '../engine/etcd/engine.ts'
import { eventLifetime } from '../engine/event-lifetime.ts'
import type { StartingDataDir } from './data-dir.ts'
import { SERVER_LEASE_MS, SERVER_LEASE_PREFIX } from './server-records.ts'
import type { Settings } from './settings.ts'

const ETCD_DIAL_MS = 20_000
const ETCD_REQUEST_MS = 10_000
const ETCD_COMPACTION_MS = 300_000

/** An open engine; a remote one has a health check. */
export type OpenEngine = Engine & Partial<Pick<EtcdEngine, 'check' | 'databaseBytes'>>

export interface StoreKind {
  /** Whether opening the store locks the data directory. */
  readonly locksDataDir: boolean
  /** Opens the engine. Throws UnusableDataDir and StoreUnavailable. */
  open(settings: Settings, dataDir: StartingDataDir | null): Promise<OpenEngine>
  /** Names the place of a key for messages, in a store that several servers share; absent for others. */
  sharedPlace?(settings: Settings, key: string): Promise<string>
}

export const storeKinds: Readonly<Record<Settings['store'], StoreKind>> = {
  memory: {
    locksDataDir: false,
    async open(settings) {
      const { openMemory } = await import('../engine/memory/engine.ts')
      return openMemory({ clock: settings.clock, ttlMs: lifetimes(settings) })
    },
  },
  etcd: {
    locksDataDir: false,
    async open(settings) {
      const { options, clock, log, metrics, egress } = settings
      const { openEtcd } = await import('../engine/etcd/engine.ts')
      const { etcdMetrics, leaseMetrics } = await import('./metrics/etcd-metrics.ts')
      const { ttlMs: leaseMs = SERVER_LEASE_MS } = options.serverLease ?? {}
      const ttlMs = lifetimes(settings)
      const etcd = etcdOptions(settings)
      if (egress.etcd && etcd.transport === 'grpc-js')
        throw new Error('--etcd-transport=grpc-js cannot be used with a proxy for etcd')
      return openEtcd({
        ...etcd,
        dial: egress.etcd,
        clock,
        log,
        dialTimeoutMs: ETCD_DIAL_MS,
        requestTimeoutMs: ETCD_REQUEST_MS,
        ttlMs: (key) => (key.startsWith(SERVER_LEASE_PREFIX) ? leaseMs : ttlMs?.(key)),
        observe: etcdMetrics(metrics),
        onLeaseReplaced: leaseMetrics(metrics),
        compactionIntervalMs: etcd.compactionIntervalMs ?? ETCD_COMPACTION_MS,
      })
    },
    async sharedPlace(settings, key) {
      const { Layout } = await import('../engine/etcd/layout.ts')
      return `the key ${new Layout(etcdOptions(settings).prefix).toEtcd(key)} in etcd`
    },
  },
  lmdb: {
    locksDataDir: true,
    async open(settings, dataDir) {
      const { options, clock, traffic, log, v } = settings
      if (options.dataDir === undefined) throw new Error('--store lmdb needs --data-dir')
      const { openLmdb } = await import('../engine/lmdb/engine.ts')
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
        // A journal saves flushes.
        ...(options.storeJournal === false || options.unsafeNoFsync === true
          ? { journalAfter: Infinity }
          : {}),
        requests: () => traffic.requests,
        ...(options.storeFlushAtOnce === false ? { flushes: NEVER_AT_ONCE } : {}),
        isFlushed: options.unsafeNoFsync !== true,
        verify: options.verify === true ? 'all' : 'newest',
        ttlMs: lifetimes(settings),
      })
    },
  },
}

const NEVER_AT_ONCE = { isAtOnce: () => false, took: () => {} }

function etcdOptions({ options }: Settings): NonNullable<Settings['options']['etcd']> {
  if (!options.etcd) throw new Error('--store etcd needs --etcd-servers')
  return options.etcd
}

const lifetimes = ({ options: { eventTtlMs } }: Settings) =>
  eventTtlMs === 0 ? undefined : eventLifetime(eventTtlMs)
