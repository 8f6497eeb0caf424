import { type FieldErrors, sameValue } from '../../meta/field-errors.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { column, part, resource, same } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { keepAllMetadata } from '../meta/keep-metadata.ts'
import { validateFlowConditions } from './flow-schema-rules.ts'

const { kind, shape } = group('flowcontrol.apiserver{api}/v1beta2')

/** How requests wait for their turn. */
export class QueuingConfiguration extends shape({
  /** Number of queues; with one, all requests wait in the same line. 64 unless set. */
  queues: t.int32(1),
  /** Queues that a flow is dealt, of which a request takes the one with least work. 8 unless set. */
  handSize: t.int32(2),
  /** Requests that may wait in one queue; more are refused. 50 unless set. */
  queueLengthLimit: t.int32(3),
}) {}

/** What becomes of requests that cannot run at once. */
export class LimitResponse extends shape({
  /** `Queue`: they wait. `Reject`: they are refused. */
  type: t.string(1).required(),
  /** How they wait; only with `Queue`. */
  queuing: t.object(2, QueuingConfiguration).explicit(),
}) {}

/** How many requests of a level run at the same time. */
export class LimitedPriorityLevelConfiguration extends shape({
  /** Share of the server's concurrency, next to the shares of the other levels. 30 unless set. */
  assuredConcurrencyShares: t.int32(1),
  /** What becomes of requests beyond that. */
  limitResponse: t.object(2, LimitResponse),
}) {}

/** How the requests of a level are treated. */
export class PriorityLevelConfigurationSpec extends shape({
  /** `Exempt`: they always run. `Limited`: only so many run at the same time. */
  type: t.string(1).required(),
  /** The limits; only with `Limited`. */
  limited: t.object(2, LimitedPriorityLevelConfiguration).explicit(),
}) {}

/** One aspect of how a level fares. */
export class PriorityLevelConfigurationCondition extends shape({
  /** Which aspect. */
  type: t.string(1),
  /** `True`, `False` or `Unknown`. */
  status: t.string(2),
  /** When the status last changed. */
  lastTransitionTime: t.time(3),
  /** Why, as one word. */
  reason: t.string(4),
  /** Why, for people. */
  message: t.string(5),
}) {}

/** How a level fares. */
export class PriorityLevelConfigurationStatus extends shape({
  /** What is known about it. */
  conditions: t.list(1, PriorityLevelConfigurationCondition).keyed('type'),
}) {}

/** A share of the server for requests that are of the same importance. */
export class PriorityLevelConfiguration extends kind({
  /** How its requests are treated. */
  spec: t.object(2, PriorityLevelConfigurationSpec),
  /** How it fares; kept by the server. */
  status: t.object(3, PriorityLevelConfigurationStatus),
}) {}

/** Levels without which the server cannot do, by name; nobody may change them. */
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
      description: 'Whether its requests are limited.',
    }),
    column(
      'AssuredConcurrencyShares',
      'string',
      ({ spec }) => (spec.limited ? (spec.limited.assuredConcurrencyShares ?? 0) : '<none>'),
      { description: 'Share of the concurrency of the server.' },
    ),
    column('Queues', 'string', queuingCell('queues'), { description: 'Number of queues.' }),
    column('HandSize', 'string', queuingCell('handSize'), {
      description: 'Queues that a flow is dealt.',
    }),
    column('QueueLengthLimit', 'string', queuingCell('queueLengthLimit'), {
      description: 'Requests that may wait in one queue.',
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
