/** Which nodes need which objects, according to pods and volumes. */
import type { PersistentVolume } from '../kinds/core/persistent-volume.ts'
import type { Pod } from '../kinds/core/pod/pod.ts'
import type { VolumeAttachment } from '../kinds/storage/volume-attachment.ts'
import type { ObjectHandler, ObjectSource } from '../catalogue/object-source.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import {
  claimsOfPod,
  configMapsOfPod,
  nodeSecretsOfVolume,
  secretsOfPod,
} from './pod-references.ts'

/** Objects that pods refer to directly. */
export type Needed = 'secret' | 'configMap' | 'claim' | 'serviceAccount'

interface PodEntry {
  readonly uid: string
  readonly node: string
  readonly keys: readonly string[]
}

interface VolumeEntry {
  /** Key of the claim that the volume is bound to. */
  readonly claim: string
  /** Keys of the secrets with which it is mounted. */
  readonly secrets: readonly string[]
}

const keyOf = (what: Needed, namespace: string, name: string): string =>
  `${what}/${namespace}/${name}`

/**
 * Uses counts: every object that pods refer to knows its nodes, and every volume its claim, so that no look-up
 * walks further than from a secret over a volume to a claim.
 */
export class NodeGraph {
  readonly #mirrorAnnotation: string
  /** How many pods on each node need an object. */
  readonly #nodes = new Map<string, Map<string, number>>()
  readonly #pods = new Map<string, PodEntry>()
  readonly #volumes = new Map<string, VolumeEntry>()
  /** Volumes that are mounted with a secret. */
  readonly #volumesOfSecret = new Map<string, Set<VolumeEntry>>()
  readonly #attachments = new Map<string, string>()

  constructor(v: Vocabulary) {
    this.#mirrorAnnotation = v.resolve('{label}/config.mirror')
  }

  /** Starts to follow pods, volumes and attachments; resolves when all that exist are known. Returns what ends it. */
  async follow(source: ObjectSource, v: Vocabulary): Promise<() => void> {
    const stops = await Promise.all([
      source.follow<Pod>({ group: '', resource: 'pods' }, this.pods),
      source.follow<PersistentVolume>({ group: '', resource: 'persistentvolumes' }, this.volumes),
      source.follow<VolumeAttachment>(
        { group: v.resolve('storage{api}'), resource: 'volumeattachments' },
        this.attachments,
      ),
    ])
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** Handler of pods. */
  readonly pods: ObjectHandler<Pod> = {
    set: (pod) => {
      const { name = '', namespace = '', uid = '' } = pod.metadata
      const key = `${namespace}/${name}`
      const node = pod.spec?.nodeName ?? ''
      const known = this.#pods.get(key)
      // References added to a running pod give its node nothing more: only a pod that is placed anew does.
      if (known?.uid === uid && (known.node === node || node === '')) return
      if (known) this.#dropPod(key, known)
      if (node === '') return
      const entry: PodEntry = { uid, node, keys: this.#keysOfPod(pod) }
      this.#pods.set(key, entry)
      for (const needed of entry.keys) {
        let nodes = this.#nodes.get(needed)
        if (!nodes) this.#nodes.set(needed, (nodes = new Map()))
        nodes.set(node, (nodes.get(node) ?? 0) + 1)
      }
    },
    removed: ({ metadata: { name = '', namespace = '' } }) => {
      const key = `${namespace}/${name}`
      const known = this.#pods.get(key)
      if (known) this.#dropPod(key, known)
    },
  }

  /** Handler of persistent volumes. */
  readonly volumes: ObjectHandler<PersistentVolume> = {
    set: (volume) => {
      const name = volume.metadata.name ?? ''
      this.#dropVolume(name)
      const claim = volume.spec?.claimRef
      if (!claim) return
      const entry: VolumeEntry = {
        claim: keyOf('claim', claim.namespace ?? '', claim.name ?? ''),
        secrets: nodeSecretsOfVolume(volume).map((s) => keyOf('secret', s.namespace, s.name)),
      }
      this.#volumes.set(name, entry)
      for (const secret of entry.secrets) {
        const volumes = this.#volumesOfSecret.get(secret)
        if (volumes) volumes.add(entry)
        else this.#volumesOfSecret.set(secret, new Set([entry]))
      }
    },
    removed: ({ metadata }) => this.#dropVolume(metadata.name ?? ''),
  }

  /** Handler of volume attachments. */
  readonly attachments: ObjectHandler<VolumeAttachment> = {
    set: ({ metadata, spec }) => {
      this.#attachments.set(metadata.name ?? '', spec?.nodeName ?? '')
    },
    removed: ({ metadata }) => {
      this.#attachments.delete(metadata.name ?? '')
    },
  }

  /** Whether a pod on the node needs an object, itself or, for secrets, to mount its volumes. */
  needs(node: string, what: Needed, namespace: string, name: string): boolean {
    const key = keyOf(what, namespace, name)
    if (this.#isNeeded(node, key)) return true
    if (what !== 'secret') return false
    for (const { claim } of this.#volumesOfSecret.get(key) ?? [])
      if (this.#isNeeded(node, claim)) return true
    return false
  }

  /** Whether a pod on the node mounts the claim that a persistent volume is bound to. */
  needsVolume(node: string, name: string): boolean {
    const volume = this.#volumes.get(name)
    return volume !== undefined && this.#isNeeded(node, volume.claim)
  }

  /** Whether a volume attachment is to the node. */
  isAttached(node: string, name: string): boolean {
    return this.#attachments.get(name) === node
  }

  /** How many objects are remembered. */
  get size(): number {
    return (
      this.#nodes.size +
      this.#pods.size +
      this.#volumes.size +
      this.#volumesOfSecret.size +
      this.#attachments.size
    )
  }

  #isNeeded(node: string, key: string): boolean {
    return this.#nodes.get(key)?.has(node) === true
  }

  #keysOfPod({ metadata, spec }: Pod): string[] {
    const { name = '', namespace = '', annotations } = metadata
    // Made by the node itself: its references must not open anything.
    const isMirror = annotations !== undefined && Object.hasOwn(annotations, this.#mirrorAnnotation)
    if (!spec || isMirror) return []
    const keys = [
      ...secretsOfPod(spec).map((secret) => keyOf('secret', namespace, secret)),
      ...configMapsOfPod(spec).map((map) => keyOf('configMap', namespace, map)),
      ...claimsOfPod(name, spec).map((claim) => keyOf('claim', namespace, claim)),
    ]
    const account = spec.serviceAccountName ?? ''
    if (account !== '') keys.push(keyOf('serviceAccount', namespace, account))
    return keys
  }

  #dropPod(key: string, { node, keys }: PodEntry): void {
    this.#pods.delete(key)
    for (const needed of keys) {
      const nodes = this.#nodes.get(needed)
      if (!nodes) continue
      const left = (nodes.get(node) ?? 0) - 1
      if (left > 0) nodes.set(node, left)
      else nodes.delete(node)
      if (nodes.size === 0) this.#nodes.delete(needed)
    }
  }

  #dropVolume(name: string): void {
    const entry = this.#volumes.get(name)
    if (!entry) return
    this.#volumes.delete(name)
    for (const secret of entry.secrets) {
      const volumes = this.#volumesOfSecret.get(secret)
      volumes?.delete(entry)
      if (volumes?.size === 0) this.#volumesOfSecret.delete(secret)
    }
  }
}
