import { group } from '../../meta/object-meta.ts'
import { resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { validateLimits } from './limit-rules.ts'
import { setOwn } from '../../codec/json-scanner.ts'
import { type ResourceList, roundResources } from './resource-requirements.ts'

const { kind, shape } = group('core/v1')

/** Limits for one type of objects. */
export class LimitRangeItem extends shape({
  /** What is limited: `Container`, `Pod`, `PersistentVolumeClaim`, or another with a domain. */
  type: t.string(1).required(),
  /** Most of each resource. */
  max: t.map(2, 'quantity'),
  /** Least of each resource. */
  min: t.map(3, 'quantity'),
  /** Limits of containers that say nothing; `max` where it is not given. */
  default: t.map(4, 'quantity'),
  /** Requests of containers that say nothing; `default`, else `min`, where it is not given. */
  defaultRequest: t.map(5, 'quantity'),
  /** Most times that a limit may be its request, for each resource; at least 1. */
  maxLimitRequestRatio: t.map(6, 'quantity'),
}) {}

/** What is limited. */
export class LimitRangeSpec extends shape({
  /** The limits, one item for a type. */
  limits: t.list(1, LimitRangeItem).required(),
}) {}

/** Limits and defaults for what single objects of a namespace use. */
export class LimitRange extends kind({
  /** The limits. */
  spec: t.object(2, LimitRangeSpec),
}) {}

/** Amounts of the first list that has one, by name; undefined when there are none. */
function firstOf(
  own: ResourceList | undefined,
  ...others: readonly (ResourceList | undefined)[]
): ResourceList | undefined {
  const given = [own, ...others].filter((list) => list && Object.keys(list).length > 0)
  // What was decoded is in order, and no list may be in two places.
  if (given.length < 2) return given[0] === own ? own : given[0] && copyOf(given[0])
  const amounts = new Map<string, string>()
  for (const list of given) {
    for (const [name, text] of Object.entries(list ?? {})) {
      if (!amounts.has(name)) amounts.set(name, text)
    }
  }
  return Object.fromEntries([...amounts].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Copied member by member, which is the faster way for a map of a hundred thousand. */
function copyOf(list: ResourceList): ResourceList {
  const copy: ResourceList = {}
  for (const name of Object.keys(list)) setOwn(copy, name, list[name]!)
  return copy
}

function fillItem(item: LimitRangeItem): void {
  roundResources(item.max)
  roundResources(item.min)
  roundResources(item.default)
  roundResources(item.defaultRequest)
  roundResources(item.maxLimitRequestRatio)
  if (item.type === 'Container') {
    const limits = firstOf(item.default, item.max)
    const requests = firstOf(item.defaultRequest, limits, item.min)
    if (limits) item.default = limits
    if (requests) item.defaultRequest = requests
  }
}

/** The limit ranges of a namespace. */
export const limitRanges = resource(LimitRange, {
  plural: 'limitranges',
  short: ['limits'],
  scope: 'namespace',
  createOnUpdate: true,
  deleteAnswers: 'status',

  fill: ({ spec }) => spec.limits.forEach(fillItem),

  onCreate({ metadata }) {
    // The uid was drawn just now, so it is as random a name as any.
    if (metadata.generateName === undefined && metadata.uid !== undefined) {
      metadata.name ??= metadata.uid
    }
  },

  validate: ({ spec }, errors, { v }) =>
    validateLimits(spec.limits, errors.at('spec', 'limits'), v),
})
