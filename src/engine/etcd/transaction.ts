import { StoreFull, type Change, type Item, type Revision } from '../engine.ts'
import type { Connection } from './connection.ts'
import { isLeaseExpired } from './errors.ts'
import type { Layout } from './layout.ts'
import type { Leases } from './leases.ts'
import { readRange } from './reads.ts'
import {
  decodeTxn,
  encodeTxn,
  itemOf,
  type TxnRequest,
  type TxnResponse,
  type Write,
} from './messages.ts'

/** Dependencies of transactions. */
export interface TransactionDependencies {
  readonly connection: Connection
  readonly layout: Layout
  readonly leases: Leases
  readonly ttlMs?: ((key: string) => number | undefined) | undefined
}

/** Result of a transaction. */
export interface Outcome {
  /** The revision it made, or when it changed nothing one that etcd has. */
  readonly revision: Revision
  readonly changed: boolean
  /** The first key whose condition does not hold, with its present state. */
  readonly failed: { readonly key: string; readonly found: Item | null } | null
}

/** Makes all changes at once, or none when a condition does not hold. */
export async function transact(
  changes: readonly Change[],
  dependencies: TransactionDependencies,
): Promise<Outcome> {
  const { layout } = dependencies
  const conditions = changes.flatMap(({ key, ifChangedAt }) =>
    ifChangedAt === undefined ? [] : [{ key, place: layout.toEtcd(key), changed: ifChangedAt }],
  )
  // etcd takes a key once in a transaction; the value after the last change counts.
  const last = new Map(changes.map((change) => [layout.toEtcd(change.key), change]))
  const { revision, succeeded, deleted, read } = await write(last, dependencies, {
    compare: conditions.map(({ place, changed }) => ({ key: place, changed })),
    read: [...new Set(conditions.map(({ place }) => place))],
  })
  if (succeeded) {
    const puts = [...last.values()].some(({ value }) => value !== null)
    return { revision, changed: puts || deleted > 0, failed: null }
  }
  const found = new Map(read.flatMap((kv) => (kv ? [[kv.key, kv] as const] : [])))
  const first = conditions.find(
    ({ place, changed }) => (found.get(place)?.changed ?? 0) !== changed,
  )
  if (!first) throw new Error('etcd refused a transaction whose conditions hold')
  const kv = found.get(first.place)
  const failed = { key: first.key, found: kv ? itemOf(first.key, kv) : null }
  return { revision, changed: false, failed }
}

async function write(
  changes: ReadonlyMap<string, Change>,
  { connection, leases, ttlMs }: TransactionDependencies,
  { compare, read }: Pick<TxnRequest, 'compare' | 'read'>,
): Promise<TxnResponse> {
  for (let again = false; ; again = true) {
    const writes: Write[] = []
    let leased = false
    for (const [place, { key, value }] of changes) {
      const life = value === null ? undefined : ttlMs?.(key)
      const lease = life === undefined ? undefined : await leases.take(life)
      leased ||= lease !== undefined
      writes.push({ key: place, value, lease })
    }
    try {
      return await connection.call({
        method: '/etcdserverpb.KV/Txn',
        request: encodeTxn({ compare, writes, read }),
        decode: decodeTxn,
        writes: true,
        operation: operationOf([...changes.values()]),
        key: [...changes.values()][0]?.key ?? '',
        traceparent: [...changes.values()][0]?.traceparent,
      })
    } catch (error) {
      const made = error instanceof StoreFull ? await madeAllTheSame(writes, connection) : null
      if (made !== null) return made
      if (again || !leased || !isLeaseExpired(error)) throw error
      leases.forget()
    }
  }
}

/** What a transaction does to its first key. */
const operationOf = ([first]: readonly Change[]): string => {
  if (!first || first.value === null) return 'delete'
  return first.ifChangedAt === 0 ? 'create' : 'update'
}

/** The first write beyond the quota may be refused and made: a read shows which. */
async function madeAllTheSame(
  writes: readonly Write[],
  connection: Connection,
): Promise<TxnResponse | null> {
  const put = writes.find(({ value }) => value)
  if (!put?.value) return null
  const { items } = await readRange(connection, { key: put.key })
  const [found] = items
  if (!found || Buffer.compare(found.value, put.value) !== 0) return null
  return { revision: found.changed, succeeded: true, deleted: 0, read: [] }
}
