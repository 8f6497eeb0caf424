import { home, t } from '../../notation/shape.ts'

const { shape } = home('core/v1')

/** Names an object whose kind is known, in the namespace of the one that refers to it. */
export class LocalObjectReference extends shape(
  {
    /** Name of the object. */
    name: t.string(1),
  },
  { atomic: true },
) {}

/** Names an object of any kind in the namespace of the one that refers to it. */
export class TypedLocalObjectReference extends shape(
  {
    /** API group of the object; absent or empty is the core group. */
    apiGroup: t.string(1).explicit(),
    /** Kind of the object. */
    kind: t.string(2).required(),
    /** Name of the object. */
    name: t.string(3).required(),
  },
  { atomic: true },
) {}
