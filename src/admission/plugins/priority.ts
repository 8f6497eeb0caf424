import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts'
import type { PriorityClass } from '../../kinds/scheduling/priority-class.ts'
import type { ObjectSource } from '../../catalogue/object-source.ts'
import type { ResourceName } from '../../meta/resource-name.ts'
import type { Attributes } from '../attributes.ts'
import { Followed } from '../followed.ts'
import type { PluginFactory } from '../plugin.ts'
import { refusalOf } from '../refusal.ts'

/** What a class sets in its pods. */
interface Rank {
  readonly name: string
  readonly value: number
  readonly preemptionPolicy: PriorityClass['preemptionPolicy']
}

/** The rank of pods without a class, where no class is the default. */
const NO_CLASS: Rank = { name: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' }

/** Sets the priority of pods from their priority class, and lets only one class be the default. */
export const priority: PluginFactory = {
  name: 'Priority',
  defaultOn: true,
  create({ v, objects }) {
    const classes = { group: v.resolve('scheduling{api}'), resource: 'priorityclasses' }
    const defaults = new Followed(objects, classes, (one: PriorityClass) =>
      one.globalDefault === true ? rankOf(one) : null,
    )
    const setRank = (spec: PodSpec, attributes: Attributes): void | Promise<void> => {
      const { priorityClassName = '' } = spec
      if (priorityClassName !== '') {
        return named(priorityClassName, attributes, objects, classes).then((rank) =>
          take(spec, rank, attributes),
        )
      }
      const loading = defaults.load()
      const set = () => take(spec, lowest(defaults.kept), attributes)
      return loading ? loading.then(set) : set()
    }
    const refuseSecond = async (attributes: Attributes): Promise<void> => {
      await defaults.load()
      const { name } = lowest(defaults.kept)
      const { operation, object } = attributes
      if (name === '' || (operation === 'UPDATE' && name === object!.live.metadata.name)) return
      throw refusalOf(
        attributes,
        `PriorityClass ${name} is already marked as default. Only one default can exist`,
      )
    }
    return {
      handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
      resources: [{ group: '', resource: 'pods' }, classes],
      replacesParts: true,
      mutate(attributes) {
        const { operation, resource, object, oldObject } = attributes
        if (resource.resource !== 'pods') return
        const { spec } = object!.live as Pod
        if (operation === 'CREATE') return setRank(spec, attributes)
        const { spec: old } = oldObject!.live as Pod
        if (old.priority !== undefined) spec.priority ??= old.priority
        if (old.preemptionPolicy !== undefined) spec.preemptionPolicy ??= old.preemptionPolicy
      },
      validate(attributes) {
        if (attributes.resource.resource === 'pods') return
        const { globalDefault } = attributes.object!.live as PriorityClass
        if (globalDefault === true) return refuseSecond(attributes)
      },
      close: () => defaults.close(),
    }
  },
}

const rankOf = ({ metadata, value, preemptionPolicy }: PriorityClass): Rank => ({
  name: metadata.name!,
  value,
  preemptionPolicy,
})

/** The default class; there may be several, which two servers accepted at the same time. */
function lowest(ranks: ReadonlyMap<string, Rank>): Rank {
  let found: Rank | null = null
  for (const rank of ranks.values()) {
    if (
      !found ||
      rank.value < found.value ||
      (rank.value === found.value && rank.name < found.name)
    )
      found = rank
  }
  return found ?? NO_CLASS
}

async function named(
  name: string,
  attributes: Attributes,
  objects: ObjectSource,
  classes: ResourceName,
): Promise<Rank> {
  let found = await objects.get<PriorityClass>(classes, '', name)
  if (!found) {
    // Another server may have created it.
    await objects.fresh?.()
    found = await objects.get<PriorityClass>(classes, '', name)
  }
  if (found) return rankOf(found)
  throw refusalOf(attributes, `no PriorityClass with name ${name} was found`)
}

function take(
  spec: PodSpec,
  { name, value, preemptionPolicy }: Rank,
  attributes: Attributes,
): void {
  if (name !== '') spec.priorityClassName = name
  const given = spec.priority ?? value
  if (given !== value) {
    throw refusalOf(
      attributes,
      `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    )
  }
  spec.priority = value
  if (preemptionPolicy === undefined) return
  const policy = spec.preemptionPolicy ?? preemptionPolicy
  if (policy !== preemptionPolicy) {
    throw refusalOf(
      attributes,
      `the string value of PreemptionPolicy (${policy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    )
  }
  spec.preemptionPolicy = preemptionPolicy
}
