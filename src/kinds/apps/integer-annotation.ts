import { DecodeError } from '../../codec/codec.ts'
import type { ObjectMeta } from '../../meta/object-meta.ts'

/** Reads the 64-bit integer that an annotation holds in place of a removed field. Throws DecodeError. */
function readInteger(key: string, text: string): bigint {
  const value = /^[+-]?\d{1,256}$/.test(text) ? BigInt(text.replace(/^\+/, '')) : null
  if (value !== null && value === BigInt.asIntN(64, value)) return value
  throw new DecodeError(
    ['metadata', 'annotations', key],
    `expected a 64-bit integer as text, found ${JSON.stringify(text)}`,
  )
}

/** The integer that an annotation holds; null without the annotation. Throws DecodeError. */
export function integerAnnotation({ annotations }: ObjectMeta, key: string): bigint | null {
  const text = annotations?.[key]
  return text === undefined ? null : readInteger(key, text)
}

/** Writes an integer as annotation; null removes it. */
export function setIntegerAnnotation(
  metadata: ObjectMeta,
  key: string,
  value: bigint | null,
): void {
  if (value !== null) {
    metadata.annotations = { ...metadata.annotations, [key]: String(value) }
    return
  }
  if (!metadata.annotations) return
  metadata.annotations = { ...metadata.annotations }
  delete metadata.annotations[key]
  if (Object.keys(metadata.annotations).length === 0) delete metadata.annotations
}
