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

/** How fast pods are replaced, as numbers or shares of the nodes; one of the two is zero. */
export class RollingUpdateDaemonSet extends shape({
  /** Most nodes that may be without their pod meanwhile; 1 when absent. */
  maxUnavailable: t.intOrString(1).explicit(),
  /** Most nodes that may have an old and a new pod meanwhile; 0 when absent. */
  maxSurge: t.intOrString(2).explicit(),
}) {}

/** How pods of an old template give way to pods of the new one. */
export class DaemonSetUpdateStrategy extends shape({
  /** `RollingUpdate`: node by node. `OnDelete`: when somebody deletes an old one. */
  type: t.string(1).oneOf('OnDelete', 'RollingUpdate').unchecked().default('RollingUpdate'),
  /** The steps, for `RollingUpdate`. */
  rollingUpdate: t.object(2, RollingUpdateDaemonSet).explicit(),
}) {}

/** Which pod the nodes shall have. */
export class DaemonSetSpec extends shape({
  /** Labels by which it finds its pods; the labels of the template match it, and it cannot change. */
  selector: t.object(1, LabelSelector).explicit().mandatory(),
  /** What the pods look like, and by its node selector which nodes have one; they restart always. */
  template: t.object(2, PodTemplateSpec).required(),
  /** How pods of an old template give way to pods of a new one. */
  updateStrategy: t.object(3, DaemonSetUpdateStrategy),
  /** Seconds a pod must be ready without a crash before it counts as available. */
  minReadySeconds: t.int32(4),
  /** How many former states are kept to go back to. */
  revisionHistoryLimit: t.int32(6).explicit().default(10),
}) {}

/** Something that is going on with a daemon set. */
export class DaemonSetCondition extends shape({
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

/** How a daemon set fares, as numbers of nodes. */
export class DaemonSetStatus extends shape({
  /** Nodes that have the pod and shall have it. */
  currentNumberScheduled: t.int32(1).required(),
  /** Nodes that have the pod and shall not have it. */
  numberMisscheduled: t.int32(2).required(),
  /** Nodes that shall have the pod. */
  desiredNumberScheduled: t.int32(3).required(),
  /** Nodes whose pod is ready. */
  numberReady: t.int32(4).required(),
  /** Generation that the numbers are about. */
  observedGeneration: t.int64(5),
  /** Nodes whose pod is of the present template. */
  updatedNumberScheduled: t.int32(6),
  /** Nodes whose pod has been ready for `minReadySeconds`. */
  numberAvailable: t.int32(7),
  /** Nodes whose pod is missing or not ready for long enough. */
  numberUnavailable: t.int32(8),
  /** How often the name of a new former state was taken; it takes part in such names. */
  collisionCount: t.int32(9).explicit(),
  /** What is going on. */
  conditions: t.list(10, DaemonSetCondition).patchBy('type'),
}) {}

/** Keeps a pod running on every node, or on those that its template selects. */
export class DaemonSet extends kind({
  /** What is wanted. */
  spec: t.object(2, DaemonSetSpec),
  /** How it fares; kept by the cluster. */
  status: t.object(3, DaemonSetStatus),
}) {}

/** Counts the changes of the template, which older versions had a field for. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

const templateGeneration = (metadata: ObjectMeta): bigint =>
  integerAnnotation(metadata, TEMPLATE_GENERATION) ?? 0n

/** The daemon sets of a namespace. */
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
      description: 'Nodes that shall have the pod.',
    }),
    column('Current', 'integer', ({ status }) => status.currentNumberScheduled, {
      description: 'Nodes that have it.',
    }),
    column('Ready', 'integer', ({ status }) => status.numberReady, {
      description: 'Nodes whose pod is ready.',
    }),
    column('Up-to-date', 'integer', ({ status }) => status.updatedNumberScheduled ?? 0, {
      description: 'Nodes whose pod is of the present template.',
    }),
    column('Available', 'integer', ({ status }) => status.numberAvailable ?? 0, {
      description: 'Nodes whose pod has been ready for long enough.',
    }),
    column('Node Selector', 'string', ({ spec }) => labelsText(spec.template.spec.nodeSelector), {
      description: 'Labels of nodes that shall have the pod.',
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
