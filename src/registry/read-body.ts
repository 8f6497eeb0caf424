import { paced } from '../base/steps.ts'
import { Pace } from '../base/event-loop.ts'
import { badRequest, unsupportedMediaType } from '../meta/errors.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { parseJsonStrictly } from '../codec/json-text.ts'
import { duplicateField } from '../codec/json-scanner.ts'
import type { Typed } from '../meta/object-meta.ts'
import { MAX_VALUES, mayHoldMoreThan, refuseTooMany } from '../meta/value-count.ts'
import { WrittenNumbers } from '../codec/written-numbers.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { wireNames } from '../vocabulary/wire-names.ts'
import type { HookContext } from '../catalogue/resource.ts'
import type { Body, Call } from './context.ts'
import { decodeServedSteps } from './objects.ts'
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
  const pace = new Pace()
  const value = await parsed(body, reading)
  // Aliases of YAML and packed lists of protobuf expand beyond the size of the body.
  const isJson = body.mediaType === '' || body.mediaType === 'application/json'
  if (!isJson || mayHoldMoreThan(body.bytes, MAX_VALUES)) {
    await pace.pause()
    refuseTooMany(value)
  }
  if (!isJson) body.readAs?.(value)
  return value
}

async function parsed(
  { bytes, mediaType }: Body,
  { v, kind, protobuf, onDuplicate, written }: Reading,
): Promise<unknown> {
  switch (mediaType) {
    case '':
    case 'application/json':
      // One pass that also reports duplicates costs less than two.
      return parseJsonStrictly(bytes, {
        onDuplicate: onDuplicate && ((path) => onDuplicate(duplicateField(path))),
        written,
      })
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
 * unknown and duplicate fields as `fieldValidation` says. Throws 400, 413 and 415.
 */
export async function readObject(
  call: Call,
  options: WriteOptions,
  c: HookContext,
): Promise<Typed> {
  const { served } = call
  const body = await call.body()
  const found: string[] = []
  const onDuplicate =
    options.fieldValidation === 'Ignore' ? undefined : (finding: string) => void found.push(finding)
  const pace = new Pace()
  const written = new WrittenNumbers()
  let value: unknown
  try {
    const { kind, protobuf } = served
    value = await parseBody(body, { v: c.v, kind, protobuf, onDuplicate, written })
  } catch (error) {
    if (error instanceof Error && error.name === 'StatusError') throw error
    throw badRequest(
      `the object provided is unrecognized (must be of type ${served.kind}): ${error instanceof Error ? error.message : String(error)} (${excerpt(body.bytes)})`,
    )
  }
  checkType(served, value, body.bytes)
  await pace.pause()
  const { object, unknown } = await paced(decodeServedSteps(served, value, c, written), pace)
  await pace.pause()
  found.unshift(...unknown.map((path) => `unknown field ${JSON.stringify(path)}`))
  tellFindings(call, options, found)
  body.decoded?.(object.metadata)
  return object
}

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
