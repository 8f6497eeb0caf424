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

/** A list with its names, which are costly to list for a map of a hundred thousand. */
interface Amounts {
  readonly list: ResourceList
  readonly names: readonly string[]
}

function amountsOf(list: ResourceList | undefined): Amounts | null {
  if (!list) return null
  const names = Object.keys(list)
  return names.length > 0 ? { list, names } : null
}

/** Amounts of the first list that has one, by name; null when there are none. A list alone is given back as it is. */
function firstOf(...lists: readonly (Amounts | null)[]): Amounts | null {
  const given = lists.filter((one) => one !== null)
  if (given.length < 2) return given[0] ?? null
  const amounts = new Map<string, string>()
  for (const { list, names } of given)
    for (const name of names) if (!amounts.has(name)) amounts.set(name, list[name]!)
  const sorted = [...amounts].sort(([a], [b]) => (a < b ? -1 : 1))
  return { list: Object.fromEntries(sorted), names: sorted.map(([name]) => name) }
}

/** Copied member by member, which is the faster way for a map of a hundred thousand. */
function copyOf({ list, names }: Amounts): ResourceList {
  const copy: ResourceList = {}
  for (const name of names) setOwn(copy, name, list[name]!)
  return copy
}

/** The limits and requests of containers that say nothing. No list may be in two places. */
function fillDefaults(item: LimitRangeItem): void {
  const [own, ownRequest] = [amountsOf(item.default), amountsOf(item.defaultRequest)]
  const [max, min] = [amountsOf(item.max), amountsOf(item.min)]
  const limits = firstOf(own, max)
  const requests = firstOf(ownRequest, limits, min)
  if (limits && limits !== own) item.default = limits === max ? copyOf(limits) : limits.list
  if (!requests || requests === ownRequest) return
  const isTaken = requests === limits || requests === min
  item.defaultRequest = isTaken ? copyOf(requests) : requests.list
}

function fillItem(item: LimitRangeItem): void {
  roundResources(item.max)
  roundResources(item.min)
  roundResources(item.default)
  roundResources(item.defaultRequest)
  roundResources(item.maxLimitRequestRatio)
  if (item.type === 'Container') fillDefaults(item)
}

/** The limit ranges of a namespace. */
export const limitRanges = resource(LimitRange, {
  plural: 'limitranges',
  short: ['limits'],
  scope: 'namespace',
  createOnUpdate: true,
  deleteAnswers: 'status',

  setDefaults: ({ spec }) => spec.limits.forEach(fillItem),

  prepareForCreate({ metadata }) {
    // The uid was drawn just now, so it is as random a name as any.
    if (metadata.generateName === undefined && metadata.uid !== undefined) {
      metadata.name ??= metadata.uid
    }
  },

  validate: ({ spec }, errors, { v }) =>
    validateLimits(spec.limits, errors.at('spec', 'limits'), v),
})
