import { home, t } from '../../notation/shape.ts'

const { shape } = home('core/v1')

/** Refers to an object of any kind, or to a part of it. */
export class ObjectReference extends shape(
  {
    /** Kind of the object that is referred to. */
    kind: t.string(1),
    /** Namespace of the object. Empty for a cluster-scoped object. */
    namespace: t.string(2),
    /** Name of the object that is referred to. */
    name: t.string(3),
    /** Unique identifier of the object. Distinguishes it from other objects of the same name. */
    uid: t.string(4),
    /** API group and version of the object, for example `apps/v1`. */
    apiVersion: t.string(5),
    /** Resource version of the object that is meant, if it is a specific one. */
    resourceVersion: t.string(6),
    /**
     * Path of the field that is meant, for example `spec.containers{web}`. Empty refers to the
     * whole object.
     */
    fieldPath: t.string(7),
  },
  { atomic: true },
) {}
