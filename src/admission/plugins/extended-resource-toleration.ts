import type { PodSpec } from '../../kinds/core/pod/pod-spec.ts'
import { isExtendedResource } from '../../kinds/core/resource-names.ts'
import { textOfTaint, type Toleration } from '../../kinds/core/toleration.ts'
import { sameValue } from '../../meta/field-errors.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { PluginFactory } from '../plugin.ts'
import { podOf, PODS } from '../pods.ts'

/**
 * Makes pods that request an extended resource, such as a device, tolerate the taint of that name: nodes with the
 * resource can be reserved for those that need it.
 */
export const extendedResourceToleration: PluginFactory = {
  name: 'ExtendedResourceToleration',
  defaultOn: false,
  create: ({ v }) => ({
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    resources: PODS,
    mutate(attributes) {
      const { spec } = podOf(attributes)
      for (const key of extendedResourcesOf(spec, v)) {
        tolerate(spec, { key, operator: 'Exists', effect: 'NoSchedule' })
      }
    },
  }),
}

/** Names of the extended resources that containers request, sorted. */
function extendedResourcesOf(spec: PodSpec, v: Vocabulary): string[] {
  const names = new Set<string>()
  for (const { resources } of [...spec.containers, ...(spec.initContainers ?? [])]) {
    for (const name of Object.keys(resources?.requests ?? {})) {
      if (isExtendedResource(name, v)) names.add(name)
    }
  }
  return [...names].sort()
}

/** Adds a toleration, or replaces those that differ in the seconds alone. */
function tolerate(spec: PodSpec, wanted: Toleration): void {
  const present = spec.tolerations ?? []
  const isFor = (one: Toleration) => textOfTaint(one) === textOfTaint(wanted)
  spec.tolerations = present.some(isFor)
    ? present.map((one) => (isFor(one) && !sameValue(one, wanted) ? wanted : one))
    : [...present, wanted]
}
