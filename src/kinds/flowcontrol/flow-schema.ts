import { sameValue } from '../../meta/field-errors.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { column, part, resource, same } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { keepAllMetadata } from '../meta/keep-metadata.ts'
import { FlowSchemaSpec } from './flow-schema-spec.ts'
import { validateFlowConditions, validateFlowSchemaSpec } from './flow-schema-rules.ts'

const { kind, shape } = group('flowcontrol.apiserver{api}/v1beta2')

/** One aspect of the observed state of a FlowSchema. */
export class FlowSchemaCondition extends shape({
  /** Type of the condition, such as `Dangling`. Unique in the list. */
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

/** Conditions of a FlowSchema, such as `Dangling`. */
export class FlowSchemaStatus extends shape({
  /** Current conditions of the schema. `Dangling` is `True` if its priority level does not exist. */
  conditions: t.list(1, FlowSchemaCondition).keyed('type'),
}) {}

/**
 * A FlowSchema assigns matching requests to a priority level and divides them into flows, for API priority and
 * fairness.
 */
export class FlowSchema extends kind({
  /** Desired classification of requests. */
  spec: t.object(2, FlowSchemaSpec),
  /** Most recently observed state. Set by the server; read-only for users. */
  status: t.object(3, FlowSchemaStatus),
}) {}

export const flowSchemas = resource(FlowSchema, {
  plural: 'flowschemas',
  scope: 'cluster',
  deleteAnswers: 'status',
  versions: {
    'flowcontrol.apiserver{api}/v1beta1': same(FlowSchema, {
      since: '1.23',
      removed: '1.26',
      use: 'flowcontrol.apiserver{api}/v1beta2',
    }),
  },
  // Ordered by matching precedence.
  rowOrder: (a, b) =>
    (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0) ||
    ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1),
  columns: [
    nameColumn,
    column('PriorityLevel', 'string', ({ spec }) => spec.priorityLevelConfiguration.name, {
      description: 'Priority level of matching requests.',
    }),
    column('MatchingPrecedence', 'string', ({ spec }) => spec.matchingPrecedence ?? 0, {
      description: 'Precedence among the FlowSchemas.',
    }),
    column(
      'DistinguisherMethod',
      'string',
      ({ spec }) => spec.distinguisherMethod?.type ?? '<none>',
      { description: 'Attribute that distinguishes flows.' },
    ),
    ageColumn,
    column(
      'MissingPL',
      'string',
      ({ status }) => status.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
      { description: 'Whether the priority level does not exist.' },
    ),
  ],

  subresources: {
    status: part('status', {
      unowned: ['metadata', 'spec'],
      prepareForUpdate: (next, old) => keepAllMetadata(next.metadata, old.metadata),
      validate: ({ status }, errors) =>
        validateFlowConditions(status.conditions, errors.at('status', 'conditions')),
    }),
  },

  setDefaults({ spec }) {
    spec.matchingPrecedence ??= 1000
  },

  prepareForCreate(schema) {
    schema.status = {}
    schema.metadata.generation = 1
  },

  prepareForUpdate(next, old) {
    if (!sameValue(next.spec, old.spec)) {
      next.metadata.generation = raised(old.metadata)
    }
  },

  validate({ metadata, spec, status }, errors) {
    validateFlowSchemaSpec(metadata.name ?? '', spec, errors.at('spec'))
    validateFlowConditions(status.conditions, errors.at('status', 'conditions'))
  },
})
