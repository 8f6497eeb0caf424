/** Owners of pods and other objects that controllers create. */
import { parsedTime } from '../../base/time.ts'
import type { ObjectReference } from '../../client/event-recorder.ts'
import type { OwnerReference } from '../../client/transport.ts'
import type { ObjectMeta } from '../../meta/object-meta.ts'

/** Any object with metadata. */
export interface WithMeta {
  readonly metadata: Pick<
    ObjectMeta,
    | 'name'
    | 'namespace'
    | 'uid'
    | 'labels'
    | 'annotations'
    | 'finalizers'
    | 'ownerReferences'
    | 'creationTimestamp'
    | 'deletionTimestamp'
    | 'resourceVersion'
    | 'generation'
  >
}

/** The kind of an owner. */
export interface OwnerKind {
  /** Such as `apps/v1`. */
  readonly apiVersion: string
  readonly kind: string
}

/** The reference to the controller of an object; null when it has none. */
export const controllerOf = ({ metadata }: WithMeta): OwnerReference | null =>
  (metadata.ownerReferences?.find(({ controller }) => controller === true) as
    | OwnerReference
    | undefined) ?? null

/** Whether an object is controlled by this owner. */
export const isControlledBy = (child: WithMeta, owner: WithMeta): boolean =>
  controllerOf(child)?.uid === owner.metadata.uid

/** The reference by which a created object names its controller. */
export const controllerReference = (
  { apiVersion, kind }: OwnerKind,
  { metadata: { name = '', uid = '' } }: WithMeta,
) => ({ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true })

/** The object that an event about an owner names. */
export const eventReference = (
  { apiVersion, kind }: OwnerKind,
  { metadata: { namespace = '', name = '', uid = '', resourceVersion = '' } }: WithMeta,
): ObjectReference => ({ apiVersion, kind, namespace, name, uid, resourceVersion })

/** Creation time in milliseconds since the epoch; 0 when it has none. */
export const createdMs = ({ metadata }: WithMeta): number =>
  parsedTime(metadata.creationTimestamp) ?? 0

/** Orders by creation time, then by name. */
export function byCreation(a: WithMeta, b: WithMeta): number {
  const difference = createdMs(a) - createdMs(b)
  if (difference !== 0) return difference
  const [left, right] = [a.metadata.name ?? '', b.metadata.name ?? '']
  return left < right ? -1 : Number(left > right)
}

/** Whether an object is being deleted. */
export const isEnding = ({ metadata }: WithMeta): boolean =>
  metadata.deletionTimestamp !== undefined

/** Whether a reference names an object of a kind, in any version. */
export const namesKind = ({ apiVersion, kind }: OwnerReference, wanted: OwnerKind): boolean =>
  kind === wanted.kind && groupOf(apiVersion) === groupOf(wanted.apiVersion)

const groupOf = (apiVersion: string): string =>
  apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0))
