/** The revisions of the template of a DaemonSet. */
import type { Client } from '../../client/client.ts'
import type { ControllerRevision } from '../../kinds/apps/controller-revision.ts'
import type { DaemonSet } from '../../kinds/apps/daemon-set.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { DAEMON_SETS, PODS } from '../addresses.ts'
import { templateHash } from '../workloads/hashes.ts'
import type { RevisionHistory } from '../workloads/revision-history.ts'
import { nextRevision, revisionData, storedData } from '../workloads/revisions.ts'
import { HASH_LABEL } from './daemon-pod.ts'

/** The revisions of a set. */
export interface DaemonRevisions {
  readonly current: ControllerRevision
  /** The revisions of other templates. */
  readonly old: readonly ControllerRevision[]
}

/** What these revisions are found and written with. */
export interface DaemonHistoryParts {
  readonly client: Client
  readonly history: RevisionHistory
  readonly set: DaemonSet
  readonly pods: readonly Pod[]
}

/** The hash in the label of a revision. */
export const hashOf = ({ metadata }: ControllerRevision): string =>
  metadata.labels?.[HASH_LABEL] ?? ''

/** Finds the revision of the present template, or creates it; `all` are the stored ones, the oldest first. */
export async function daemonRevisions(
  parts: DaemonHistoryParts,
  all: readonly ControllerRevision[],
): Promise<DaemonRevisions> {
  const labeled = await Promise.all(all.map((one) => withHash(parts, one)))
  const data = revisionData(parts.set.spec.template)
  const equal = labeled.filter((one) => storedData(one) === data)
  const old = labeled.filter((one) => !equal.includes(one))
  const number = nextRevision(old)
  if (equal.length === 0) return { current: await create(parts, data, number), old }
  const current = await merged(parts, equal)
  if (Number(current.revision) >= number) return { current, old }
  return { current: await parts.history.update(current, { number }), old }
}

/** Revisions of earlier releases have no such label. */
async function withHash(
  { history }: DaemonHistoryParts,
  revision: ControllerRevision,
): Promise<ControllerRevision> {
  const { labels, name = '' } = revision.metadata
  if (labels && Object.hasOwn(labels, HASH_LABEL)) return revision
  return history.update(revision, { labels: { ...labels, [HASH_LABEL]: name } })
}

/** Of several with the same template the newest stays; pods of the others get its label. */
async function merged(
  parts: DaemonHistoryParts,
  equal: readonly ControllerRevision[],
): Promise<ControllerRevision> {
  const kept = equal.at(-1)!
  for (const other of equal.slice(0, -1)) {
    for (const pod of parts.pods) await relabel(parts.client, pod, other, kept)
    await parts.history.delete(other)
  }
  return kept
}

async function relabel(
  client: Client,
  pod: Pod,
  from: ControllerRevision,
  to: ControllerRevision,
): Promise<void> {
  const { namespace = '', labels } = pod.metadata
  if (labels?.[HASH_LABEL] !== hashOf(from) || hashOf(from) === hashOf(to)) return
  const metadata = { ...pod.metadata, labels: { ...labels, [HASH_LABEL]: hashOf(to) } }
  await client
    .resource<Pod>(PODS)
    .in(namespace)
    .update({ ...pod, metadata } as Pod)
}

async function create(
  { client, history, set }: DaemonHistoryParts,
  data: string,
  revision: number,
): Promise<ControllerRevision> {
  const { template } = set.spec
  const hash = templateHash(template, set.status.collisionCount)
  const name = `${set.metadata.name}-${hash}`
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash }
  const created = await history.create({ name, data, revision, labels })
  if (created) return created
  await countCollision(client, set)
  throw new Error(`found a hash collision for DaemonSet ${set.metadata.name}, retrying`)
}

/** The next attempt has another name. */
async function countCollision(client: Client, set: DaemonSet): Promise<void> {
  const of = client.resource<DaemonSet>(DAEMON_SETS).in(set.metadata.namespace ?? '')
  const live = await of.get(set.metadata.name ?? '')
  const { collisionCount = 0 } = live.status
  if (collisionCount !== (set.status.collisionCount ?? 0)) return
  const status = { ...live.status, collisionCount: collisionCount + 1 }
  await of.sub('status').update({ ...live, status } as DaemonSet)
}
