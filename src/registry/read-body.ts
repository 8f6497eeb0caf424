import { paced } from '../base/steps.ts'
import { Pace } from '../base/event-loop.ts'
import { whenKnown, type NowOrLater } from '../admission/now-or-later.ts'
import { badRequest, unsupportedMediaType } from '../meta/errors.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { parseJsonStrictly } from '../codec/json-text.ts'
import { duplicateField } from '../codec/json-scanner.ts'
import type { Typed } from '../meta/object-meta.ts'
import { MAX_VALUES } from '../meta/value-count.ts'
import { WrittenNumbers } from '../codec/written-numbers.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { wireNames } from '../vocabulary/wire-names.ts'
import type { HookContext } from '../catalogue/resource.ts'
import type { Body, Call } from './context.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import { refuseInvalid } from './write.ts'
import { decodeServed, decodeServedSteps, type DecodedObject } from './objects.ts'
import type { WriteOptions } from './options.ts'

/** The media type of binary bodies and responses, as a template. */
export const PROTOBUF_TYPE = 'application/vnd.{brand}.protobuf'

/** The media type of binary bodies and responses, resolved by the vocabulary. */
export const protobufType = (v: Vocabulary): string => v.resolve(PROTOBUF_TYPE)

/** Media types of request bodies; the binary one only where the kind has such a form. */
const acceptedBodies = (v: Vocabulary, hasBinary: boolean): string[] => [
  'application/json',
  'application/yaml',
  ...(hasBinary ? [protobufType(v)] : []),
]

/** How to read a body: kind and message type; without a binary form there is no message type. */
export interface Reading extends Pick<ResourceEntry, 'kind' | 'protobuf'> {
  readonly v: Vocabulary
  /** Called for each duplicate key; the last one wins. */
  readonly onDuplicate?: ((finding: string) => void) | undefined
  /** Collects JSON numbers that are not written as integers. */
  readonly written?: WrittenNumbers
}

/**
 * A body as a JSON value, by its media type; without one it is JSON. Throws 413, 415, and Error when it is malformed.
 */
export async function parseBody(body: Body, reading: Reading): Promise<unknown> {
  if (isJson(body)) return parsedJson(body, reading)
  const value = await parsed(body, reading)
  body.readAs?.(value)
  return value
}

const isJson = ({ mediaType }: Body) => mediaType === '' || mediaType === 'application/json'

// One pass that also reports duplicates costs less than two.
const parsedJson = ({ bytes }: Body, { onDuplicate, written }: Reading): unknown =>
  parseJsonStrictly(bytes, {
    onDuplicate: onDuplicate && ((path) => onDuplicate(duplicateField(path))),
    written,
  })

/** A body in another form than JSON. */
async function parsed(
  { bytes, mediaType }: Body,
  { v, kind, protobuf, onDuplicate }: Reading,
): Promise<unknown> {
  switch (mediaType) {
    case 'application/yaml': {
      const { parseYaml } = await import('../codec/yaml.ts')
      return parseYaml(bytes.toString('utf8'), { onDuplicate: onDuplicate ?? (() => {}) })
    }
    default: {
      if (protobuf === null || !wireNames(v, PROTOBUF_TYPE).includes(mediaType))
        throw unsupportedMediaType(acceptedBodies(v, protobuf !== null))
      const { readMessage } = await import('./read-message.ts')
      return readMessage(bytes, kind, await protobuf.load())
    }
  }
}

/**
 * Decodes the object in a request body, in the served version, with defaults. Checks kind and apiVersion, and treats
 * unknown and duplicate fields as `fieldValidation` says. Rejects with 400, 413 and 415.
 */
export const readObject = (call: Call, options: WriteOptions, c: HookContext): Promise<Typed> =>
  call.body().then((body) => objectIn(body, { call, options, c }))

/** What an object is read for. */
interface ObjectReading {
  readonly call: Call
  readonly options: WriteOptions
  readonly c: HookContext
}

/** The same for a body that is there, without a promise where that is JSON and takes no long time. */
export function objectIn(body: Body, reading: ObjectReading): NowOrLater<Typed> {
  const { call, options, c } = reading
  const { served } = call
  const pace = new Pace()
  const found: string[] = []
  const onDuplicate =
    options.fieldValidation === 'Ignore' ? undefined : (finding: string) => void found.push(finding)
  const written = new WrittenNumbers()
  const parts: Reading = {
    v: c.v,
    kind: served.kind,
    protobuf: served.protobuf,
    onDuplicate,
    written,
  }
  const decoded = (value: unknown): NowOrLater<Typed> => {
    checkType(served, value, body.bytes)
    const decode = () => decodedIn(body, reading, { value, found, written, pace })
    const pause = pace.pause()
    return pause ? pause.then(decode) : decode()
  }
  let value: unknown
  try {
    value =
      isJson(body) && body.bytes.length <= MAX_VALUES
        ? parsedJson(body, parts)
        : parseBody(body, parts)
  } catch (error) {
    throw unrecognized(served, error, body.bytes)
  }
  if (!(value instanceof Promise)) return decoded(value)
  return value.then(decoded, (error: unknown) => {
    throw unrecognized(served, error, body.bytes)
  })
}

/** The error for a body that is none of the forms of its kind; others are returned unchanged. */
function unrecognized({ kind }: ResourceEntry, error: unknown, bytes: Buffer): unknown {
  if (error instanceof Error && error.name === 'StatusError') return error
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${error instanceof Error ? error.message : String(error)} (${excerpt(bytes)})`,
  )
}

/** The value of a body, and what its text told. */
interface ParsedBody {
  readonly value: unknown
  readonly found: string[]
  readonly written: WrittenNumbers
  readonly pace: Pace
}

function decodedIn(
  body: Body,
  { call, options, c }: ObjectReading,
  { value, found, written, pace }: ParsedBody,
): NowOrLater<Typed> {
  const told = ({ object, unknown }: DecodedObject): Typed => {
    if (unknown.length > 0)
      found.unshift(...unknown.map((path) => `unknown field ${JSON.stringify(path)}`))
    tellFindings(call, options, found)
    body.decoded?.(object.metadata)
    return object
  }
  const ended = (decoded: DecodedObject): NowOrLater<Typed> => {
    const pause = pace.pause()
    return pause ? pause.then(() => told(decoded)) : told(decoded)
  }
  // With so few values at most the defaults may take long, which are made first.
  if (body.bytes.length <= SMALL) return ended(decodeServed(call.served, value, c, written))
  return whenKnown(paced(decodeServedSteps(call.served, value, c, { written }), pace), ended)
}

/** Bytes of bodies that are decoded in one step. */
const SMALL = 16 << 10

/** Warns of unknown and duplicate fields, or refuses them, as `fieldValidation` says. */
function tellFindings(call: Call, options: WriteOptions, found: readonly string[]): void {
  if (found.length === 0 || options.fieldValidation === 'Ignore') return
  if (options.fieldValidation === 'Warn') {
    for (const text of found) call.warn(text)
    return
  }
  const { kind, version } = call.served
  throw badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: strict decoding error: ${found.join(', ')}`,
  )
}

function checkType(served: ResourceEntry, value: unknown, bytes: Buffer): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${served.kind}): json: cannot unmarshal ${jsonType(value)} into an object of type ${served.kind} (${excerpt(bytes)})`,
    )
  }
  const { kind, apiVersion } = value as { kind?: unknown; apiVersion?: unknown }
  if (served.strategy.needsType) checkNeededType(served, value)
  if (kind !== undefined && typeof kind === 'string' && kind !== '' && kind !== served.kind) {
    const version =
      typeof apiVersion === 'string' && apiVersion !== '' ? apiVersion : served.groupVersion
    throw badRequest(
      `${kind} in version ${JSON.stringify(version.slice(version.lastIndexOf('/') + 1))} cannot be handled as a ${served.kind}: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} at this endpoint`,
    )
  }
  if (typeof apiVersion === 'string' && apiVersion !== '' && apiVersion !== served.groupVersion) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${served.groupVersion})`,
    )
  }
}

/** Throws 400 when an object does not say its kind or apiVersion, and 422 when its kind is another. */
function checkNeededType(served: ResourceEntry, value: object): void {
  const { kind, apiVersion } = value as { kind?: unknown; apiVersion?: unknown }
  if (typeof kind !== 'string' || kind === '')
    throw badRequest("Object 'Kind' is missing in 'unstructured object has no kind'")
  if (apiVersion !== undefined && typeof apiVersion !== 'string')
    throw badRequest("Object 'apiVersion' is missing in 'unstructured object has no version'")
  if (apiVersion === undefined || apiVersion === '')
    throw badRequest(
      `the API version in the data () does not match the expected API version (${served.groupVersion})`,
    )
  if (apiVersion === served.groupVersion) refuseOtherType(served, value)
}

/** Throws 422 when the type of an object, which it says itself, is not that of its kind. */
export function refuseOtherType(served: ResourceEntry, value: object): void {
  const { kind, apiVersion, metadata } = value as Partial<Typed>
  const errors = new FieldErrors()
  if (kind !== served.kind) errors.at('kind').invalid(kind, `must be ${served.kind}`)
  if (apiVersion !== served.groupVersion)
    errors.at('apiVersion').invalid(apiVersion, `must be ${served.groupVersion}`)
  const { name } = typeof metadata === 'object' ? (metadata ?? {}) : {}
  refuseInvalid(served, typeof name === 'string' ? name : '', errors)
}

function jsonType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** The first bytes of a body for an error text, as text when it looks like JSON. */
function excerpt(bytes: Buffer): string {
  if (bytes.length === 0) return '"<empty>"'
  const head = bytes.subarray(0, 30)
  const text = head[0] === 0x7b ? JSON.stringify(head.toString('utf8')) : head.toString('hex')
  return bytes.length > 30 ? `${text} ...` : text
}
