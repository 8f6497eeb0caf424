import { keyOf } from '../../client/transport.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { isTerminating } from '../finalizer.ts'
import type { AttachNodes } from './attach-nodes.ts'
import {
  attachedBy,
  claimNameOf,
  inlineCsiVolume,
  type CsiVolume,
  type VolumeSources,
} from './csi-volumes.ts'
import { PairMap, pairKey } from './pair-map.ts'

/** What a pod on a node needs. */
interface PodUse {
  readonly uid: string
  readonly node: string
  readonly claims: ReadonlySet<string>
  /** By the names that the pod has for them. */
  readonly volumes: ReadonlyMap<string, CsiVolume>
}

/** A volume that is needed on a node, and by which pods. */
export interface Wanted {
  readonly volume: CsiVolume
  /** Keys of pods. */
  readonly pods: Set<string>
}

/** Which volumes are needed on which nodes: those of the pods there that have not ended. */
export class WantedVolumes {
  readonly #sources: VolumeSources
  readonly #nodes: AttachNodes
  readonly #pods = new Map<string, PodUse>()
  readonly #byNode = new Map<string, Set<string>>()
  readonly #byClaim = new Map<string, Set<string>>()
  readonly #wanted = new PairMap<Wanted>()

  constructor(sources: VolumeSources, nodes: AttachNodes) {
    this.#sources = sources
    this.#nodes = nodes
  }

  /** Whether a pod of this key needs or may need volumes. */
  knows(pod: string): boolean {
    return this.#pods.has(pod)
  }

  get(volume: string, node: string): Wanted | undefined {
    return this.#wanted.get(volume, node)
  }

  /** By node. */
  ofVolume(volume: string): ReadonlyMap<string, Wanted> {
    return this.#wanted.ofVolume(volume)
  }

  /** Keys of pods on a node. */
  podsOn(node: string): Iterable<string> {
    return this.#byNode.get(node) ?? []
  }

  /** Keys of pods with a claim. */
  podsWith(claim: string): Iterable<string> {
    return this.#byClaim.get(claim) ?? []
  }

  /** Keys of all pods with volumes. */
  allPods(): Iterable<string> {
    return this.#pods.keys()
  }

  /** Takes in the state of a pod; null: it is gone. Returns the keys of the volumes on nodes that this concerns. */
  update(key: string, pod: Pod | null): Set<string> {
    const old = this.#pods.get(key)
    const use = pod && this.#useOf(pod, old)
    const concerned = new Set<string>()
    if (old) this.#unlink(key, old, concerned)
    if (use) this.#link(key, use, concerned)
    return concerned
  }

  #useOf(pod: Pod, old: PodUse | undefined): PodUse | null {
    const { nodeName: node = '', volumes = [] } = pod.spec
    if (node === '') return null
    const { namespace = '', uid = '' } = pod.metadata
    const claims = new Set<string>()
    const needed = new Map<string, CsiVolume>()
    const isNeeded = this.#nodes.isManaged(node) && this.#isInForce(pod, node)
    let hasInline = false
    for (const volume of volumes) {
      const claim = claimNameOf(pod, volume)
      if (claim !== null) claims.add(keyOf(namespace, claim))
      else if (inlineCsiVolume(volume, this.#sources.v)) hasInline = true
      else continue
      if (!isNeeded) continue
      const known = old?.uid === uid ? old.volumes.get(volume.name) : undefined
      const found = attachedBy(pod, volume, this.#sources)
      // What was attached for a pod stays while the pod is there, even if its claim is lost.
      const csi = found === undefined ? known : found
      if (csi) needed.set(volume.name, csi)
    }
    return claims.size === 0 && !hasInline ? null : { uid, node, claims, volumes: needed }
  }

  #isInForce(pod: Pod, node: string): boolean {
    return !hasEnded(pod) || this.#nodes.keepsEnded(node)
  }

  #link(key: string, use: PodUse, concerned: Set<string>): void {
    this.#pods.set(key, use)
    add(this.#byNode, use.node, key)
    for (const claim of use.claims) add(this.#byClaim, claim, key)
    for (const volume of use.volumes.values()) {
      const wanted = this.#wanted.get(volume.id, use.node)
      if (wanted) wanted.pods.add(key)
      else this.#wanted.set(volume.id, use.node, { volume, pods: new Set([key]) })
      concerned.add(pairKey(volume.id, use.node))
    }
  }

  #unlink(key: string, use: PodUse, concerned: Set<string>): void {
    this.#pods.delete(key)
    remove(this.#byNode, use.node, key)
    for (const claim of use.claims) remove(this.#byClaim, claim, key)
    for (const { id } of use.volumes.values()) {
      const wanted = this.#wanted.get(id, use.node)
      wanted?.pods.delete(key)
      if (wanted?.pods.size === 0) this.#wanted.delete(id, use.node)
      concerned.add(pairKey(id, use.node))
    }
  }
}

/** Whether nothing of a pod runs any more. */
function hasEnded(pod: Pod): boolean {
  const { phase, containerStatuses = [] } = pod.status
  if (phase === 'Succeeded' || phase === 'Failed') return true
  const isRunning = containerStatuses.some(({ state }) => !state?.terminated && !state?.waiting)
  return isTerminating(pod) && !isRunning
}

type Sets = Map<string, Set<string>>

function add(sets: Sets, name: string, value: string): void {
  const set = sets.get(name)
  if (set) set.add(value)
  else sets.set(name, new Set([value]))
}

function remove(sets: Sets, name: string, value: string): void {
  const set = sets.get(name)
  set?.delete(value)
  if (set?.size === 0) sets.delete(name)
}
