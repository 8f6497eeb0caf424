import type { FieldErrors } from '../../meta/field-errors.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { isQualifiedName } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { validateCsiDriverName } from '../core/volumes/plug-ins.ts'

const { kind, shape } = group('storage{api}/v1')

/** Limits on the volumes that a CSI driver can attach to a node. */
export class VolumeNodeResources extends shape({
  /**
   * Maximum number of different volumes of the driver that can be used on the node. 0 allows none. If unset, there is
   * no limit.
   */
  count: t.int32(1).explicit(),
}) {}

/** CSI driver that is installed on a node. Immutable: to change an entry, remove and add it again. */
export class CSINodeDriver extends shape({
  /** Name of the CSI driver, as in its CSIDriver object. */
  name: t.string(1).required(),
  /** Identifier of the node from the point of view of the driver, at most 256 characters. */
  nodeID: t.string(2).required(),
  /** Keys of node labels that describe the topology to the driver. */
  topologyKeys: t.list(3, 'string'),
  /** Limits on the volumes of the driver on the node. */
  allocatable: t.object(4, VolumeNodeResources).explicit(),
}) {}

/** List of CSI drivers that have registered on a node. */
export class CSINodeSpec extends shape({
  /** Installed CSI drivers, by name. May be empty. */
  drivers: t.list(1, CSINodeDriver).required().patchBy('name'),
}) {}

/** A CSINode lists the CSI drivers on a node and has the name of the node. The node agent maintains it. */
export class CSINode extends kind({
  /** CSI drivers that are installed on the node. */
  spec: t.object(2, CSINodeSpec).required(),
}) {}

const MAX_NODE_ID = 256

export const csiNodes = resource(CSINode, {
  plural: 'csinodes',
  scope: 'cluster',
  needsVersionOnUpdate: true,
  columns: [
    nameColumn,
    column('Drivers', 'integer', (node) => node.spec.drivers.length, {
      description: 'Number of installed CSI drivers.',
    }),
    ageColumn,
  ],

  validate({ spec }, errors) {
    const names = new Set<string>()
    for (const [i, driver] of spec.drivers.entries()) {
      const at = errors.at('spec', 'drivers', i)
      validateDriver(driver, at)
      if (names.has(driver.name)) at.at('name').duplicate(driver.name)
      names.add(driver.name)
    }
  },

  validateUpdate(next, old, errors) {
    for (const driver of old.spec.drivers) {
      const now = next.spec.drivers.find(({ name }) => name === driver.name)
      // As the reference writes it: the name of the type, not of the field.
      if (now && !sameValue(now, driver))
        errors.at('CSINodeDriver').invalid(now, 'field is immutable')
    }
  },
})

function validateDriver(driver: CSINodeDriver, errors: FieldErrors): void {
  validateCsiDriverName(driver.name, errors.at('name'))
  if (driver.nodeID === '') errors.at('nodeID').required(driver.nodeID)
  if (Buffer.byteLength(driver.nodeID) > MAX_NODE_ID) {
    errors.at('nodeID').invalid(driver.nodeID, `must be ${MAX_NODE_ID} characters or less`)
  }
  const count = driver.allocatable?.count
  if (count !== undefined && count < 0) {
    errors.at('allocatable', 'count').invalid(count, 'must be greater than or equal to 0')
  }
  const keys = new Set<string>()
  for (const key of driver.topologyKeys ?? []) {
    if (key === '') errors.required(key)
    if (keys.has(key)) errors.duplicate(key)
    keys.add(key)
    errors.invalidAll(key, isQualifiedName(key))
  }
}
