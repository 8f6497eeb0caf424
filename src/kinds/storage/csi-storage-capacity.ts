import { shownSelector } from '../meta/shown-selector.ts'
import { parseQuantity, sign } from '../../base/quantity.ts'
import { isDns1123Subdomain } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { resource, same } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { validateLabelSelector } from '../core/volumes/meta-rules.ts'
import { oldNodeLabel } from '../core/node-selector.ts'
import { LabelSelector } from '../meta/label-selector.ts'

const { kind } = group('storage{api}/v1')

/**
 * A CSIStorageCapacity reports the storage that is available for one StorageClass in one topology segment. The CSI
 * driver publishes it for the scheduler.
 */
export class CSIStorageCapacity extends kind({
  /**
   * Label selector of the nodes that can access the storage. If unset, no node can; an empty selector matches all
   * nodes. Immutable.
   */
  nodeTopology: t.object(2, LabelSelector).explicit(),
  /** Name of the StorageClass that the capacity is for. Immutable. */
  storageClassName: t.string(3).required(),
  /** Available capacity in bytes. If unset, it is unknown and treated as none. Must not be negative. */
  capacity: t.quantity(4).explicit(),
  /** Size in bytes of the largest volume that can be provisioned. If unset, `capacity` is the only limit. */
  maximumVolumeSize: t.quantity(5).explicit(),
}) {}

export const csiStorageCapacities = resource(CSIStorageCapacity, {
  plural: 'csistoragecapacities',
  scope: 'namespace',
  needsVersionOnUpdate: true,
  deleteAnswers: 'status',
  heldDeleteAnswers: 'status',
  versions: {
    'storage{api}/v1beta1': same(CSIStorageCapacity, {
      since: '1.24',
      removed: '1.27',
      use: 'storage{api}/v1',
    }),
  },

  validate(object, errors) {
    if (object.nodeTopology) validateLabelSelector(object.nodeTopology, errors.at('nodeTopology'))
    errors
      .at('storageClassName')
      .invalidAll(object.storageClassName, isDns1123Subdomain(object.storageClassName))
    if (object.capacity !== undefined && sign(parseQuantity(object.capacity)) < 0) {
      errors.at('capacity').invalid(object.capacity, 'must be greater than or equal to 0')
    }
  },

  validateUpdate(next, old, errors) {
    errors.at('nodeTopology').immutable(next.nodeTopology, old.nodeTopology, shownSelector)
    errors.at('storageClassName').immutable(next.storageClassName, old.storageClassName)
  },

  warn(object, _old, { v }) {
    const { matchLabels = {}, matchExpressions = [] } = object.nodeTopology ?? {}
    const keys = [
      ...Object.keys(matchLabels).map((key) => [`nodeTopology.matchLabels.${key}`, key] as const),
      ...matchExpressions.map(
        ({ key }, i) => [`nodeTopology.matchExpressions[${i}].key`, key] as const,
      ),
    ]
    return keys.flatMap(([path, key]) => {
      const instead = oldNodeLabel(key, v)
      return instead === null ? [] : [`${path}: ${key} is ${instead}`]
    })
  },
})
