/** What is done to the objects of the bootstrap set, and to those that once belonged to it. */
import { sameValue } from '../meta/field-errors.ts'
import type { ObjectMeta } from '../meta/object-meta.ts'
import type { BootstrapObject } from './bootstrap-objects.ts'

/** Annotation that says whether the server keeps the spec of an object; a template. */
export const AUTO_UPDATE = 'apf.{label}/autoupdate-spec'

/** An object as it is stored. */
export interface StoredFlowObject {
  readonly metadata: ObjectMeta
  readonly spec: object
}

/** What an object lacks. */
export type Upkeep =
  | { readonly is: 'none' }
  | { readonly is: 'create' }
  /** Without `spec`, the spec stays. */
  | { readonly is: 'update'; readonly annotation: string; readonly spec?: object }

/** What is done to an object of the set; `annotation`: the key. */
export function upkeepOf(
  { isMandatory, spec }: BootstrapObject,
  present: StoredFlowObject | null,
  annotation: string,
): Upkeep {
  if (!present) return { is: 'create' }
  const { metadata } = present
  const value = annotationOf(metadata, annotation)
  const isKept = isMandatory || (parseTruth(value) ?? (metadata.generation ?? 0) === 1)
  const isSame = !isKept || sameValue(present.spec, spec)
  if (isSame && value === String(isKept)) return { is: 'none' }
  return { is: 'update', annotation: String(isKept), ...(isSame ? {} : { spec }) }
}

/** Whether an object that is not in the set any more is deleted: the server was in charge of it. */
export const isLeftOver = ({ metadata }: StoredFlowObject, annotation: string): boolean =>
  parseTruth(annotationOf(metadata, annotation)) === true

const annotationOf = ({ annotations = {} }: ObjectMeta, key: string): string | undefined =>
  Object.hasOwn(annotations, key) ? annotations[key] : undefined

/** Undefined: neither. */
function parseTruth(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true
  return /^(0|f|F|FALSE|false|False)$/.test(text) ? false : undefined
}
