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
  needNonNegative,
  readSelector,
  validateReplicaCounts,
  validateReplicaTemplate,
} from '../core/pod/validate-workload.ts'
import { podWarnings } from '../core/pod/warnings.ts'
import { LabelSelector } from '../meta/label-selector.ts'
import { integerAnnotation, setIntegerAnnotation } from './integer-annotation.ts'
import { isNothing, refuseAboveAll, validateAmount } from './rolling.ts'
import { selectorText } from './selector-text.ts'
import { validateWorkloadSelector } from './workload-selector.ts'

const { kind, shape } = group('apps/v1')

/** How fast pods are replaced, as numbers or shares of the wanted replicas. */
export class RollingUpdateDeployment extends shape({
  /** Most pods that may be missing meanwhile; shares round down, and it is 25% when absent. */
  maxUnavailable: t.intOrString(1).explicit(),
  /** Most pods that there may be too many meanwhile; shares round up, and it is 25% when absent. */
  maxSurge: t.intOrString(2).explicit(),
}) {}

/** How pods of an old template give way to pods of the new one. */
export class DeploymentStrategy extends shape({
  /** `RollingUpdate`: step by step. `Recreate`: all old ones end before new ones start. */
  type: t.string(1).oneOf('Recreate', 'RollingUpdate').unchecked().default('RollingUpdate'),
  /** The steps, for `RollingUpdate` only. */
  rollingUpdate: t.object(2, RollingUpdateDeployment).explicit(),
}) {}

/** Something that is going on with a deployment. */
export class DeploymentCondition extends shape({
  /** What it is about: `Available`, `Progressing` or `ReplicaFailure`. */
  type: t.string(1).required(),
  /** `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** When it was last looked at. */
  lastUpdateTime: t.time(6),
  /** When the status last changed. */
  lastTransitionTime: t.time(7),
  /** Why it changed, as one word. */
  reason: t.string(4),
  /** Why it changed, for people. */
  message: t.string(5),
}) {}

/** Which pods there shall be, and how they are replaced. */
export class DeploymentSpec extends shape({
  /** How many pods there shall be. */
  replicas: t.int32(1).explicit().default(1),
  /** Labels by which it finds its pods; the labels of the template match it, and it cannot change. */
  selector: t.object(2, LabelSelector).explicit().mandatory(),
  /** What the pods look like; they restart always. */
  template: t.object(3, PodTemplateSpec).required(),
  /** How pods of an old template give way to pods of a new one. */
  strategy: t.object(4, DeploymentStrategy).patch('retainKeys'),
  /** Seconds a pod must be ready without a crash before it counts as available. */
  minReadySeconds: t.int32(5),
  /** How many old replica sets are kept to go back to. */
  revisionHistoryLimit: t.int32(6).explicit().default(10),
  /** Whether changes of the template have no effect for now. */
  paused: t.bool(7),
  /** Seconds without progress after which the deployment counts as failed. */
  progressDeadlineSeconds: t.int32(9).explicit().default(600),
}) {}

/** How a deployment fares. */
export class DeploymentStatus extends shape({
  /** Generation that the counts are about. */
  observedGeneration: t.int64(1),
  /** Pods that there are. */
  replicas: t.int32(2),
  /** Pods of the present template. */
  updatedReplicas: t.int32(3),
  /** Pods that are ready. */
  readyReplicas: t.int32(7),
  /** Pods that have been ready for `minReadySeconds`. */
  availableReplicas: t.int32(4),
  /** Pods that are still missing. */
  unavailableReplicas: t.int32(5),
  /** What is going on. */
  conditions: t.list(6, DeploymentCondition).patchBy('type'),
  /** How often the name of a new replica set was taken; it takes part in such names. */
  collisionCount: t.int32(8).explicit(),
}) {}

/** Keeps pods of one template running, and replaces them when the template changes. */
export class Deployment extends kind({
  /** What is wanted. */
  spec: t.object(2, DeploymentSpec),
  /** How it fares; kept by the cluster. */
  status: t.object(3, DeploymentStatus),
}) {}

/** Holds a field of older versions that asked to go back to a revision. */
const ROLLBACK = 'deprecated.deployment.rollback.to'

/** The deployments of a namespace. */
export const deployments = resource(Deployment, {
  plural: 'deployments',
  short: ['deploy'],
  categories: ['all'],
  scope: 'namespace',
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
      { description: 'Pods that are ready, of those wanted.' },
    ),
    column('Up-to-date', 'string', ({ status }) => status.updatedReplicas ?? 0, {
      description: 'Pods of the present template.',
    }),
    column('Available', 'string', ({ status }) => status.availableReplicas ?? 0, {
      description: 'Pods that have been ready for long enough.',
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

/** Differs from other tables where the selector is empty or broken. */
function cellText(selector: LabelSelectorObject | undefined): string {
  const read = readSelector(selector)
  return read ? formatLabelSelector(read) : '<invalid>'
}

function fillStrategy(strategy: DeploymentStrategy): void {
  if (strategy.type !== 'RollingUpdate') return
  strategy.rollingUpdate = {
    maxUnavailable: '25%',
    maxSurge: '25%',
    ...strategy.rollingUpdate,
  }
}

function validateSpec(
  spec: DeploymentSpec,
  errors: FieldErrors,
  c: HookContext,
  old?: DeploymentSpec,
): void {
  needNonNegative(spec, ['replicas'], errors)
  const selector = validateWorkloadSelector(spec.selector, errors.at('selector'), 'deployment')
  if (selector) {
    const { template, replicas = 0 } = spec
    const owner = { selector, replicas, kind: 'ReplicaSet' }
    validateReplicaTemplate(template, owner, errors.at('template'), c, old?.template)
  }
  validateStrategy(spec.strategy, errors.at('strategy'))
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec
  const seconds = ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'] as const
  needNonNegative(spec, seconds, errors)
  if (deadline !== undefined && deadline <= minReadySeconds) {
    errors.at('progressDeadlineSeconds').invalid(deadline, 'must be greater than minReadySeconds')
  }
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
