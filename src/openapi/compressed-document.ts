import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { formatJson } from '../codec/json-text.ts'

const pack = promisify(gzip)
const unpack = promisify(gunzip)

/** A document in the cache: compressed bytes of its formats. */
export interface CompressedDocument {
  /** Identifies the document: SHA-512 of the JSON form or of its parts, upper-case hex. */
  readonly hash: string
  readonly json: Buffer
  readonly protobuf: Buffer
}

/** Compresses the forms of a document. */
export async function compressDocument(
  json: Buffer,
  protobuf: Buffer,
): Promise<CompressedDocument> {
  const hash = createHash('sha512').update(json).digest('hex').toUpperCase()
  const [packedJson, packedProtobuf] = await Promise.all([pack(json), pack(protobuf)])
  return { hash, json: packedJson, protobuf: packedProtobuf }
}

/** The bytes before they were compressed; few clients need them. */
export const plain = (packed: Buffer): Promise<Buffer> => unpack(packed)

/** JSON of a document in steps: the maps at its top entry by entry. */
export function* jsonSteps(document: object): Generator<void, Buffer> {
  const parts: Buffer[] = []
  yield* writeJson(document, 2, parts)
  return Buffer.concat(parts)
}

function* writeJson(value: object, depth: number, parts: Buffer[]): Generator<void> {
  let before = '{'
  for (const [name, inner] of Object.entries(value) as [string, unknown][]) {
    const head = `${before}${JSON.stringify(name)}:`
    before = ','
    if (depth > 0 && typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
      parts.push(Buffer.from(head))
      yield* writeJson(inner, depth - 1, parts)
    } else {
      parts.push(Buffer.from(head + formatJson(inner)))
      yield
    }
  }
  parts.push(Buffer.from(before === '{' ? '{}' : '}'))
}
