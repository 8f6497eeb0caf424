/** Responses in the binary form. Loaded on first use. */
import { eachShared } from '../base/shared-pace.ts'
import type { HookDependencies } from '../registry/context.ts'
import type { ListResult, Made, Result } from '../registry/results.ts'
import type { EventForm } from '../registry/event-form.ts'
import { ListMeta, Status } from '../kinds/meta/documents.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { JsonObject } from '../codec/codec.ts'
import { parseJson } from '../codec/json-text.ts'
import type { BytesWriter } from '../codec/message-writer.ts'
import {
  BETA_METADATA_LIST,
  eventFrame,
  ListWriter,
  wrap,
  wrapped,
} from '../codec/protobuf-envelope.ts'
import { BYTES, tagOf } from '../codec/protobuf-wire.ts'
import { protobufOf } from '../codec/protobuf.ts'
import { ObjectMeta } from '../meta/object-meta.ts'
import type { Shape } from '../notation/shape.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import { PLAIN, type Form } from './form.ts'
import { bookmarkObject, isList, listMetadata, noList, objectJson } from './represent.ts'

/** The field of the metadata in `PartialObjectMetadata`. */
const METADATA = tagOf(1, BYTES)
/** What is responded to a verb. */
export interface ResultParts {
  readonly served: ResourceEntry
  readonly form: Form
  /** Memory for a piece of a long list. */
  readonly take: () => Buffer
}

/** The response of a verb, in an envelope, in pieces. Throws 406 for shapes that do not fit the result. */
export async function resultMessage(
  api: HookDependencies,
  result: Result,
  parts: ResultParts,
): Promise<readonly Buffer[]> {
  const { served, form } = parts
  switch (result.is) {
    case 'status':
      return [statusMessage(api, result.body)]
    case 'object':
      return [(await binaryKind(api, served)).object(result.version, form)]
    case 'made':
      return [(await binaryKind(api, result.served)).object(result.object, form)]
    case 'list': {
      if (form.as === 'PartialObjectMetadata') throw isList(served)
      const metadata = protobufOf(ListMeta.shape, api.v).encode(listMetadata(result))
      const isWhole = form.as === ''
      const list = await (isWhole ? wholeObjects : metadataOfObjects)(api, result, parts)
      const type = isWhole
        ? { kind: served.listKind, apiVersion: served.groupVersion }
        : { kind: 'PartialObjectMetadataList', apiVersion: form.asVersion }
      return list.finish(type, metadata)
    }
  }
}

/** Bytes that an item has, usually; those of its metadata alone. */
const ITEM_BYTES = 2048
const METADATA_BYTES = 512

async function wholeObjects(
  api: HookDependencies,
  { items }: ListResult,
  { served, take }: ResultParts,
): Promise<ListWriter> {
  const { write } = await binaryKind(api, served)
  const list = new ListWriter(memoryFor(items.length * ITEM_BYTES, take))
  await eachShared(items, (version) => list.add((writer) => write(version, writer)))
  return list
}

async function metadataOfObjects(
  api: HookDependencies,
  { items }: ListResult,
  { form, take }: ResultParts,
): Promise<ListWriter> {
  // The older list of metadata has the numbers of its two fields swapped.
  const numbers = form.asVersion.endsWith('/v1beta1') ? BETA_METADATA_LIST : undefined
  const list = new ListWriter(memoryFor(items.length * METADATA_BYTES, take), numbers)
  await eachShared(items, (version) => list.add((writer) => writeMetadata(api, version, writer)))
  return list
}

/** A list that is short has memory of its own, or what it gets of a piece would not be used again so soon. */
const memoryFor = (guess: number, take: () => Buffer): (() => Buffer) =>
  guess > OWN_BYTES ? take : () => Buffer.allocUnsafe(OWN_BYTES)

/** Of memory of its own, as that of lists in JSON. */
const OWN_BYTES = 64 << 10

/** Messages of objects of one kind. */
interface BinaryKind {
  /** Writes the object without an envelope. */
  write(source: StoredObject | Made, writer: BytesWriter): void
  /** The object in an envelope. Throws 406 for shapes of lists. */
  object(source: StoredObject | Made, form: Form): Buffer
}

async function binaryKind(api: HookDependencies, served: ResourceEntry): Promise<BinaryKind> {
  const protobuf = await served.protobuf?.load()
  const isAsStored = served.conversion === null || served.conversion.same
  const write = (source: StoredObject | Made, writer: BytesWriter): void => {
    if (!protobuf) throw new Error(`${served.kind} has no binary form`)
    // The message has no version, so what differs only in that is not made anew.
    protobuf.transcode(isAsStored ? source.json() : objectJson(api, served, source, PLAIN), writer)
  }
  return {
    write,
    object(source, form) {
      switch (form.as) {
        case '':
          return wrapped({ kind: served.kind, apiVersion: served.groupVersion }, (writer) =>
            write(source, writer),
          )
        case 'PartialObjectMetadata':
          return wrapped({ kind: 'PartialObjectMetadata', apiVersion: form.asVersion }, (writer) =>
            writeMetadata(api, source, writer),
          )
        // Tables are not offered in the binary form.
        case 'Table':
        case 'PartialObjectMetadataList':
          throw noList(served)
      }
    },
  }
}

function writeMetadata(
  { v }: HookDependencies,
  source: StoredObject | Made,
  writer: BytesWriter,
): void {
  writer.uint32(METADATA).fork()
  protobufOf(ObjectMeta.shape, v).transcode(source.metadata(), writer)
  writer.ldelim()
}

const statusMessage = (api: HookDependencies, status: object): Buffer =>
  documentMessage(api, Status.shape, Buffer.from(JSON.stringify(status)))

/** A document with its own kind, in an envelope. */
export function documentMessage(api: HookDependencies, shape: Shape, json: Buffer): Buffer {
  const {
    kind = shape.name,
    apiVersion = 'v1',
    ...plain
  } = parseJson(json) as JsonObject & {
    kind?: string
    apiVersion?: string
  }
  return wrap({ kind, apiVersion }, protobufOf(shape, api.v).encode(plain))
}

/** Encoding of watch events in the binary form. */
export async function eventMessages(
  api: HookDependencies,
  served: ResourceEntry,
  form: Form,
): Promise<EventForm> {
  const binary = await binaryKind(api, served)
  const shown: Form = form.as === '' ? form : { ...form, as: 'PartialObjectMetadata' }
  return {
    id: `protobuf\0${served.groupVersion}\0${form.as}\0${form.asVersion}`,
    event(type, version, revision) {
      const seen = revision === version.revision ? version : version.withRevision(revision)
      return eventFrame(type, binary.object(seen, shown))
    },
    bookmark: (revision) =>
      eventFrame('BOOKMARK', binary.object(bookmarkObject(served, revision), shown)),
    error: (status) => eventFrame('ERROR', statusMessage(api, status as object)),
  }
}
