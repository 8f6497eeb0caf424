/** Creates, repairs and deletes the pods of a StatefulSet with their claims. */
import type { Client } from '../../client/client.ts'
import type { EventRecorder } from '../../client/event-recorder.ts'
import type { Lister } from '../../client/informer.ts'
import { isNotFound } from '../../client/resource-client.ts'
import type { StatefulSet } from '../../kinds/apps/stateful-set.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { StatusError } from '../../meta/errors.ts'
import { CLAIMS, PODS } from '../addresses.ts'
import { eventReference, isEnding } from '../workloads/owner.ts'
import { messageOf } from '../workloads/pod-writes.ts'
import { claimsOf, hasIdentity, hasVolumes, KIND, ordinalOf, setVolumes } from './identity.ts'
import { isStale, retainedOwners } from './retention.ts'

/** Dependencies of {@link MemberWrites}. */
export interface MemberWritesParts {
  readonly client: Client
  readonly recorder: Pick<EventRecorder, 'event'>
  readonly claims: Lister<PersistentVolumeClaim>
  /** Label of a pod with its name. */
  readonly nameLabel: string
  /** Whether claims may be deleted with the set or its pods. */
  readonly deletesClaims: boolean
}

/** A verb with the reasons of its events. */
type Verb = 'create' | 'update' | 'delete'

/** Writes of the pods of one set. */
export class MemberWrites {
  readonly #parts: MemberWritesParts
  readonly #set: StatefulSet

  constructor(parts: MemberWritesParts, set: StatefulSet) {
    this.#parts = parts
    this.#set = set
  }

  /** Creates a pod after its claims. */
  async create(pod: Pod): Promise<void> {
    try {
      await this.#createClaims(pod)
    } catch (error) {
      this.#tell('create', pod, error)
      throw error
    }
    try {
      await this.#pods().create(pod)
    } catch (error) {
      // The next sync knows it.
      if (!isExisting(error)) this.#tell('create', pod, error)
      throw error
    }
    this.#tell('create', pod)
  }

  /** Whether a claim of an earlier pod of this name is about to be deleted. */
  hasStaleClaims(pod: Pod): boolean {
    if (!this.#parts.deletesClaims) return false
    return this.#claimsOf(pod).some(({ known }) => known !== null && isStale(known, pod))
  }

  async delete(pod: Pod): Promise<void> {
    try {
      await this.#pods().delete(pod.metadata.name ?? '')
    } catch (error) {
      if (isNotFound(error)) return
      this.#tell('delete', pod, error)
      throw error
    }
    this.#tell('delete', pod)
  }

  /** Gives a pod the label of its name and its volumes, if it has not got them, and its claims their owners. */
  async repair(pod: Pod): Promise<void> {
    const { nameLabel, deletesClaims } = this.#parts
    if (deletesClaims) await this.retainClaims(pod)
    if (hasIdentity(pod, nameLabel) && hasVolumes(this.#set, pod)) return
    const repaired = structuredClone(pod)
    const { name = '' } = pod.metadata
    repaired.metadata.labels = { ...repaired.metadata.labels, [nameLabel]: name }
    try {
      if (!hasVolumes(this.#set, pod)) {
        setVolumes(this.#set, repaired, ordinalOf(pod))
        await this.#createClaims(pod)
      }
      await this.#pods().update(repaired)
    } catch (error) {
      this.#tell('update', pod, error)
      throw error
    }
    this.#tell('update', pod)
  }

  /** Gives the claims of a pod the owners that the set wants. */
  async retainClaims(pod: Pod): Promise<void> {
    if (!this.#parts.deletesClaims) return
    for (const { known } of this.#claimsOf(pod)) {
      const ownerReferences = known && retainedOwners(this.#set, pod, known)
      if (!known || !ownerReferences) continue
      const metadata = { ...known.metadata, ownerReferences }
      await this.#claims().update({ ...known, metadata } as PersistentVolumeClaim)
    }
  }

  async #createClaims(pod: Pod): Promise<void> {
    const failures: unknown[] = []
    for (const { claim, known } of this.#claimsOf(pod)) {
      if (known && isEnding(known)) {
        failures.push(new Error(`pvc ${known.metadata.name} is being deleted`))
      } else if (!known) await this.#createClaim(pod, claim).catch((e: unknown) => failures.push(e))
    }
    if (failures.length === 1) throw failures[0]
    if (failures.length > 1)
      throw new AggregateError(failures, `[${failures.map(messageOf).join(', ')}]`)
  }

  async #createClaim(pod: Pod, claim: PersistentVolumeClaim): Promise<void> {
    const { name } = claim.metadata
    const { name: set } = this.#set.metadata
    try {
      await this.#claims().create(claim)
    } catch (error) {
      const why = messageOf(error)
      const message = `create Claim ${name} for Pod ${pod.metadata.name} in StatefulSet ${set} failed error: ${why}`
      if (!isExisting(error)) this.#event('Warning', 'FailedCreate', message)
      throw new Error(`failed to create PVC ${name}: ${why}`, { cause: error })
    }
    const message = `create Claim ${name} Pod ${pod.metadata.name} in StatefulSet ${set} success`
    this.#event('Normal', 'SuccessfulCreate', message)
  }

  #claimsOf(pod: Pod) {
    const { namespace = '' } = this.#set.metadata
    return Array.from(claimsOf(this.#set, ordinalOf(pod)).values(), (claim) => ({
      claim,
      known: this.#parts.claims.get(namespace, claim.metadata.name ?? ''),
    }))
  }

  #tell(verb: Verb, { metadata: { name } }: Pod, ...[error]: [] | [unknown]): void {
    const subject = `${verb} Pod ${name} in StatefulSet ${this.#set.metadata.name}`
    const what = verb.replace(/^./, (letter) => letter.toUpperCase())
    if (error === undefined) this.#event('Normal', `Successful${what}`, `${subject} successful`)
    else this.#event('Warning', `Failed${what}`, `${subject} failed error: ${messageOf(error)}`)
  }

  #event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#parts.recorder.event(eventReference(KIND, this.#set), type, reason, message)
  }

  #pods() {
    return this.#parts.client.resource<Pod>(PODS).in(this.#set.metadata.namespace ?? '')
  }

  #claims() {
    const { namespace = '' } = this.#set.metadata
    return this.#parts.client.resource<PersistentVolumeClaim>(CLAIMS).in(namespace)
  }
}

const isExisting = (error: unknown): boolean =>
  error instanceof StatusError && error.reason === 'AlreadyExists'
