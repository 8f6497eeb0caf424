/** The annotation with the configuration that was applied last on the client's side. */
import type { ApiObject } from '../../client/transport.ts'
import { formatJson } from '../../codec/json-text.ts'
import { keysInOrder } from '../base/keys-in-order.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'

/** The name of the annotation. */
export const lastApplied = (v: Vocabulary): string =>
  v.resolve('{cli}.{label}/last-applied-configuration')

/** The text of an object in the annotation, with the annotations that the object has. */
export function lastAppliedText(object: ApiObject, key: string): string {
  const { annotations: all, ...metadata } = object.metadata ?? {}
  const { [key]: _, ...annotations } = all ?? {}
  const has = Object.keys(annotations).length > 0
  const bare = { ...object, metadata: { ...metadata, ...(has ? { annotations } : {}) } }
  return `${formatJson(keysInOrder(bare))}\n`
}

/** An object with itself in the annotation. */
export function withLastApplied<T extends ApiObject>(object: T, key: string): T {
  const annotations = { ...object.metadata?.annotations }
  delete annotations[key]
  const bare = { ...object, metadata: { ...object.metadata, annotations } }
  const text = `${formatJson(keysInOrder(bare))}\n`
  return { ...bare, metadata: { ...bare.metadata, annotations: { ...annotations, [key]: text } } }
}
