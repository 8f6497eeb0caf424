/** Migrates data of older releases to the current format; the kinds declare former keys and versions. */
import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import type { EtcdPlace } from './options/etcd-options.ts'
import { resources } from '../kinds/index.ts'
import { buildCatalogue } from '../catalogue/catalogue.ts'
import { formerEncryption, serverEncryption } from './encryption-config.ts'
import { eventLifetime } from '../engine/event-lifetime.ts'
import { isOfServers, type Format1 } from '../engine/upgrade/format-1.ts'
import { upgradeLmdb, type Upgraded } from '../engine/upgrade/lmdb.ts'
import { vocabularies } from '../vocabulary/index.ts'
import type { VocabularyName } from '../vocabulary/vocabulary.ts'

const ETCD_REQUEST_MS = 30_000

export interface UpgradeOptions {
  readonly dataDir: string
  readonly vocabulary: VocabularyName
  /** Encryption of the server that wrote the data, with its keys; empty: nothing is encrypted. */
  readonly encryptionConfigFile: string
  /** 0: events live until a server with another setting is started. */
  readonly eventTtlMs: number
}

/** Migrates the embedded store of a data directory to the current format. Throws UnusableDataDir. */
export async function upgradeDataDir(options: UpgradeOptions): Promise<Upgraded> {
  const { dataDir, vocabulary, eventTtlMs } = options
  return upgradeLmdb({
    dir: join(dataDir, 'store'),
    clock: systemClock,
    format: { vocabulary },
    from: await format1(options),
    ttlMs: eventTtlMs === 0 ? undefined : eventLifetime(eventTtlMs),
  })
}

/** Migrates the content of etcd to the current format; resolves with the number of migrated objects. */
export async function upgradeEtcdPlace(
  place: EtcdPlace,
  options: Pick<UpgradeOptions, 'vocabulary' | 'encryptionConfigFile'>,
): Promise<number> {
  const { upgradeEtcd } = await import('../engine/upgrade/etcd.ts')
  return upgradeEtcd({
    ...place,
    requestTimeoutMs: ETCD_REQUEST_MS,
    clock: systemClock,
    from: await format1(options),
  })
}

/** How data of format 1 is read. Throws EncryptionConfigError. */
export async function format1({
  vocabulary,
  encryptionConfigFile: path,
}: Pick<UpgradeOptions, 'vocabulary' | 'encryptionConfigFile'>): Promise<Format1> {
  const v = vocabularies[vocabulary]
  const catalogue = buildCatalogue(resources, v, () => true)
  const prefixes = new Map(
    [...catalogue.entries()].flatMap(({ versions: [{ resource, keyPrefix, virtual }] }) =>
      virtual === null ? [[resource, keyPrefix] as const] : [],
    ),
  )
  const plain = {
    prefixOf: (plural: string) => prefixes.get(plural),
    isOld: (first: string) => prefixes.has(first) || isOfServers(first),
  }
  if (path === '') return plain
  const [before, now] = [
    await formerEncryption(path, catalogue, v),
    await serverEncryption(path, catalogue, v),
  ]
  return {
    ...plain,
    open: (key, stored) => before.decrypt(key, stored).bytes,
    seal: (key, record) => now.encrypt(key, record),
  }
}
