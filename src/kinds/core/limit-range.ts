import { group } from '../../meta/object-meta.ts'
import { resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { validateLimits } from './limit-rules.ts'
import { setOwn } from '../../codec/json-scanner.ts'
import { type ResourceList, roundResources } from './resource-requirements.ts'

const { kind, shape } = group('core/v1')

/** Minimum, maximum and default resource usage for one type of object. */
export class LimitRangeItem extends shape({
  /**
   * Type of the limited objects: `Container`, `Pod`, `PersistentVolumeClaim` or a domain-prefixed
   * name. Required, unique in the limit range.
   */
  type: t.string(1).required(),
  /** Upper bound of each resource for one object. */
  max: t.map(2, 'quantity'),
  /** Lower bound of each resource for one object. Must not exceed `max`. */
  min: t.map(3, 'quantity'),
  /**
   * Limits for containers that specify none, by resource name. For type `Container` it defaults to
   * `max`. Not allowed for type `Pod`.
   */
  default: t.map(4, 'quantity'),
  /**
   * Requests for containers that specify none, by resource name. For type `Container` it defaults
   * to `default`, else to `min`. Not allowed for type `Pod`.
   */
  defaultRequest: t.map(5, 'quantity'),
  /**
   * Upper bound for the ratio of limit to request of each resource, at least 1. Limits
   * overcommitment.
   */
  maxLimitRequestRatio: t.map(6, 'quantity'),
}) {}

/** Limits that a limit range enforces. */
export class LimitRangeSpec extends shape({
  /** Limits to enforce, one item for each type of object. Required. */
  limits: t.list(1, LimitRangeItem).required(),
}) {}

/**
 * Constrains the resource usage of single pods, containers and claims in a namespace and sets
 * defaults for them. Enforced by the admission plugin `LimitRanger`.
 */
export class LimitRange extends kind({
  /** Limits that are enforced in the namespace. */
  spec: t.object(2, LimitRangeSpec),
}) {}

/** A resource list with its names, since listing them is costly for a map of 100,000 entries. */
interface Amounts {
  readonly list: ResourceList
  readonly names: readonly string[]
}

function amountsOf(list: ResourceList | undefined): Amounts | null {
  if (!list) return null
  const names = Object.keys(list)
  return names.length > 0 ? { list, names } : null
}

/**
 * Amounts by name, each from the first list that has it; null when there are none. A single list is
 * returned unchanged.
 */
function firstOf(...lists: readonly (Amounts | null)[]): Amounts | null {
  const given = lists.filter((one) => one !== null)
  if (given.length < 2) return given[0] ?? null
  const amounts = new Map<string, string>()
  for (const { list, names } of given)
    for (const name of names) if (!amounts.has(name)) amounts.set(name, list[name]!)
  const sorted = [...amounts].sort(([a], [b]) => (a < b ? -1 : 1))
  return { list: Object.fromEntries(sorted), names: sorted.map(([name]) => name) }
}

/** Copied member by member, which is faster for a map of 100,000 entries. */
function copyOf({ list, names }: Amounts): ResourceList {
  const copy: ResourceList = {}
  for (const name of names) setOwn(copy, name, list[name]!)
  return copy
}

/**
 * Sets default limits and requests of containers. Each field gets a list of its own, never a shared
 * one.
 */
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
    // The uid is new and random, so it serves as the name.
    if (metadata.generateName === undefined && metadata.uid !== undefined) {
      metadata.name ??= metadata.uid
    }
  },

  validate: ({ spec }, errors, { v }) =>
    validateLimits(spec.limits, errors.at('spec', 'limits'), v),
})
