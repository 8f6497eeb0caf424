import { type FieldErrors, sameValue } from '../../meta/field-errors.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { column, type HookContext, part, resource, scale } from '../../catalogue/resource.ts'
import { formatLabelSelector, isEverything, selectorFromLabels } from '../../meta/selectors.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { fillPodTemplate } from './pod/defaults.ts'
import { dropGatedPodFields } from './pod/gates.ts'
import { PodTemplateSpec } from './pod/pod-template.ts'
import { containerColumns, labelsText } from './pod/template-columns.ts'
import {
  needNonNegative,
  REPLICA_COUNTS,
  validateReplicaCounts,
  validateReplicaTemplate,
} from './pod/validate-workload.ts'
import { podWarnings } from './pod/warnings.ts'

const { kind, shape } = group('core/v1')

/** Desired behavior of a replication controller. */
export class ReplicationControllerSpec extends shape({
  /** Desired number of pods. Must not be negative. Defaults to 1. */
  replicas: t.int32(1).explicit().default(1),
  /**
   * Seconds that a new pod must be ready without a container crash before it counts as available.
   * Defaults to 0.
   */
  minReadySeconds: t.int32(4),
  /**
   * Labels of the pods that the controller counts and replaces. Must match the template; defaults
   * to the labels of the template.
   */
  selector: t.map(2, 'string').atomic(),
  /**
   * Template for new pods, with the restart policy `Always`. Changes do not affect existing pods.
   * Required.
   */
  template: t.object(3, PodTemplateSpec).explicit(),
}) {}

/** One observed condition of a replication controller. */
export class ReplicationControllerCondition extends shape({
  /** Type of the condition. `ReplicaFailure` reports that pods cannot be created or deleted. */
  type: t.string(1).required(),
  /** Status of the condition: `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** Time at which `status` last changed. */
  lastTransitionTime: t.time(3),
  /** Machine-readable reason for the last change of `status`, one word in CamelCase. */
  reason: t.string(4),
  /** Human-readable details about the last change of `status`. */
  message: t.string(5),
}) {}

/** Most recently observed status of a replication controller. */
export class ReplicationControllerStatus extends shape({
  /** Number of pods that match the selector. */
  replicas: t.int32(1).required(),
  /** Number of pods that have all labels of the template. */
  fullyLabeledReplicas: t.int32(2),
  /** Number of pods with the condition `Ready`. */
  readyReplicas: t.int32(4),
  /** Number of pods that have been ready for at least `minReadySeconds`. */
  availableReplicas: t.int32(5),
  /** Generation of the spec that this status reflects. */
  observedGeneration: t.int64(3),
  /** Observed conditions of the controller, one for each type. */
  conditions: t.list(6, ReplicationControllerCondition).patchBy('type'),
}) {}

/**
 * Ensures that a specified number of pods is running. Deployments and replica sets supersede it.
 */
export class ReplicationController extends kind({
  /** Desired behavior of the replication controller. */
  spec: t.object(2, ReplicationControllerSpec),
  /** Most recently observed status. Set by the controller; read-only for users. */
  status: t.object(3, ReplicationControllerStatus),
}) {}

/** Prefix of annotations that preserve fields without a counterpart in another version. */
const NON_CONVERTIBLE = 'non-convertible.{label}'

/** The replication controllers of a namespace. */
export const replicationControllers = resource(ReplicationController, {
  plural: 'replicationcontrollers',
  short: ['rc'],
  categories: ['all'],
  scope: 'namespace',
  deleteAnswers: 'status',
  orphansByDefault: true,
  selectable: { 'status.replicas': ({ status }) => String(status.replicas) },
  subresources: {
    status: part('status', {
      validate({ status }, errors) {
        const at = errors.at('status')
        needNonNegative(status, ['replicas', ...REPLICA_COUNTS, 'observedGeneration'], at)
        validateReplicaCounts(status, REPLICA_COUNTS, at)
      },
    }),
    scale: scale('spec.replicas', 'status.replicas', ({ spec }) =>
      formatLabelSelector(selectorFromLabels(spec.selector)),
    ),
  },
  columns: [
    nameColumn,
    column('Desired', 'integer', ({ spec }) => spec.replicas ?? 0, {
      description: 'Desired number of pods.',
    }),
    column('Current', 'integer', ({ status }) => status.replicas, {
      description: 'Current number of pods.',
    }),
    column('Ready', 'integer', ({ status }) => status.readyReplicas ?? 0, {
      description: 'Number of ready pods.',
    }),
    ageColumn,
    ...containerColumns<ReplicationController>(({ spec }) => spec.template, { wide: true }),
    column('Selector', 'string', ({ spec }) => labelsText(spec.selector), {
      wide: true,
      description: 'Label selector for the pods.',
    }),
  ],

  setDefaults({ metadata, spec }, c) {
    const { template } = spec
    if (!template) return
    fillPodTemplate(template, c)
    const { labels } = template.metadata
    if (!labels) return
    spec.selector ??= { ...labels }
    metadata.labels ??= { ...labels }
  },

  prepareForCreate(controller, c) {
    controller.status = { replicas: 0 }
    controller.metadata.generation = 1
    dropGated(controller, null, c)
  },

  prepareForUpdate(next, old, c) {
    dropGated(next, old, c)
    if (!sameValue(next.spec, old.spec)) {
      next.metadata.generation = raised(old.metadata)
    }
  },

  validate: ({ spec }, errors, c, old) => validateSpec(spec, errors.at('spec'), c, old?.spec),

  validateUpdate(next, old, errors, c) {
    for (const [key, value] of Object.entries(old.metadata.annotations ?? {})) {
      if (!key.startsWith(c.v.resolve(NON_CONVERTIBLE))) continue
      const [, field, ...more] = key.split('/')
      if (field === undefined || more.length > 0) continue
      if (!field.includes('selector')) errors.at(field).notFound(value)
      else if (!sameValue(next.spec.selector, old.spec.selector)) {
        errors
          .at('spec', 'selector')
          .invalid(next.spec.selector, 'cannot update non-convertible selector')
      }
    }
  },

  warn: ({ metadata, spec: { template } }, old, c) =>
    !template || (old && metadata.generation === old.metadata.generation)
      ? []
      : podWarnings(template, c, 'template'),
})

function dropGated(
  { spec }: ReplicationController,
  old: ReplicationController | null,
  c: HookContext,
): void {
  if (spec.template) dropGatedPodFields(spec.template.spec, old?.spec.template?.spec ?? null, c)
}

function validateSpec(
  spec: ReplicationControllerSpec,
  errors: FieldErrors,
  c: HookContext,
  old?: ReplicationControllerSpec,
): void {
  const selector = selectorFromLabels(spec.selector)
  needNonNegative(spec, ['minReadySeconds'], errors)
  if (isEverything(selector)) errors.at('selector').required()
  needNonNegative(spec, ['replicas'], errors)
  const { template, replicas = 0 } = spec
  const at = errors.at('template')
  if (!template) return at.required()
  const owner = { selector, replicas, kind: 'ReplicationController' }
  validateReplicaTemplate(template, owner, at, c, old?.template)
}
