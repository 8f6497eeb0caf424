import { shownSelector } from '../meta/shown-selector.ts'
import { type FieldErrors, sameValue } from '../../meta/field-errors.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { column, type HookContext, part, resource, scale } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { fillPodTemplate } from '../core/pod/defaults.ts'
import { dropGatedPodFields } from '../core/pod/gates.ts'
import { PodTemplateSpec } from '../core/pod/pod-template.ts'
import { containerColumns, selectorColumn } from '../core/pod/template-columns.ts'
import {
  needNonNegative,
  REPLICA_COUNTS,
  validateReplicaCounts,
  validateReplicaTemplate,
} from '../core/pod/validate-workload.ts'
import { podWarnings } from '../core/pod/warnings.ts'
import { LabelSelector } from '../meta/label-selector.ts'
import { selectorText } from './selector-text.ts'
import { validateWorkloadSelector } from './workload-selector.ts'

const { kind, shape } = group('apps/v1')

/** One aspect of the observed state of a ReplicaSet. */
export class ReplicaSetCondition extends shape({
  /** Type of the condition, such as `ReplicaFailure`. */
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

/** Pod template and number of replicas of a ReplicaSet. */
export class ReplicaSetSpec extends shape({
  /** Desired number of pods. Defaults to 1. */
  replicas: t.int32(1).explicit().default(1),
  /**
   * Minimum number of seconds a new pod must be ready without any container crashing before it counts as available.
   * Defaults to 0: available as soon as it is ready.
   */
  minReadySeconds: t.int32(4),
  /**
   * Label selector of the pods that the ReplicaSet manages. Must not be empty and must match the labels of the
   * template. Immutable.
   */
  selector: t.object(2, LabelSelector).explicit().mandatory(),
  /** Template of new pods; existing pods are not replaced when it changes. `restartPolicy` must be `Always`. */
  template: t.object(3, PodTemplateSpec),
}) {}

/** Pod counts and conditions of a ReplicaSet. */
export class ReplicaSetStatus extends shape({
  /** Number of pods that match the selector and are not terminating. */
  replicas: t.int32(1).required(),
  /** Number of pods that have all labels of the template. */
  fullyLabeledReplicas: t.int32(2),
  /** Number of pods that are ready. */
  readyReplicas: t.int32(4),
  /** Number of pods that have been ready for at least `minReadySeconds`. */
  availableReplicas: t.int32(5),
  /** Generation of the spec that the controller last acted on. */
  observedGeneration: t.int64(3),
  /** Current conditions of the ReplicaSet, by type. */
  conditions: t.list(6, ReplicaSetCondition).patchBy('type'),
}) {}

/** A ReplicaSet keeps a number of identical pods running. Usually created and scaled by a Deployment. */
export class ReplicaSet extends kind({
  /** Desired state of the ReplicaSet. */
  spec: t.object(2, ReplicaSetSpec),
  /** Most recently observed state. Set by the controller; read-only for users. */
  status: t.object(3, ReplicaSetStatus),
}) {}

/** The `replicasets` resource. */
export const replicaSets = resource(ReplicaSet, {
  plural: 'replicasets',
  short: ['rs'],
  categories: ['all'],
  scope: 'namespace',
  deleteAnswers: 'status',
  subresources: {
    status: part('status', {
      validate({ status }, errors) {
        const at = errors.at('status')
        needNonNegative(status, ['replicas', ...REPLICA_COUNTS, 'observedGeneration'], at)
        validateReplicaCounts(status, REPLICA_COUNTS, at)
      },
    }),
    scale: scale('spec.replicas', 'status.replicas', ({ spec }) => selectorText(spec.selector)),
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
    ...containerColumns<ReplicaSet>(({ spec }) => spec.template, { wide: true }),
    selectorColumn<ReplicaSet>(),
  ],

  setDefaults: ({ spec }, c) => fillPodTemplate(spec.template, c),

  prepareForCreate(set, c) {
    set.status = { replicas: 0 }
    set.metadata.generation = 1
    dropGatedPodFields(set.spec.template.spec, null, c)
  },

  prepareForUpdate(next, old, c) {
    dropGatedPodFields(next.spec.template.spec, old.spec.template.spec, c)
    if (!sameValue(next.spec, old.spec)) {
      next.metadata.generation = raised(old.metadata)
    }
  },

  validate: ({ spec }, errors, c, old) => validateSpec(spec, errors.at('spec'), c, old?.spec),

  validateUpdate: (next, old, errors) =>
    errors.at('spec', 'selector').immutable(next.spec.selector, old.spec.selector, shownSelector),

  warn: (next, old, c) =>
    old && next.metadata.generation === old.metadata.generation
      ? []
      : podWarnings(next.spec.template, c, 'spec.template'),
})

function validateSpec(
  spec: ReplicaSetSpec,
  errors: FieldErrors,
  c: HookContext,
  old?: ReplicaSetSpec,
): void {
  needNonNegative(spec, ['replicas', 'minReadySeconds'], errors)
  // As the reference writes it: the message names the other kind.
  const selector = validateWorkloadSelector(spec.selector, errors.at('selector'), c, {
    kind: 'deployment',
  })
  if (!selector) return
  const { template, replicas = 0 } = spec
  const owner = { selector, replicas, kind: 'ReplicaSet' }
  validateReplicaTemplate(template, owner, errors.at('template'), c, old?.template)
}
