import { type FieldErrors, sameValue } from '../../meta/field-errors.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { column, type HookContext, part, resource, scale } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { persistentVolumeClaims } from '../core/persistent-volume-claim.ts'
import { fillPodTemplate } from '../core/pod/defaults.ts'
import { dropGatedPodFields } from '../core/pod/gates.ts'
import type { PodTemplateSpec } from '../core/pod/pod-template.ts'
import { containerColumns } from '../core/pod/template-columns.ts'
import { validatePodAnnotations } from '../core/pod/validate-annotations.ts'
import {
  keepCollisions,
  needEndless,
  needMatch,
  needNonNegative,
  validateReplicaCounts,
} from '../core/pod/validate-workload.ts'
import { podWarnings } from '../core/pod/warnings.ts'
import { validateAnnotations, validateLabels } from '../core/volumes/meta-rules.ts'
import { isNothing, refuseAboveAll, validateAmount } from './rolling.ts'
import { selectorText } from './selector-text.ts'
import {
  type RollingUpdateStatefulSetStrategy,
  StatefulSetSpec,
  StatefulSetStatus,
  type StatefulSetUpdateStrategy,
} from './stateful-set-spec.ts'
import { validateWorkloadSelector } from './workload-selector.ts'

const { kind } = group('apps/v1')

const RETENTION = 'StatefulSetAutoDeletePVC'
const MAX_UNAVAILABLE = 'MaxUnavailableStatefulSet'

/**
 * A StatefulSet runs pods that each have a stable name, a stable network identity and their own PersistentVolumeClaims.
 */
export class StatefulSet extends kind({
  /** Desired state of the StatefulSet. */
  spec: t.object(2, StatefulSetSpec),
  /** Most recently observed state. Set by the controller; read-only for users. */
  status: t.object(3, StatefulSetStatus),
}) {}

/** The `statefulsets` resource. */
export const statefulSets = resource(StatefulSet, {
  plural: 'statefulsets',
  short: ['sts'],
  categories: ['all'],
  scope: 'namespace',
  deleteAnswers: 'status',
  subresources: {
    status: part('status', {
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
    ageColumn,
    ...containerColumns<StatefulSet>(({ spec }) => spec.template, { wide: true }),
  ],

  setDefaults({ spec }, c) {
    fillPodTemplate(spec.template, c)
    for (const claim of spec.volumeClaimTemplates ?? []) {
      claim.kind = 'PersistentVolumeClaim'
      claim.apiVersion = 'v1'
      persistentVolumeClaims.setDefaults?.(claim, c)
    }
    fillStrategy(spec.updateStrategy, c)
    if (c.gate(RETENTION)) {
      const { whenDeleted = 'Retain', whenScaled = 'Retain' } =
        spec.persistentVolumeClaimRetentionPolicy ?? {}
      spec.persistentVolumeClaimRetentionPolicy = { whenDeleted, whenScaled }
    }
  },

  prepareForCreate(set, c) {
    set.status = { replicas: 0, availableReplicas: 0 }
    set.metadata.generation = 1
    dropGated(set.spec, null, c)
  },

  prepareForUpdate(next, old, c) {
    dropGated(next.spec, old.spec, c)
    if (!sameValue(next.spec, old.spec)) {
      next.metadata.generation = raised(old.metadata)
    }
  },

  validate: ({ spec }, errors, c) => validateSpec(spec, errors.at('spec'), c),

  validateUpdate(next, old, errors) {
    if (sameValue(fixedPart(next.spec), fixedPart(old.spec))) return
    errors
      .at('spec')
      .forbidden(
        "updates to statefulset spec for fields other than 'replicas', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      )
  },

  warn: (next, old, c) =>
    old && next.metadata.generation === old.metadata.generation
      ? []
      : podWarnings(next.spec.template, c, 'spec.template'),
})

/** The immutable part of a spec. */
const fixedPart = (spec: StatefulSetSpec): object => ({
  ...spec,
  replicas: undefined,
  template: undefined,
  updateStrategy: undefined,
  persistentVolumeClaimRetentionPolicy: undefined,
  minReadySeconds: undefined,
})

/** Sets the default strategy. `rollingUpdate` stays unset if only the type was given. */
function fillStrategy(strategy: StatefulSetUpdateStrategy, c: HookContext): void {
  if (strategy.type === undefined) {
    strategy.type = 'RollingUpdate'
    strategy.rollingUpdate ??= {}
  }
  const { type, rollingUpdate } = strategy
  if (type !== 'RollingUpdate' || !rollingUpdate) return
  rollingUpdate.partition ??= 0
  if (c.gate(MAX_UNAVAILABLE)) rollingUpdate.maxUnavailable ??= 1
}

function dropGated(spec: StatefulSetSpec, old: StatefulSetSpec | null, c: HookContext): void {
  dropGatedPodFields(spec.template.spec, old?.template.spec ?? null, c)
  if (!c.gate(RETENTION) && !old?.persistentVolumeClaimRetentionPolicy) {
    delete spec.persistentVolumeClaimRetentionPolicy
  }
  const stored = old?.updateStrategy.rollingUpdate?.maxUnavailable
  if (!c.gate(MAX_UNAVAILABLE) && stored === undefined) {
    delete spec.updateStrategy.rollingUpdate?.maxUnavailable
  }
}

function validateSpec(spec: StatefulSetSpec, errors: FieldErrors, c: HookContext): void {
  const { template, persistentVolumeClaimRetentionPolicy: retention } = spec
  validatePolicy(spec.podManagementPolicy, errors.at('podManagementPolicy'))
  validateStrategy(spec.updateStrategy, errors.at('updateStrategy'))
  if (retention) {
    const at = errors.at('persistentVolumeClaimRetentionPolicy')
    for (const name of ['whenDeleted', 'whenScaled'] as const) {
      const value = retention[name] ?? ''
      if (value !== 'Retain' && value !== 'Delete') {
        at.at(name).notSupported(value, ['Retain', 'Delete'])
      }
    }
  }
  needNonNegative(spec, ['replicas', 'minReadySeconds'], errors)
  const at = errors.at('selector')
  const selector = validateWorkloadSelector(spec.selector, at, c, {
    kind: 'statefulset',
    broken: '',
  })
  if (selector) {
    needMatch(selector, template, errors.at('template'))
    validateTemplate(template, errors.at('template'), c)
  }
  needEndless(template, errors.at('template'), 'StatefulSet')
}

/** Validates labels and annotations only: pods are validated when they are created. */
function validateTemplate(template: PodTemplateSpec, errors: FieldErrors, c: HookContext): void {
  const { metadata, spec } = template
  // As the reference writes it: the paths omit metadata.
  const at = errors.at('annotations')
  validateLabels(metadata.labels, errors.at('labels'))
  validateAnnotations(metadata.annotations, at)
  validatePodAnnotations(metadata.annotations ?? {}, spec, at, c)
}

function validatePolicy(policy: string | undefined, errors: FieldErrors): void {
  if ((policy ?? '') === '') errors.required()
  else if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    errors.invalid(policy, "must be 'OrderedReady' or 'Parallel'")
  }
}

function validateStrategy(strategy: StatefulSetUpdateStrategy, errors: FieldErrors): void {
  const { type, rollingUpdate } = strategy
  const at = errors.at('rollingUpdate')
  switch (type as string | undefined) {
    case undefined:
    case '':
      errors.required()
      break
    case 'OnDelete':
      if (rollingUpdate) {
        at.invalid(rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")
      }
      break
    case 'RollingUpdate':
      if (rollingUpdate) validateRollingUpdate(rollingUpdate, at)
      break
    default:
      errors.invalid(strategy, "must be 'RollingUpdate' or 'OnDelete'")
  }
}

function validateRollingUpdate(
  rollingUpdate: RollingUpdateStatefulSetStrategy,
  errors: FieldErrors,
): void {
  needNonNegative(rollingUpdate, ['partition'], errors)
  const { maxUnavailable } = rollingUpdate
  if (maxUnavailable === undefined) return
  const at = errors.at('maxUnavailable')
  validateAmount(maxUnavailable, at)
  if (isNothing(maxUnavailable)) at.invalid(maxUnavailable, 'cannot be 0')
  refuseAboveAll(maxUnavailable, at)
}

function validateStatus({ status }: StatefulSet, errors: FieldErrors): void {
  const at = errors.at('status')
  needNonNegative(
    status,
    [
      'replicas',
      'readyReplicas',
      'currentReplicas',
      'updatedReplicas',
      'availableReplicas',
      'observedGeneration',
      'collisionCount',
    ],
    at,
  )
  validateReplicaCounts(
    status,
    ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    at,
    'status.readyReplicas',
  )
}
