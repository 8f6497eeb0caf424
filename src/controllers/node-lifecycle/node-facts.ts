import { parseTime } from '../../base/time.ts'
import type { Node } from '../../kinds/core/node/node.ts'
import { noExecuteTaints, type Taint } from './node-taints.ts'
import type { NodeWords } from './node-words.ts'
import { zoneOf } from './zones.ts'

/** The condition `Ready` of a node. */
interface ReadyFacts {
  readonly status: string
  readonly heartbeat: string
  readonly transition: string
}

/** What the health of a node depends on. */
export interface NodeFacts {
  readonly name: string
  readonly uid: string
  readonly created: string
  readonly createdMs: number
  /** Null: nobody has reported yet. */
  readonly ready: ReadyFacts | null
  readonly zone: string
  /** Whether it does not count in the health of its zone. */
  readonly isExcluded: boolean
  readonly noExecute: readonly Taint[]
}

/** Reads a node. */
export function factsOf(node: Node, words: NodeWords): NodeFacts {
  const { name = '', uid = '', creationTimestamp = '', labels = {} } = node.metadata
  return {
    name,
    uid,
    created: creationTimestamp,
    createdMs: parseTime(creationTimestamp),
    ready: readyOf(node),
    zone: zoneOf(node, words),
    isExcluded: Object.hasOwn(labels, words.excluded),
    noExecute: noExecuteTaints(node),
  }
}

/** The condition `Ready`; null: there is none. */
export function readyOf({ status }: Node): ReadyFacts | null {
  const found = status.conditions?.find(({ type }) => type === 'Ready')
  if (!found) return null
  return {
    status: found.status ?? '',
    heartbeat: found.lastHeartbeatTime ?? '',
    transition: found.lastTransitionTime ?? '',
  }
}
