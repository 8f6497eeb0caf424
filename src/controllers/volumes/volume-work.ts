import type { Lister } from '../../client/informer.ts'
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { isOtherMode } from './volume-match.ts'
import { hasOwn, type VolumeWrites } from './volume-writes.ts'

/** What is known when a volume is worked on. */
export interface VolumeWorkParts {
  readonly v: Vocabulary
  readonly writes: VolumeWrites
  readonly claims: Lister<PersistentVolumeClaim>
  /** The claim as it is stored now; null when there is none. */
  readonly findClaim: (namespace: string, name: string) => Promise<PersistentVolumeClaim | null>
  /** Has a claim worked on. */
  readonly queueClaim: (namespace: string, name: string) => void
}

/** Keeps the phase of volumes, and frees those whose claim is gone or has another. */
export class VolumeWork {
  readonly #parts: VolumeWorkParts

  constructor(parts: VolumeWorkParts) {
    this.#parts = parts
  }

  /** Brings a volume forward. Throws to try again. */
  async work(known: PersistentVolume): Promise<void> {
    const { writes, queueClaim } = this.#parts
    const volume = await writes.noteVolume(known)
    const { claimRef } = volume.spec
    if (!claimRef || (claimRef.uid ?? '') === '') {
      await writes.phase(volume, 'Available')
      return
    }
    const claim = await this.#claimOf(volume)
    if (!claim) return this.#release(volume)
    const { namespace = '', name = '' } = claim.metadata
    const { volumeName = '' } = claim.spec
    if (volumeName === '') {
      if (isOtherMode(volume, claim)) return this.#tellMode(volume, claim)
      return queueClaim(namespace, name)
    }
    if (volumeName === volume.metadata.name) {
      await writes.phase(volume, 'Bound')
      return
    }
    if (this.#isProvisioned(volume) && policyOf(volume) === 'Delete') return this.#release(volume)
    await writes.unbind(volume)
  }

  /** The claim that a volume is bound to; null when it is gone, even if there is another of its name. */
  async #claimOf(volume: PersistentVolume): Promise<PersistentVolumeClaim | null> {
    const { namespace = '', name = '', uid } = volume.spec.claimRef!
    const known = this.#parts.claims.get(namespace, name)
    if (known?.metadata.uid === uid) return known
    const { phase } = volume.status
    if (phase === 'Released' || phase === 'Failed') return null
    // To release a volume that is used would lose data: what is known may be old.
    const live = await this.#parts.findClaim(namespace, name)
    return live?.metadata.uid === uid ? live : null
  }

  async #release(volume: PersistentVolume): Promise<void> {
    const { phase } = volume.status
    const { writes } = this.#parts
    const released =
      phase === 'Released' || phase === 'Failed' ? volume : await writes.phase(volume, 'Released')
    // Volumes that are deleted are so by the provisioner that made them; none is built in.
    if (policyOf(volume) !== 'Recycle') return
    await writes.phase(released, 'Failed', {
      type: 'Warning',
      reason: 'VolumeFailedRecycle',
      message: 'no volume plugin matched',
    })
  }

  #isProvisioned({ metadata }: PersistentVolume): boolean {
    return hasOwn(metadata.annotations, this.#parts.v.resolve('pv.{label}/provisioned-by'))
  }

  #tellMode(volume: PersistentVolume, claim: PersistentVolumeClaim): void {
    const { writes } = this.#parts
    const type = 'Warning'
    const reason = 'VolumeMismatch'
    const why = 'due to incompatible volumeMode.'
    const [volumeName, claimName] = [volume, claim].map(({ metadata }) =>
      JSON.stringify(metadata.name),
    )
    writes.tell(volume, {
      type,
      reason,
      message: `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${claimName} ${why}`,
    })
    writes.tell(claim, {
      type,
      reason,
      message: `Cannot bind PersistentVolume ${volumeName} to requested PersistentVolumeClaim ${why}`,
    })
  }
}

const policyOf = ({ spec }: PersistentVolume) => spec.persistentVolumeReclaimPolicy ?? 'Retain'
