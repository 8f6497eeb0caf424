import type { Lister } from '../../client/informer.ts'
import { keyOf } from '../../client/transport.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { StorageClass } from '../../kinds/storage/storage-class.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { migratedProvisioner } from '../attach-detach/migrated-volumes.ts'
import type { ClaimUsers } from '../claim-users.ts'
import type { KnownVolumes } from './known-volumes.ts'
import { bestVolume, classOf, faultOf, isNamedBy } from './volume-match.ts'
import { hasOwn, type VolumeWrites } from './volume-writes.ts'

/** What is known when a claim is worked on. */
export interface ClaimWorkParts {
  readonly v: Vocabulary
  readonly gate: (name: string) => boolean
  readonly writes: VolumeWrites
  readonly volumes: KnownVolumes
  readonly classes: Lister<StorageClass>
  readonly users: ClaimUsers
  /** Whether volumes are asked for where there are none. */
  readonly provisions: boolean
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

  /** Whether a claim waits for any volume that fits it. */
  takesAny(claim: PersistentVolumeClaim): boolean {
    const { writes } = this.#parts
    return !hasOwn(claim.metadata.annotations, writes.bindCompleted) && !this.#isDelayed(claim)
  }

  /** Brings a claim forward. Throws to try again. */
  async work(known: PersistentVolumeClaim): Promise<void> {
    const { writes } = this.#parts
    const claim = await writes.noteClaim(known)
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
    const { v, writes, volumes } = this.#parts
    const className = classOf(claim, v)
    const isDelayed = this.#isDelayed(claim)
    const volume = bestVolume(volumes, { claim, isDelayed })
    if (volume) return writes.bind(volume, claim)
    const selected = v.resolve('volume.{label}/selected-node')
    if (isDelayed && !hasOwn(claim.metadata.annotations, selected)) await this.#tellWaiting(claim)
    else if (className !== '') await this.#provision(claim, className)
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
    writes.tell(claim, { type: 'Warning', reason: 'FailedBinding', message })
    if (hasOwn(claim.metadata.annotations, writes.byController))
      throw new Error(`invalid binding of claim ${claim.metadata.name}: ${message}`)
    return this.#pending(claim)
  }

  /** Whether only a pod decides which volume a claim gets. */
  #isDelayed(claim: PersistentVolumeClaim): boolean {
    const { v, classes } = this.#parts
    const className = classOf(claim, v)
    const found = className === '' ? null : classes.get('', className)
    return found?.volumeBindingMode === 'WaitForFirstConsumer'
  }

  #pending(claim: PersistentVolumeClaim): Promise<void> {
    // What was provisioned for has other annotations now; its next event brings it back.
    return claim.status.phase === 'Pending'
      ? Promise.resolve()
      : this.#parts.writes.claimPhase(claim, 'Pending', null)
  }

  async #tellWaiting(claim: PersistentVolumeClaim): Promise<void> {
    const { namespace = '', name = '' } = claim.metadata
    const users = await this.#parts.users.of(keyOf(namespace, name))
    const waiting = users
      .filter((pod) => (pod.spec.nodeName ?? '') === '' && !hasEnded(pod))
      .map(({ metadata }) => metadata.name ?? '')
    const type = 'Normal'
    const { writes } = this.#parts
    if (waiting.length === 0)
      return writes.tell(claim, { type, reason: 'WaitForFirstConsumer', message: NO_CONSUMER })
    const pods = waiting.length === 1 ? 'pod' : 'pods'
    const message = `waiting for ${pods} ${waiting.join(',')} to be scheduled`
    writes.tell(claim, { type, reason: 'WaitForPodScheduled', message })
  }

  /** Leaves it to a provisioner of the cluster: none is built in. */
  async #provision(claim: PersistentVolumeClaim, className: string): Promise<void> {
    const { v, writes, classes, provisions } = this.#parts
    if (!provisions) return
    const found = classes.get('', className)
    const failed = (message: string) =>
      writes.tell(claim, { type: 'Warning', reason: 'ProvisioningFailed', message })
    if (!found) {
      const resource = v.resolve('storageclass.storage{api}')
      return failed(`${resource} ${JSON.stringify(className)} not found`)
    }
    const provisioner = migratedProvisioner(found.provisioner, this.#parts) ?? found.provisioner
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

const hasEnded = ({ status }: Pod): boolean =>
  status.phase === 'Succeeded' || status.phase === 'Failed'

const NO_VOLUME = 'no persistent volumes available for this claim and no storage class is set'
const NO_CONSUMER = 'waiting for first consumer to be created before binding'
const LOST_REFERENCE =
  'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!'
const LOST_VOLUME = 'Bound claim has lost its PersistentVolume. Data on the volume is lost!'
const MISBOUND = 'Two claims are bound to the same volume, this one is bound incorrectly'
