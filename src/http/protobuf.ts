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
/** The response of a verb, in an envelope. Throws 406 for shapes that do not fit the result. */
export async function resultMessage(
  api: HookDependencies,
  served: ResourceEntry,
  result: Result,
  form: Form,
): Promise<readonly Buffer[]> {
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
      const list = await (form.as === ''
        ? wholeObjects(api, served, result)
        : metadataOfObjects(api, result, form))
      const type =
        form.as === ''
          ? { kind: served.listKind, apiVersion: served.groupVersion }
          : { kind: 'PartialObjectMetadataList', apiVersion: form.asVersion }
      return list.finish(type, metadata)
    }
  }
}

async function wholeObjects(
  api: HookDependencies,
  served: ResourceEntry,
  { items }: ListResult,
): Promise<ListWriter> {
  const { write } = await binaryKind(api, served)
  const list = new ListWriter()
  await eachShared(items, (version) => list.add((writer) => write(version, writer)))
  return list
}

async function metadataOfObjects(
  api: HookDependencies,
  { items }: ListResult,
  form: Form,
): Promise<ListWriter> {
  // The older list of metadata has the numbers of its two fields swapped.
  const list = new ListWriter(form.asVersion.endsWith('/v1beta1') ? BETA_METADATA_LIST : undefined)
  await eachShared(items, (version) => list.add((writer) => writeMetadata(api, version, writer)))
  return list
}

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
