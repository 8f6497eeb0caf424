/** One sync of the pods of a StatefulSet: at most one step where they are ordered. */
import type { Clock } from '../../base/clock.ts'
import type { StatefulSet } from '../../kinds/apps/stateful-set.ts'
import type { PodTemplateSpec } from '../../kinds/core/pod/pod-template.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { numberOf } from '../workloads/amounts.ts'
import { isEnding } from '../workloads/owner.ts'
import { isAvailable, isHealthy } from '../workloads/pod-state.ts'
import { isCreated, newMember, ordinalOf, revisionOf } from './identity.ts'
import type { MemberWrites } from './member-writes.ts'
import { isRunningAndReady, type RevisionNames, type SetStatus } from './set-status.ts'

/** Templates of the two revisions of a set. */
export interface Templates {
  readonly current: PodTemplateSpec
  readonly update: PodTemplateSpec
}

/** What a sync of the pods needs. */
export interface MembersParts {
  readonly set: StatefulSet
  readonly revisions: RevisionNames
  readonly templates: Templates
  readonly status: SetStatus
  readonly writes: MemberWrites
  readonly clock: Pick<Clock, 'now'>
  readonly nameLabel: string
  /** Whether an update may take several pods at once. */
  readonly updatesSeveral: boolean
  /** Called for each pod that has failed and is created again. */
  readonly recreating: (pod: Pod) => void
}

/** Whether the sync ends here. */
type Step = 'goes on' | 'stops'

/** The pods of a set by their ordinals, and those beyond its number. */
export class Members {
  readonly #parts: MembersParts
  readonly #pods: Pod[]
  readonly #surplus: readonly Pod[]
  readonly #isOrdered: boolean

  constructor(parts: MembersParts, pods: readonly Pod[]) {
    this.#parts = parts
    const { set, status, clock } = parts
    const { replicas = 1, minReadySeconds = 0, podManagementPolicy } = set.spec
    this.#isOrdered = podManagementPolicy !== 'Parallel'
    const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]))
    for (const pod of pods) status.count(pod, minReadySeconds, clock)
    this.#pods = Array.from(
      { length: replicas },
      (_, ordinal) => byOrdinal.get(ordinal) ?? this.#new(ordinal),
    )
    this.#surplus = pods
      .filter((pod) => ordinalOf(pod) >= replicas)
      .sort((a, b) => ordinalOf(a) - ordinalOf(b))
  }

  /** Creates what is missing, deletes what is too much, then updates. */
  async sync(): Promise<void> {
    if (isEnding(this.#parts.set)) return
    for (const [ordinal] of this.#pods.entries())
      if ((await this.#establish(ordinal)) === 'stops') return
    if ((await this.#removeSurplus()) === 'stops') return
    const { set, updatesSeveral } = this.#parts
    if (set.spec.updateStrategy?.type === 'OnDelete') return
    await (updatesSeveral ? this.#updateSeveral() : this.#updateOne())
  }

  async #establish(ordinal: number): Promise<Step> {
    const { status, writes, recreating } = this.#parts
    let pod = this.#pods[ordinal]!
    if (pod.status?.phase === 'Failed') {
      recreating(pod)
      await writes.delete(pod)
      status.deleted(pod, true)
      pod = this.#pods[ordinal] = this.#new(ordinal)
    }
    if (!isCreated(pod)) {
      // Its claims are deleted with the pod before.
      if (writes.hasStaleClaims(pod)) return this.#isOrdered ? 'stops' : 'goes on'
      await writes.create(pod)
      status.created(pod)
      return this.#isOrdered ? 'stops' : 'goes on'
    }
    if (this.#isOrdered && (isEnding(pod) || !this.#isServing(pod))) return 'stops'
    await writes.repair(pod)
    return 'goes on'
  }

  async #removeSurplus(): Promise<Step> {
    const { status, writes } = this.#parts
    const unhealthy = [...this.#pods, ...this.#surplus].find((pod) => !isHealthy(pod))
    for (const pod of this.#surplus) await writes.retainClaims(pod)
    for (const pod of this.#surplus.toReversed()) {
      if (isEnding(pod)) {
        if (this.#isOrdered) return 'stops'
        continue
      }
      if (this.#isOrdered && !this.#isServing(pod) && pod !== unhealthy) return 'stops'
      await writes.delete(pod)
      status.deleted(pod)
      if (this.#isOrdered) return 'stops'
    }
    return 'goes on'
  }

  /** From the highest ordinal on: one after the other is deleted, and created with the next revision. */
  async #updateOne(): Promise<void> {
    for (const pod of this.#toUpdate()) {
      if (this.#isOutdated(pod)) return this.#replace(pod)
      if (!isHealthy(pod)) return
    }
  }

  async #updateSeveral(): Promise<void> {
    const { set } = this.#parts
    const amount = set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1
    const most = Math.max(numberOf(amount, set.spec.replicas ?? 1, 'down'), 1)
    let left = most - this.#pods.filter((pod) => !isHealthy(pod)).length
    for (const pod of this.#toUpdate()) {
      if (left <= 0) return
      if (!this.#isOutdated(pod)) continue
      await this.#replace(pod)
      left--
    }
  }

  #toUpdate(): readonly Pod[] {
    const { partition = 0 } = this.#parts.set.spec.updateStrategy?.rollingUpdate ?? {}
    return this.#pods.slice(Math.max(partition, 0)).toReversed()
  }

  #isOutdated(pod: Pod): boolean {
    return revisionOf(pod) !== this.#parts.revisions.update && !isEnding(pod)
  }

  async #replace(pod: Pod): Promise<void> {
    const { status, writes } = this.#parts
    await writes.delete(pod)
    status.deleted(pod)
  }

  #isServing(pod: Pod): boolean {
    const { set, clock } = this.#parts
    const { minReadySeconds = 0 } = set.spec
    return isRunningAndReady(pod) && isAvailable(pod, minReadySeconds, clock.now())
  }

  #new(ordinal: number): Pod {
    const { set, revisions, templates, nameLabel } = this.#parts
    const which = this.#keepsRevision(ordinal) ? 'current' : 'update'
    const [template, revision] = [templates[which], revisions[which]]
    return newMember(set, { template, revision, ordinal, nameLabel })
  }

  /** Whether a pod of this ordinal is created again as it was before the update. */
  #keepsRevision(ordinal: number): boolean {
    const { spec, status } = this.#parts.set
    const { type, rollingUpdate } = spec.updateStrategy ?? {}
    if (rollingUpdate) return ordinal < (rollingUpdate.partition ?? 0)
    return type === 'RollingUpdate' && ordinal < (status?.currentReplicas ?? 0)
  }
}
