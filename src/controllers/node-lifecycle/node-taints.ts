/** Taints that follow from the state of nodes. */
import { formatTime } from '../../base/time.ts'
import type { Node } from '../../kinds/core/node/node.ts'
import type { NodeWords } from './node-words.ts'

export type Taint = NonNullable<Node['spec']['taints']>[number]

/** Keys of the taints with the effect `NoSchedule` that follow from conditions and from `spec.unschedulable`. */
function wantedKeys(node: Node, words: NodeWords): readonly string[] {
  const keys: string[] = []
  for (const { type, status } of node.status.conditions ?? []) {
    if (type === 'Ready' && status === 'False') keys.push(words.notReady)
    if (type === 'Ready' && status === 'Unknown') keys.push(words.unreachable)
    const key = words.pressures.get(type ?? '')
    if (key !== undefined && status === 'True') keys.push(key)
  }
  if (node.spec.unschedulable === true) keys.push(words.unschedulable)
  return keys
}

/** The taints that a node should have for its conditions, others kept; null: it has them. */
export function taintedByConditions(
  node: Node,
  words: NodeWords,
  nowMs: number,
): readonly Taint[] | null {
  const taints = node.spec.taints ?? []
  const wanted = wantedKeys(node, words)
  const ours = new Set([
    ...[words.notReady, words.unreachable, words.unschedulable],
    ...words.pressures.values(),
  ])
  const isOurs = ({ key, effect }: Taint) => effect === 'NoSchedule' && ours.has(key)
  const kept = taints.filter((one) => !isOurs(one) || wanted.includes(one.key))
  const added = wanted.filter((key) => !taints.some((one) => isOurs(one) && one.key === key))
  if (added.length === 0 && kept.length === taints.length) return null
  const timeAdded = formatTime(nowMs)
  return [...kept, ...added.map((key) => ({ key, effect: 'NoSchedule' as const, timeAdded }))]
}

/** Those that evict pods. */
export const noExecuteTaints = ({ spec }: Node): readonly Taint[] =>
  (spec.taints ?? []).filter(({ effect }) => effect === 'NoExecute')

/** The key of the taint that evicts the pods of a node with this status of `Ready`; null: of a ready one. */
export function evictingKey(status: string | null, words: NodeWords): string | null {
  if (status === 'False') return words.notReady
  return status === 'Unknown' ? words.unreachable : null
}

/** The taints of a node that has, of those that follow from `Ready` and evict pods, this one alone; null: it has that. */
export function taintedToEvict(
  node: Node,
  { key, words, nowMs }: { readonly key: string | null; readonly words: NodeWords; nowMs: number },
): readonly Taint[] | null {
  const taints = node.spec.taints ?? []
  const isOurs = (one: Taint) =>
    one.effect === 'NoExecute' && (one.key === words.notReady || one.key === words.unreachable)
  const kept = taints.filter((one) => !isOurs(one) || one.key === key)
  const hasIt = key === null || kept.some((one) => isOurs(one))
  if (hasIt && kept.length === taints.length) return null
  if (hasIt) return kept
  return [...kept, { key, effect: 'NoExecute', timeAdded: formatTime(nowMs) }]
}

/** Older labels that a node lacks or has otherwise than the ones that replaced them; null: none. */
export function copiedLabels(
  { metadata }: Node,
  { copies }: NodeWords,
): Readonly<Record<string, string>> | null {
  const labels = metadata.labels ?? {}
  const missing = copies.filter(
    ([kept, like]) => Object.hasOwn(labels, like) && labels[kept] !== labels[like],
  )
  if (missing.length === 0) return null
  return Object.fromEntries(missing.map(([kept, like]) => [kept, labels[like] ?? '']))
}
