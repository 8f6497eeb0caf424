import type { Lister } from '../../client/informer.ts'
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { StorageClass } from '../../kinds/storage/storage-class.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { bestVolume, classOf, faultOf, isNamedBy } from './volume-match.ts'
import { hasOwn, type VolumeWrites } from './volume-writes.ts'

/** What is known when a claim is worked on. */
export interface ClaimWorkParts {
  readonly v: Vocabulary
  readonly writes: VolumeWrites
  readonly volumes: ReadonlyMap<string, PersistentVolume>
  readonly classes: Lister<StorageClass>
  readonly pods: Lister<Pod>
}

/** Finds volumes for claims, and watches over those that are bound. */
export class ClaimWork {
  readonly #parts: ClaimWorkParts

  constructor(parts: ClaimWorkParts) {
    this.#parts = parts
  }

  /** Whether nothing is left to do for a claim until something changes. */
  isSettled({ metadata, status }: PersistentVolumeClaim): boolean {
    const { bindCompleted } = this.#parts.writes
    return status.phase === 'Bound' && hasOwn(metadata.annotations, bindCompleted)
  }

  /** Brings a claim forward. Throws to try again. */
  async work(claim: PersistentVolumeClaim): Promise<void> {
    const { writes } = this.#parts
    if (hasOwn(claim.metadata.annotations, writes.bindCompleted)) return this.#keep(claim)
    const { volumeName = '' } = claim.spec
    return volumeName === '' ? this.#find(claim) : this.#take(claim, volumeName)
  }

  /** A claim that was bound: its volume must be there and its own. */
  async #keep(claim: PersistentVolumeClaim): Promise<void> {
    const { writes, volumes } = this.#parts
    const { volumeName = '' } = claim.spec
    const volume = volumes.get(volumeName)
    const lost = (reason: string, message: string) =>
      writes.claimPhase(claim, 'Lost', null, { type: 'Warning', reason, message })
    if (volumeName === '') return lost('ClaimLost', LOST_REFERENCE)
    if (!volume) return lost('ClaimLost', LOST_VOLUME)
    const { claimRef } = volume.spec
    if (claimRef && claimRef.uid !== claim.metadata.uid) return lost('ClaimMisbound', MISBOUND)
    await writes.bind(volume, claim)
  }

  /** A claim that takes any volume. */
  async #find(claim: PersistentVolumeClaim): Promise<void> {
    const { v, writes, volumes, classes } = this.#parts
    const className = classOf(claim, v)
    const found = className === '' ? null : classes.get('', className)
    const isDelayed = found?.volumeBindingMode === 'WaitForFirstConsumer'
    const volume = bestVolume(volumes.values(), { claim, isDelayed, v })
    if (volume) return writes.bind(volume, claim)
    const selected = v.resolve('volume.{label}/selected-node')
    if (isDelayed && !hasOwn(claim.metadata.annotations, selected)) this.#tellWaiting(claim)
    else if (className !== '') await this.#provision(claim, className, found)
    else writes.tell(claim, { type: 'Normal', reason: 'FailedBinding', message: NO_VOLUME })
    await this.#pending(claim)
  }

  /** A claim that names its volume. */
  async #take(claim: PersistentVolumeClaim, volumeName: string): Promise<void> {
    const { v, writes, volumes } = this.#parts
    const volume = volumes.get(volumeName)
    const shown = JSON.stringify(volumeName)
    if (!volume) return this.#pending(claim)
    if (!volume.spec.claimRef) {
      const fault = faultOf(volume, claim, v)
      if (fault === null) return writes.bind(volume, claim)
      const message = `Cannot bind to requested volume ${shown}: ${fault}`
      writes.tell(claim, { type: 'Warning', reason: 'VolumeMismatch', message })
      return this.#pending(claim)
    }
    if (isNamedBy(volume, claim)) return writes.bind(volume, claim)
    const message = `volume ${shown} already bound to a different claim.`
    if (hasOwn(claim.metadata.annotations, writes.byController))
      throw new Error(`invalid binding of claim ${claim.metadata.name}: ${message}`)
    writes.tell(claim, { type: 'Warning', reason: 'FailedBinding', message })
    return this.#pending(claim)
  }

  #pending(claim: PersistentVolumeClaim): Promise<void> {
    // What was provisioned for has other annotations now; its next event brings it back.
    return claim.status.phase === 'Pending'
      ? Promise.resolve()
      : this.#parts.writes.claimPhase(claim, 'Pending', null)
  }

  #tellWaiting(claim: PersistentVolumeClaim): void {
    const { namespace = '', name } = claim.metadata
    const waiting = this.#parts.pods
      .list(namespace)
      .filter(
        ({ spec }) =>
          (spec.nodeName ?? '') === '' &&
          (spec.volumes ?? []).some(
            ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name,
          ),
      )
      .map(({ metadata }) => metadata.name ?? '')
      .sort()
    const type = 'Normal'
    const { writes } = this.#parts
    if (waiting.length === 0)
      return writes.tell(claim, { type, reason: 'WaitForFirstConsumer', message: NO_CONSUMER })
    const pods = waiting.length === 1 ? 'pod' : 'pods'
    const message = `waiting for ${pods} ${waiting.join(',')} to be scheduled`
    writes.tell(claim, { type, reason: 'WaitForPodScheduled', message })
  }

  /** Leaves it to a provisioner of the cluster: none is built in. */
  async #provision(
    claim: PersistentVolumeClaim,
    className: string,
    found: StorageClass | null,
  ): Promise<void> {
    const { v, writes } = this.#parts
    const failed = (message: string) =>
      writes.tell(claim, { type: 'Warning', reason: 'ProvisioningFailed', message })
    if (!found) {
      const resource = v.resolve('storageclass.storage{api}')
      return failed(`${resource} ${JSON.stringify(className)} not found`)
    }
    const { provisioner } = found
    if (provisioner.startsWith(v.resolve('{label}/')))
      return failed(`no volume plugin matched name: ${provisioner}`)
    await writes.annotate(claim, {
      [v.resolve('volume.beta.{label}/storage-provisioner')]: provisioner,
      [v.resolve('volume.{label}/storage-provisioner')]: provisioner,
    })
    writes.tell(claim, {
      type: 'Normal',
      reason: 'ExternalProvisioning',
      message: `waiting for a volume to be created, either by external provisioner ${JSON.stringify(provisioner)} or manually created by system administrator`,
    })
  }
}

const NO_VOLUME = 'no persistent volumes available for this claim and no storage class is set'
const NO_CONSUMER = 'waiting for first consumer to be created before binding'
const LOST_REFERENCE =
  'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!'
const LOST_VOLUME = 'Bound claim has lost its PersistentVolume. Data on the volume is lost!'
const MISBOUND = 'Two claims are bound to the same volume, this one is bound incorrectly'
