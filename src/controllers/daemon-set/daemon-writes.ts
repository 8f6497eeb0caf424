/** Creates and deletes the pods of a plan. */
import type { DaemonSet } from '../../kinds/apps/daemon-set.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { inGrowingBatches, inParallel } from '../workloads/batches.ts'
import type { Expectations } from '../workloads/expectations.ts'
import { eventReference } from '../workloads/owner.ts'
import type { PodWrites } from '../workloads/pod-writes.ts'
import { daemonPod, KIND } from './daemon-pod.ts'
import type { DaemonPlan } from './daemon-plan.ts'

/** Most pods that are created, and most that are deleted, in one step. */
const BURST = 250

/** Dependencies of {@link carryOut}. */
export interface DaemonWritesParts {
  readonly v: Vocabulary
  readonly writes: PodWrites
  readonly expectations: Expectations
}

/** Carries out a plan for the set of a key. Throws the failures after everything has been tried. */
export async function carryOut(
  { v, writes, expectations }: DaemonWritesParts,
  key: string,
  { set, hash }: { readonly set: DaemonSet; readonly hash: string },
  plan: DaemonPlan,
): Promise<void> {
  const creates = plan.creates.slice(0, BURST)
  const deletes = plan.deletes.slice(0, BURST)
  const about = eventReference(KIND, set)
  const uids = deletes.map(({ metadata }) => metadata.uid ?? '')
  expectations.expect(key, creates.length, uids)
  const created = await inGrowingBatches(creates.length, async (index) => {
    try {
      const made = await writes.create(daemonPod(set, creates[index]!, hash, v), about)
      if (!made) expectations.created(key)
    } catch (error) {
      expectations.created(key)
      throw error
    }
  })
  expectations.created(key, created.skipped)
  const deleted = await inParallel(deletes.length, async (index) => {
    try {
      const isThere = await writes.delete(deletes[index]!, about)
      if (!isThere) expectations.deleted(key, uids[index]!)
    } catch (error) {
      expectations.deleted(key, uids[index]!)
      throw error
    }
  })
  const failure = created.failure ?? deleted.failure
  if (failure) throw failure.error
}
