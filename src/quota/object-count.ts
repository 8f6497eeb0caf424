import { quantityOf } from '../base/quantity.ts'
import type { ResourceName } from '../meta/resource-name.ts'
import type { Amounts } from './amounts.ts'
import type { Evaluator } from './evaluator.ts'

const COUNT = 'count/'

/** One object. */
export const ONE = quantityOf(1)

/** The name under which a quota limits the number of objects: `count/deployments.apps`, `count/pods`. */
export const countName = ({ group, resource }: ResourceName): string =>
  `${COUNT}${resource}${group === '' ? '' : `.${group}`}`

/** The resource of such a name; null for another name. */
export function countedResource(name: string): ResourceName | null {
  if (!name.startsWith(COUNT)) return null
  const rest = name.slice(COUNT.length)
  const dot = rest.indexOf('.')
  return dot === -1
    ? { group: '', resource: rest }
    : { group: rest.slice(dot + 1), resource: rest.slice(0, dot) }
}

/** Counts the objects of a resource, also under a second name that quotas of older releases use. */
export function objectCount(of: ResourceName, olderName?: string): Evaluator {
  const name = countName(of)
  const each: Amounts = new Map([
    [name, ONE],
    ...(olderName === undefined ? [] : [[olderName, ONE] as const]),
  ])
  return {
    of,
    chargesUpdates: false,
    isCount: true,
    measures: (asked) => asked === name || asked === olderName,
    usage: () => each,
  }
}
