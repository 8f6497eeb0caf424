import type { ResourceName } from '../meta/resource-name.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { claimUsage } from './claim-usage.ts'
import type { Evaluator } from './evaluator.ts'
import { countedResource, objectCount } from './object-count.ts'
import { podUsage } from './pod-usage.ts'
import { serviceUsage } from './service-usage.ts'

/** Resources that quotas could limit by their plain name before `count/` came. */
const PLAIN_COUNTS = ['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']

/** How the objects of every resource are measured. */
export class Evaluators {
  readonly #own: readonly Evaluator[]
  readonly #ignored: ReadonlySet<string>

  constructor(v: Vocabulary, gate: (name: string) => boolean) {
    this.#own = [
      podUsage(v),
      serviceUsage,
      claimUsage(v, gate),
      ...PLAIN_COUNTS.map((resource) => objectCount({ group: '', resource }, resource)),
    ]
    this.#ignored = new Set(
      [
        { group: '', resource: 'bindings' },
        { group: '', resource: 'events' },
        { group: v.resolve('events{api}'), resource: 'events' },
        { group: v.resolve('authorization{api}'), resource: 'localsubjectaccessreviews' },
      ].map(idOf),
    )
  }

  /** The evaluator of a namespaced resource; null where no quota applies: events, and what is not stored. */
  of(resource: ResourceName): Evaluator | null {
    if (this.#ignored.has(idOf(resource))) return null
    const own = this.#own.find(
      ({ of }) => of.group === resource.group && of.resource === resource.resource,
    )
    return own ?? objectCount({ group: resource.group, resource: resource.resource })
  }

  /** The evaluator that measures a name of a quota; null when there is none. */
  measuring(name: string): Evaluator | null {
    const counted = countedResource(name)
    if (counted) return this.of(counted)
    return this.#own.find((one) => one.measures(name)) ?? null
  }
}

const idOf = ({ group, resource }: ResourceName) => `${group}/${resource}`
