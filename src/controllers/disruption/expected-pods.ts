/** How many pods a budget is for: those that the controllers of its pods should have. */
import type { Client } from '../../client/client.ts'
import type { Lister } from '../../client/informer.ts'
import type { KnownResources } from '../../client/known-resources.ts'
import type { OwnerReference } from '../../client/transport.ts'
import type { Scale } from '../../kinds/autoscaling/scale.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { DEPLOYMENTS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS } from '../addresses.ts'
import type { Replicated } from '../replicas/replica-kind.ts'
import { controllerOf } from '../workloads/owner.ts'

/** Known controllers of pods, by their kinds. */
export interface ScalableListers {
  readonly Deployment: Lister<Replicated>
  readonly ReplicaSet: Lister<Replicated>
  readonly ReplicationController: Lister<Replicated>
  readonly StatefulSet: Lister<Replicated>
}

/** Addresses of {@link ScalableListers}. */
export const SCALABLE = {
  Deployment: DEPLOYMENTS,
  ReplicaSet: REPLICA_SETS,
  ReplicationController: REPLICATION_CONTROLLERS,
  StatefulSet: STATEFUL_SETS,
} as const

/** Dependencies of {@link expectedScale}. */
export interface ExpectedParts {
  readonly client: Client
  readonly resources: KnownResources
  readonly known: ScalableListers
}

/** A controller of pods and its size. */
interface Found {
  readonly uid: string
  readonly replicas: number
}

/** The sizes of the distinct controllers of pods; pods without one do not count. Throws Error when one is not found. */
export async function expectedScale(parts: ExpectedParts, pods: readonly Pod[]): Promise<number> {
  const sizes = new Map<string, number>()
  const seen = new Set<string>()
  for (const pod of pods) {
    const reference = controllerOf(pod)
    if (!reference || seen.has(reference.uid)) continue
    seen.add(reference.uid)
    const { namespace = '', name } = pod.metadata
    const found =
      builtIn(parts, reference, namespace) ?? (await scaled(parts, reference, namespace))
    if (!found) throw new Error(`found no controllers for pod ${JSON.stringify(name)}`)
    sizes.set(found.uid, found.replicas)
  }
  return [...sizes.values()].reduce((sum, replicas) => sum + replicas, 0)
}

const GROUPS: Readonly<Record<string, string>> = {
  ReplicationController: '',
  Deployment: 'apps',
  ReplicaSet: 'apps',
  StatefulSet: 'apps',
}

function builtIn(
  { known }: ExpectedParts,
  reference: OwnerReference,
  namespace: string,
): Found | null {
  const { apiVersion, kind } = reference
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : ''
  if (!Object.hasOwn(known, kind) || GROUPS[kind] !== group) return null
  const owner = known[kind as keyof ScalableListers].get(namespace, reference.name)
  if (owner?.metadata.uid !== reference.uid) return null
  const above = kind === 'ReplicaSet' ? controllerOf(owner) : null
  if (!above) return { uid: reference.uid, replicas: owner.spec.replicas ?? 1 }
  // Its replica sets come and go.
  if (above.kind !== 'Deployment' || !above.apiVersion.startsWith('apps/')) return null
  const deployment = known.Deployment.get(namespace, above.name)
  if (deployment?.metadata.uid !== above.uid) return null
  return { uid: above.uid, replicas: deployment.spec.replicas ?? 1 }
}

/** Any other kind that has the sub-resource. */
async function scaled(
  { client, resources }: ExpectedParts,
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): Promise<Found | null> {
  const [group = '', version = group] = apiVersion.includes('/')
    ? apiVersion.split('/')
    : ['', apiVersion]
  const { resources: served } = await resources.current()
  const of = served.find(
    (one) =>
      one.group === group &&
      one.version === version &&
      one.kind === kind &&
      !one.resource.includes('/'),
  )
  if (!of) return null
  const scalable = client.resource<Scale>(of).in(namespace)
  try {
    const scale = await scalable.sub('scale').get<Scale>(name)
    if (scale.metadata.uid !== uid) return null
    return { uid, replicas: scale.spec.replicas ?? 0 }
  } catch (error) {
    if ((error as { readonly code?: number }).code !== 404) throw error
    if (!(await scalable.find(name))) return null
    const full = group === '' ? of.resource : `${of.resource}.${group}`
    throw new Error(`${full} does not implement the scale subresource`, { cause: error })
  }
}
