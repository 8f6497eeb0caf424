import { home, t } from '../../notation/shape.ts'
import { PersistentVolumeClaim } from '../core/persistent-volume-claim.ts'
import { PodTemplateSpec } from '../core/pod/pod-template.ts'
import { LabelSelector } from '../meta/label-selector.ts'

const { shape } = home('apps/v1')

/** Which pods are replaced, and how many at a time. */
export class RollingUpdateStatefulSetStrategy extends shape({
  /** Pods with a lower number keep the old template. */
  partition: t.int32(1).explicit(),
  /** Most pods that may be missing meanwhile, as number or share; needs a feature that is off by default. */
  maxUnavailable: t.intOrString(2).explicit(),
}) {}

/** How pods of an old template give way to pods of the new one. */
export class StatefulSetUpdateStrategy extends shape({
  /** `RollingUpdate`: from the highest number down. `OnDelete`: when somebody deletes an old one. */
  type: t.string(1).oneOf('OnDelete', 'RollingUpdate'),
  /** The steps, for `RollingUpdate` only. */
  rollingUpdate: t.object(2, RollingUpdateStatefulSetStrategy).explicit(),
}) {}

/** What becomes of claims that were made from the templates. */
export class StatefulSetPersistentVolumeClaimRetentionPolicy extends shape({
  /** `Delete` or `Retain` when the set is deleted. */
  whenDeleted: t.string(1),
  /** `Delete` or `Retain` when the set has fewer pods than before. */
  whenScaled: t.string(2),
}) {}

/** Which pods there shall be, each with a name and claims of its own. */
export class StatefulSetSpec extends shape({
  /** How many pods there shall be. */
  replicas: t.int32(1).explicit().default(1),
  /** Labels by which it finds its pods; the labels of the template match it, and it cannot change. */
  selector: t.object(2, LabelSelector).explicit().mandatory(),
  /** What the pods look like; they restart always. */
  template: t.object(3, PodTemplateSpec).required().unchecked(),
  /** Claims that each pod gets, to be mounted by their names. */
  volumeClaimTemplates: t.list(4, PersistentVolumeClaim).unchecked(),
  /** Service under which the pods have network names. */
  serviceName: t.string(5).required(),
  /** Whether pods start and end one after the other, or all at once. */
  podManagementPolicy: t
    .string(6)
    .oneOf('OrderedReady', 'Parallel')
    .unchecked()
    .default('OrderedReady'),
  /** How pods of an old template give way to pods of a new one. */
  updateStrategy: t.object(7, StatefulSetUpdateStrategy).unchecked(),
  /** How many former states are kept to go back to; it cannot change. */
  revisionHistoryLimit: t.int32(8).explicit().default(10),
  /** Seconds a pod must be ready without a crash before it counts as available. */
  minReadySeconds: t.int32(9),
  /** What becomes of claims later; needs a feature that is off by default. */
  persistentVolumeClaimRetentionPolicy: t
    .object(10, StatefulSetPersistentVolumeClaimRetentionPolicy)
    .explicit(),
}) {}

/** Something that is going on with a stateful set. */
export class StatefulSetCondition extends shape({
  /** What it is about. */
  type: t.string(1).required(),
  /** `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** When the status last changed. */
  lastTransitionTime: t.time(3),
  /** Why it changed, as one word. */
  reason: t.string(4),
  /** Why it changed, for people. */
  message: t.string(5),
}) {}

/** How a stateful set fares. */
export class StatefulSetStatus extends shape({
  /** Generation that the counts are about. */
  observedGeneration: t.int64(1),
  /** Pods that there are. */
  replicas: t.int32(2).required(),
  /** Pods that are ready. */
  readyReplicas: t.int32(3),
  /** Pods of the state that is given up. */
  currentReplicas: t.int32(4),
  /** Pods of the state that is wanted. */
  updatedReplicas: t.int32(5),
  /** Name of the state that is given up. */
  currentRevision: t.string(6),
  /** Name of the state that is wanted. */
  updateRevision: t.string(7),
  /** How often the name of a new state was taken; it takes part in such names. */
  collisionCount: t.int32(9).explicit(),
  /** What is going on. */
  conditions: t.list(10, StatefulSetCondition).patchBy('type'),
  /** Pods that have been ready for `minReadySeconds`. */
  availableReplicas: t.int32(11).explicit().default(0),
}) {}
