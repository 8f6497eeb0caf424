import { home, t } from '../../../schema/shape.ts'
import { LocalObjectReference } from '../local-object-reference.ts'
import { SecretReference } from '../secret-reference.ts'

const { shape } = home('core/v1')

/** A volume of a program that is installed on the nodes, for a pod. */
export class FlexVolumeSource extends shape({
  /** Name of the program. */
  driver: t.string(1).required(),
  /** File system of the volume; the program chooses when empty. */
  fsType: t.string(2),
  /** Secret that is given to the program. */
  secretRef: t.object(3, LocalObjectReference).explicit(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(4),
  /** Further options for the program. */
  options: t.map(5, 'string'),
}) {}

/** A volume of a program that is installed on the nodes. */
export class FlexPersistentVolumeSource extends shape({
  /** Name of the program. */
  driver: t.string(1).required(),
  /** File system of the volume; the program chooses when empty. */
  fsType: t.string(2),
  /** Secret that is given to the program. */
  secretRef: t.object(3, SecretReference).explicit(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(4),
  /** Further options for the program. */
  options: t.map(5, 'string'),
}) {}

/** A volume of a storage driver that lives and dies with the pod. */
export class CSIVolumeSource extends shape({
  /** Name of the driver. */
  driver: t.string(1).required(),
  /** Whether it is mounted read-only; false when absent. */
  readOnly: t.bool(2).explicit(),
  /** File system of the volume; the driver chooses when absent. */
  fsType: t.string(3).explicit(),
  /** Properties for the driver. */
  volumeAttributes: t.map(4, 'string'),
  /** Secret for publishing the volume on the node. */
  nodePublishSecretRef: t.object(5, LocalObjectReference).explicit(),
}) {}

/** A volume of a storage driver. */
export class CSIPersistentVolumeSource extends shape({
  /** Name of the driver. */
  driver: t.string(1).required(),
  /** Identifier by which the driver knows the volume. */
  volumeHandle: t.string(2).required(),
  /** Whether it is published read-only. */
  readOnly: t.bool(3),
  /** File system of the volume. */
  fsType: t.string(4),
  /** Properties for the driver. */
  volumeAttributes: t.map(5, 'string'),
  /** Secret for attaching and detaching. */
  controllerPublishSecretRef: t.object(6, SecretReference).explicit(),
  /** Secret for staging on the node. */
  nodeStageSecretRef: t.object(7, SecretReference).explicit(),
  /** Secret for publishing on the node. */
  nodePublishSecretRef: t.object(8, SecretReference).explicit(),
  /** Secret for growing the volume. */
  controllerExpandSecretRef: t.object(9, SecretReference).explicit(),
  /** Secret for growing the volume on the node. */
  nodeExpandSecretRef: t.object(10, SecretReference).explicit(),
}) {}
