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

/** Something that is going on with a replica set. */
export class ReplicaSetCondition extends shape({
  /** What it is about: `ReplicaFailure`. */
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

/** Which pods there shall be, and how many. */
export class ReplicaSetSpec extends shape({
  /** How many pods there shall be. */
  replicas: t.int32(1).explicit().default(1),
  /** Seconds a pod must be ready without a crash before it counts as available. */
  minReadySeconds: t.int32(4),
  /** Labels by which it finds its pods; the labels of the template match it, and it cannot change. */
  selector: t.object(2, LabelSelector).explicit().mandatory(),
  /** What new pods look like; they restart always. */
  template: t.object(3, PodTemplateSpec),
}) {}

/** How a replica set fares. */
export class ReplicaSetStatus extends shape({
  /** Pods that there are. */
  replicas: t.int32(1).required(),
  /** Pods that have all labels of the template. */
  fullyLabeledReplicas: t.int32(2),
  /** Pods that are ready. */
  readyReplicas: t.int32(4),
  /** Pods that have been ready for `minReadySeconds`. */
  availableReplicas: t.int32(5),
  /** Generation that the counts are about. */
  observedGeneration: t.int64(3),
  /** What is going on. */
  conditions: t.list(6, ReplicaSetCondition).patchBy('type'),
}) {}

/** Keeps a number of pods running; mostly made and scaled by a deployment. */
export class ReplicaSet extends kind({
  /** What is wanted. */
  spec: t.object(2, ReplicaSetSpec),
  /** How it fares; kept by the cluster. */
  status: t.object(3, ReplicaSetStatus),
}) {}

/** The replica sets of a namespace. */
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
      description: 'Pods that are wanted.',
    }),
    column('Current', 'integer', ({ status }) => status.replicas, {
      description: 'Pods that there are.',
    }),
    column('Ready', 'integer', ({ status }) => status.readyReplicas ?? 0, {
      description: 'Pods that are ready.',
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
  // As the reference writes it: the text names the other kind.
  const selector = validateWorkloadSelector(spec.selector, errors.at('selector'), 'deployment')
  if (!selector) return
  const { template, replicas = 0 } = spec
  const owner = { selector, replicas, kind: 'ReplicaSet' }
  validateReplicaTemplate(template, owner, errors.at('template'), c, old?.template)
}
