import { home, t, type Field, type ShapeClass, type TypeOf } from '../notation/shape.ts'

const { shape } = home('meta/v1')

/** The object that this one belongs to. */
export class OwnerReference extends shape(
  {
    /** Group version of the owner. */
    apiVersion: t.string(5).required(),
    /** Kind of the owner. */
    kind: t.string(1).required(),
    /** Name of the owner, in the same namespace unless the owner has cluster scope. */
    name: t.string(3).required(),
    /** uid of the owner; a namesake made later is another object. */
    uid: t.string(4).required(),
    /** Whether this owner manages the object; at most one does. */
    controller: t.bool(6).explicit(),
    /** Whether the owner stays, in foreground deletion, until this object is gone. */
    blockOwnerDeletion: t.bool(7).explicit(),
  },
  { atomic: true },
) {}

/** Which fields one manager set in one way. */
export class ManagedFieldsEntry extends shape({
  /** Who: the field manager's name. */
  manager: t.string(1),
  /** How: `Apply` or `Update`. */
  operation: t.string(2),
  /** Group version in which the fields are named. */
  apiVersion: t.string(3),
  /** When the set last changed. */
  time: t.time(4).explicit(),
  /** Form of the set; `FieldsV1` is the only one. */
  fieldsType: t.string(6),
  /** The set: names prefixed `f:`, keyed items `k:`, set members `v:`. */
  fieldsV1: t.raw(7).explicit(),
  /** Sub-resource through which the fields were set; empty for the object itself. */
  subresource: t.string(8),
}) {}

/** What every object carries beside its content (seed 1, Common object metadata). */
export class ObjectMeta extends shape({
  /** Name, unique for the kind inside the namespace or cluster at any one time. */
  name: t.string(1),
  /** Prefix of which the server makes a unique name when `name` is empty. */
  generateName: t.string(2),
  /** Namespace of a namespaced object. */
  namespace: t.string(3),
  /** No longer filled. */
  selfLink: t.string(4),
  /** Identifier given by the server, unique over time. */
  uid: t.string(5),
  /** Opaque version of the stored object; compare for equality only. */
  resourceVersion: t.string(6),
  /** Counts changes of the wanted state, for kinds that keep it. */
  generation: t.exactInt64(7),
  /** When the server made the object. */
  creationTimestamp: t.time(8),
  /** When deletion was asked for, plus the grace period; the server sets it. */
  deletionTimestamp: t.time(9).explicit(),
  /** Seconds the object was given to end. */
  deletionGracePeriodSeconds: t.int64(10).explicit(),
  /** Keys and values to select objects by. */
  labels: t.map(11, 'string'),
  /** Keys and values for programs; not selectable. */
  annotations: t.map(12, 'string'),
  /** Objects this one depends on. */
  ownerReferences: t.list(13, OwnerReference).patchBy('uid'),
  /** Duties to be done before the object goes away. */
  finalizers: t.list(14, 'string').patchBy(),
  /** Field ownership, kept by the server. */
  managedFields: t.list(17, ManagedFieldsEntry),
}) {}

const MAX_INT64 = 2n ** 63n - 1n

/** The count behind an object's generation; the largest one has none behind it. */
export function raised({ generation = 0 }: ObjectMeta): number | bigint {
  const next = BigInt(generation) + 1n
  if (next > MAX_INT64) return MAX_INT64
  return Number.isSafeInteger(Number(next)) ? Number(next) : next
}

/** Type and metadata, which every kind starts with. */
export interface Typed {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
}

/** Like `home()`, with `kind()` beside `shape()`: a kind has metadata as field 1. */
export function group(groupVersion: string) {
  const { shape } = home(groupVersion)
  return {
    shape,
    kind: <F extends Record<string, Field<any, any>>>(fields: F, options?: { name: string }) =>
      shape(
        { metadata: t.object(1, ObjectMeta), ...fields },
        { ...options, typed: true },
      ) as unknown as ShapeClass<Typed & TypeOf<F>>,
  }
}
