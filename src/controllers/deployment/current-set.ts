/** The replica set of the present template: found, brought up to date, or created. */
import type { Deployment } from '../../kinds/apps/deployment.ts'
import type { ReplicaSet } from '../../kinds/apps/replica-set.ts'
import { StatusError } from '../../meta/errors.ts'
import { isNamespaceEnding } from '../endpoints/namespace-ending.ts'
import { templateHash } from '../workloads/hashes.ts'
import { controllerReference, isControlledBy } from '../workloads/owner.ts'
import { messageOf } from '../workloads/pod-writes.ts'
import {
  annotate,
  annotateSizes,
  copyAnnotations,
  HASH_LABEL,
  raiseRevision,
  revisionOf,
} from './annotations.ts'
import { KIND, type DeploymentWrites } from './deployment-writes.ts'
import { hasDeadline, progressOf, REASON, withProgress } from './rollout-status.ts'
import {
  currentOf,
  hasTemplateOf,
  isRolling,
  maxSurgeOf,
  replicasOf,
  sizeOf,
  totalOf,
  withoutHash,
  type Sets,
} from './sets.ts'

/** Separates the set of the present template from the others; it is brought up to date, and created where asked. */
export async function setsOf(
  writes: DeploymentWrites,
  all: readonly ReplicaSet[],
  { creates }: { readonly creates: boolean },
): Promise<Sets> {
  const { names } = writes.parts
  const found = currentOf(all, writes.deployment)
  const old = all.filter((set) => set.metadata.uid !== found?.metadata.uid)
  const revision = old.reduce((max, set) => Math.max(max, revisionOf(set, names)), 0) + 1
  if (found) return { current: await bringUpToDate(writes, found, revision), old }
  return { current: creates ? await create(writes, old, revision) : null, old }
}

async function bringUpToDate(
  writes: DeploymentWrites,
  set: ReplicaSet,
  revision: number,
): Promise<ReplicaSet> {
  const { deployment, parts } = writes
  const { names, clock } = parts
  const hasNewAnnotations = copyAnnotations(deployment, set, names)
  const hasNewRevision = raiseRevision(set, revision, names)
  const seconds = deployment.spec.minReadySeconds ?? 0
  if (hasNewAnnotations || hasNewRevision || (set.spec.minReadySeconds ?? 0) !== seconds) {
    set.spec.minReadySeconds = seconds
    // Later steps of this sync look at it again.
    return Object.assign(set, await writes.writeSet(set))
  }
  const own = set.metadata.annotations?.[names.revision] ?? ''
  const isOther = annotate(deployment, names.revision, own)
  const isFound = hasDeadline(deployment) && !progressOf(deployment.status)
  const message = `Found new replica set "${set.metadata.name}"`
  const wanted = { status: 'True', reason: REASON.found, message } as const
  const status = isFound ? withProgress(deployment.status, wanted, clock) : deployment.status
  if (isOther || isFound) await writes.writeStatus(status)
  return set
}

async function create(
  writes: DeploymentWrites,
  old: readonly ReplicaSet[],
  revision: number,
): Promise<ReplicaSet> {
  const { deployment, parts } = writes
  const { names, clock } = parts
  const wanted = newSet(writes, old, revision)
  const { set, isCreated } = await createdOrKnown(writes, wanted)
  if (isCreated && sizeOf(wanted) > 0) {
    const message = `Scaled up replica set ${set.metadata.name} to ${sizeOf(wanted)}`
    writes.event('Normal', 'ScalingReplicaSet', message)
  }
  const isOther = annotate(deployment, names.revision, String(revision))
  const isNew = isCreated && hasDeadline(deployment)
  const message = `Created new replica set "${set.metadata.name}"`
  const progress = { status: 'True', reason: REASON.created, message } as const
  const status = isNew ? withProgress(deployment.status, progress, clock) : deployment.status
  if (isOther || isNew) await writes.writeStatus(status)
  return set
}

function newSet(
  { deployment, parts: { names } }: DeploymentWrites,
  old: readonly ReplicaSet[],
  revision: number,
): ReplicaSet {
  const { metadata, spec, status } = deployment
  const template = structuredClone(withoutHash(spec.template))
  const hash = templateHash(template, status.collisionCount)
  const labels = { ...template.metadata.labels, [HASH_LABEL]: hash }
  const { matchLabels, ...selector } = spec.selector ?? {}
  const set = {
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace,
      labels: { ...labels },
      annotations: {},
      ownerReferences: [controllerReference(KIND, deployment)],
    },
    spec: {
      replicas: firstSize(deployment, old),
      minReadySeconds: spec.minReadySeconds,
      selector: { ...selector, matchLabels: { ...matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  } as unknown as ReplicaSet
  copyAnnotations(deployment, set, names)
  raiseRevision(set, revision, names)
  const desired = replicasOf(deployment)
  annotateSizes(set, names, { desired, max: desired + maxSurgeOf(deployment) })
  return set
}

/** As many pods as a rolling update may add at once. */
function firstSize(deployment: Deployment, old: readonly ReplicaSet[]): number {
  const wanted = replicasOf(deployment)
  if (!isRolling(deployment)) return wanted
  const room = wanted + maxSurgeOf(deployment) - totalOf(old, sizeOf)
  return Math.max(Math.min(room, wanted), 0)
}

async function createdOrKnown(
  writes: DeploymentWrites,
  wanted: ReplicaSet,
): Promise<{ readonly set: ReplicaSet; readonly isCreated: boolean }> {
  const { name = '' } = wanted.metadata
  try {
    return { set: structuredClone(await writes.sets.create(wanted)), isCreated: true }
  } catch (error) {
    if (error instanceof StatusError && error.reason === 'AlreadyExists') {
      const known = await knownSet(writes, name)
      if (known) return { set: known, isCreated: false }
    } else if (!isNamespaceEnding(error)) await failed(writes, name, error)
    throw error
  }
}

/** The set of that name if it is that of the present template; else the next name is another. */
async function knownSet(writes: DeploymentWrites, name: string): Promise<ReplicaSet | null> {
  const { deployment } = writes
  const set = await writes.sets.find(name)
  if (set && isControlledBy(set, deployment) && hasTemplateOf(set, deployment))
    return structuredClone(set)
  const { collisionCount = 0 } = deployment.status
  await writes.writeStatus({ ...deployment.status, collisionCount: collisionCount + 1 })
  return null
}

async function failed(writes: DeploymentWrites, name: string, error: unknown): Promise<void> {
  const { deployment, parts } = writes
  const message = `Failed to create new replica set "${name}": ${messageOf(error)}`
  if (hasDeadline(deployment)) {
    const wanted = { status: 'False', reason: REASON.failed, message } as const
    // The failure of the creation counts.
    await writes.writeStatus(withProgress(deployment.status, wanted, parts.clock)).catch(() => {})
  }
  writes.event('Warning', REASON.failed, message)
}
