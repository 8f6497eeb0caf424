/** What one request takes from the quotas of its namespace, and whether they have that. */
import { sign } from '../../base/quantity.ts'
import { plainError } from '../../meta/errors.ts'
import {
  amountsText,
  differenceOf,
  filtered,
  isNothing,
  masked,
  NO_AMOUNTS,
  positive,
  sumOf,
  type Amounts,
} from '../../quota/amounts.ts'
import type { Evaluator } from '../../quota/evaluator.ts'
import { meets, meetsAll, type ScopeCondition, type ScopeTraits } from '../../quota/scopes.ts'
import type { Attributes } from '../attributes.ts'
import { refusalOf } from '../refusal.ts'
import type { LimitedResource } from './limits.ts'
import type { Quota } from './quota-index.ts'

/** Amounts that are taken from quotas, by uid. */
export type Charges = ReadonlyMap<string, Amounts>

/** A request that quotas are asked for. It is measured once, however often the quotas change meanwhile. */
export class QuotaRequest {
  readonly attributes: Attributes
  readonly #evaluator: Evaluator
  readonly #limited: readonly LimitedResource[]
  #total: Amounts | null = null
  #traits: ScopeTraits | null = null

  constructor(attributes: Attributes, evaluator: Evaluator, limited: readonly LimitedResource[]) {
    this.attributes = attributes
    this.#evaluator = evaluator
    this.#limited = limited
  }

  /**
   * What the request takes from each quota that tracks it, when these amounts are used of them. Throws StatusError when
   * one of them has not enough, or cannot tell.
   */
  charges(quotas: readonly Quota[], usedOf: (quota: Quota) => Amounts): Charges {
    const tracking = quotas.filter((quota) => this.#isTrackedBy(quota))
    for (const quota of tracking) this.#checkMeasured(quota, usedOf(quota))
    const taken = this.#taken()
    if (isNothing(taken)) return NO_CHARGES
    this.#checkCovered(quotas, tracking)
    const charges = new Map<string, Amounts>()
    for (const quota of tracking) {
      const requested = positive(masked(taken, quota.hard))
      const used = usedOf(quota)
      const next = sumOf(used, requested)
      const exceeded = filtered(
        requested,
        (name) => next.get(name)!.nanos > quota.hard.get(name)!.nanos,
      )
      if (exceeded.size > 0) throw this.#exceeded(quota, exceeded, used)
      if (requested.size > 0) charges.set(quota.uid, requested)
    }
    return charges
  }

  #isTrackedBy({ hard, conditions }: Quota): boolean {
    if (![...hard.keys()].some((name) => this.#evaluator.measures(name))) return false
    return meetsAll(conditions, conditions.length === 0 ? null : this.#traitsOf())
  }

  #traitsOf(): ScopeTraits | null {
    return (this.#traits ??= this.#evaluator.traits?.(this.#object) ?? null)
  }

  get #object() {
    return this.attributes.object!.live
  }

  /** The object must set what the quota limits, and the quota must know what is used. */
  #checkMeasured({ name, hard }: Quota, used: Amounts): void {
    const limited = [...hard.keys()].filter((one) => this.#evaluator.measures(one)).sort()
    const fault = this.#evaluator.fault?.(this.#object, limited) ?? null
    if (fault !== null) throw refusalOf(this.attributes, `failed quota: ${name}: ${fault}`)
    if (limited.some((one) => !used.has(one)))
      throw refusalOf(
        this.attributes,
        `status unknown for quota: ${name}, resources: ${limited.join(',')}`,
      )
  }

  /** What the object takes in total. */
  #usage(): Amounts {
    if (this.#total) return this.#total
    const usage = this.#evaluator.usage(this.#object, this.attributes.now)
    const negative = [...filtered(usage, (_, amount) => sign(amount) < 0).keys()].sort()
    if (negative.length > 0)
      throw refusalOf(
        this.attributes,
        `quota usage is negative for resource(s): ${negative.join(',')}`,
      )
    return (this.#total = usage)
  }

  /** What the request adds to what the object took before. */
  #taken(): Amounts {
    const { operation, oldObject, now } = this.attributes
    const usage = this.#usage()
    if (operation !== 'UPDATE') return usage
    const before = oldObject ? this.#evaluator.usage(oldObject.live, now) : NO_AMOUNTS
    return positive(differenceOf(usage, before))
  }

  /** Limited resources must be covered by a quota. */
  #checkCovered(quotas: readonly Quota[], tracking: readonly Quota[]): void {
    const limited = this.#limited
    if (limited.length === 0) return
    const { group, resource } = this.#evaluator.of
    const parts = limited
      .filter(({ of }) => of.group === group && of.resource === resource)
      .flatMap(({ matchContains }) => matchContains)
    const uncovered = [...positive(this.#usage()).keys()]
      .filter((name) => parts.some((part) => name.includes(part)))
      .filter((name) => !tracking.some(({ hard }) => hard.has(name)))
      .sort()
    if (uncovered.length > 0)
      throw refusalOf(this.attributes, `insufficient quota to consume: ${uncovered.join(',')}`)
    this.#checkScopes(quotas)
  }

  #checkScopes(quotas: readonly Quota[]): void {
    const traits = this.#traitsOf()
    if (!traits) return
    const covered = new Set(
      quotas.flatMap(({ conditions }) =>
        conditions.filter((one) => meets(one, traits)).map(({ scopeName }) => scopeName),
      ),
    )
    const uncovered = this.#limited
      .flatMap(({ matchScopes }) => matchScopes)
      .filter((one) => meets(one, traits) && !covered.has(one.scopeName))
    if (uncovered.length === 0) return
    throw plainError(
      `insufficient quota to match these scopes: [${uncovered.map(conditionText).join(' ')}]`,
    )
  }

  #exceeded({ name, hard }: Quota, requested: Amounts, used: Amounts) {
    const text = [
      `requested: ${amountsText(requested)}`,
      `used: ${amountsText(masked(used, requested))}`,
      `limited: ${amountsText(masked(hard, requested))}`,
    ]
    return refusalOf(this.attributes, `exceeded quota: ${name}, ${text.join(', ')}`)
  }
}

const NO_CHARGES: Charges = new Map()

/** A condition as the reference prints it. */
const conditionText = ({ scopeName, operator, values = [] }: ScopeCondition) =>
  `{${scopeName} ${operator} [${values.join(' ')}]}`
