import { shownSelector } from '../meta/shown-selector.ts'
import { type FieldErrors, sameValue } from '../../meta/field-errors.ts'
import { group, type ObjectMeta, raised } from '../../meta/object-meta.ts'
import { column, type HookContext, part, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { fillPodTemplate } from '../core/pod/defaults.ts'
import { dropGatedPodFields } from '../core/pod/gates.ts'
import { PodTemplateSpec } from '../core/pod/pod-template.ts'
import { containerColumns, labelsText, selectorColumn } from '../core/pod/template-columns.ts'
import { validatePodTemplate } from '../core/pod/validate-pod-template.ts'
import {
  keepCollisions,
  needEndless,
  needMatch,
  needNonNegative,
  readSelector,
  refuseWritableDisks,
} from '../core/pod/validate-workload.ts'
import { podWarnings } from '../core/pod/warnings.ts'
import { validateLabelSelector } from '../core/volumes/meta-rules.ts'
import { LabelSelector } from '../meta/label-selector.ts'
import { integerAnnotation, setIntegerAnnotation } from './integer-annotation.ts'
import { isNothing, refuseAboveAll, validateAmount } from './rolling.ts'
import { isEmptySelector } from './workload-selector.ts'

const { kind, shape } = group('apps/v1')

/** Parameters of a rolling update. Exactly one of `maxUnavailable` and `maxSurge` must be greater than zero. */
export class RollingUpdateDaemonSet extends shape({
  /**
   * Maximum number of nodes whose pod may be unavailable during the update: an absolute number, or a percentage of the
   * desired nodes, rounded up. Must be 0 if `maxSurge` is set. Defaults to 1.
   */
  maxUnavailable: t.intOrString(1).explicit(),
  /**
   * Maximum number of nodes that may run an old and a new pod at the same time during the update: an absolute number,
   * or a percentage of the desired nodes, rounded up. Must be 0 if `maxUnavailable` is set. Defaults to 0.
   */
  maxSurge: t.intOrString(2).explicit(),
}) {}

/** How pods are replaced when the template changes. */
export class DaemonSetUpdateStrategy extends shape({
  /**
   * `RollingUpdate` replaces pods gradually, `OnDelete` replaces a pod only after it has been deleted manually.
   * Defaults to `RollingUpdate`.
   */
  type: t.string(1).oneOf('OnDelete', 'RollingUpdate').unchecked().default('RollingUpdate'),
  /** Parameters of the rolling update. Only used if `type` is `RollingUpdate`. */
  rollingUpdate: t.object(2, RollingUpdateDaemonSet).explicit(),
}) {}

/** Selector, pod template and update strategy of a DaemonSet. */
export class DaemonSetSpec extends shape({
  /**
   * Label selector of the pods that the DaemonSet manages. Must not be empty and must match the labels of the template.
   * Immutable.
   */
  selector: t.object(1, LabelSelector).explicit().mandatory(),
  /**
   * Template of the pods. One pod runs on every node that matches its node selector and affinity and whose taints it
   * tolerates. `restartPolicy` must be `Always`.
   */
  template: t.object(2, PodTemplateSpec).required(),
  /** Strategy for replacing pods with pods of a new template. Defaults to a rolling update. */
  updateStrategy: t.object(3, DaemonSetUpdateStrategy),
  /**
   * Minimum number of seconds a new pod must be ready without any container crashing before it counts as available.
   * Defaults to 0: available as soon as it is ready.
   */
  minReadySeconds: t.int32(4),
  /** Number of old ControllerRevisions to retain for rollback. Defaults to 10. */
  revisionHistoryLimit: t.int32(6).explicit().default(10),
}) {}

/** One aspect of the observed state of a DaemonSet. */
export class DaemonSetCondition extends shape({
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

/** Progress of a DaemonSet, mostly as numbers of nodes. */
export class DaemonSetStatus extends shape({
  /** Number of nodes that run a pod of the DaemonSet and should run it. */
  currentNumberScheduled: t.int32(1).required(),
  /** Number of nodes that run a pod of the DaemonSet but should not run it. */
  numberMisscheduled: t.int32(2).required(),
  /** Number of nodes that should run a pod of the DaemonSet. */
  desiredNumberScheduled: t.int32(3).required(),
  /** Number of nodes that should run the pod and have one that is ready. */
  numberReady: t.int32(4).required(),
  /** Generation of the spec that the controller last acted on. */
  observedGeneration: t.int64(5),
  /** Number of nodes that run a pod of the current template. */
  updatedNumberScheduled: t.int32(6),
  /**
   * Number of nodes that should run the pod and have one that is available, that is, ready for at least
   * `minReadySeconds`.
   */
  numberAvailable: t.int32(7),
  /** Number of nodes that should run the pod but have none that is available. */
  numberUnavailable: t.int32(8),
  /**
   * Number of hash collisions. The controller uses it to find a free name for the next ControllerRevision. Must not
   * decrease.
   */
  collisionCount: t.int32(9).explicit(),
  /** Current conditions of the DaemonSet, by type. */
  conditions: t.list(10, DaemonSetCondition).patchBy('type'),
}) {}

/** A DaemonSet runs one pod on every eligible node and follows as nodes join and leave the cluster. */
export class DaemonSet extends kind({
  /** Desired state of the DaemonSet. */
  spec: t.object(2, DaemonSetSpec),
  /** Most recently observed state. Set by the controller; read-only for users. */
  status: t.object(3, DaemonSetStatus),
}) {}

/** Annotation with the generation of the template, which earlier versions had as a field. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

const templateGeneration = (metadata: ObjectMeta): bigint =>
  integerAnnotation(metadata, TEMPLATE_GENERATION) ?? 0n

/** The `daemonsets` resource. */
export const daemonSets = resource(DaemonSet, {
  plural: 'daemonsets',
  short: ['ds'],
  categories: ['all'],
  scope: 'namespace',
  deleteAnswers: 'status',
  subresources: {
    status: part('status', {
      prepareForUpdate: ({ metadata }, old) =>
        setIntegerAnnotation(metadata, TEMPLATE_GENERATION, templateGeneration(old.metadata)),
      validate: validateStatus,
      validateUpdate: (next, old, errors) =>
        keepCollisions(next.status, old.status, errors.at('status')),
    }),
  },
  columns: [
    nameColumn,
    column('Desired', 'integer', ({ status }) => status.desiredNumberScheduled, {
      description: 'Number of nodes that should run the pod.',
    }),
    column('Current', 'integer', ({ status }) => status.currentNumberScheduled, {
      description: 'Number of nodes that run the pod.',
    }),
    column('Ready', 'integer', ({ status }) => status.numberReady, {
      description: 'Number of nodes with a ready pod.',
    }),
    column('Up-to-date', 'integer', ({ status }) => status.updatedNumberScheduled ?? 0, {
      description: 'Number of nodes with a pod of the current template.',
    }),
    column('Available', 'integer', ({ status }) => status.numberAvailable ?? 0, {
      description: 'Number of nodes with an available pod.',
    }),
    column('Node Selector', 'string', ({ spec }) => labelsText(spec.template.spec.nodeSelector), {
      description: 'Node selector of the pod template.',
    }),
    ageColumn,
    ...containerColumns<DaemonSet>(({ spec }) => spec.template, { wide: true }),
    selectorColumn<DaemonSet>(),
  ],

  setDefaults({ metadata, spec }, c) {
    const generation = integerAnnotation(metadata, TEMPLATE_GENERATION)
    if (generation !== null) setIntegerAnnotation(metadata, TEMPLATE_GENERATION, generation)
    fillPodTemplate(spec.template, c)
    const { updateStrategy: strategy } = spec
    if (strategy.type === 'RollingUpdate') {
      strategy.rollingUpdate = { maxUnavailable: 1, maxSurge: 0, ...strategy.rollingUpdate }
    }
  },

  prepareForCreate(set, c) {
    const { metadata } = set
    set.status = emptyStatus()
    metadata.generation = 1
    const generation = templateGeneration(metadata)
    setIntegerAnnotation(metadata, TEMPLATE_GENERATION, generation < 1n ? 1n : generation)
    dropGatedPodFields(set.spec.template.spec, null, c)
  },

  prepareForUpdate(next, old, c) {
    dropGatedPodFields(next.spec.template.spec, old.spec.template.spec, c)
    const before = templateGeneration(old.metadata)
    const isNew = !sameValue(next.spec.template, old.spec.template)
    setIntegerAnnotation(next.metadata, TEMPLATE_GENERATION, isNew ? before + 1n : before)
    if (!sameValue(next.spec, old.spec)) {
      next.metadata.generation = raised(old.metadata)
    }
  },

  validate: ({ spec }, errors, c, old) => validateSpec(spec, errors.at('spec'), c, old?.spec),

  validateUpdate: (next, old, errors) =>
    errors.at('spec', 'selector').immutable(next.spec.selector, old.spec.selector, shownSelector),

  warn: (next, old, c) =>
    old && templateGeneration(next.metadata) === templateGeneration(old.metadata)
      ? []
      : podWarnings(next.spec.template, c, 'spec.template'),
})

const emptyStatus = (): DaemonSetStatus => ({
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
})

function validateSpec(
  spec: DaemonSetSpec,
  errors: FieldErrors,
  c: HookContext,
  old?: DaemonSetSpec,
): void {
  const { selector, template } = spec
  const at = errors.at('template')
  if (selector) validateLabelSelector(selector, errors.at('selector'))
  const read = readSelector(selector)
  if (read) needMatch(read, template, at)
  if (selector && isEmptySelector(selector)) {
    errors.at('selector').invalid(selector, 'empty selector is invalid for daemonset')
  }
  validatePodTemplate(template, at, c, old?.template.spec)
  refuseWritableDisks(template, at)
  needEndless(template, at, 'DaemonSet')
  needNonNegative(spec, ['minReadySeconds'], errors)
  validateStrategy(spec.updateStrategy, errors.at('updateStrategy'))
  needNonNegative(spec, ['revisionHistoryLimit'], errors)
}

function validateStrategy(strategy: DaemonSetUpdateStrategy, errors: FieldErrors): void {
  const { type, rollingUpdate } = strategy
  if (type === 'OnDelete') return
  if (type !== 'RollingUpdate') errors.notSupported(strategy, ['RollingUpdate', 'OnDelete'])
  else if (rollingUpdate) validateRollingUpdate(rollingUpdate, errors.at('rollingUpdate'))
  else errors.at('rollingUpdate').required()
}

function validateRollingUpdate(
  { maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDaemonSet,
  errors: FieldErrors,
): void {
  const unavailable = errors.at('maxUnavailable')
  const surge = errors.at('maxSurge')
  validateAmount(maxUnavailable, unavailable)
  validateAmount(maxSurge, surge)
  refuseAboveAll(maxUnavailable, unavailable)
  refuseAboveAll(maxSurge, surge)
  const hasSurge = !isNothing(maxSurge)
  if (isNothing(maxUnavailable)) {
    if (!hasSurge) unavailable.required('cannot be 0 when maxSurge is 0')
  } else if (hasSurge) surge.invalid(maxSurge, 'may not be set when maxUnavailable is non-zero')
}

function validateStatus({ status }: DaemonSet, errors: FieldErrors): void {
  const counts = [
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    'collisionCount',
  ] as const
  needNonNegative(status, counts, errors.at('status'))
}
