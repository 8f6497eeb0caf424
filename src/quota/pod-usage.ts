import type { Quantity } from '../base/quantity.ts'
import { parseTime } from '../base/time.ts'
import type { PodAffinityTerm } from '../kinds/core/pod/affinity.ts'
import type { Pod } from '../kinds/core/pod/pod.ts'
import { qosClass } from '../kinds/core/pod/qos.ts'
import { isExtendedResource, isHugePages } from '../kinds/core/resource-names.ts'
import type { ResourceList } from '../kinds/core/resource-requirements.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { amountsOf, largerOf, NO_AMOUNTS, sumOf, type Amounts } from './amounts.ts'
import type { Evaluator } from './evaluator.ts'
import { countName, ONE } from './object-count.ts'
import type { ScopeTraits } from './scopes.ts'

const PODS = { group: '', resource: 'pods' }
const COUNT = countName(PODS)
const REQUESTS = 'requests.'
const LIMITS = 'limits.'
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage']
const NAMES: ReadonlySet<string> = new Set([
  COUNT,
  'pods',
  ...['', REQUESTS, LIMITS].flatMap((of) => COMPUTE.map((name) => of + name)),
])
/** Names that each container must set under a quota that limits them; the others are just counted. */
const DEMANDED: ReadonlySet<string> = new Set(
  ['', REQUESTS, LIMITS].flatMap((of) => ['cpu', 'memory'].map((name) => of + name)),
)

/** Counts pods and the resources that they request. */
export const podUsage = (v: Vocabulary): Evaluator => ({
  of: PODS,
  chargesUpdates: false,
  isCount: false,
  measures: (name) =>
    NAMES.has(name) ||
    isHugePages(name) ||
    name.startsWith(`${REQUESTS}hugepages-`) ||
    isExtendedRequest(name, v),
  usage(object: Typed, now: number) {
    const pod = object as Pod
    const count: Amounts = new Map([[COUNT, ONE]])
    return isOver(pod, now) ? count : sumOf(count, computeUsage(pod, v))
  },
  traits: (object: Typed) => podTraits(object as Pod),
  fault: (object: Typed, limited) => missing(object as Pod, limited, v),
})

/** `requests.example.com/device`: the form that quotas have for devices. */
const isExtendedRequest = (name: string, v: Vocabulary): boolean =>
  name.startsWith(REQUESTS) && name.includes('/') && !name.includes(v.resolve('{label}/'))

/** Whether nothing of a pod runs any more: it has ended, or should long be gone. */
function isOver({ status, metadata }: Pod, now: number): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata
  return (
    deletionTimestamp !== undefined &&
    deletionGracePeriodSeconds !== undefined &&
    now > parseTime(deletionTimestamp) + deletionGracePeriodSeconds * 1000
  )
}

/** What the containers take together; init containers run before them, one after the other. */
function computeUsage({ spec }: Pod, v: Vocabulary): Amounts {
  const total = (of: 'requests' | 'limits'): Amounts => {
    let amounts = NO_AMOUNTS
    for (const { resources } of spec.containers ?? [])
      amounts = sumOf(amounts, amountsOf(resources?.[of]))
    for (const { resources } of spec.initContainers ?? [])
      amounts = largerOf(amounts, amountsOf(resources?.[of]))
    return sumOf(amounts, amountsOf(spec.overhead))
  }
  return underQuotaNames(total('requests'), total('limits'), v)
}

/** Requests and limits under the names that quotas have for them. */
function underQuotaNames(requests: Amounts, limits: Amounts, v: Vocabulary): Amounts {
  const usage = new Map<string, Quantity>([['pods', ONE]])
  for (const [name, amount] of requests) {
    const isPlain = COMPUTE.includes(name) || isHugePages(name)
    if (isPlain) usage.set(name, amount)
    if (isPlain || isExtendedResource(name, v)) usage.set(REQUESTS + name, amount)
  }
  for (const name of COMPUTE) {
    const amount = limits.get(name)
    if (amount) usage.set(LIMITS + name, amount)
  }
  return usage
}

/** What containers do not set and must, by name, with the containers. */
function missing({ spec }: Pod, limited: readonly string[], v: Vocabulary): string | null {
  const demanded = limited.filter((name) => DEMANDED.has(name))
  if (demanded.length === 0) return null
  const without = new Map<string, Set<string>>()
  for (const { name: container, resources } of [
    ...(spec.containers ?? []),
    ...(spec.initContainers ?? []),
  ]) {
    const of = (list: ResourceList | undefined) => amountsOf(list)
    const set = underQuotaNames(of(resources?.requests), of(resources?.limits), v)
    for (const name of demanded) {
      if (set.has(name)) continue
      const containers = without.get(name) ?? new Set()
      without.set(name, containers.add(container))
    }
  }
  if (without.size === 0) return null
  const texts = [...without.keys()]
    .sort()
    .map((name) => `${name} for: ${[...without.get(name)!].sort().join(',')}`)
  return `must specify ${texts.join('; ')}`
}

function podTraits({ spec }: Pod): ScopeTraits {
  return {
    isTerminating: spec.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds >= 0,
    isBestEffort: qosClass(spec) === 'BestEffort',
    usesOtherNamespaces: affinityTerms(spec).some(
      ({ namespaces = [], namespaceSelector }) =>
        namespaces.length > 0 || namespaceSelector !== undefined,
    ),
    priorityClass: spec.priorityClassName ?? '',
  }
}

function affinityTerms({ affinity }: Pod['spec']): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((rules) => [
    ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ podAffinityTerm }) => podAffinityTerm,
    ),
  ])
}
