import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { attachmentName, partsOf } from './csi-volumes.ts'
import { PairMap } from './pair-map.ts'

/** Something that was asked for, and is awaited. */
export interface Operation {
  readonly kind: 'attach' | 'detach'
  readonly untilMs: number
  /** Of the VolumeAttachment. */
  readonly uid: string
}

/** A volume on a node, as far as this program has brought it. */
export interface Attached {
  readonly volume: string
  readonly node: string
  readonly driver: string
  readonly handle: string
  /** Name of the VolumeAttachment. */
  readonly attachment: string
  /** Otherwise it may be or not. */
  isCertain: boolean
  /** Whether the status of the node is to name it. */
  isReported: boolean
  /** Since when it is not needed, milliseconds; null: it is. */
  unneededSinceMs: number | null
  operation: Operation | null
  failures: number
  /** When the next attempt may begin, milliseconds. */
  notBeforeMs: number
}

/** Volumes that are, or may be, attached to nodes. */
export class AttachedVolumes {
  readonly #v: Vocabulary
  readonly #pairs = new PairMap<Attached>()
  readonly #byAttachment = new Map<string, Attached>()

  constructor(v: Vocabulary) {
    this.#v = v
  }

  get(volume: string, node: string): Attached | undefined {
    return this.#pairs.get(volume, node)
  }

  /** That of a VolumeAttachment. */
  byAttachment(name: string): Attached | undefined {
    return this.#byAttachment.get(name)
  }

  /** The entry of a CSI volume on a node; a new one is uncertain. */
  of(volume: string, node: string): Attached {
    const known = this.#pairs.get(volume, node)
    if (known) return known
    const parts = partsOf(volume, this.#v)
    if (!parts) throw new Error(`${volume} is no CSI volume`)
    const made: Attached = {
      ...{ volume, node, ...parts, attachment: attachmentName(parts, node) },
      ...{ isCertain: false, isReported: false, unneededSinceMs: null },
      ...{ operation: null, failures: 0, notBeforeMs: 0 },
    }
    this.#pairs.set(volume, node, made)
    this.#byAttachment.set(made.attachment, made)
    return made
  }

  delete({ volume, node, attachment }: Attached): void {
    this.#pairs.delete(volume, node)
    this.#byAttachment.delete(attachment)
  }

  /** By node. */
  ofVolume(volume: string): ReadonlyMap<string, Attached> {
    return this.#pairs.ofVolume(volume)
  }

  /** By volume. */
  ofNode(node: string): ReadonlyMap<string, Attached> {
    return this.#pairs.ofNode(node)
  }

  values(): Iterable<Attached> {
    return this.#pairs.values()
  }
}
