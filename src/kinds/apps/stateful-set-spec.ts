import { home, t } from '../../notation/shape.ts'
import { PersistentVolumeClaim } from '../core/persistent-volume-claim.ts'
import { PodTemplateSpec } from '../core/pod/pod-template.ts'
import { LabelSelector } from '../meta/label-selector.ts'

const { shape } = home('apps/v1')

/** Parameters of a rolling update of a StatefulSet. */
export class RollingUpdateStatefulSetStrategy extends shape({
  /**
   * Ordinal at which the update is partitioned: only pods with this ordinal or a higher one are updated. Must not be
   * negative. Defaults to 0, all pods.
   */
  partition: t.int32(1).explicit(),
  /**
   * Maximum number of pods that may be unavailable during the update: an absolute number, or a percentage of the
   * desired pods, rounded up. Dropped unless the feature gate MaxUnavailableStatefulSet is enabled.
   */
  maxUnavailable: t.intOrString(2).explicit(),
}) {}

/** How pods are replaced when the template changes. */
export class StatefulSetUpdateStrategy extends shape({
  /**
   * `RollingUpdate` replaces pods from the highest ordinal down, `OnDelete` replaces a pod only after it has been
   * deleted manually. Defaults to `RollingUpdate`.
   */
  type: t.string(1).oneOf('OnDelete', 'RollingUpdate'),
  /** Parameters of the rolling update. Not allowed if `type` is `OnDelete`. */
  rollingUpdate: t.object(2, RollingUpdateStatefulSetStrategy).explicit(),
}) {}

/** When PersistentVolumeClaims that were created from `volumeClaimTemplates` are deleted. */
export class StatefulSetPersistentVolumeClaimRetentionPolicy extends shape({
  /** Policy for all claims when the StatefulSet is deleted: `Retain` or `Delete`. Defaults to `Retain`. */
  whenDeleted: t.string(1),
  /** Policy for the claims of pods that are removed by scaling down: `Retain` or `Delete`. Defaults to `Retain`. */
  whenScaled: t.string(2),
}) {}

/**
 * Pod template, claims and update strategy of a StatefulSet. Only `replicas`, `template`, `updateStrategy`,
 * `minReadySeconds` and `persistentVolumeClaimRetentionPolicy` can be updated.
 */
export class StatefulSetSpec extends shape({
  /** Desired number of pods. Defaults to 1. */
  replicas: t.int32(1).explicit().default(1),
  /**
   * Label selector of the pods that the StatefulSet manages. Must not be empty and must match the labels of the
   * template. Immutable.
   */
  selector: t.object(2, LabelSelector).explicit().mandatory(),
  /** Template of the pods, which are named `<name>-<ordinal>`. `restartPolicy` must be `Always`. */
  template: t.object(3, PodTemplateSpec).required().unchecked(),
  /**
   * Templates of PersistentVolumeClaims. Each pod gets one claim per template, usable as a volume under the name of the
   * template; the claims outlive the pod. Immutable.
   */
  volumeClaimTemplates: t.list(4, PersistentVolumeClaim).unchecked(),
  /**
   * Name of the headless Service that gives the pods their DNS names. The Service must be created separately.
   * Immutable.
   */
  serviceName: t.string(5).required(),
  /**
   * `OrderedReady` creates pods one after the other, each once its predecessor is ready, and deletes them in reverse;
   * `Parallel` does not wait. Defaults to `OrderedReady`. Immutable.
   */
  podManagementPolicy: t
    .string(6)
    .oneOf('OrderedReady', 'Parallel')
    .unchecked()
    .default('OrderedReady'),
  /** Strategy for replacing pods with pods of a new template. Defaults to a rolling update. */
  updateStrategy: t.object(7, StatefulSetUpdateStrategy).unchecked(),
  /** Number of old ControllerRevisions to retain for rollback. Defaults to 10. Immutable. */
  revisionHistoryLimit: t.int32(8).explicit().default(10),
  /**
   * Minimum number of seconds a new pod must be ready without any container crashing before it counts as available.
   * Defaults to 0: available as soon as it is ready.
   */
  minReadySeconds: t.int32(9),
  /**
   * When claims created from `volumeClaimTemplates` are deleted. By default they are retained. Dropped unless the
   * feature gate StatefulSetAutoDeletePVC is enabled.
   */
  persistentVolumeClaimRetentionPolicy: t
    .object(10, StatefulSetPersistentVolumeClaimRetentionPolicy)
    .explicit(),
}) {}

/** One aspect of the observed state of a StatefulSet. */
export class StatefulSetCondition extends shape({
  /** Type of the condition, unique in the list. */
  type: t.string(1).required(),
  /** Status of the condition: `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** Time at which the status last changed from one value to another. */
  lastTransitionTime: t.time(3),
  /** Machine-readable reason for the last transition, in CamelCase. */
  reason: t.string(4),
  /** Human-readable details about the last transition. */
  message: t.string(5),
}) {}

/** Pod counts, revisions and conditions of a StatefulSet. */
export class StatefulSetStatus extends shape({
  /** Generation of the spec that the controller last acted on. */
  observedGeneration: t.int64(1),
  /** Number of pods that the controller has created. */
  replicas: t.int32(2).required(),
  /** Number of pods that are ready. */
  readyReplicas: t.int32(3),
  /** Number of pods of the revision in `currentRevision`. */
  currentReplicas: t.int32(4),
  /** Number of pods of the revision in `updateRevision`. */
  updatedReplicas: t.int32(5),
  /** Name of the ControllerRevision that pods had before the update in progress. */
  currentRevision: t.string(6),
  /**
   * Name of the ControllerRevision that pods are updated to. Equal to `currentRevision` if no update is in progress.
   */
  updateRevision: t.string(7),
  /**
   * Number of hash collisions. The controller uses it to find a free name for the next ControllerRevision. Must not
   * decrease.
   */
  collisionCount: t.int32(9).explicit(),
  /** Current conditions of the StatefulSet, by type. */
  conditions: t.list(10, StatefulSetCondition).patchBy('type'),
  /** Number of pods that have been ready for at least `minReadySeconds`. */
  availableReplicas: t.int32(11).explicit().default(0),
}) {}
