/** When each node was last heard of. Times of the cluster's machines are never compared with each other. */
import { formatTime } from '../../base/time.ts'
import type { Node } from '../../kinds/core/node/node.ts'
import type { ControllerSettings } from '../settings.ts'
import type { NodeFacts } from './node-facts.ts'
import type { NodeWords } from './node-words.ts'

/** Local times of one node, with the last that was seen of its reports. */
export interface Health {
  readonly uid: string
  /** When a report was last seen to change. */
  probeMs: number
  /** When the node was last seen to become ready or not. */
  readyMs: number
  heartbeat: string | null
  transition: string
  renewMs: number | null
}

/** Takes over what is seen of a node now; `renewMs`: the time in its lease, null without. */
export function observed(
  before: Health | undefined,
  { uid, createdMs, ready }: NodeFacts,
  { nowMs, renewMs }: { readonly nowMs: number; readonly renewMs: number | null },
): Health {
  const first = ready ? nowMs : createdMs
  const health: Health =
    before?.uid === uid
      ? before
      : {
          ...{ uid, probeMs: first, readyMs: first, renewMs: null },
          ...{ heartbeat: ready?.heartbeat ?? null, transition: ready?.transition ?? '' },
        }
  const heartbeat = ready?.heartbeat ?? null
  if (heartbeat !== health.heartbeat) {
    const isOther = heartbeat === null || health.heartbeat === null
    health.probeMs = nowMs
    if (isOther || ready?.transition !== health.transition) health.readyMs = nowMs
    health.heartbeat = heartbeat
    health.transition = ready?.transition ?? ''
  }
  if (renewMs !== null && (health.renewMs === null || health.renewMs < renewMs)) {
    health.renewMs = renewMs
    health.probeMs = nowMs
  }
  return health
}

/** Whether a node has not been heard of for so long that its condition `Ready` has to change. */
export function isStale(
  { probeMs }: Health,
  { ready }: NodeFacts,
  nowMs: number,
  settings: ControllerSettings,
): boolean {
  if (ready?.status === 'Unknown') return false
  return nowMs > probeMs + (ready ? settings.nodeGraceMs : settings.nodeStartupGraceMs)
}

const WATCHED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const

type Conditions = NonNullable<Node['status']['conditions']>

/** The conditions of a node that does not report: those that its agent reports become `Unknown`. */
export function staleConditions(node: Node, { agent }: NodeWords, nowMs: number): Conditions {
  const now = formatTime(nowMs)
  const before = node.status.conditions ?? []
  const isWatched = (type: string | undefined) => WATCHED.some((one) => one === type)
  const changed = before.map((one) =>
    isWatched(one.type) && one.status !== 'Unknown'
      ? {
          ...one,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: `${agent} stopped posting node status.`,
          lastTransitionTime: now,
        }
      : one,
  )
  const missing = WATCHED.filter((type) => !before.some((one) => one.type === type))
  return [
    ...changed,
    ...missing.map((type) => ({
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: `${agent} never posted node status.`,
      lastHeartbeatTime: node.metadata.creationTimestamp ?? now,
      lastTransitionTime: now,
    })),
  ]
}
