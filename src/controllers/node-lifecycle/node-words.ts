import type { Vocabulary } from '../../vocabulary/vocabulary.ts'

/** Names of taints, labels and texts of nodes, in the words of the vocabulary. */
export interface NodeWords {
  readonly notReady: string
  readonly unreachable: string
  readonly unschedulable: string
  /** Taints of conditions that are true. */
  readonly pressures: ReadonlyMap<string, string>
  /** Zone and region, each by its older label first. */
  readonly zones: readonly string[]
  readonly regions: readonly string[]
  /** Label of nodes that do not count in the health of their zone. */
  readonly excluded: string
  /** Labels that are kept like the ones that replaced them: `[kept, like]`. */
  readonly copies: readonly (readonly [string, string])[]
  /** Namespace of the leases of nodes. */
  readonly leases: string
  /** The node agent, as messages name it. */
  readonly agent: string
}

/** The words of a vocabulary. */
export function nodeWords(v: Vocabulary): NodeWords {
  const taint = (name: string) => v.resolve(`node.{label}/${name}`)
  const agent = v.resolve('{agent}')
  const both = (name: string) => [
    v.resolve(`failure-domain.beta.{label}/${name}`),
    v.resolve(`topology.{label}/${name}`),
  ]
  return {
    notReady: taint('not-ready'),
    unreachable: taint('unreachable'),
    unschedulable: taint('unschedulable'),
    pressures: new Map([
      ['MemoryPressure', taint('memory-pressure')],
      ['DiskPressure', taint('disk-pressure')],
      ['PIDPressure', taint('pid-pressure')],
      ['NetworkUnavailable', taint('network-unavailable')],
    ]),
    zones: both('zone'),
    regions: both('region'),
    excluded: taint('exclude-disruption'),
    copies: ['os', 'arch'].map((name) => [
      v.resolve(`beta.{label}/${name}`),
      v.resolve(`{label}/${name}`),
    ]),
    leases: v.resolve('{system}-node-lease'),
    agent: agent.charAt(0).toUpperCase() + agent.slice(1),
  }
}
