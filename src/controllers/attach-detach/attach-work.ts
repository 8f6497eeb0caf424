import type { Client } from '../../client/client.ts'
import type { Lister } from '../../client/informer.ts'
import { isNotFound } from '../../client/resource-client.ts'
import type { Node } from '../../kinds/core/node/node.ts'
import type { VolumeAttachment } from '../../kinds/storage/volume-attachment.ts'
import { NODES, volumeAttachments } from '../addresses.ts'
import type { ControllerContext } from '../controller.ts'
import type { AttachEvents } from './attach-events.ts'
import type { AttachNodes } from './attach-nodes.ts'
import type { Attached, AttachedVolumes } from './attached-volumes.ts'
import type { CsiVolume } from './csi-volumes.ts'
import type { NodeReports } from './node-reports.ts'
import { pairKey, pairOf } from './pair-map.ts'
import type { WantedVolumes } from './wanted-volumes.ts'

/** How long an attacher may take, milliseconds. */
const OPERATION_MS = 120_000
/** How long a node that is not ready may use a volume that is not needed there. */
const UNMOUNT_MS = 360_000
/** Waits after failures, which double. */
export const ATTACH_WAITS = { leastMs: 500, mostMs: 122_000 }
const CONFLICT = 409

/** Dependencies of the work. */
export interface AttachParts {
  readonly client: Client
  readonly attachments: Lister<VolumeAttachment>
  readonly wanted: WantedVolumes
  readonly attached: AttachedVolumes
  readonly nodes: AttachNodes
  readonly reports: NodeReports
  readonly events: AttachEvents
  /** Has a volume on a node worked on. */
  readonly again: (pair: string) => void
  /** Has the status of a node written. */
  readonly report: (node: string) => void
}

/** Brings volumes to the nodes that need them, and away from others. */
export class AttachWork {
  readonly #context: Pick<ControllerContext, 'v' | 'clock' | 'gate' | 'log'>
  readonly #parts: AttachParts

  constructor(
    context: Pick<ControllerContext, 'v' | 'clock' | 'gate' | 'log'>,
    parts: AttachParts,
  ) {
    this.#context = context
    this.#parts = parts
  }

  /** The next step for one volume on one node. Resolves with the time after which to look again. */
  async work(key: string): Promise<number | void> {
    const { wanted, attached, events } = this.#parts
    const { volume, node } = pairOf(key)
    const known = attached.get(volume, node)
    if (known?.operation) {
      const wait = await this.#progress(known)
      if (known.operation) return wait
      this.#parts.again(key)
      return undefined
    }
    const need = wanted.get(volume, node)
    if (!need) {
      events.forget(key)
      return known && this.#detach(known)
    }
    if (known) known.unneededSinceMs = null
    if (known?.isCertain) return undefined
    return this.#attach(need.volume, node)
  }

  /** Counts what has no VolumeAttachment any more as detached. */
  verify(): void {
    const { attached, attachments, again, report } = this.#parts
    for (const one of [...attached.values()]) {
      if (!one.isCertain || one.operation) continue
      if (attachments.get('', one.attachment)?.status?.attached) continue
      attached.delete(one)
      report(one.node)
      again(pairKey(one.volume, one.node))
    }
  }

  async #attach(volume: CsiVolume, node: string): Promise<number | void> {
    const { attached, wanted, events } = this.#parts
    const { v, clock } = this.#context
    const others = [...attached.ofVolume(volume.id).keys()].filter((one) => one !== node)
    if (volume.isExclusive && others.length > 0) {
      const users = others.flatMap((one) => [...(wanted.get(volume.id, one)?.pods ?? [])])
      events.multiAttach(pairKey(volume.id, node), wanted.get(volume.id, node)!, users)
      return undefined
    }
    const entry = attached.of(volume.id, node)
    const now = clock.now()
    if (entry.notBeforeMs > now) return entry.notBeforeMs - now
    const of = this.#attachments
    const name = entry.attachment
    try {
      const made = await of.create(newAttachment(name, volume, node)).catch((error: unknown) => {
        if ((error as { readonly code?: number }).code !== CONFLICT) throw error
        return of.get(name)
      })
      const uid = made.metadata.uid ?? ''
      entry.operation = { kind: 'attach', untilMs: now + OPERATION_MS, uid }
    } catch (error) {
      const why = `${v.resolve('{label}/csi')}: attacher.Attach failed: ${textOf(error)}`
      return this.#failed(entry, why, 'attach')
    }
    return this.#again(entry)
  }

  async #detach(entry: Attached): Promise<number | void> {
    const { nodes, reports } = this.#parts
    const { volume, node } = entry
    const now = this.#context.clock.now()
    entry.unneededSinceMs ??= now
    if (entry.notBeforeMs > now) return entry.notBeforeMs - now
    const leftMs = entry.unneededSinceMs + UNMOUNT_MS - now
    const isLost = this.#context.gate('NodeOutOfServiceVolumeDetach') && nodes.isOutOfService(node)
    const isForced = isLost || (leftMs <= 0 && !nodes.isReady(node))
    if (nodes.uses(node, volume) && !isForced) return leftMs > 0 ? leftMs : undefined
    entry.isReported = false
    try {
      // The agent of the node must not mount it any more.
      await reports.write(node)
      if (!isForced && (await this.#isUsedNow(volume, node)))
        throw new Error(`volume ${volume} is still in use by node ${node}`)
      const uid = await this.#remove(entry)
      if (uid === null) return this.#detached(entry)
      entry.operation = { kind: 'detach', untilMs: now + OPERATION_MS, uid }
    } catch (error) {
      return this.#failed(entry, textOf(error), 'detach')
    }
    return this.#again(entry)
  }

  async #isUsedNow(volume: string, node: string): Promise<boolean> {
    const live = await this.#parts.client.resource<Node>(NODES).find(node)
    return live?.status.volumesInUse?.includes(volume) === true
  }

  /** Deletes the VolumeAttachment; resolves with its uid while something holds it. */
  async #remove({ attachment }: Attached): Promise<string | null> {
    const of = this.#attachments
    try {
      await of.delete(attachment)
    } catch (error) {
      if (isNotFound(error)) return null
      throw error
    }
    const left = await of.find(attachment)
    return left ? (left.metadata.uid ?? '') : null
  }

  /** What has become of an operation; ends it, or resolves with the time that it has left. */
  async #progress(entry: Attached): Promise<number | void> {
    const operation = entry.operation!
    const found = await this.#current(entry, operation.uid)
    if (operation.kind === 'detach') {
      if (!found) return this.#detached(entry)
      const { message } = found.status?.detachError ?? {}
      if (message !== undefined) return this.#failed(entry, message, 'detach')
    } else {
      if (!found) return this.#failed(entry, 'volume attachment has been deleted', 'attach')
      if (found.metadata.deletionTimestamp !== undefined)
        return this.#failed(entry, 'volume attachment is being deleted', 'attach')
      if (found.status?.attached) return this.#isAttached(entry)
      const { message } = found.status?.attachError ?? {}
      if (message !== undefined) return this.#failed(entry, message, 'attach')
    }
    const leftMs = operation.untilMs - this.#context.clock.now()
    if (leftMs > 0) return leftMs
    const { driver, handle } = entry
    const what = `${operation.kind} volume ${handle}`
    const message = `timed out waiting for external-attacher of ${driver} CSI driver to ${what}`
    return this.#failed(entry, message, operation.kind)
  }

  /** The VolumeAttachment of this uid; null: it is gone. */
  async #current({ attachment }: Attached, uid: string): Promise<VolumeAttachment | null> {
    const known = this.#parts.attachments.get('', attachment)
    if (known?.metadata.uid === uid) return known
    // What is known may be older than what was written.
    const live = await this.#attachments.find(attachment)
    return live?.metadata.uid === uid ? live : null
  }

  #isAttached(entry: Attached): undefined {
    const { wanted, events, report } = this.#parts
    const { volume, node } = entry
    Object.assign(entry, { isCertain: true, isReported: true, operation: null, failures: 0 })
    events.forget(pairKey(volume, node))
    const need = wanted.get(volume, node)
    if (need) events.attached(need)
    report(node)
  }

  #detached(entry: Attached): undefined {
    const { attached, wanted, nodes, again } = this.#parts
    const { volume, node } = entry
    entry.operation = null
    attached.delete(entry)
    if (attached.ofNode(node).size === 0) nodes.forget(node)
    // Others may wait for it.
    for (const other of wanted.ofVolume(volume).keys()) again(pairKey(volume, other))
  }

  #failed(entry: Attached, message: string, kind: 'attach' | 'detach'): number {
    const { wanted, events, report } = this.#parts
    const { volume, node } = entry
    const waitMs = Math.min(ATTACH_WAITS.leastMs * 2 ** entry.failures++, ATTACH_WAITS.mostMs)
    entry.operation = null
    entry.notBeforeMs = this.#context.clock.now() + waitMs
    if (kind === 'attach') {
      const need = wanted.get(volume, node)
      if (need) events.failed(need, message)
    } else if (entry.isCertain) {
      entry.isReported = true
      report(node)
    }
    const fields = { controller: 'attachdetach', volume, node, error: message }
    this.#context.log.warn(`a volume could not be ${kind}ed, retrying`, fields)
    return waitMs
  }

  get #attachments() {
    const of = volumeAttachments(this.#context.v)
    return this.#parts.client.resource<VolumeAttachment>(of)
  }

  #again({ volume, node }: Attached): undefined {
    this.#parts.again(pairKey(volume, node))
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const newAttachment = (name: string, { driver, name: of, inline }: CsiVolume, nodeName: string) =>
  ({
    metadata: { name },
    spec: {
      attacher: driver,
      nodeName,
      source: inline ? { inlineVolumeSpec: inline } : { persistentVolumeName: of },
    },
  }) as object as VolumeAttachment
