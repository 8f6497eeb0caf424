import {
  addQuantity,
  compareQuantity,
  formatQuantity,
  integerValue,
  milliValue,
  parseQuantity,
  quantityOf,
  type Quantity,
} from '../base/quantity.ts'
import type { Steps } from '../base/steps.ts'
import type { LimitRange, LimitRangeItem } from '../kinds/core/limit-range.ts'
import type { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import type { Pod } from '../kinds/core/pod/pod.ts'
import type { ResourceList, ResourceRequirements } from '../kinds/core/resource-requirements.ts'

/** Beyond this a sum of thousandths could overflow: amounts are compared as integers. */
const MAX_MILLI_VALUE = (2n ** 63n - 1n) / 1000n

/** UTF-16 units of problems; responses have no room for more. */
const MAX_TEXT = 65_536

/** An amount with its text. */
interface Amount {
  readonly text: string
  readonly quantity: Quantity
}

/** What one object uses, by resource name. */
interface Usage {
  readonly requests: ReadonlyMap<string, Amount>
  readonly limits: ReadonlyMap<string, Amount>
}

/** One bound of an item. */
interface Bound extends Amount {
  readonly resource: string
  readonly type: string
}

/** Returns the problem of one bound; null when the usage keeps it. */
type Check = (bound: Bound, usage: Usage) => string | null

/** The problems of a pod with a limit range, in one text; null when there are none. */
export function* podProblems(pod: Pod, limitRange: LimitRange): Steps<string | null> {
  const problems = new Problems()
  const { containers, initContainers = [] } = pod.spec
  for (const item of limitRange.spec.limits) {
    const checks = checksOf(item, { min: atLeast, max: atMost, maxLimitRequestRatio: inRatio })
    if (item.type === 'Container') {
      for (const { resources } of [...containers, ...initContainers]) {
        yield* problems.find(checks, usageOf(resources))
      }
    } else if (item.type === 'Pod') {
      yield* problems.find(checks, usageOfPod(pod))
    }
  }
  return problems.text
}

/** The same for a claim. */
export function* claimProblems(
  { spec }: PersistentVolumeClaim,
  limitRange: LimitRange,
): Steps<string | null> {
  const problems = new Problems()
  const usage = usageOf({ requests: spec.resources.requests ?? {} })
  for (const item of limitRange.spec.limits) {
    if (item.type !== 'PersistentVolumeClaim') continue
    yield* problems.find(checksOf(item, { min: atLeast, max: requestAtMost }), usage)
  }
  return problems.text
}

/** Distinct problems, as many as there is room for. */
class Problems {
  readonly #found = new Set<string>()
  #size = 0

  get text(): string | null {
    const [first, ...others] = this.#found
    if (first === undefined) return null
    return others.length === 0 ? first : `[${[first, ...others].join(', ')}]`
  }

  *find(checks: readonly (readonly [Check, Bound])[], usage: Usage): Steps<void> {
    for (const [check, bound] of checks) {
      if (this.#size > MAX_TEXT) return
      const problem = check(bound, usage)
      if (problem === null || this.#found.has(problem)) continue
      this.#found.add(problem)
      this.#size += problem.length
    }
    yield
  }
}

function checksOf(
  item: LimitRangeItem,
  checks: Partial<Record<'min' | 'max' | 'maxLimitRequestRatio', Check>>,
): readonly (readonly [Check, Bound])[] {
  return (['min', 'max', 'maxLimitRequestRatio'] as const).flatMap((list) => {
    const check = checks[list]
    if (!check) return []
    return Object.entries(item[list] ?? {}).map(
      ([resource, text]) => [check, { resource, type: item.type, ...amountOf(text) }] as const,
    )
  })
}

const amountOf = (text: string): Amount => ({ text, quantity: parseQuantity(text) })

const amountsOf = (list: ResourceList | undefined): Map<string, Amount> =>
  new Map(Object.entries(list ?? {}).map(([name, text]) => [name, amountOf(text)]))

const usageOf = ({ requests, limits }: Partial<ResourceRequirements>): Usage => ({
  requests: amountsOf(requests),
  limits: amountsOf(limits),
})

/** The sum of the containers, and at least what each init container uses. */
function usageOfPod({ spec: { containers, initContainers = [] } }: Pod): Usage {
  const of = (part: 'requests' | 'limits') => {
    const usage = sumOf(containers.map(({ resources }) => resources[part]))
    for (const { resources } of initContainers) {
      for (const [name, amount] of amountsOf(resources[part])) {
        const known = usage.get(name)
        if (!known || compareQuantity(amount.quantity, known.quantity) > 0) usage.set(name, amount)
      }
    }
    return usage
  }
  return { requests: of('requests'), limits: of('limits') }
}

/** The sums of the resources that are in every list. */
function sumOf([first, ...others]: readonly (ResourceList | undefined)[]): Map<string, Amount> {
  let sums = new Map<string, Quantity>()
  for (const [name, { quantity }] of amountsOf(first)) sums.set(name, decimal(name, quantity))
  for (const list of others) {
    const next = new Map<string, Quantity>()
    for (const [name, { quantity }] of amountsOf(list)) {
      const sum = sums.get(name)
      if (sum) next.set(name, addQuantity(sum, decimal(name, quantity)))
    }
    sums = next
  }
  return new Map(
    [...sums].map(([name, quantity]) => [name, { text: formatQuantity(quantity), quantity }]),
  )
}

/** A summand: processors in thousandths, anything else in integers. */
const decimal = (name: string, quantity: Quantity): Quantity =>
  name === 'cpu'
    ? { nanos: milliValue(quantity) * 1_000_000n, format: 'DecimalSI' }
    : quantityOf(integerValue(quantity))

const atLeast: Check = ({ resource, type, text, quantity }, { requests, limits }) => {
  const bound = `minimum ${resource} usage per ${type} is ${text}`
  const [request, limit] = [requests.get(resource), limits.get(resource)]
  if (!request) return `${bound}.  No request is specified`
  if (isLess(request, quantity)) return `${bound}, but request is ${request.text}`
  return limit && isLess(limit, quantity) ? `${bound}, but limit is ${limit.text}` : null
}

const atMost: Check = ({ resource, type, text, quantity }, { requests, limits }) => {
  const bound = `maximum ${resource} usage per ${type} is ${text}`
  const [request, limit] = [requests.get(resource), limits.get(resource)]
  if (!limit) return `${bound}.  No limit is specified`
  if (isMore(limit, quantity)) return `${bound}, but limit is ${limit.text}`
  return request && isMore(request, quantity) ? `${bound}, but request is ${request.text}` : null
}

const requestAtMost: Check = ({ resource, type, text, quantity }, { requests }) => {
  const bound = `maximum ${resource} usage per ${type} is ${text}`
  const request = requests.get(resource)
  if (!request) return `${bound}.  No request is specified`
  return isMore(request, quantity) ? `${bound}, but request is ${request.text}` : null
}

const inRatio: Check = ({ resource, type, text, quantity }, { requests, limits }) => {
  const bound = `${resource} max limit to request ratio per ${type} is ${text}`
  const [request, limit] = [requests.get(resource), limits.get(resource)]
  const value = valueOf([request?.quantity, limit?.quantity, quantity])
  if (!request || value(request.quantity) === 0n) {
    return `${bound}, but no request is specified or request is 0`
  }
  if (!limit || value(limit.quantity) === 0n) {
    return `${bound}, but no limit is specified or limit is 0`
  }
  const ratio = Number(value(limit.quantity)) / Number(value(request.quantity))
  const isExceeded =
    integerValue(quantity) <= MAX_MILLI_VALUE
      ? ratio * 1000 > Number(milliValue(quantity))
      : ratio > Number(integerValue(quantity))
  return isExceeded ? `${bound}, but provided ratio is ${ratio.toFixed(6)}` : null
}

const isLess = (used: Amount, bound: Quantity) => {
  const value = valueOf([used.quantity, bound])
  return value(used.quantity) < value(bound)
}
const isMore = (used: Amount, bound: Quantity) => {
  const value = valueOf([used.quantity, bound])
  return value(used.quantity) > value(bound)
}

/** Thousandths of amounts, or integers if one of them is large. */
const valueOf = (amounts: readonly (Quantity | undefined)[]): ((one: Quantity) => bigint) =>
  amounts.every((one) => !one || integerValue(one) <= MAX_MILLI_VALUE) ? milliValue : integerValue
