import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts'
import { sameResources } from '../../kinds/core/resource-requirements.ts'
import type { RuntimeClass } from '../../kinds/node/runtime-class.ts'
import { setOwn } from '../../codec/json-scanner.ts'
import type { Attributes } from '../attributes.ts'
import { mergeTolerations } from '../merge-tolerations.ts'
import type { PluginDeps, PluginFactory } from '../plugin.ts'
import { refusalOf } from '../refusal.ts'

/** Refuses pods of absent runtime classes; sets overhead, node selector and tolerations from the class. */
export const runtimeClass: PluginFactory = {
  name: 'RuntimeClass',
  defaultOn: true,
  create: (deps) => ({
    handles: (operation) => operation === 'CREATE',
    resources: [{ group: '', resource: 'pods' }],
    replacesParts: true,
    mutate(attributes) {
      const { spec } = attributes.object!.live as Pod
      if (spec.runtimeClassName === undefined) return
      return found(spec.runtimeClassName, attributes, deps).then((one) => {
        setOverhead(spec, one, attributes)
        setScheduling(spec, one, attributes)
      })
    },
    validate(attributes) {
      const { spec } = attributes.object!.live as Pod
      if (spec.runtimeClassName === undefined) return checkOverhead(spec, null, attributes)
      return found(spec.runtimeClassName, attributes, deps).then((one) =>
        checkOverhead(spec, one, attributes),
      )
    },
  }),
}

/** The class of a name. Throws 403 when there is none. */
async function found(
  name: string,
  attributes: Attributes,
  { v, objects }: PluginDeps,
): Promise<RuntimeClass> {
  const classes = { group: v.resolve('node{api}'), resource: 'runtimeclasses' }
  const present = await objects.get<RuntimeClass>(classes, '', name)
  if (present) return present
  // Another server may have created it.
  await objects.fresh?.()
  const late = await objects.get<RuntimeClass>(classes, '', name)
  if (late) return late
  throw refusalOf(attributes, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`)
}

function setOverhead(spec: PodSpec, { overhead }: RuntimeClass, attributes: Attributes): void {
  if (!overhead) return
  if (spec.overhead && !sameResources(spec.overhead, overhead.podFixed)) {
    throw otherOverhead(attributes)
  }
  if (overhead.podFixed) spec.overhead = { ...overhead.podFixed }
}

function checkOverhead(spec: PodSpec, of: RuntimeClass | null, attributes: Attributes): void {
  if (of?.overhead) {
    if (!sameResources(spec.overhead, of.overhead.podFixed)) throw otherOverhead(attributes)
  } else if (spec.overhead) {
    throw refusalOf(
      attributes,
      'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    )
  }
}

const otherOverhead = (attributes: Attributes) =>
  refusalOf(
    attributes,
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  )

function setScheduling(spec: PodSpec, { scheduling }: RuntimeClass, attributes: Attributes): void {
  if (!scheduling) return
  const { nodeSelector = {}, tolerations = [] } = scheduling
  const wanted = Object.entries(nodeSelector)
  const selector = { ...spec.nodeSelector }
  if (wanted.length > 0) spec.nodeSelector = selector
  for (const [key, value] of wanted) {
    if (Object.hasOwn(selector, key) && selector[key] !== value) {
      throw refusalOf(
        attributes,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${selector[key]!}`,
      )
    }
    setOwn(selector, key, value)
  }
  if (tolerations.length === 0 && !spec.tolerations) return
  // Those of the class are in memory, and plugins behind this one may change the pod's.
  const own = tolerations.map((one) => ({ ...one }))
  spec.tolerations = mergeTolerations(spec.tolerations ?? [], own)
}
