import { type FieldErrors, sameValue } from '../../meta/field-errors.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { column, part, resource, same } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { keepAllMetadata } from '../meta/keep-metadata.ts'
import { validateFlowConditions } from './flow-schema-rules.ts'

const { kind, shape } = group('flowcontrol.apiserver{api}/v1beta2')

/** Parameters of the queues of a priority level. */
export class QueuingConfiguration extends shape({
  /** Number of queues, 1 to 10000000. With 1, flows are not isolated from each other. Defaults to 64. */
  queues: t.int32(1),
  /**
   * Number of queues that shuffle sharding selects for each flow; a request joins the least loaded of them. At most
   * `queues`. Defaults to 8.
   */
  handSize: t.int32(2),
  /**
   * Maximum number of requests that wait in one queue; further ones are rejected with 429. Must be greater than 0.
   * Defaults to 50.
   */
  queueLengthLimit: t.int32(3),
}) {}

/** Handling of requests that exceed the concurrency limit. */
export class LimitResponse extends shape({
  /** `Queue` holds requests in a queue until a seat is free, `Reject` rejects them with 429. */
  type: t.string(1).required(),
  /** Parameters of the queues. Required if `type` is `Queue`, not allowed otherwise. */
  queuing: t.object(2, QueuingConfiguration).explicit(),
}) {}

/** Concurrency limit of a priority level and the handling of excess requests. */
export class LimitedPriorityLevelConfiguration extends shape({
  /**
   * Share of the concurrency of the server, relative to the sum of the shares of all limited levels. Must be greater
   * than 0. Defaults to 30.
   */
  assuredConcurrencyShares: t.int32(1),
  /** Handling of requests that cannot be executed immediately. */
  limitResponse: t.object(2, LimitResponse),
}) {}

/** Handling of the requests of a priority level. */
export class PriorityLevelConfigurationSpec extends shape({
  /**
   * `Exempt` executes requests without limit, `Limited` limits their concurrency. `Exempt` is reserved for the level
   * `exempt`.
   */
  type: t.string(1).required(),
  /** Concurrency limit of the level. Required if `type` is `Limited`, not allowed otherwise. */
  limited: t.object(2, LimitedPriorityLevelConfiguration).explicit(),
}) {}

/** One aspect of the observed state of a priority level. */
export class PriorityLevelConfigurationCondition extends shape({
  /** Type of the condition, unique in the list. */
  type: t.string(1),
  /** Status of the condition: `True`, `False` or `Unknown`. */
  status: t.string(2),
  /** Time at which the status last changed from one value to another. */
  lastTransitionTime: t.time(3),
  /** Machine-readable reason for the last transition, in CamelCase. */
  reason: t.string(4),
  /** Human-readable details about the last transition. */
  message: t.string(5),
}) {}

/** Conditions of a priority level configuration. */
export class PriorityLevelConfigurationStatus extends shape({
  /** Current conditions of the priority level, by type. */
  conditions: t.list(1, PriorityLevelConfigurationCondition).keyed('type'),
}) {}

/**
 * A PriorityLevelConfiguration limits the concurrency of the requests assigned to it, for API priority and fairness.
 */
export class PriorityLevelConfiguration extends kind({
  /** Desired handling of the requests of the level. */
  spec: t.object(2, PriorityLevelConfigurationSpec),
  /** Most recently observed state. Set by the server; read-only for users. */
  status: t.object(3, PriorityLevelConfigurationStatus),
}) {}

/** Mandatory priority levels by name; their specs are fixed. */
export const MANDATORY_PRIORITY_LEVELS: ReadonlyMap<string, PriorityLevelConfigurationSpec> =
  new Map<string, PriorityLevelConfigurationSpec>([
    ['exempt', { type: 'Exempt' }],
    [
      'catch-all',
      {
        type: 'Limited',
        limited: { assuredConcurrencyShares: 5, limitResponse: { type: 'Reject' } },
      },
    ],
  ])

const queuingCell =
  (field: keyof QueuingConfiguration) =>
  ({ spec }: PriorityLevelConfiguration) => {
    const queuing = spec.limited?.limitResponse.queuing
    return queuing ? (queuing[field] ?? 0) : '<none>'
  }

export const priorityLevelConfigurations = resource(PriorityLevelConfiguration, {
  plural: 'prioritylevelconfigurations',
  scope: 'cluster',
  deleteAnswers: 'status',
  versions: {
    'flowcontrol.apiserver{api}/v1beta1': same(PriorityLevelConfiguration, {
      since: '1.23',
      removed: '1.26',
      use: 'flowcontrol.apiserver{api}/v1beta2',
    }),
  },
  columns: [
    nameColumn,
    column('Type', 'string', ({ spec }) => spec.type, {
      description: 'Whether the level is exempt or limited.',
    }),
    column(
      'AssuredConcurrencyShares',
      'string',
      ({ spec }) => (spec.limited ? (spec.limited.assuredConcurrencyShares ?? 0) : '<none>'),
      { description: 'Concurrency shares of the level.' },
    ),
    column('Queues', 'string', queuingCell('queues'), {
      description: 'Number of queues of the level.',
    }),
    column('HandSize', 'string', queuingCell('handSize'), {
      description: 'Number of queues selected for each flow.',
    }),
    column('QueueLengthLimit', 'string', queuingCell('queueLengthLimit'), {
      description: 'Maximum number of requests in one queue.',
    }),
    ageColumn,
  ],

  subresources: {
    status: part('status', {
      unowned: ['metadata', 'spec'],
      prepareForUpdate: (next, old) => keepAllMetadata(next.metadata, old.metadata),
      validate: ({ status }, errors) =>
        validateFlowConditions(status.conditions, errors.at('status', 'conditions')),
    }),
  },

  setDefaults({ spec: { limited } }) {
    if (!limited) return
    limited.assuredConcurrencyShares ??= 30
    const { queuing } = limited.limitResponse
    if (!queuing) return
    queuing.queues ??= 64
    queuing.handSize ??= 8
    queuing.queueLengthLimit ??= 50
  },

  prepareForCreate(level) {
    level.status = {}
    level.metadata.generation = 1
  },

  prepareForUpdate(next, old) {
    if (!sameValue(next.spec, old.spec)) {
      next.metadata.generation = raised(old.metadata)
    }
  },

  validate({ metadata, spec, status }, errors) {
    validateSpec(metadata.name ?? '', spec, errors.at('spec'))
    validateFlowConditions(status.conditions, errors.at('status', 'conditions'))
  },
})

function validateSpec(
  name: string,
  spec: PriorityLevelConfigurationSpec,
  errors: FieldErrors,
): void {
  const { type, limited } = spec
  if ((name === 'exempt') !== (type === 'Exempt')) {
    errors.at('type').invalid(type, "type must be 'Exempt' if and only if name is 'exempt'")
  }
  const at = errors.at('limited')
  if (type === 'Exempt') {
    if (limited) at.forbidden('must be nil if the type is not Limited')
  } else if (type === 'Limited') {
    if (limited) validateLimited(limited, at)
    else at.required('must not be empty when type is Limited')
  } else errors.at('type').notSupported(type, ['Exempt', 'Limited'])
  const fixed = MANDATORY_PRIORITY_LEVELS.get(name)
  if (fixed && !sameValue(spec, fixed)) {
    errors.invalid(spec, `spec of '${name}' must equal the fixed value`)
  }
}

function validateLimited(limited: LimitedPriorityLevelConfiguration, errors: FieldErrors): void {
  const { assuredConcurrencyShares: shares = 0, limitResponse } = limited
  if (shares <= 0) errors.at('assuredConcurrencyShares').invalid(shares, 'must be positive')
  const at = errors.at('limitResponse')
  const { type, queuing } = limitResponse
  if (type === 'Reject') {
    if (queuing) at.at('queuing').forbidden('must not be set when type is Reject')
  } else if (type === 'Queue') {
    if (queuing) validateQueuing(queuing, at.at('queuing'))
    else at.at('queuing').required('must be set when type is Queue')
  } else at.at('type').notSupported(type, ['Queue', 'Reject'])
}

const MAX_QUEUES = 10_000_000
const MAX_ENTROPY = 60

function validateQueuing(queuing: QueuingConfiguration, errors: FieldErrors): void {
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = queuing
  if (queueLengthLimit <= 0) {
    errors.at('queueLengthLimit').invalid(queueLengthLimit, 'must be positive')
  }
  if (queues <= 0) errors.at('queues').invalid(queues, 'must be positive')
  if (queues > MAX_QUEUES) {
    errors.at('queues').invalid(queues, `must not be greater than ${MAX_QUEUES}`)
  }
  const hand = errors.at('handSize')
  if (handSize <= 0) hand.invalid(handSize, 'must be positive')
  else if (handSize > queues) {
    hand.invalid(handSize, `should not be greater than queues (${queues})`)
  } else if (Math.ceil(Math.log2(queues) * handSize) > MAX_ENTROPY) {
    hand.invalid(
      handSize,
      `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_ENTROPY}`,
    )
  }
}
