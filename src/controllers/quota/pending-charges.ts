import type { Quantity } from '../../base/quantity.ts'
import type { Amounts } from '../../quota/amounts.ts'

/**
 * After this time without a charge every charged object is there, or will never be: as long as a request may take,
 * milliseconds.
 */
export const QUIET_MS = 60_000

/**
 * What quotas were charged for objects that have not been seen. A request charges a quota before it stores its object:
 * to take the amount back meanwhile would let another request have it too. A charge whose request failed is never
 * followed by an object; it is forgotten when no request can be under way.
 *
 *     charged(pods=1)  seen(pods=1)    at(now) = {}         the object is there
 *     charged(pods=1)                  at(now) = {pods=1}   under way, or failed
 *                      a minute later  at(now) = {}         failed
 */
export class PendingCharges {
  /** May be less than zero for a while: charges and objects are reported independently. */
  readonly #nanos = new Map<string, bigint>()
  #lastMs = -Infinity

  charged(amounts: Amounts, nowMs: number): void {
    if (amounts.size === 0) return
    this.#forgetQuiet(nowMs)
    this.#lastMs = nowMs
    for (const [name, { nanos }] of amounts) this.#add(name, nanos)
  }

  /** An object that takes so much more of a name. */
  seen(name: string, amount: Quantity): void {
    this.#add(name, -amount.nanos)
  }

  /** What may be under way, in billionths, by name. */
  at(nowMs: number): ReadonlyMap<string, bigint> {
    this.#forgetQuiet(nowMs)
    return this.#nanos
  }

  /** When it is forgotten what has not been seen. */
  get quietAt(): number {
    return this.#lastMs + QUIET_MS
  }

  #add(name: string, nanos: bigint): void {
    this.#nanos.set(name, (this.#nanos.get(name) ?? 0n) + nanos)
  }

  #forgetQuiet(nowMs: number): void {
    if (nowMs >= this.quietAt) this.#nanos.clear()
  }
}
