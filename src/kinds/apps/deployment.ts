import { shownSelector } from '../meta/shown-selector.ts'
import { type FieldErrors, sameValue } from '../../meta/field-errors.ts'
import { isNonNegative } from '../../meta/names.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { column, type HookContext, part, resource, scale } from '../../catalogue/resource.ts'
import { formatLabelSelector, type LabelSelectorObject } from '../../meta/selectors.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { fillPodTemplate } from '../core/pod/defaults.ts'
import { dropGatedPodFields } from '../core/pod/gates.ts'
import { PodTemplateSpec } from '../core/pod/pod-template.ts'
import { containerColumns, selectorColumn } from '../core/pod/template-columns.ts'
import {
  keepCollisions,
  needMatch,
  needNonNegative,
  readSelector,
  validateReplicaCounts,
  validateReplicas,
} from '../core/pod/validate-workload.ts'
import { podWarnings } from '../core/pod/warnings.ts'
import { LabelSelector } from '../meta/label-selector.ts'
import { integerAnnotation, setIntegerAnnotation } from './integer-annotation.ts'
import { isNothing, refuseAboveAll, validateAmount } from './rolling.ts'
import { selectorText } from './selector-text.ts'
import { validateWorkloadSelector } from './workload-selector.ts'

const { kind, shape } = group('apps/v1')

/** Pace of a rolling update. `maxUnavailable` and `maxSurge` must not both be 0. */
export class RollingUpdateDeployment extends shape({
  /**
   * Maximum number of pods that may be unavailable during the update: an absolute number, or a percentage of the
   * desired pods, rounded down. At most 100%. Defaults to 25%.
   */
  maxUnavailable: t.intOrString(1).explicit(),
  /**
   * Maximum number of pods that may exist above the desired number during the update: an absolute number, or a
   * percentage of the desired pods, rounded up. Defaults to 25%.
   */
  maxSurge: t.intOrString(2).explicit(),
}) {}

/** How existing pods are replaced when the template changes. */
export class DeploymentStrategy extends shape({
  /**
   * `RollingUpdate` replaces pods gradually, `Recreate` terminates all old pods before new ones are created. Defaults
   * to `RollingUpdate`.
   */
  type: t.string(1).oneOf('Recreate', 'RollingUpdate').unchecked().default('RollingUpdate'),
  /** Parameters of the rolling update. Not allowed if `type` is `Recreate`. */
  rollingUpdate: t.object(2, RollingUpdateDeployment).explicit(),
}) {}

/** One aspect of the observed state of a Deployment. */
export class DeploymentCondition extends shape({
  /** Type of the condition: `Available`, `Progressing` or `ReplicaFailure`. */
  type: t.string(1).required(),
  /** Status of the condition: `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** Time at which the condition was last updated. */
  lastUpdateTime: t.time(6),
  /** Time at which the status last changed from one value to another. */
  lastTransitionTime: t.time(7),
  /** Machine-readable reason for the last transition, in CamelCase. */
  reason: t.string(4),
  /** Human-readable details about the last transition. */
  message: t.string(5),
}) {}

/** Pod template, number of replicas and rollout strategy of a Deployment. */
export class DeploymentSpec extends shape({
  /** Desired number of pods. Defaults to 1. */
  replicas: t.int32(1).explicit().default(1),
  /**
   * Label selector of the pods that the Deployment manages. Must not be empty and must match the labels of the
   * template. Immutable.
   */
  selector: t.object(2, LabelSelector).explicit().mandatory(),
  /** Template of the pods. A change starts a rollout. `restartPolicy` must be `Always`. */
  template: t.object(3, PodTemplateSpec).required(),
  /** Strategy for replacing existing pods with pods of a new template. Defaults to a rolling update. */
  strategy: t.object(4, DeploymentStrategy).patch('retainKeys'),
  /**
   * Minimum number of seconds a new pod must be ready without any container crashing before it counts as available.
   * Defaults to 0: available as soon as it is ready.
   */
  minReadySeconds: t.int32(5),
  /** Number of old ReplicaSets to retain for rollback. Defaults to 10. */
  revisionHistoryLimit: t.int32(6).explicit().default(10),
  /** If true, the rollout is paused: changes of the template have no effect until it is resumed. */
  paused: t.bool(7),
  /**
   * Maximum number of seconds for a rollout to make progress before its `Progressing` condition becomes `False`. Must
   * be greater than `minReadySeconds`. Defaults to 600. Not measured while paused.
   */
  progressDeadlineSeconds: t.int32(9).explicit().default(600),
}) {}

/** Pod counts and conditions of a Deployment. */
export class DeploymentStatus extends shape({
  /** Generation of the spec that the controller last acted on. */
  observedGeneration: t.int64(1),
  /** Number of pods of the Deployment that are not terminating. */
  replicas: t.int32(2),
  /** Number of these pods that have the current template. */
  updatedReplicas: t.int32(3),
  /** Number of pods that are ready. */
  readyReplicas: t.int32(7),
  /** Number of pods that have been ready for at least `minReadySeconds`. */
  availableReplicas: t.int32(4),
  /** Number of pods that are still missing or not yet available. */
  unavailableReplicas: t.int32(5),
  /** Current conditions of the Deployment, by type. */
  conditions: t.list(6, DeploymentCondition).patchBy('type'),
  /**
   * Number of hash collisions. The controller uses it to find a free name for the next ReplicaSet. Must not decrease.
   */
  collisionCount: t.int32(8).explicit(),
}) {}

/**
 * A Deployment keeps the desired number of pods running through ReplicaSets and rolls out changes of the pod template.
 */
export class Deployment extends kind({
  /** Desired state of the Deployment. */
  spec: t.object(2, DeploymentSpec),
  /** Most recently observed state. Set by the controller; read-only for users. */
  status: t.object(3, DeploymentStatus),
}) {}

/** Annotation with the rollback request, which earlier versions had as a field. */
const ROLLBACK = 'deprecated.deployment.rollback.to'

/** The `deployments` resource. */
export const deployments = resource(Deployment, {
  plural: 'deployments',
  short: ['deploy'],
  categories: ['all'],
  scope: 'namespace',
  sharesParts: true,
  deleteAnswers: 'status',
  subresources: {
    status: part('status', {
      unowned: ['spec', 'metadata.labels'],
      prepareForUpdate({ metadata }, old) {
        const { labels } = old.metadata
        if (labels) metadata.labels = labels
        else delete metadata.labels
      },
      validate: validateStatus,
      validateUpdate: (next, old, errors) =>
        keepCollisions(next.status, old.status, errors.at('status')),
    }),
    scale: scale('spec.replicas', 'status.replicas', ({ spec }) => selectorText(spec.selector)),
  },
  columns: [
    nameColumn,
    column(
      'Ready',
      'string',
      ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
      { description: 'Number of ready pods out of the desired pods.' },
    ),
    column('Up-to-date', 'string', ({ status }) => status.updatedReplicas ?? 0, {
      description: 'Number of pods of the current template.',
    }),
    column('Available', 'string', ({ status }) => status.availableReplicas ?? 0, {
      description: 'Number of available pods.',
    }),
    ageColumn,
    ...containerColumns<Deployment>(({ spec }) => spec.template, { wide: true }),
    selectorColumn<Deployment>(cellText),
  ],

  setDefaults({ metadata, spec }, c) {
    if (metadata.annotations?.[ROLLBACK] === '') setIntegerAnnotation(metadata, ROLLBACK, null)
    const revision = integerAnnotation(metadata, ROLLBACK)
    if (revision !== null) setIntegerAnnotation(metadata, ROLLBACK, revision)
    fillPodTemplate(spec.template, c)
    fillStrategy(spec.strategy)
  },

  prepareForCreate(deployment, c) {
    deployment.status = {}
    deployment.metadata.generation = 1
    dropGatedPodFields(deployment.spec.template.spec, null, c)
  },

  prepareForUpdate(next, old, c) {
    dropGatedPodFields(next.spec.template.spec, old.spec.template.spec, c)
    const isSame =
      sameValue(next.spec, old.spec) &&
      sameValue(next.metadata.annotations, old.metadata.annotations)
    if (!isSame) next.metadata.generation = raised(old.metadata)
  },

  validate({ metadata, spec }, errors, c, old) {
    validateSpec(spec, errors.at('spec'), c, old?.spec)
    const revision = integerAnnotation(metadata, ROLLBACK)
    if (revision !== null) {
      // As the reference writes it: the path of a field that only earlier versions had.
      errors.at('spec', 'rollback', 'version').invalidAll(revision, isNonNegative(revision))
    }
  },

  validateUpdate: (next, old, errors) =>
    errors.at('spec', 'selector').immutable(next.spec.selector, old.spec.selector, shownSelector),

  warn: (next, old, c) =>
    old && next.metadata.generation === old.metadata.generation
      ? []
      : podWarnings(next.spec.template, c, 'spec.template'),
})

/** The selector cell; it differs from other tables if the selector is empty or invalid. */
function cellText(selector: LabelSelectorObject | undefined): string {
  const read = readSelector(selector)
  return read ? formatLabelSelector(read) : '<invalid>'
}

function fillStrategy(strategy: DeploymentStrategy): void {
  if (strategy.type !== 'RollingUpdate') return
  const { rollingUpdate } = strategy
  if (rollingUpdate?.maxUnavailable !== undefined && rollingUpdate.maxSurge !== undefined) return
  strategy.rollingUpdate = { maxUnavailable: '25%', maxSurge: '25%', ...rollingUpdate }
}

function validateSpec(
  spec: DeploymentSpec,
  errors: FieldErrors,
  c: HookContext,
  old?: DeploymentSpec,
): void {
  needNonNegative(spec, ['replicas'], errors)
  if (validateSelector(spec, errors, c)) {
    const { template, replicas = 0 } = spec
    const owner = { replicas, kind: 'ReplicaSet' }
    validateReplicas(template, owner, errors.at('template'), c, old?.template)
  }
  validateStrategy(spec.strategy, errors.at('strategy'))
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec
  const seconds = ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'] as const
  needNonNegative(spec, seconds, errors)
  if (deadline !== undefined && deadline <= minReadySeconds) {
    errors.at('progressDeadlineSeconds').invalid(deadline, 'must be greater than minReadySeconds')
  }
}

/** Checks the selector alone and with the labels of the template; false when it cannot be read. */
function validateSelector(
  { selector, template }: DeploymentSpec,
  errors: FieldErrors,
  c: HookContext,
): boolean {
  const { labels } = template.metadata
  // The name of the rule is the selector that chose these labels.
  if (selector && labels && c.parts?.pass(selector, labels) === true) return true
  const before = errors.list.length
  const read = validateWorkloadSelector(selector, errors.at('selector'), c, {
    kind: 'deployment',
  })
  if (!read) return false
  needMatch(read, template, errors.at('template'))
  if (selector && labels && errors.list.length === before) c.parts?.add(selector, labels)
  return true
}

function validateStrategy(strategy: DeploymentStrategy, errors: FieldErrors): void {
  const { type, rollingUpdate } = strategy
  const at = errors.at('rollingUpdate')
  switch (type) {
    case 'Recreate':
      if (rollingUpdate) {
        at.forbidden("may not be specified when strategy `type` is 'Recreate'")
      }
      break
    case 'RollingUpdate':
      if (rollingUpdate) validateRollingUpdate(rollingUpdate, at)
      else at.required('this should be defaulted and never be nil')
      break
    default:
      errors.notSupported(strategy, ['Recreate', 'RollingUpdate'])
  }
}

function validateRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDeployment,
  errors: FieldErrors,
): void {
  const at = errors.at('maxUnavailable')
  validateAmount(maxUnavailable, at)
  validateAmount(maxSurge, errors.at('maxSurge'))
  if (isNothing(maxUnavailable) && isNothing(maxSurge)) {
    at.invalid(maxUnavailable, 'may not be 0 when `maxSurge` is 0')
  }
  refuseAboveAll(maxUnavailable, at)
}

function validateStatus({ status }: Deployment, errors: FieldErrors): void {
  const at = errors.at('status')
  const counts = [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'collisionCount',
  ] as const
  needNonNegative(status, counts, at)
  validateReplicaCounts(status, ['updatedReplicas', 'readyReplicas', 'availableReplicas'], at)
}
