/** Where objects that a schema describes have their number of replicas. */
import type { Typed } from '../meta/object-meta.ts'
import type { ScaleSubresource } from '../catalogue/resource.ts'
import { parseJsonPath, valuesAt } from './json-path.ts'

/** Paths of an object, such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

/** `/scale` of such objects. */
export function schemaScale(paths: ScalePaths): ScaleSubresource<Typed> {
  const selector = parseJsonPath(paths.labelSelectorPath ?? '')
  return {
    serves: 'scale',
    // Checked where the definition is: names with a dot in front of each.
    replicas: paths.specReplicasPath.slice(1) as never,
    observed: paths.statusReplicasPath.slice(1) as never,
    selector(object) {
      const [text] = selector && selector.length > 0 ? valuesAt(selector, object) : []
      return typeof text === 'string' ? text : ''
    },
  }
}
