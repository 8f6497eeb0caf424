import { copyJson } from '../codec/json-clone.ts'
import { setOwn } from '../codec/json-scanner.ts'
import type { LimitRange } from '../kinds/core/limit-range.ts'
import type { Container } from '../kinds/core/pod/container.ts'
import type { Pod } from '../kinds/core/pod/pod.ts'
import type { ResourceList } from '../kinds/core/resource-requirements.ts'

/** Amounts that limit ranges may set in one pod. A pod with more could not be stored. */
const MAX_SET = 50_000

/** Gives a pod parts of its own where `setDefaults` changes any. */
export function ownResources({ metadata, spec }: Pod): void {
  if (metadata.annotations) metadata.annotations = { ...metadata.annotations }
  spec.containers = spec.containers.map(withOwnResources)
  if (spec.initContainers) spec.initContainers = spec.initContainers.map(withOwnResources)
}

const withOwnResources = (container: Container): Container => ({
  ...container,
  resources: copyJson(container.resources),
})

/**
 * Sets the limits and requests that containers of a pod leave out, and records what was set in an annotation of the
 * pod. Throws an Error when that would be too much.
 */
export function setDefaults(pod: Pod, limitRange: LimitRange, annotation: string): void {
  const items = limitRange.spec.limits.filter(({ type }) => type === 'Container')
  const limits = joined(items.map((item) => item.default))
  const requests = joined(items.map((item) => item.defaultRequest))
  if (limits.size === 0 && requests.size === 0) return
  const budget = { left: MAX_SET }
  const set: string[] = []
  for (const [kind, containers] of [
    ['container', pod.spec.containers],
    ['init container', pod.spec.initContainers ?? []],
  ] as const) {
    for (const { name, resources } of containers) {
      const newRequests = filled((resources.requests ??= {}), requests, budget)
      const newLimits = filled((resources.limits ??= {}), limits, budget)
      if (newRequests !== '') set.push(`${newRequests} request for ${kind} ${name}`)
      if (newLimits !== '') set.push(`${newLimits} limit for ${kind} ${name}`)
    }
  }
  if (set.length === 0) return
  const { metadata } = pod
  setOwn((metadata.annotations ??= {}), annotation, `LimitRanger plugin set: ${set.join('; ')}`)
}

/** All amounts, of each name the last. */
function joined(lists: readonly (ResourceList | undefined)[]): ReadonlyMap<string, string> {
  return new Map(lists.flatMap((list) => Object.entries(list ?? {})))
}

/** Adds what a list leaves out. Returns the names of that. */
function filled(
  list: ResourceList,
  defaults: ReadonlyMap<string, string>,
  budget: { left: number },
): string {
  const names: string[] = []
  for (const [name, amount] of defaults) {
    if (Object.hasOwn(list, name)) continue
    if (budget.left-- === 0) {
      throw new Error(`limit ranges would set more than ${MAX_SET} amounts`)
    }
    setOwn(list, name, amount)
    names.push(name)
  }
  return names.sort().join(', ')
}
