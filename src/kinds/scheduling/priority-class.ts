import { group } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'

const { kind } = group('scheduling{api}/v1')

const MAX_USER_VALUE = 1_000_000_000
const PREEMPTION_POLICIES: readonly string[] = ['Never', 'PreemptLowerPriority']
const SYSTEM_PREFIX = 'system-'

/** System priority classes by name. */
export const SYSTEM_CLASSES: ReadonlyMap<
  string,
  { readonly value: number; readonly description: string }
> = new Map([
  [
    'system-node-critical',
    {
      value: 2_000_001_000,
      description: 'For pods that are critical to their node and must keep running on it.',
    },
  ],
  [
    'system-cluster-critical',
    {
      value: 2_000_000_000,
      description: 'For pods that are critical to the cluster and may run on any node.',
    },
  ],
])

/** A PriorityClass maps a name to the priority of pods that refer to it. */
export class PriorityClass extends kind({
  /**
   * Priority of the pods. Pods with a higher value are scheduled first. At most 1000000000 for user-defined classes;
   * may be negative. Immutable.
   */
  value: t.int32(2).required(),
  /**
   * True if the class applies to pods without a `priorityClassName`. Only one class can be the default. Defaults to
   * false.
   */
  globalDefault: t.bool(3),
  /** Guidance for users on when to use the class. */
  description: t.string(4),
  /**
   * Whether pods of the class may preempt pods of lower priority: `PreemptLowerPriority` or `Never`. Defaults to
   * `PreemptLowerPriority`. Immutable.
   */
  preemptionPolicy: t
    .string(5)
    .explicit()
    .oneOf('Never', 'PreemptLowerPriority')
    .default('PreemptLowerPriority')
    .unchecked(),
}) {}

export const priorityClasses = resource(PriorityClass, {
  plural: 'priorityclasses',
  short: ['pc'],
  scope: 'cluster',
  deleteAnswers: 'status',
  refusesDelete: ({ metadata }) =>
    SYSTEM_CLASSES.has(metadata.name ?? '')
      ? 'this is a system priority class and cannot be deleted'
      : null,
  columns: [
    nameColumn,
    column('Value', 'integer', ({ value }) => value, {
      description: 'Priority of pods of the class.',
    }),
    column('Global-Default', 'boolean', ({ globalDefault }) => globalDefault ?? false, {
      description: 'True if it is the class of pods that name none.',
    }),
    ageColumn,
  ],

  prepareForCreate(priorityClass) {
    priorityClass.metadata.generation = 1
  },

  validate(priorityClass, errors, _c, old) {
    if (old) return
    const { value, preemptionPolicy, metadata } = priorityClass
    const name = metadata.name ?? ''
    if (name.startsWith(SYSTEM_PREFIX)) {
      const why = systemProblem(name, priorityClass)
      if (why !== null) {
        errors
          .at('metadata', 'name')
          .forbidden(
            `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${why}`,
          )
      }
    } else if (value > MAX_USER_VALUE) {
      errors
        .at('value')
        .forbidden(`maximum allowed value of a user defined priority is ${MAX_USER_VALUE}`)
    }
    // Read as text: the declared words do not include the empty one.
    const policy: string = preemptionPolicy ?? ''
    if (policy === '') errors.at('preemptionPolicy').required()
    else if (!PREEMPTION_POLICIES.includes(policy))
      errors.at('preemptionPolicy').notSupported(policy, PREEMPTION_POLICIES)
  },

  validateUpdate(next, old, errors) {
    if (next.value !== old.value) errors.at('value').forbidden('may not be changed in an update.')
    errors.at('preemptionPolicy').immutable(next.preemptionPolicy, old.preemptionPolicy)
  },
})

function systemProblem(name: string, { value, globalDefault }: PriorityClass): string | null {
  const wanted = SYSTEM_CLASSES.get(name)?.value
  if (wanted === undefined) return `${name} is not a known system priority class`
  if (value !== wanted) return `value of ${name} PriorityClass must be ${wanted}`
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : null
}
