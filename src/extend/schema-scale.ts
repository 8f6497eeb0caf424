/** Where objects that a schema describes have their number of replicas. */
import type { Typed } from '../meta/object-meta.ts'
import type { ScaleSubresource } from '../catalogue/resource.ts'
import type { FieldErrors } from '../meta/field-errors.ts'
import { NestedFieldError, nestedInteger, nestedString } from '../codec/nested-field.ts'

/** Paths of an object, such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

// Checked where the definition is: names with a dot in front of each.
const bare = (path: string): string => path.slice(1)
const namesIn = (path: string): readonly string[] => bare(path).split('.')

/** `/scale` of such objects. */
export function schemaScale(paths: ScalePaths): ScaleSubresource<Typed> {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = paths
  const selector = labelSelectorPath === '' ? null : namesIn(labelSelectorPath)
  return {
    serves: 'scale',
    replicas: bare(specReplicasPath),
    observed: bare(statusReplicasPath),
    mayLack: specReplicasPath,
    selector: (object) => (selector && nestedString(object, selector)) ?? '',
  }
}

const MOST = 2 ** 31 - 1

/** Rules of the fields that `/scale` shows, for whole objects. */
export function scaleRules(object: unknown, paths: ScalePaths, errors: FieldErrors): void {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = paths
  for (const path of [specReplicasPath, statusReplicasPath]) {
    // The field has its dot in front, as in the definition.
    const at = errors.at(`.${bare(path)}`)
    reporting(at, 0, () => {
      const count = nestedInteger(object, namesIn(path)) ?? 0
      if (count < 0) at.invalid(count, 'should be a non-negative integer')
      else if (count > MOST) at.invalid(count, `should be less than or equal to ${MOST}`)
    })
  }
  if (labelSelectorPath === '') return
  const at = errors.at(`.${bare(labelSelectorPath)}`)
  reporting(at, '', () => void nestedString(object, namesIn(labelSelectorPath)))
}

function reporting(errors: FieldErrors, value: unknown, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof NestedFieldError)) throw error
    errors.invalid(value, error.message)
  }
}
