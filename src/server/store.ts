import { join } from 'node:path'
import type { Api } from '../registry/context.ts'
import { silentLog } from '../base/log.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { SERVER_LEASE_MS, SERVER_LEASE_PREFIX } from './keys.ts'
import type { StartingDataDir } from './data-dir.ts'
import type { ServerOptions } from './options/server-options.ts'
import type { EncryptedEngine } from '../engine/encryption/encrypted-engine.ts'
import type { EtcdEngine } from '../engine/etcd/engine.ts'
import { eventLifetime } from '../engine/event-lifetime.ts'
import type { Engine } from '../engine/engine.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

const ETCD_DIAL_MS = 20_000
const ETCD_REQUEST_MS = 10_000
const ETCD_COMPACTION_MS = 300_000

/** Puts encryption at rest over an engine; null when none is asked for. Throws EncryptionConfigError. */
export async function encryptedStore(
  engine: Engine,
  { encryptionConfigFile = '' }: ServerOptions,
  catalogue: Catalogue,
  v: Vocabulary,
): Promise<EncryptedEngine | null> {
  if (encryptionConfigFile === '') return null
  const { encryptedEngine } = await import('../engine/encryption/encrypted-engine.ts')
  const { serverEncryption } = await import('./encryption.ts')
  return encryptedEngine(engine, await serverEncryption(encryptionConfigFile, catalogue, v))
}

/** Opens the store that the options name. Throws UnusableDataDir and StoreUnavailable. */
export async function openEngine(
  store: 'lmdb' | 'memory' | 'etcd',
  options: ServerOptions,
  clock: Api['clock'],
  { vocabulary, dataDir }: { vocabulary: string; dataDir: StartingDataDir | null },
): Promise<Engine & Partial<Pick<EtcdEngine, 'check'>>> {
  const { ttlMs: leaseMs = SERVER_LEASE_MS } = options.serverLease ?? {}
  const ttlMs = options.eventTtlMs === 0 ? undefined : eventLifetime(options.eventTtlMs)
  if (store === 'memory') {
    const { openMemory } = await import('../engine/memory/engine.ts')
    return openMemory({ clock, ttlMs })
  }
  if (store === 'etcd') {
    if (!options.etcd) throw new Error('--store etcd needs --etcd-servers')
    const { openEtcd } = await import('../engine/etcd/engine.ts')
    return openEtcd({
      ...options.etcd,
      clock,
      log: options.log ?? silentLog,
      dialTimeoutMs: ETCD_DIAL_MS,
      requestTimeoutMs: ETCD_REQUEST_MS,
      ttlMs: (key) => (key.startsWith(SERVER_LEASE_PREFIX) ? leaseMs : ttlMs?.(key)),
      compactionIntervalMs: options.etcd.compactionIntervalMs ?? ETCD_COMPACTION_MS,
    })
  }
  if (options.dataDir === undefined) throw new Error('--store lmdb needs --data-dir')
  const { openLmdb } = await import('../engine/lmdb/engine.ts')
  const { log = silentLog } = options
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
    format: { vocabulary },
    verify: options.verify === true ? 'all' : 'newest',
    ttlMs,
  })
}
