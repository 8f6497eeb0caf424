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
  type KeyValue,
  type TxnResponse,
  type Write,
} from './messages.ts'
import type { CallListener } from './transport.ts'

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

/** Told once; it must not throw. */
export interface OutcomeListener {
  done(outcome: Outcome): void
  failed(error: unknown): void
}

/** Makes all changes at once, or none when a condition does not hold. Throws for keys that have no place. */
export function transact(
  changes: readonly Change[],
  dependencies: TransactionDependencies,
  listener: OutcomeListener,
): void {
  new Transaction(changes, dependencies, listener).begin()
}

/** A change that holds only while its key, here that of etcd, is as it was. */
interface Condition {
  readonly key: string
  readonly changed: Revision
  /** The key in the store. */
  readonly name: string
}

/** A change, and the key of etcd that it is of. */
interface Placed {
  readonly place: string
  readonly change: Change
}

/** One transaction until etcd has answered. */
class Transaction implements CallListener<TxnResponse, unknown> {
  readonly #dependencies: TransactionDependencies
  readonly #listener: OutcomeListener
  readonly #conditions: Condition[] = []
  readonly #changes: readonly Placed[]
  #writes: readonly Write[] = []
  #isLeased = false
  #isAgain = false

  constructor(
    changes: readonly Change[],
    dependencies: TransactionDependencies,
    listener: OutcomeListener,
  ) {
    this.#dependencies = dependencies
    this.#listener = listener
    const placed: Placed[] = []
    for (const change of changes) {
      const place = dependencies.layout.toEtcd(change.key)
      const { key: name, ifChangedAt: changed } = change
      if (changed !== undefined) this.#conditions.push({ key: place, changed, name })
      placed.push({ place, change })
    }
    this.#changes = placed.length > 1 ? lastOfEach(placed) : placed
  }

  begin(): void {
    const writes: Write[] = []
    const { ttlMs } = this.#dependencies
    for (const { place, change } of this.#changes) {
      const { key, value } = change
      if (value !== null && ttlMs?.(key) !== undefined) {
        this.#beginLeased().catch((error: unknown) => this.#listener.failed(error))
        return
      }
      writes.push({ key: place, value, lease: undefined })
    }
    this.#send(writes)
  }

  async #beginLeased(): Promise<void> {
    const { leases, ttlMs } = this.#dependencies
    const writes: Write[] = []
    for (const { place, change } of this.#changes) {
      const { key, value } = change
      const life = value === null ? undefined : ttlMs?.(key)
      const lease = life === undefined ? undefined : await leases.take(life)
      writes.push({ key: place, value, lease })
    }
    this.#isLeased = true
    this.#send(writes)
  }

  #send(writes: readonly Write[]): void {
    this.#writes = writes
    const first = this.#changes[0]?.change
    const compare = this.#conditions
    this.#dependencies.connection.begin(
      {
        method: '/etcdserverpb.KV/Txn',
        request: encodeTxn({ compare, writes, read: keysOf(compare) }),
        decode: decodeTxn,
        writes: true,
        operation: operationOf(first),
        key: first?.key ?? '',
        traceparent: first?.traceparent,
      },
      this,
    )
  }

  answered({ revision, succeeded, deleted, read }: TxnResponse): void {
    const listener = this.#listener
    if (succeeded) {
      const puts = this.#writes.some(({ value }) => value !== null)
      listener.done({ revision, changed: puts || deleted > 0, failed: null })
      return
    }
    const found = new Map<string, KeyValue>()
    for (const kv of read) if (kv) found.set(kv.key, kv)
    const first = this.#conditions.find(
      ({ key, changed }) => (found.get(key)?.changed ?? 0) !== changed,
    )
    if (!first) {
      listener.failed(new Error('etcd refused a transaction whose conditions hold'))
      return
    }
    const kv = found.get(first.key)
    const failed = { key: first.name, found: kv ? itemOf(first.name, kv) : null }
    listener.done({ revision, changed: false, failed })
  }

  failed(error: unknown): void {
    if (error instanceof StoreFull)
      this.#refused(error).catch((cause: unknown) => this.#listener.failed(cause))
    else this.#tryAgain(error)
  }

  async #refused(error: StoreFull): Promise<void> {
    const made = await madeAllTheSame(this.#writes, this.#dependencies.connection)
    if (made !== null) this.answered(made)
    else this.#listener.failed(error)
  }

  #tryAgain(error: unknown): void {
    if (this.#isAgain || !this.#isLeased || !isLeaseExpired(error))
      return this.#listener.failed(error)
    this.#isAgain = true
    this.#dependencies.leases.forget()
    this.begin()
  }
}

/** etcd takes a key once in a transaction: the value after the last change counts. */
const lastOfEach = (placed: readonly Placed[]): readonly Placed[] => [
  ...new Map(placed.map((one) => [one.place, one])).values(),
]

/** The keys that conditions are about, each once. */
function keysOf(conditions: readonly Condition[]): readonly string[] {
  if (conditions.length === 1) return [conditions[0]!.key]
  return [...new Set(conditions.map(({ key }) => key))]
}

/** What a transaction does to its first key. */
const operationOf = (first: Change | undefined): string => {
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
