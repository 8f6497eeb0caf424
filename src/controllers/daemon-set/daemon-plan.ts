/** Which pods of a DaemonSet are created and deleted next. */
import type { DaemonSet } from '../../kinds/apps/daemon-set.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { numberOf } from '../workloads/amounts.ts'
import { isEnding } from '../workloads/owner.ts'
import { isAvailable, isReady } from '../workloads/pod-state.ts'
import { hasNode, HASH_LABEL, inOrder, isUpdated, type NodeFit } from './daemon-pod.ts'

/** What is to be written. */
export interface DaemonPlan {
  /** Names of nodes. */
  readonly creates: readonly string[]
  readonly deletes: readonly Pod[]
}

/** A set with the pods and nodes that matter to it. */
export interface DaemonScene {
  readonly set: DaemonSet
  /** All nodes in the order of their names. */
  readonly nodes: ReadonlyMap<string, NodeFit>
  /** The pods of the set by their nodes. */
  readonly pods: ReadonlyMap<string, readonly Pod[]>
  /** Of the present template. */
  readonly hash: string
  readonly nowMs: number
  /** Whether a failed pod on a node is replaced now; it is looked at again later otherwise. */
  readonly replacesFailed: (pod: Pod, node: string) => boolean
}

/** Gives each node that should have a pod one, and takes away what is too much. */
export function placementPlan(scene: DaemonScene): DaemonPlan {
  const creates: string[] = []
  const deletes: Pod[] = []
  for (const [node, { runs, continues }] of scene.nodes) {
    const pods = scene.pods.get(node) ?? []
    if (runs && pods.length === 0) creates.push(node)
    else if (continues) deletes.push(...surplusOn(scene, node, pods))
    else deletes.push(...pods.filter((pod) => !isEnding(pod)))
  }
  for (const [node, pods] of scene.pods)
    if (!scene.nodes.has(node)) deletes.push(...pods.filter((pod) => !hasNode(pod)))
  return { creates, deletes }
}

function surplusOn(scene: DaemonScene, node: string, pods: readonly Pod[]): Pod[] {
  const present = pods.filter((pod) => !isEnding(pod))
  const failed = present.filter(({ status }) => status?.phase === 'Failed')
  const replaced = failed.filter((pod) => scene.replacesFailed(pod, node))
  const running = inOrder(present.filter((pod) => !failed.includes(pod)))
  if (running.length < 2) return replaced
  if (surgeOf(scene) === 0) return [...replaced, ...running.slice(1)]
  return [...replaced, ...surplusWithSurge(scene, running)]
}

/** The oldest pod of each template stays; the old one goes when it is not ready, or the new one is available. */
function surplusWithSurge({ set, hash, nowMs }: DaemonScene, running: readonly Pod[]): Pod[] {
  const isNew = ({ metadata }: Pod) => metadata.labels?.[HASH_LABEL] === hash
  const [newest, old] = [running.find(isNew), running.find((pod) => !isNew(pod))]
  const others = running.filter((pod) => pod !== newest && pod !== old)
  if (!newest || !old) return others
  const goes = !isReady(old) || isAvailable(newest, set.spec.minReadySeconds ?? 0, nowMs)
  return goes ? [...others, old] : others
}

/** Number of pods that may be more than one on their nodes during an update, as the set says. */
const surgeOf = (scene: DaemonScene): number => limitsOf(scene).maxSurge

/** The next step of a rolling update. */
export function updatePlan(scene: DaemonScene): DaemonPlan {
  const wanted = [...scene.nodes].filter(([, { runs }]) => runs).map(([node]) => node)
  const nodes = [...new Set([...wanted, ...scene.pods.keys()])].sort()
  const limits = limitsOf(scene)
  return limits.maxSurge === 0
    ? replacePlan(scene, nodes, limits.maxUnavailable)
    : surgePlan(scene, nodes, limits.maxSurge)
}

function limitsOf({ set, nodes }: DaemonScene): {
  readonly maxSurge: number
  readonly maxUnavailable: number
} {
  const { type, rollingUpdate = {} } = set.spec.updateStrategy
  if (type !== 'RollingUpdate') return { maxSurge: 0, maxUnavailable: 0 }
  const wanted = [...nodes.values()].filter(({ runs }) => runs).length
  const maxSurge = numberOf(rollingUpdate.maxSurge, wanted, 'up')
  const maxUnavailable = numberOf(rollingUpdate.maxUnavailable, wanted, 'up')
  const isNeither = wanted > 0 && maxSurge === 0 && maxUnavailable === 0
  return { maxSurge, maxUnavailable: isNeither ? 1 : maxUnavailable }
}

/** The pods of a node during an update. */
interface NodePods {
  readonly updated: Pod | null
  readonly old: Pod | null
}

/** Null: there is more than one of a template, which placement puts in order first. */
function podsOn({ set, pods, hash }: DaemonScene, node: string): NodePods | null {
  const present = (pods.get(node) ?? []).filter((pod) => !isEnding(pod))
  const updated = present.filter((pod) => isUpdated(set, pod, hash))
  const old = present.filter((pod) => !updated.includes(pod))
  if (updated.length > 1 || old.length > 1) return null
  return { updated: updated[0] ?? null, old: old[0] ?? null }
}

const serves = ({ set, nowMs }: DaemonScene, pod: Pod): boolean =>
  isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs)

/** Old pods are deleted; placement creates the new ones. */
function replacePlan(scene: DaemonScene, nodes: readonly string[], most: number): DaemonPlan {
  let unavailable = 0
  const deletes: Pod[] = []
  const candidates: Pod[] = []
  for (const node of nodes) {
    const { updated = null, old = null } = podsOn(scene, node) ?? {}
    if (old && !updated) (serves(scene, old) ? candidates : deletes).push(old)
    else if (!updated || old || !serves(scene, updated)) unavailable++
  }
  const left = Math.max(most - unavailable, 0)
  return { creates: [], deletes: [...deletes, ...candidates.slice(0, left)] }
}

/** New pods are created beside old ones, which are deleted when the new ones are available. */
function surgePlan(scene: DaemonScene, nodes: readonly string[], most: number): DaemonPlan {
  let surging = 0
  const creates: string[] = []
  const candidates: string[] = []
  const deletes: Pod[] = []
  for (const node of nodes) {
    const pods = podsOn(scene, node)
    if (!pods) surging++
    else if (pods.old && !pods.updated) (serves(scene, pods.old) ? candidates : creates).push(node)
    else if (pods.old && pods.updated) {
      if (serves(scene, pods.updated)) deletes.push(pods.old)
      else surging++
    }
  }
  const left = Math.max(most - surging, 0)
  return { creates: [...creates, ...candidates.slice(0, left)], deletes }
}
