/** The status of a StatefulSet while one sync goes through its pods. */
import type { Clock } from '../../base/clock.ts'
import type { StatefulSet } from '../../kinds/apps/stateful-set.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { isEnding } from '../workloads/owner.ts'
import { isAvailable, isReady } from '../workloads/pod-state.ts'
import { isCreated, revisionOf } from './identity.ts'

/** Names of the revision that pods have, and of the one that they will have. */
export interface RevisionNames {
  readonly current: string
  readonly update: string
}

/** Counts of pods, changed as pods are created and deleted. */
export class SetStatus {
  readonly #revisions: RevisionNames
  replicas = 0
  readyReplicas = 0
  availableReplicas = 0
  currentReplicas = 0
  updatedReplicas = 0

  constructor(revisions: RevisionNames) {
    this.#revisions = revisions
  }

  /** Counts a pod that is there. */
  count(pod: Pod, minReadySeconds: number, clock: Pick<Clock, 'now'>): void {
    this.replicas++
    if (isRunningAndReady(pod)) {
      this.readyReplicas++
      if (isAvailable(pod, minReadySeconds, clock.now())) this.availableReplicas++
    }
    if (isCreated(pod) && !isEnding(pod)) this.#add(pod, 1)
  }

  created(pod: Pod): void {
    this.replicas++
    this.#add(pod, 1)
  }

  /** `isGone`: no longer counted at all, since it is replaced at once. */
  deleted(pod: Pod, isGone = false): void {
    if (isGone) this.replicas--
    this.#add(pod, -1)
  }

  /** The status to be written. */
  of({ metadata, spec, status }: StatefulSet, collisionCount: number): StatefulSet['status'] {
    const { current, update } = this.#revisions
    const isRolled =
      spec.updateStrategy?.type === 'RollingUpdate' &&
      this.updatedReplicas === this.replicas &&
      this.readyReplicas === this.replicas
    const currentReplicas = isRolled ? this.updatedReplicas : this.currentReplicas
    return {
      ...status,
      observedGeneration: metadata.generation,
      replicas: this.replicas,
      readyReplicas: this.readyReplicas || undefined,
      availableReplicas: this.availableReplicas,
      currentReplicas: currentReplicas || undefined,
      updatedReplicas: this.updatedReplicas || undefined,
      currentRevision: isRolled ? update : current,
      updateRevision: update,
      collisionCount,
    } as StatefulSet['status']
  }

  #add(pod: Pod, count: 1 | -1): void {
    const revision = revisionOf(pod)
    if (revision === this.#revisions.current) this.currentReplicas += count
    if (revision === this.#revisions.update) this.updatedReplicas += count
  }
}

export const isRunningAndReady = (pod: Pod): boolean =>
  pod.status?.phase === 'Running' && isReady(pod)
