import { home, t } from '../../../schema/shape.ts'
import { ObjectFieldSelector, ResourceFieldSelector } from './pod-fields.ts'

const { shape } = home('core/v1')

/** A file with something about the pod; exactly one of the two references is set. */
export class DownwardAPIVolumeFile extends shape({
  /** Where the file goes: relative, without `..`. */
  path: t.string(1).required(),
  /** A field of the pod: its name, namespace, uid, labels or annotations. */
  fieldRef: t.object(2, ObjectFieldSelector).explicit(),
  /** A resource limit or request of a container. */
  resourceFieldRef: t.object(3, ResourceFieldSelector).explicit(),
  /** Mode bits of the file, 0 to 511; those of the volume when absent. */
  mode: t.int32(4).explicit(),
}) {}

/** Files with facts about the pod. */
export class DownwardAPIVolumeSource extends shape({
  /** The files. */
  items: t.list(1, DownwardAPIVolumeFile),
  /** Mode bits of files that name none, 0 to 511. */
  defaultMode: t.int32(2).explicit().default(0o644),
}) {}

/** Files with facts about the pod, inside a projected volume. */
export class DownwardAPIProjection extends shape({
  /** The files. */
  items: t.list(1, DownwardAPIVolumeFile),
}) {}
