import { group } from '../../meta/object-meta.ts'
import { t } from '../../notation/shape.ts'
import { DeleteOptions } from '../meta/delete-options.ts'

const { kind } = group('policy/v1')
const { kind: older } = group('policy/v1beta1')

/**
 * Requests the eviction of a pod, subject to its PodDisruptionBudget. Created through the `eviction` subresource of the
 * pod; not persisted.
 */
export class Eviction extends kind({
  /** Options for deleting the pod, such as the grace period. */
  deleteOptions: t.object(2, DeleteOptions).explicit(),
}) {}

/** Requests the eviction of a pod, in the form that older clients send. */
export class EvictionV1beta1 extends older(
  {
    /** Options for deleting the pod, such as the grace period. */
    deleteOptions: t.object(2, DeleteOptions).explicit(),
  },
  { name: 'Eviction' },
) {}
