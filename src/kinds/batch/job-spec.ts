import { home, t } from '../../notation/shape.ts'
import { PodTemplateSpec } from '../core/pod/pod-template.ts'
import { LabelSelector } from '../meta/label-selector.ts'

const { shape } = home('batch/v1')

/** Exit codes of containers that a rule is about. */
export class PodFailurePolicyOnExitCodesRequirement extends shape({
  /** Container it is about; absent: all of them. */
  containerName: t.string(1).explicit(),
  /** Whether the exit code is one of the values, or none of them. */
  operator: t.string(2).required().oneOf('In', 'NotIn'),
  /** Exit codes in rising order. */
  values: t.list(3, 'int32').required().set(),
}) {}

/** A condition of a failed pod that a rule is about. */
export class PodFailurePolicyOnPodConditionsPattern extends shape({
  /** Type of the condition. */
  type: t.string(1).required(),
  /** Status that it must have. */
  status: t.string(2).required(),
}) {}

/** What happens to the job when a pod fails in a certain way. */
export class PodFailurePolicyRule extends shape({
  /** What is done: count the failure, end the job, or do as if the pod had not run. */
  action: t.string(1).required().oneOf('Count', 'FailJob', 'Ignore'),
  /** The exit codes it is about. */
  onExitCodes: t.object(2, PodFailurePolicyOnExitCodesRequirement).explicit(),
  /** The pod conditions it is about. */
  onPodConditions: t.list(3, PodFailurePolicyOnPodConditionsPattern).atomic(),
}) {}

/** How failed pods are treated: the first rule that fits decides. */
export class PodFailurePolicy extends shape({
  /** The rules in order; at most twenty. */
  rules: t.list(1, PodFailurePolicyRule).required().atomic(),
}) {}

/** What is to be done. */
export class JobSpec extends shape({
  /** Most pods that run at a time. */
  parallelism: t.int32(1).explicit(),
  /** How many pods must succeed; absent: one success ends the job. */
  completions: t.int32(2).explicit(),
  /** Seconds the job may run, counted from its start. */
  activeDeadlineSeconds: t.int64(3).explicit(),
  /** How failed pods are treated; absent: they count. */
  podFailurePolicy: t.object(11, PodFailurePolicy).explicit(),
  /** Failures after which the job is given up. */
  backoffLimit: t.int32(7).explicit(),
  /** Labels by which the job finds its pods; made by the server unless `manualSelector` is set. */
  selector: t.object(4, LabelSelector).explicit(),
  /** Whether selector and labels of the template are chosen by hand. */
  manualSelector: t.bool(5).explicit(),
  /** What the pods look like. */
  template: t.object(6, PodTemplateSpec).required(),
  /** Seconds after which a finished job is removed; absent: never. */
  ttlSecondsAfterFinished: t.int32(8).explicit(),
  /** Whether any success counts, or one for each index. */
  completionMode: t.string(9).explicit().oneOf('Indexed', 'NonIndexed'),
  /** Whether no pods are to run; those that do are ended. */
  suspend: t.bool(10).explicit(),
}) {}
