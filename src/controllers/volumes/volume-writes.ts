import type { Client } from '../../client/client.ts'
import type { EventRecorder } from '../../client/event-recorder.ts'
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import { sameResources } from '../../kinds/core/resource-requirements.ts'
import { sameValue } from '../../meta/field-errors.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { CLAIMS, VOLUMES } from '../addresses.ts'
import { notedClaim, notedVolume } from './migration-notes.ts'
import { isNamedBy } from './volume-match.ts'

type Annotations = Readonly<Record<string, string>>
type ClaimPhase = 'Pending' | 'Bound' | 'Lost'
export type VolumePhase = 'Available' | 'Bound' | 'Released' | 'Failed'

/** An event about a claim or volume. */
export interface Told {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** Dependencies of the writes. */
export interface VolumeWriteParts {
  readonly client: Client
  readonly recorder: EventRecorder
  readonly v: Vocabulary
  readonly gate: (name: string) => boolean
  /** Called with each volume that was written. */
  readonly wrote: (volume: PersistentVolume) => void
}

/** The steps of a binding. Each writes only what is missing, so that a broken one is resumed. */
export class VolumeWrites {
  readonly #parts: VolumeWriteParts
  readonly byController: string
  readonly bindCompleted: string

  constructor(parts: VolumeWriteParts) {
    this.#parts = parts
    this.byController = parts.v.resolve('pv.{label}/bound-by-controller')
    this.bindCompleted = parts.v.resolve('pv.{label}/bind-completed')
  }

  /** Binds both to each other: first the volume, so that no other claim gets it. */
  async bind(volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
    const bound = await this.phase(await this.#claimVolume(volume, claim), 'Bound')
    await this.claimPhase(await this.#nameVolume(claim, bound), 'Bound', bound)
  }

  /** Frees a volume of a claim that does not want it. */
  async unbind(volume: PersistentVolume): Promise<void> {
    const { claimRef, ...spec } = volume.spec
    const { uid: _, ...kept } = claimRef!
    // A reference by hand reserves the volume for the name.
    const isOurs = hasOwn(volume.metadata.annotations, this.byController)
    const freed = await this.#volumes.update({
      ...volume,
      metadata: isOurs
        ? {
            ...volume.metadata,
            annotations: without(volume.metadata.annotations, this.byController),
          }
        : volume.metadata,
      spec: (isOurs ? spec : { ...spec, claimRef: kept }) as PersistentVolume['spec'],
    })
    this.#parts.wrote(freed)
    await this.phase(freed, 'Available')
  }

  /** Sets the phase of a volume, where it is another; `told` is an event for that case. */
  async phase(
    volume: PersistentVolume,
    phase: VolumePhase,
    told?: Told,
  ): Promise<PersistentVolume> {
    if (volume.status.phase === phase) return volume
    const { message: _, ...status } = volume.status
    const written = await this.#volumes.sub('status').update<PersistentVolume>({
      ...volume,
      status: {
        ...status,
        phase,
        ...(phase === 'Failed' && told ? { message: told.message } : {}),
      },
    })
    this.#parts.wrote(written)
    if (told) this.tell(volume, told)
    return written
  }

  /** Sets the status of a claim, where it is another; without a volume it has neither modes nor capacity. */
  async claimPhase(
    claim: PersistentVolumeClaim,
    phase: ClaimPhase,
    volume: PersistentVolume | null,
    told?: Told,
  ): Promise<void> {
    const { accessModes: before, capacity: size, ...status } = claim.status
    const isNew = status.phase !== phase
    const accessModes = volume?.spec.accessModes
    // A bound claim may be smaller than its volume while that grows.
    const capacity = volume && !isNew ? size : volume?.spec.capacity
    if (!isNew && sameValue(accessModes ?? [], before ?? []) && sameResources(capacity, size))
      return
    await this.#claimsOf(claim)
      .sub('status')
      .update<PersistentVolumeClaim>({
        ...claim,
        status: {
          ...status,
          phase,
          ...(accessModes ? { accessModes } : {}),
          ...(capacity ? { capacity } : {}),
        },
      })
    if (told && isNew) this.tell(claim, told)
  }

  /** Sets annotations of a claim, where they are others. */
  async annotate(claim: PersistentVolumeClaim, annotations: Annotations): Promise<void> {
    const { annotations: present = {} } = claim.metadata
    if (Object.entries(annotations).every(([name, value]) => present[name] === value)) return
    await this.#annotated(claim, { ...present, ...annotations })
  }

  /** A claim that says which driver its volume is for, where a plugin has been replaced by one. */
  async noteClaim(claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    const annotations = notedClaim(claim, this.#parts)
    return annotations ? this.#annotated(claim, annotations) : claim
  }

  /** The same for a volume. */
  async noteVolume(volume: PersistentVolume): Promise<PersistentVolume> {
    const annotations = notedVolume(volume, this.#parts)
    if (!annotations) return volume
    const metadata = { ...volume.metadata, annotations: { ...annotations } }
    const written = await this.#volumes.update({ ...volume, metadata })
    this.#parts.wrote(written)
    return written
  }

  /** Leaves an event. */
  tell(about: PersistentVolume | PersistentVolumeClaim, { type, reason, message }: Told): void {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = about.metadata
    const kind = namespace === '' ? 'PersistentVolume' : 'PersistentVolumeClaim'
    const place = namespace === '' ? {} : { namespace }
    this.#parts.recorder.event(
      { apiVersion: 'v1', kind, ...place, name, uid, resourceVersion },
      type,
      reason,
      message,
    )
  }

  #annotated(
    claim: PersistentVolumeClaim,
    annotations: Annotations,
  ): Promise<PersistentVolumeClaim> {
    const metadata = { ...claim.metadata, annotations: { ...annotations } }
    return this.#claimsOf(claim).update({ ...claim, metadata })
  }

  async #claimVolume(
    volume: PersistentVolume,
    claim: PersistentVolumeClaim,
  ): Promise<PersistentVolume> {
    const { claimRef } = volume.spec
    const { metadata } = claim
    const isNamed = isNamedBy(volume, claim)
    if (isNamed && claimRef?.uid === metadata.uid) return volume
    const { annotations = {} } = volume.metadata
    const written = await this.#volumes.update({
      ...volume,
      metadata: isNamed
        ? volume.metadata
        : { ...volume.metadata, annotations: { ...annotations, [this.byController]: 'yes' } },
      spec: {
        ...volume.spec,
        claimRef: {
          kind: 'PersistentVolumeClaim',
          apiVersion: 'v1',
          namespace: metadata.namespace ?? '',
          name: metadata.name ?? '',
          uid: metadata.uid ?? '',
          resourceVersion: metadata.resourceVersion ?? '',
        },
      },
    })
    this.#parts.wrote(written)
    return written
  }

  async #nameVolume(
    claim: PersistentVolumeClaim,
    { metadata: { name = '' } }: PersistentVolume,
  ): Promise<PersistentVolumeClaim> {
    const isNamed = claim.spec.volumeName === name
    const { annotations = {} } = claim.metadata
    if (isNamed && hasOwn(annotations, this.bindCompleted)) return claim
    return this.#claimsOf(claim).update({
      ...claim,
      metadata: {
        ...claim.metadata,
        annotations: {
          ...annotations,
          ...(isNamed ? {} : { [this.byController]: 'yes' }),
          [this.bindCompleted]: 'yes',
        },
      },
      spec: { ...claim.spec, volumeName: name },
    })
  }

  get #volumes() {
    return this.#parts.client.resource<PersistentVolume>(VOLUMES)
  }

  #claimsOf({ metadata }: PersistentVolumeClaim) {
    return this.#parts.client.resource<PersistentVolumeClaim>(CLAIMS).in(metadata.namespace ?? '')
  }
}

/** Whether there is an annotation of this name. */
export const hasOwn = (annotations: Annotations | undefined, name: string): boolean =>
  annotations !== undefined && Object.hasOwn(annotations, name)

const without = (annotations: Annotations = {}, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).filter(([one]) => one !== name))
