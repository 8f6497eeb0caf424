/** Builds documents with parts of other servers; imported when there are any. */
import { formatJson, parseJson } from '../codec/json-text.ts'
import { convertedV3 } from './convert-v3.ts'
import type { DocumentV2 } from './document.ts'
import {
  jsonSteps,
  compressDocument,
  plain,
  type CompressedDocument,
} from './compressed-document.ts'
import { isObject, mergedV2, partOf } from './merge-v2.ts'
import { openApiV2ProtobufSteps } from './protobuf-v2.ts'
import { openApiV3ProtobufSteps } from './protobuf-v3.ts'
import type { RemotePart } from './remote-documents.ts'
import { atOnce, withRests } from './steps.ts'

/** Merges a compressed local document with parts of others. */
export async function buildMergedV2(
  packed: Buffer,
  parts: readonly RemotePart[],
): Promise<CompressedDocument> {
  const local = parseJson(await plain(packed)) as DocumentV2
  const document = mergedV2(local, parts)
  const json = await withRests(jsonSteps(document))
  return compressDocument(json, await withRests(openApiV2ProtobufSteps(document)))
}

/** What is kept of the document of another server. */
export interface RemoteBuilt {
  readonly part: RemotePart
  /** Makes its document in version 3. */
  readonly v3: () => Promise<CompressedDocument>
}

/** Reads a document in version 2 of another server. Throws an Error when it cannot be used. */
export function readRemote(document: unknown, path: string): RemoteBuilt {
  const part = partOf(document, path)
  if (!part || !isObject(document)) throw new Error('the document is not OpenAPI 2.0')
  const { info, swagger } = document
  // What cannot be written in every form would spoil the merged document.
  atOnce(openApiV2ProtobufSteps({ swagger, ...part } as unknown as DocumentV2))
  return {
    part: { path, json: Buffer.from(formatJson(part)) },
    async v3() {
      const converted = convertedV3(part, isObject(info) ? info : {})
      const json = await withRests(jsonSteps(converted))
      return compressDocument(json, await withRests(openApiV3ProtobufSteps(converted)))
    },
  }
}
