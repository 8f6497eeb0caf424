import { parseQuantity } from '../../../base/quantity.ts'
import type { Container } from './container.ts'
import type { PodSpec } from './pod-spec.ts'

const NONE: readonly Container[] = []
const RESOURCES = ['cpu', 'memory'] as const

/**
 * Quality of service class of a pod: `Guaranteed` when the limits of all containers equal their
 * requests, `BestEffort` when no container sets cpu or memory, else `Burstable`.
 */
export function qosClass(spec: PodSpec): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  let guaranteed = true
  let any = false
  for (const list of [spec.containers, spec.initContainers ?? NONE]) {
    for (const { resources } of list) {
      for (const name of RESOURCES) {
        const limit = amount(resources.limits, name)
        const request = amount(resources.requests, name)
        if (limit > 0n || request > 0n) any = true
        if (limit <= 0n || limit !== request) guaranteed = false
      }
    }
  }
  if (!any) return 'BestEffort'
  return guaranteed ? 'Guaranteed' : 'Burstable'
}

const amount = (list: Record<string, string> | undefined, name: string): bigint =>
  list && Object.hasOwn(list, name) ? parseQuantity(list[name]!).nanos : 0n
