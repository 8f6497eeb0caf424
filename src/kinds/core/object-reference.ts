import { home, t } from '../../notation/shape.ts'

const { shape } = home('core/v1')

/** Names any object, or a part of it. */
export class ObjectReference extends shape(
  {
    /** Kind of the object. */
    kind: t.string(1),
    /** Namespace of the object, when it is in one. */
    namespace: t.string(2),
    /** Name of the object. */
    name: t.string(3),
    /** uid of the object, which tells it from later objects of the same name. */
    uid: t.string(4),
    /** Group version in which the object is meant. */
    apiVersion: t.string(5),
    /** Version of the object that is meant. */
    resourceVersion: t.string(6),
    /** Part of the object, for instance `spec.containers{web}`. */
    fieldPath: t.string(7),
  },
  { atomic: true },
) {}
