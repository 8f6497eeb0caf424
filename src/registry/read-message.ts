/** Request bodies in the binary form. Loaded on first use. */
import { parseJsonStrictly } from '../codec/json-text.ts'
import { unwrap } from '../codec/protobuf-envelope.ts'
import type { Protobuf } from '../codec/protobuf.ts'

/**
 * The JSON value of an envelope, its message decoded as one of `expected` when the envelope names that kind. Throws
 * ProtobufError, and 413 for more values than a document may have.
 */
export function readMessage(bytes: Buffer, expected: string, protobuf: Protobuf): unknown {
  const { kind, apiVersion, raw, contentType } = unwrap(bytes)
  if (contentType === 'application/json') return parseJsonStrictly(raw)
  // A message of another kind is not decoded: its field numbers mean something else.
  const plain = kind === '' || kind === expected ? protobuf.decode(raw) : {}
  return { kind, apiVersion, ...plain }
}
