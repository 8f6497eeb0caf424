/** The pods of a DaemonSet, and the nodes that they belong to. */
import type { DaemonSet } from '../../kinds/apps/daemon-set.ts'
import type { Node } from '../../kinds/core/node/node.ts'
import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { Toleration } from '../../kinds/core/toleration.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { matchesNode } from '../placement/node-affinity.ts'
import { untolerated } from '../placement/taints.ts'
import { byCreation } from '../workloads/owner.ts'
import { podOf } from '../workloads/pod-writes.ts'

/** Kind of the objects whose pods these are. */
export const KIND = { apiVersion: 'apps/v1', kind: 'DaemonSet' } as const

/** Label with the hash of the template. */
export const HASH_LABEL = 'controller-revision-hash'
const GENERATION_LABEL = 'pod-template-generation'
const GENERATION = 'deprecated.daemonset.template.generation'

/** Whether a pod may start on a node, and whether one that runs there may go on. */
export interface NodeFit {
  readonly runs: boolean
  readonly continues: boolean
}

/** What a node means for a set. */
export function fitOf({ spec }: DaemonSet, node: Node, v: Vocabulary): NodeFit {
  const { nodeName = '', hostNetwork = false, ...pod } = spec.template.spec
  if (nodeName !== '' && nodeName !== node.metadata.name) return NOWHERE
  if (!matchesNode(pod, node)) return NOWHERE
  const tolerations = withDaemonTolerations(pod.tolerations ?? [], hostNetwork, v)
  const { taints } = node.spec
  if (!untolerated(taints, tolerations, ['NoSchedule', 'NoExecute'])) return EVERYWHERE
  return { runs: false, continues: !untolerated(taints, tolerations, ['NoExecute']) }
}

const NOWHERE: NodeFit = { runs: false, continues: false }
const EVERYWHERE: NodeFit = { runs: true, continues: true }

/** The pod of a set for a node; the scheduler gives it to the node. */
export function daemonPod(set: DaemonSet, node: string, hash: string, v: Vocabulary): Pod {
  const { template } = set.spec
  const generation = generationOf(set)
  const pod = podOf(template, KIND, set, {
    labels: {
      ...(generation === null ? {} : { [GENERATION_LABEL]: generation }),
      ...(hash === '' ? {} : { [HASH_LABEL]: hash }),
    },
  })
  const { tolerations = [], hostNetwork = false } = template.spec
  pod.spec.tolerations = withDaemonTolerations(tolerations, hostNetwork, v)
  pod.spec.affinity = affinityTo(node, pod.spec)
  return pod
}

function affinityTo(node: string, { affinity }: PodSpec): NonNullable<PodSpec['affinity']> {
  const only = {
    nodeSelectorTerms: [
      { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] },
    ],
  }
  const nodeAffinity = {
    ...affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: only,
  }
  return { ...affinity, nodeAffinity } as NonNullable<PodSpec['affinity']>
}

/** The node that a pod runs on or is meant for; null: it cannot be told. */
export function nodeOf({ spec }: Pod): string | null {
  if ((spec.nodeName ?? '') !== '') return spec.nodeName!
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  for (const { matchFields = [] } of required?.nodeSelectorTerms ?? [])
    for (const { key, operator, values = [] } of matchFields)
      if (key === 'metadata.name' && operator === 'In' && values.length === 1) return values[0]!
  return null
}

/** Whether a pod has the present template of its set. */
export function isUpdated(set: DaemonSet, { metadata }: Pod, hash: string): boolean {
  const generation = generationOf(set)
  const isOfGeneration =
    generation !== null && metadata.labels?.[GENERATION_LABEL] === String(generation)
  return isOfGeneration || (hash !== '' && metadata.labels?.[HASH_LABEL] === hash)
}

function generationOf({ metadata }: DaemonSet): string | null {
  const text = metadata.annotations?.[GENERATION]
  return text !== undefined && /^[+-]?[0-9]{1,19}$/.test(text) ? String(BigInt(text)) : null
}

/** Pods with a node first, then the oldest. */
export const inOrder = (pods: readonly Pod[]): Pod[] =>
  [...pods].sort((a, b) => Number(!hasNode(a)) - Number(!hasNode(b)) || byCreation(a, b))

/** Whether a pod was given to a node. */
export const hasNode = ({ spec }: Pod): boolean => (spec.nodeName ?? '') !== ''

const EXECUTE = ['not-ready', 'unreachable']
const SCHEDULE = ['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable']

/** Adds what all daemon pods tolerate; an equal toleration is replaced. */
function withDaemonTolerations(
  given: readonly Toleration[],
  hostNetwork: boolean,
  v: Vocabulary,
): Toleration[] {
  const network = hostNetwork ? ['network-unavailable'] : []
  const added = [
    ...EXECUTE.map((name) => [name, 'NoExecute']),
    ...[...SCHEDULE, ...network].map((name) => [name, 'NoSchedule']),
  ].map(([name, effect]) => ({
    key: v.resolve(`node.{label}/${name}`),
    operator: 'Exists',
    effect,
  }))
  const all = [...given]
  for (const one of added as Toleration[]) {
    const at = all.findIndex((other) => isEqual(other, one))
    if (at < 0) all.push(one)
    else all[at] = one
  }
  return all
}

const isEqual = (a: Toleration, b: Toleration): boolean =>
  a.key === b.key &&
  a.effect === b.effect &&
  a.operator === b.operator &&
  (a.value ?? '') === (b.value ?? '')
