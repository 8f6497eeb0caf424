/** Creates and deletes the pods of a set until it has as many as it should. */
import type { Clock } from '../../base/clock.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { inGrowingBatches, inParallel, type BatchResult } from '../workloads/batches.ts'
import { inDeletionOrder, type AgeOrder } from '../workloads/deletion-order.ts'
import type { Expectations } from '../workloads/expectations.ts'
import { eventReference, type OwnerKind } from '../workloads/owner.ts'
import { podOf, type PodWrites } from '../workloads/pod-writes.ts'
import type { Replicated } from './replica-kind.ts'

/** Most pods that are created or deleted in one round. */
const BURST = 500

/** Dependencies of {@link ReplicaPods}. */
export interface ReplicaPodsParts {
  readonly kind: OwnerKind
  readonly clock: Pick<Clock, 'now'>
  readonly writes: PodWrites
  readonly expectations: Expectations
  /** Whether ages are compared by their powers of two. */
  readonly isLogarithmic: boolean
  /** Deletion cost of a pod. */
  readonly costOf: (pod: Pod) => number
  /** Active pods of all sets with the same controller as this one, by node. */
  readonly related: (set: Replicated) => ReadonlyMap<string, number>
}

/** Result of a round. */
type Failure = BatchResult['failure']

/** Writes of the pods of sets. */
export class ReplicaPods {
  readonly #parts: ReplicaPodsParts

  constructor(parts: ReplicaPodsParts) {
    this.#parts = parts
  }

  /** Brings a set nearer to the number that it should have; returns the first failure. */
  async bring(key: string, set: Replicated, pods: readonly Pod[]): Promise<Failure> {
    const missing = (set.spec.replicas ?? 1) - pods.length
    if (missing > 0) return this.#create(key, set, Math.min(missing, BURST))
    if (missing < 0)
      return this.#delete(key, set, this.#first(set, pods, Math.min(-missing, BURST)))
    return null
  }

  async #create(key: string, set: Replicated, count: number): Promise<Failure> {
    const { kind, writes, expectations } = this.#parts
    const about = eventReference(kind, set)
    expectations.expectCreations(key, count)
    const { skipped, failure } = await inGrowingBatches(count, async () => {
      try {
        const created = await writes.create(podOf(set.spec.template!, kind, set), about)
        if (!created) expectations.created(key)
      } catch (error) {
        expectations.created(key)
        throw error
      }
    })
    expectations.created(key, skipped)
    return failure
  }

  async #delete(key: string, set: Replicated, pods: readonly Pod[]): Promise<Failure> {
    const { kind, writes, expectations } = this.#parts
    const about = eventReference(kind, set)
    const uidOf = ({ metadata }: Pod): string => metadata.uid ?? ''
    expectations.expectDeletions(key, pods.map(uidOf))
    const { failure } = await inParallel(pods.length, async (index) => {
      const pod = pods[index]!
      try {
        if (!(await writes.delete(pod, about))) expectations.deleted(key, uidOf(pod))
      } catch (error) {
        expectations.deleted(key, uidOf(pod))
        throw error
      }
    })
    return failure
  }

  #first(set: Replicated, pods: readonly Pod[], count: number): readonly Pod[] {
    if (count >= pods.length) return pods
    const { clock, isLogarithmic, costOf, related } = this.#parts
    const ages: AgeOrder = { nowMs: clock.now(), isLogarithmic }
    const onNode = related(set)
    const ranked = pods.map((pod) => ({
      pod,
      cost: costOf(pod),
      onNode: onNode.get(pod.spec.nodeName ?? '') ?? 0,
    }))
    return inDeletionOrder(ranked, ages)
      .slice(0, count)
      .map(({ pod }) => pod)
  }
}
