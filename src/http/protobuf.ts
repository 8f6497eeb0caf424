/** Responses in the binary form. Loaded on first use. */
import { Pace } from '../base/event-loop.ts'
import type { HookDependencies } from '../registry/context.ts'
import type { Made, Result } from '../registry/results.ts'
import type { EventForm } from '../registry/event-form.ts'
import { ListMeta, PartialObjectMetadata, Status } from '../kinds/meta/documents.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { JsonObject } from '../codec/codec.ts'
import { parseJson } from '../codec/json-text.ts'
import { BETA_METADATA_LIST, eventFrame, listMessage, wrap } from '../codec/protobuf-envelope.ts'
import { protobufOf } from '../codec/protobuf.ts'
import type { Shape } from '../notation/shape.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import { PLAIN, type Form } from './form.ts'
import { bookmarkObject, isList, listMetadata, noList, objectJson } from './represent.ts'

/** Others wait no longer for the items of a list, milliseconds. */
const LONG_MS = 10

/** The response of a verb, in an envelope. Throws 406 for shapes that do not fit the result. */
export async function resultMessage(
  api: HookDependencies,
  served: ResourceEntry,
  result: Result,
  form: Form,
): Promise<Buffer> {
  switch (result.is) {
    case 'status':
      return statusMessage(api, result.body)
    case 'object':
      return (await binaryKind(api, served)).object(result.version, form)
    case 'made':
      return (await binaryKind(api, result.served)).object(result.object, form)
    case 'list': {
      if (form.as === 'PartialObjectMetadata') throw isList(served)
      const partial = form.as !== ''
      const binary = await binaryKind(api, served)
      const pace = new Pace(LONG_MS)
      const items: Buffer[] = []
      for (const version of result.items) {
        items.push(partial ? metadataRaw(api, version) : binary.raw(version))
        const pause = pace.pause()
        if (pause) await pause
      }
      const metadata = protobufOf(ListMeta.shape, api.v).encode(listMetadata(result))
      const type = partial
        ? { kind: 'PartialObjectMetadataList', apiVersion: form.asVersion }
        : { kind: served.listKind, apiVersion: served.groupVersion }
      // The older list of metadata has the numbers of its two fields swapped.
      const numbers =
        partial && form.asVersion.endsWith('/v1beta1') ? BETA_METADATA_LIST : undefined
      return wrap(type, listMessage(metadata, items, numbers))
    }
  }
}

/** Messages of objects of one kind. */
interface BinaryKind {
  /** The object without an envelope. */
  raw(source: StoredObject | Made): Buffer
  /** The object in an envelope. Throws 406 for shapes of lists. */
  object(source: StoredObject | Made, form: Form): Buffer
}

async function binaryKind(api: HookDependencies, served: ResourceEntry): Promise<BinaryKind> {
  const protobuf = await served.protobuf?.load()
  const raw = (source: StoredObject | Made): Buffer => {
    if (!protobuf) throw new Error(`${served.kind} has no binary form`)
    return protobuf.encode(parseJson(objectJson(api, served, source, PLAIN)) as JsonObject)
  }
  return {
    raw,
    object(source, form) {
      switch (form.as) {
        case '':
          return wrap({ kind: served.kind, apiVersion: served.groupVersion }, raw(source))
        case 'PartialObjectMetadata':
          return wrap(
            { kind: 'PartialObjectMetadata', apiVersion: form.asVersion },
            metadataRaw(api, source),
          )
        // Tables are not offered in the binary form.
        case 'Table':
        case 'PartialObjectMetadataList':
          throw noList(served)
      }
    },
  }
}

const metadataRaw = (api: HookDependencies, source: StoredObject | Made): Buffer =>
  protobufOf(PartialObjectMetadata.shape, api.v).encode({
    metadata: parseJson(source.metadata()),
  })

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
