import type { Client } from '../../client/client.ts'
import { isNotFound } from '../../client/resource-client.ts'
import type { Node } from '../../kinds/core/node/node.ts'
import { NODES } from '../addresses.ts'
import type { AttachedVolumes } from './attached-volumes.ts'

interface NamedVolume {
  readonly name: string
  readonly devicePath: string
}

/** Tells node agents in the status of their node which volumes are attached. */
export class NodeReports {
  readonly #client: Client
  readonly #attached: AttachedVolumes
  readonly #prefix: string
  /** Volumes in the status of each node, as it was read or written last. */
  readonly #told = new Map<string, readonly NamedVolume[]>()
  /** Writes in progress: one at a time for each node. */
  readonly #turns = new Map<string, Promise<void>>()

  /** Volumes whose name does not begin with `prefix` are left alone. */
  constructor(client: Client, attached: AttachedVolumes, prefix: string) {
    this.#client = client
    this.#attached = attached
    this.#prefix = prefix
  }

  /** Notes what the status of a node says; to be called when it was made, or read for the first time. */
  seen(node: string, volumes: readonly NamedVolume[]): void {
    this.#told.set(node, volumes)
  }

  /** Forgets a node. */
  gone(node: string): void {
    this.#told.delete(node)
  }

  /** Has the status of a node say what is attached. Throws when that cannot be written. */
  write(node: string): Promise<void> {
    const before = this.#turns.get(node) ?? Promise.resolve()
    const turn = before
      .catch(() => {})
      .then(() => this.#write(node))
      .finally(() => {
        if (this.#turns.get(node) === turn) this.#turns.delete(node)
      })
    this.#turns.set(node, turn)
    return turn
  }

  async #write(node: string): Promise<void> {
    const told = this.#told.get(node)
    if (!told) return
    const volumes = [
      ...told.filter(({ name }) => !name.startsWith(this.#prefix)),
      ...this.#of(node),
    ]
    if (isSame(told, volumes)) return
    const status = { volumesAttached: volumes.length === 0 ? null : volumes }
    try {
      await this.#client
        .resource<Node>(NODES)
        .sub('status')
        .patch(node, { status }, { type: 'merge' })
    } catch (error) {
      if (isNotFound(error)) return
      throw error
    }
    if (this.#told.has(node)) this.#told.set(node, volumes)
  }

  #of(node: string): NamedVolume[] {
    return [...this.#attached.ofNode(node).values()]
      .filter(({ isReported }) => isReported)
      .map(({ volume }) => ({ name: volume, devicePath: '' }))
  }
}

const isSame = (a: readonly NamedVolume[], b: readonly NamedVolume[]): boolean =>
  a.length === b.length && a.every(({ name }, i) => name === b[i]!.name)
