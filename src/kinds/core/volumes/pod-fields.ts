import { home, t } from '../../../schema/shape.ts'

const { shape } = home('core/v1')

/** Selects a field of the pod. */
export class ObjectFieldSelector extends shape(
  {
    /** Version in which the field is named. */
    apiVersion: t.string(1).default('v1'),
    /** Path of the field, for instance `metadata.labels['app']`. */
    fieldPath: t.string(2).required(),
  },
  { atomic: true },
) {}

/** Selects a resource limit or request of a container. */
export class ResourceFieldSelector extends shape(
  {
    /** Container; required in volumes, the own one in environment variables. */
    containerName: t.string(1),
    /** What to read, for instance `limits.cpu`. */
    resource: t.string(2).required(),
    /** Unit in which it is given; 0 is the same as 1. */
    divisor: t.quantity(3),
  },
  { atomic: true },
) {}
