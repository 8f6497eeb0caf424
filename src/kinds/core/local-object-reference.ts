import { home, t } from '../../notation/shape.ts'

const { shape } = home('core/v1')

/** Refers to an object of a known kind in the namespace of the referring object. */
export class LocalObjectReference extends shape(
  {
    /** Name of the object that is referred to. */
    name: t.string(1),
  },
  { atomic: true },
) {}

/** Refers to an object of any kind in the namespace of the referring object. */
export class TypedLocalObjectReference extends shape(
  {
    /** API group of the object. Empty or unset means the core group. */
    apiGroup: t.string(1).explicit(),
    /** Kind of the object that is referred to. Required. */
    kind: t.string(2).required(),
    /** Name of the object that is referred to. Required. */
    name: t.string(3).required(),
  },
  { atomic: true },
) {}
