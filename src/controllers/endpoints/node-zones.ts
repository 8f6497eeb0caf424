/** Zones of the cluster: which nodes are in them, and what share of its processors they have. */
import { milliValue, parseQuantity } from '../../base/quantity.ts'
import type { Node } from '../../kinds/core/node/node.ts'
import { sameValue } from '../../meta/field-errors.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'

interface NodeFacts {
  /** Empty: it has none. */
  readonly zone: string
  /** Thousandths of processors for pods; 0: unknown. */
  readonly cpu: number
  /** Whether it is ready and meant for pods of users. */
  readonly counts: boolean
}

/** Shares of zones in the processors of the cluster. */
export type ZoneShares = ReadonlyMap<string, number>

/** The nodes of the cluster, as far as the distribution of endpoints depends on them. */
export class NodeZones {
  readonly #nodes = new Map<string, NodeFacts>()
  readonly #zone: string
  readonly #excluding: readonly string[]
  #shares: ZoneShares | null = null

  constructor(v: Vocabulary) {
    this.#zone = v.resolve('topology.{label}/zone')
    this.#excluding = ['node-role.{label}/control-plane', 'node-role.{label}/master'].map((one) =>
      v.resolve(one),
    )
  }

  /** Takes over the state of a node; null: it is gone. Returns whether the shares have changed. */
  refresh(name: string, node: Node | null): boolean {
    const next = node ? this.#factsOf(node) : null
    if (sameValue(this.#nodes.get(name), next)) return false
    if (next) this.#nodes.set(name, next)
    else this.#nodes.delete(name)
    const shares = this.#computed()
    const isSame = sameValue([...(this.#shares ?? [])], [...(shares ?? [])])
    this.#shares = shares
    return !isSame
  }

  /** The zone of a node, empty where it has none; null: there is no such node. */
  zoneOf(name: string): string | null {
    return this.#nodes.get(name)?.zone ?? null
  }

  /** In order of zones; null where nodes do not tell enough, or there are fewer than two zones. */
  get shares(): ZoneShares | null {
    return this.#shares
  }

  #factsOf({ metadata, status }: Node): NodeFacts {
    const labels = metadata.labels ?? {}
    const cpu = status.allocatable?.cpu
    return {
      zone: labels[this.#zone] ?? '',
      cpu: cpu === undefined ? 0 : Number(milliValue(parseQuantity(cpu))),
      counts:
        !this.#excluding.some((label) => Object.hasOwn(labels, label)) &&
        (status.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True'),
    }
  }

  #computed(): ZoneShares | null {
    const cpus = new Map<string, number>()
    let total = 0
    for (const { zone, cpu, counts } of this.#nodes.values()) {
      if (!counts) continue
      if (zone === '' || cpu === 0) return null
      cpus.set(zone, (cpus.get(zone) ?? 0) + cpu)
      total += cpu
    }
    if (cpus.size < 2) return null
    const shares = [...cpus].map(([zone, cpu]) => [zone, cpu / total] as const)
    return new Map(shares.sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}
