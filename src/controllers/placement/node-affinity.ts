/** Whether nodes match the node selectors and the required node affinity of pods. */
import type { Affinity } from '../../kinds/core/pod/affinity.ts'
import type {
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
} from '../../kinds/core/node-selector.ts'
import type { Node } from '../../kinds/core/node/node.ts'

/** A node, as far as selectors match it. */
export type MatchableNode = Pick<Node, 'metadata'>

/** Where a pod may run, as far as names and labels of nodes decide it. */
export interface NodeChoice {
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined
  readonly affinity?: Affinity | undefined
}

/** Whether a node is one of those that a pod may run on. */
export function matchesNode({ nodeSelector, affinity }: NodeChoice, node: MatchableNode): boolean {
  const labels = node.metadata.labels ?? {}
  for (const [key, value] of Object.entries(nodeSelector ?? {}))
    if (!Object.hasOwn(labels, key) || labels[key] !== value) return false
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || matchesNodeSelector(required, node)
}

/** Whether a node matches one of the terms. */
export const matchesNodeSelector = (
  { nodeSelectorTerms }: NodeSelector,
  node: MatchableNode,
): boolean => nodeSelectorTerms.some((term) => matchesTerm(term, node))

/** Whether a node matches all conditions of a term; a term without any matches nothing. */
function matchesTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  node: MatchableNode,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false
  const labels = node.metadata.labels ?? {}
  const fields = { 'metadata.name': node.metadata.name ?? '' }
  return (
    matchExpressions.every((one) => matches(one, labels)) &&
    matchFields.every((one) => matches(one, fields))
  )
}

function matches(
  { key, operator, values = [] }: NodeSelectorRequirement,
  of: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(of, key) ? of[key]! : null
  switch (operator) {
    case 'In':
      return value !== null && values.includes(value)
    case 'NotIn':
      return value === null || !values.includes(value)
    case 'Exists':
      return value !== null
    case 'DoesNotExist':
      return value === null
    case 'Gt':
      return compared(value, values, (left, right) => left > right)
    case 'Lt':
      return compared(value, values, (left, right) => left < right)
    default:
      return false
  }
}

/** Both must be integers. */
function compared(
  value: string | null,
  [bound = '']: readonly string[],
  holds: (left: bigint, right: bigint) => boolean,
): boolean {
  const [left, right] = [integer(value ?? ''), integer(bound)]
  return left !== null && right !== null && holds(left, right)
}

const integer = (text: string): bigint | null =>
  /^[+-]?[0-9]{1,19}$/.test(text) ? BigInt(text.replace(/^\+/, '')) : null
