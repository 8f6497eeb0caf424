import type { Revision } from '../engine.ts'
import { decodeTxn, encodeTxn } from './messages.ts'
import type { TransactionDependencies } from './transaction.ts'

/** A key that lies in etcd without a lease. */
export interface Unleased {
  /** As the store's users know it. */
  readonly key: string
  readonly changed: Revision
}

/** Keys of one transaction; within etcd's default limit. */
const BATCH = 100

/**
 * Gives leases to keys that should have a time to live and have none, such as those that were copied here: their time
 * begins now. A key that was changed in between is left alone.
 */
export async function adopt(
  keys: readonly Unleased[],
  means: TransactionDependencies,
): Promise<void> {
  for (let i = 0; i < keys.length; i += BATCH) {
    const batch = keys.slice(i, i + BATCH)
    if (await lease(batch, means)) continue
    for (const key of batch) await lease([key], means)
  }
}

async function lease(
  keys: readonly Unleased[],
  { connection, layout, leases, ttlMs }: TransactionDependencies,
): Promise<boolean> {
  const compare: { readonly key: string; readonly changed: Revision }[] = []
  const writes: { readonly key: string; readonly lease: string }[] = []
  for (const { key, changed } of keys) {
    const life = ttlMs?.(key)
    if (life === undefined) continue
    compare.push({ key: layout.toEtcd(key), changed })
    writes.push({ key: layout.toEtcd(key), lease: await leases.take(life) })
  }
  const { succeeded } = await connection.call({
    method: '/etcdserverpb.KV/Txn',
    request: encodeTxn({ compare, writes, read: [] }),
    decode: decodeTxn,
    writes: true,
  })
  return succeeded
}
