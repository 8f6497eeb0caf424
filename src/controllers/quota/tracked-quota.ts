import { addQuantity, subtractQuantity, type Quantity } from '../../base/quantity.ts'
import { MAX_VALUES } from '../../meta/value-count.ts'
import type { ResourceQuota } from '../../kinds/core/resource-quota.ts'
import {
  amountsOf,
  differenceOf,
  filtered,
  listOf,
  NOTHING,
  positive,
  sameAmounts,
  type Amounts,
} from '../../quota/amounts.ts'
import { conditionsOf, meetsAll, type ScopeCondition } from '../../quota/scopes.ts'
import type { Counted } from './namespace-counts.ts'
import { PendingCharges } from './pending-charges.ts'

/** After which an object without a charge is added to what is used, milliseconds. */
const UNCHARGED_MS = 1_000

/** Wanted limits, limits in force, and what is used. */
const LISTS = 3

/** What is to be written of a quota. */
export interface QuotaUpdate {
  /** Null: nothing. */
  readonly object: ResourceQuota | null
  /** When to look again, milliseconds from now; null: when something changes. */
  readonly againMs: number | null
}

/** A write by someone else while one of this controller is under way. */
interface Undecided {
  readonly version: string
  readonly increase: Amounts
}

/** A quota with what the objects that it tracks take in total. */
export class TrackedQuota {
  readonly uid: string
  #object: ResourceQuota
  #hard: Amounts
  #used: Amounts
  #conditions: readonly ScopeCondition[]
  /** Total of each limited name that is known; null: to be summed. */
  #total: Map<string, Quantity> | null = null
  readonly #pending = new PendingCharges()
  #isNew = true
  #ownVersion = ''
  #undecided: Undecided[] | null = null

  constructor(object: ResourceQuota) {
    this.uid = object.metadata.uid ?? ''
    this.#object = object
    this.#hard = amountsOf(object.spec.hard)
    this.#used = usedOf(object)
    this.#conditions = conditionsOf(object.spec)
  }

  /** The limits that are wanted. A list that is replaced when they change. */
  get hard(): Amounts {
    return this.#hard
  }

  get metadata(): ResourceQuota['metadata'] {
    return this.#object.metadata
  }

  /** Whether the totals of exactly these names are known. */
  knows(names: readonly string[]): boolean {
    const total = this.#total
    return total !== null && total.size === names.length && names.every((name) => total.has(name))
  }

  /** A new state of the quota; returns what other writers charged. */
  set(object: ResourceQuota, nowMs: number): Amounts {
    const before = this.#used
    const hard = amountsOf(object.spec.hard)
    const conditions = conditionsOf(object.spec)
    if (!sameNames(hard, this.#hard)) this.#total = null
    if (!sameAmounts(hard, this.#hard)) this.#hard = hard
    if (JSON.stringify(conditions) !== JSON.stringify(this.#conditions)) this.#total = null
    this.#conditions = conditions
    this.#object = object
    this.#used = usedOf(object)
    const increase = positive(differenceOf(this.#used, before))
    const version = object.metadata.resourceVersion ?? ''
    if (version === this.#ownVersion || increase.size === 0) return NONE
    if (this.#undecided) this.#undecided.push({ version, increase })
    else this.#pending.charged(increase, nowMs)
    return increase
  }

  /**
   * An object is counted, otherwise or no longer; returns when the quota is to be updated for that, milliseconds from
   * now, or null.
   */
  moved(before: Counted | null, after: Counted | null): number | null {
    const total = this.#total
    if (!total) return null
    const old = before && this.#tracks(before) ? before.usage : NONE
    const now = after && this.#tracks(after) ? after.usage : NONE
    let afterMs: number | null = null
    // An object takes a few amounts; a quota may limit tens of thousands.
    for (const name of new Set([...old.keys(), ...now.keys()])) {
      const present = total.get(name)
      if (!present) continue
      const change = subtractQuantity(now.get(name) ?? NOTHING, old.get(name) ?? NOTHING)
      if (change.nanos === 0n) continue
      const next = addQuantity(present, change)
      total.set(name, next)
      if (change.nanos < 0n) {
        afterMs = 0
        continue
      }
      const used = this.#used.get(name)
      if (used) this.#pending.seen(name, change)
      // Its charge may be reported in a moment.
      if (used && used.nanos < next.nanos) afterMs ??= UNCHARGED_MS
    }
    return afterMs
  }

  /** Sums anew; `names` are those that can be known. */
  sum(names: Iterable<string>, all: Iterable<Counted>, nowMs: number): void {
    const total = new Map<string, Quantity>()
    for (const name of names) total.set(name, NOTHING)
    for (const counted of all) {
      if (!this.#tracks(counted)) continue
      for (const [name, amount] of counted.usage) {
        const present = total.get(name)
        if (present) total.set(name, addQuantity(present, amount))
      }
    }
    this.#total = total
    if (!this.#isNew) return
    this.#isNew = false
    // Charges before this controller began may be under way.
    const unseen = positive(
      differenceOf(
        filtered(this.#used, (name) => total.has(name)),
        total,
      ),
    )
    this.#pending.charged(unseen, nowMs)
  }

  /** Whether another writer made it so that less is used than there is, or the wanted limits are not in force. */
  get isBehind(): boolean {
    const total = this.#total
    if (!total || !sameAmounts(this.#hard, amountsOf(this.#object.status.hard))) return true
    return [...total].some(([name, { nanos }]) => (this.#used.get(name)?.nanos ?? -1n) < nanos)
  }

  /** What to write now. */
  update(nowMs: number): QuotaUpdate {
    const pending = this.#pending.at(nowMs)
    const used = new Map<string, Quantity>()
    let waits = false
    for (const name of this.#hard.keys()) {
      const counted = this.#total?.get(name)
      const present = this.#used.get(name)
      if (counted && present && counted.nanos < present.nanos) {
        const open = pending.get(name) ?? 0n
        const least = open > 0n ? counted.nanos + open : counted.nanos
        waits ||= least > counted.nanos
        used.set(name, least < present.nanos ? { ...counted, nanos: least } : present)
      } else if (counted && counted.nanos !== present?.nanos) used.set(name, counted)
      // What cannot be known keeps what was known.
      else if (present) used.set(name, present)
    }
    const object = this.#object
    // With a status the object would have more values than the server takes.
    if (this.#hard.size * LISTS > MAX_VALUES) return { object: null, againMs: null }
    const isDirty =
      !sameAmounts(this.#used, used) || !sameAmounts(this.#hard, amountsOf(object.status.hard))
    return {
      object: isDirty
        ? { ...object, status: { hard: listOf(this.#hard), used: listOf(used) } }
        : null,
      againMs: waits ? this.#pending.quietAt - nowMs : null,
    }
  }

  /** Writes, and tells own writes from others' that come meanwhile. */
  async write(send: () => Promise<ResourceQuota>, nowMs: number): Promise<void> {
    const undecided: Undecided[] = (this.#undecided = [])
    try {
      const { metadata } = await send()
      this.#ownVersion = metadata.resourceVersion ?? ''
    } finally {
      this.#undecided = null
      for (const { version, increase } of undecided)
        if (version !== this.#ownVersion) this.#pending.charged(increase, nowMs)
    }
  }

  #tracks({ traits }: Counted): boolean {
    return meetsAll(this.#conditions, traits)
  }
}

const NONE: Amounts = new Map()

const usedOf = ({ status }: ResourceQuota): Amounts => amountsOf(status?.used)

const sameNames = (a: Amounts, b: Amounts): boolean =>
  a.size === b.size && [...a.keys()].every((name) => b.has(name))
