/**
 * Objects that the command-line client has applied on the client side, with the configuration in an annotation: its
 * first server-side apply takes over the fields of that annotation.
 */
import { finish, type Steps } from '../base/steps.ts'
import { JsonError, parseJson } from '../codec/json-text.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { compareText } from './field-path.ts'
import { FieldSet } from './field-set.ts'
import { isObject, type JsonObject } from './json-value.ts'
import { type Apply, applySteps, type Recorded, type Writer } from './managed-fields.ts'
import { ApplyConflict } from './managers.ts'
import { faultsOf } from './typed-items.ts'
import { compare, toFieldSet } from './typed-value.ts'

/** All annotations of one object together may take this, keys included. */
const MAX_ANNOTATION_BYTES = 262_144

type Words = Pick<Vocabulary, 'resolve'>

/**
 * Applies as `recordApply` does. For the command-line client, fields that still match its annotation are no conflict,
 * and the annotation is updated. Throws ApplyConflict and TypedValueError.
 */
export const recordClientApply = (apply: Apply, writer: Writer, v: Words): Recorded =>
  finish(clientApplySteps(apply, writer, v))

/** The same in steps. */
export function* clientApplySteps(apply: Apply, writer: Writer, v: Words): Steps<Recorded> {
  if (writer.manager !== v.resolve('{cli}')) return yield* applySteps(apply, writer)
  const key = v.resolve('{cli}.{label}/last-applied-configuration')
  const recorded = yield* takingOver(apply, writer, key)
  yield
  return renewed(recorded, apply, key)
}

function* takingOver(apply: Apply, writer: Writer, key: string): Steps<Recorded> {
  try {
    return yield* applySteps(apply, writer)
  } catch (error) {
    if (!(error instanceof ApplyConflict)) throw error
    const own = stillAsApplied(apply, key)
    const left = new Map<string, FieldSet>()
    for (const [id, set] of error.conflicts) {
      const others = set.difference(own)
      if (!others.isEmpty) left.set(id, others)
    }
    if (left.size > 0) throw new ApplyConflict(left, error.times)
    yield
    return yield* applySteps({ ...apply, force: true }, writer)
  }
}

/** The fields of the annotation that the live object has with the same values. */
function stillAsApplied({ versions, live }: Apply, key: string): FieldSet {
  const text = annotationsOf(live.object)?.[key]
  const topology = versions.topology(live.apiVersion)
  const applied = typeof text === 'string' ? parsed(text) : null
  if (!topology || !isObject(applied) || applied['apiVersion'] !== live.apiVersion) {
    return FieldSet.empty
  }
  if (faultsOf(topology, applied).length > 0) return FieldSet.empty
  const { added, removed, modified } = compare(topology, live.object, applied)
  return toFieldSet(topology, applied).difference(modified).difference(added).difference(removed)
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof JsonError) return null
    throw error
  }
}

/** Renews the annotation of an object that has one; without it when there is no room. */
function renewed(recorded: Recorded, { live, config }: Apply, key: string): Recorded {
  const object = recorded.object ?? live.object
  const annotations = annotationsOf(object)
  const before = annotations?.[key]
  if (!annotations || typeof before !== 'string' || !isObject(object)) return recorded
  const text = `${sortedJson(withoutAnnotation(config, key))}\n`
  if (text === before) return recorded
  const { [key]: _, ...others } = annotations
  const all = { ...others, [key]: text }
  const next = bytesOf(all) > MAX_ANNOTATION_BYTES ? others : all
  // An object with annotations has metadata.
  const metadata = { ...(object['metadata'] as JsonObject), annotations: next }
  return { ...recorded, object: { ...object, metadata } }
}

function annotationsOf(object: unknown): JsonObject | null {
  const metadata = isObject(object) ? object['metadata'] : null
  const annotations = isObject(metadata) ? metadata['annotations'] : null
  return isObject(annotations) ? annotations : null
}

function withoutAnnotation(config: unknown, key: string): unknown {
  const annotations = annotationsOf(config)
  if (!annotations || !isObject(config) || !Object.hasOwn(annotations, key)) return config
  const { [key]: _, ...others } = annotations
  return { ...config, metadata: { ...(config['metadata'] as JsonObject), annotations: others } }
}

const bytesOf = (annotations: JsonObject) =>
  Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  )

function sortedJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).sort(([a], [b]) => compareText(a, b))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${sortedJson(member)}`).join(',')}}`
}
