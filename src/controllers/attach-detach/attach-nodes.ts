import type { Node } from '../../kinds/core/node/node.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'

/** What attaching depends on, of one node. */
interface AttachNode {
  readonly isManaged: boolean
  readonly keepsEnded: boolean
  readonly isReady: boolean
  readonly isOutOfService: boolean
  readonly inUse: ReadonlySet<string>
  readonly isGone: boolean
}

/** The nodes of the cluster; those that are gone are known as long as something is attached to them. */
export class AttachNodes {
  readonly #nodes = new Map<string, AttachNode>()
  readonly #words: Readonly<Record<'managed' | 'keeps' | 'outOfService', string>>

  constructor(v: Vocabulary) {
    this.#words = {
      managed: v.resolve('volumes.{label}/controller-managed-attach-detach'),
      keeps: v.resolve('volumes.{label}/keep-terminated-pod-volumes'),
      outOfService: v.resolve('node.{label}/out-of-service'),
    }
  }

  /** Takes in the state of a node; returns whether anything is new that matters here. */
  set({ metadata, spec, status }: Node): boolean {
    const { name = '', annotations = {} } = metadata
    const { managed, keeps, outOfService } = this.#words
    const old = this.#nodes.get(name)
    const node: AttachNode = {
      // An agent that takes over keeps its volumes.
      isManaged: Object.hasOwn(annotations, managed) || (old?.isManaged === true && !old.isGone),
      keepsEnded: Object.hasOwn(annotations, keeps) && annotations[keeps] === 'true',
      isReady: (status.conditions ?? []).some(
        (one) => one.type === 'Ready' && one.status === 'True',
      ),
      isOutOfService: (spec.taints ?? []).some(({ key }) => key === outOfService),
      inUse: new Set(status.volumesInUse ?? []),
      isGone: false,
    }
    this.#nodes.set(name, node)
    return !old || !isSame(old, node)
  }

  /** Notes that a node is gone, with what it used last. */
  gone(name: string): void {
    const node = this.#nodes.get(name)
    if (node) this.#nodes.set(name, { ...node, isReady: false, isGone: true })
  }

  /** Forgets a node that is gone. */
  forget(name: string): void {
    if (this.#nodes.get(name)?.isGone) this.#nodes.delete(name)
  }

  /** Who attaches volumes to a node; null: there is no such node. */
  state(name: string): 'managed' | 'unmanaged' | null {
    const node = this.#nodes.get(name)
    if (!node || node.isGone) return null
    return node.isManaged ? 'managed' : 'unmanaged'
  }

  /** Whether this program attaches the volumes of a node. */
  isManaged(name: string): boolean {
    return this.#nodes.get(name)?.isManaged === true
  }

  /** Whether the volumes of pods that have ended stay attached to it. */
  keepsEnded(name: string): boolean {
    return this.#nodes.get(name)?.keepsEnded === true
  }

  isReady(name: string): boolean {
    return this.#nodes.get(name)?.isReady === true
  }

  isOutOfService(name: string): boolean {
    return this.#nodes.get(name)?.isOutOfService === true
  }

  /** Whether a node reports that it uses a volume. */
  uses(name: string, volume: string): boolean {
    return this.#nodes.get(name)?.inUse.has(volume) === true
  }
}

const isSame = (a: AttachNode, b: AttachNode): boolean =>
  a.isManaged === b.isManaged &&
  a.keepsEnded === b.keepsEnded &&
  a.isReady === b.isReady &&
  a.isOutOfService === b.isOutOfService &&
  a.isGone === b.isGone &&
  a.inUse.size === b.inUse.size &&
  [...a.inUse].every((one) => b.inUse.has(one))
