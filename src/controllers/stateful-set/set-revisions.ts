/** The revisions of the template of a StatefulSet. */
import type { ControllerRevision } from '../../kinds/apps/controller-revision.ts'
import type { StatefulSet } from '../../kinds/apps/stateful-set.ts'
import type { PodTemplateSpec } from '../../kinds/core/pod/pod-template.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { revisionHash } from '../workloads/hashes.ts'
import type { RevisionHistory } from '../workloads/revision-history.ts'
import { nextRevision, revisionData, storedData } from '../workloads/revisions.ts'
import { revisionOf } from './identity.ts'

/** Most characters of the name of the set in the name of a revision. */
const MAX_NAME = 223

/** The revisions that matter for a sync. */
export interface SetRevisions {
  readonly current: ControllerRevision
  readonly update: ControllerRevision
  readonly collisionCount: number
  /** All of the set. */
  readonly all: readonly ControllerRevision[]
}

/** Finds the revision of the present template, or creates it; `all` are the stored ones, the oldest first. */
export async function revisionsOf(
  set: StatefulSet,
  all: readonly ControllerRevision[],
  history: RevisionHistory,
  hashLabel: string,
): Promise<SetRevisions> {
  const data = revisionData(set.spec.template)
  const revision = nextRevision(all)
  const equal = all.filter((one) => storedData(one) === data).at(-1)
  let { collisionCount = 0 } = set.status ?? {}
  let update: ControllerRevision | null = null
  if (equal)
    update = equal === all.at(-1) ? equal : await history.update(equal, { number: revision })
  while (!update) {
    const hash = revisionHash(data, collisionCount)
    const labels = { ...set.spec.template.metadata?.labels, [hashLabel]: hash }
    const name = `${(set.metadata.name ?? '').slice(0, MAX_NAME)}-${hash}`
    update = await history.create({ name, data, revision, labels })
    if (!update) collisionCount++
  }
  const named = set.status?.currentRevision
  const current = all.find(({ metadata }) => metadata.name === named) ?? update
  return { current, update, collisionCount, all }
}

/** The template that a revision stores. */
export function templateIn({ data }: ControllerRevision): PodTemplateSpec {
  const { spec } = structuredClone(data) as { spec: { template: PodTemplateSpec } }
  const { $patch: _, ...template } = spec.template as PodTemplateSpec & { readonly $patch?: string }
  return template as PodTemplateSpec
}

/** Deletes the oldest revisions that nothing uses beyond the limit of the set. */
export async function deleteOldRevisions(
  { spec }: StatefulSet,
  { all, current, update }: SetRevisions,
  pods: readonly Pod[],
  history: RevisionHistory,
): Promise<void> {
  const used = new Set([current.metadata.name, update.metadata.name, ...pods.map(revisionOf)])
  const unused = all.filter(({ metadata }) => !used.has(metadata.name))
  await history.deleteOldest(unused, spec.revisionHistoryLimit ?? 10, () => false)
}
