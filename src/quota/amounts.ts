/** Amounts of resources by name, as quotas add and compare them. */
import {
  addQuantity,
  compareQuantity,
  formatQuantity,
  isZero,
  parseQuantity,
  sign,
  subtractQuantity,
  type Quantity,
} from '../base/quantity.ts'
import type { ResourceList } from '../kinds/core/resource-requirements.ts'

/** Amounts by resource name. Names come from users: they are keys of maps, never of objects. */
export type Amounts = ReadonlyMap<string, Quantity>

export const NO_AMOUNTS: Amounts = new Map()

/** The amounts of a list; none for an absent one. */
export function amountsOf(list: ResourceList | undefined): Amounts {
  if (!list) return NO_AMOUNTS
  const amounts = new Map<string, Quantity>()
  for (const name of Object.keys(list)) amounts.set(name, parseQuantity(list[name]!))
  return amounts
}

/** The list of amounts, sorted by name, as objects hold it. */
export const listOf = (amounts: Amounts): ResourceList =>
  Object.fromEntries(
    namesOf(amounts).map((name) => [name, formatQuantity(amounts.get(name)!)] as const),
  )

/** Amounts as refusals show them: `cpu=1,memory=1Gi`, by name. */
export const amountsText = (amounts: Amounts): string =>
  namesOf(amounts)
    .map((name) => `${name}=${formatQuantity(amounts.get(name)!)}`)
    .join(',')

const namesOf = (amounts: Amounts): string[] => [...amounts.keys()].sort()

/** The sum of both, of every name in one of them. */
export const sumOf = (a: Amounts, b: Amounts): Amounts => merged(a, b, addQuantity)

/** The larger of both, of every name in one of them. */
export const largerOf = (a: Amounts, b: Amounts): Amounts =>
  merged(a, b, (left, right) => (compareQuantity(left, right) < 0 ? right : left))

function merged(a: Amounts, b: Amounts, merge: (a: Quantity, b: Quantity) => Quantity): Amounts {
  if (b.size === 0) return a
  const result = new Map(a)
  for (const [name, amount] of b) {
    const present = result.get(name)
    result.set(name, present ? merge(present, amount) : amount)
  }
  return result
}

/** What `a` has more than `b`, of every name in one of them. Amounts may be negative. */
export function differenceOf(a: Amounts, b: Amounts): Amounts {
  const result = new Map(a)
  for (const [name, amount] of b) {
    result.set(name, subtractQuantity(result.get(name) ?? NOTHING, amount))
  }
  return result
}

/** Zero, in the usual notation. */
export const NOTHING: Quantity = { nanos: 0n, format: 'DecimalSI' }

/** The amounts whose name and quantity fit. */
export function filtered(
  amounts: Amounts,
  fits: (name: string, amount: Quantity) => boolean,
): Amounts {
  const result = new Map<string, Quantity>()
  for (const [name, amount] of amounts) if (fits(name, amount)) result.set(name, amount)
  return result
}

/** Those of more than nothing. */
export const positive = (amounts: Amounts): Amounts => filtered(amounts, (_, q) => sign(q) > 0)

/** Those of names in the other amounts. */
export const masked = (amounts: Amounts, by: Amounts): Amounts =>
  filtered(amounts, (name) => by.has(name))

/** Whether both have the same names with the same amounts, however they are written. */
export const sameAmounts = (a: Amounts, b: Amounts): boolean =>
  a.size === b.size && [...a].every(([name, { nanos }]) => b.get(name)?.nanos === nanos)

/** Whether there is nothing of any name. */
export const isNothing = (amounts: Amounts): boolean => [...amounts.values()].every(isZero)
