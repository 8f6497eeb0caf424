import { sameValue } from '../../meta/field-errors.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { column, part, resource, same } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { keepAllMetadata } from '../meta/keep-metadata.ts'
import { FlowSchemaSpec } from './flow-schema-spec.ts'
import { validateFlowConditions, validateFlowSchemaSpec } from './flow-schema-rules.ts'

const { kind, shape } = group('flowcontrol.apiserver{api}/v1beta2')

/** One aspect of how a schema fares. */
export class FlowSchemaCondition extends shape({
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

/** How a schema fares. */
export class FlowSchemaStatus extends shape({
  /** What is known about it. */
  conditions: t.list(1, FlowSchemaCondition).keyed('type'),
}) {}

/** Sorts requests into flows, and gives them a priority level. */
export class FlowSchema extends kind({
  /** Which requests it takes. */
  spec: t.object(2, FlowSchemaSpec),
  /** How it fares; kept by the server. */
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
  // The order in which they are tried.
  rowOrder: (a, b) =>
    (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0) ||
    ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1),
  columns: [
    nameColumn,
    column('PriorityLevel', 'string', ({ spec }) => spec.priorityLevelConfiguration.name, {
      description: 'Priority level of the requests.',
    }),
    column('MatchingPrecedence', 'string', ({ spec }) => spec.matchingPrecedence ?? 0, {
      description: 'Place among the schemas.',
    }),
    column(
      'DistinguisherMethod',
      'string',
      ({ spec }) => spec.distinguisherMethod?.type ?? '<none>',
      { description: 'What makes a flow.' },
    ),
    ageColumn,
    column(
      'MissingPL',
      'string',
      ({ status }) => status.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
      { description: 'Whether its priority level is missing.' },
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
