/** Bodies in the binary form. Loaded when the first client sends one. */
import { parseJson } from '../codec/json-text.ts'
import { unwrap } from '../codec/protobuf-envelope.ts'
import type { Protobuf } from '../codec/protobuf.ts'

/**
 * An envelope as the JSON value that it stands for, its message read as one of `expected` when it says so. Throws
 * ProtobufError.
 */
export function readMessage(bytes: Buffer, expected: string, protobuf: Protobuf): unknown {
  const { kind, apiVersion, raw, contentType } = unwrap(bytes)
  if (contentType === 'application/json') return parseJson(raw)
  // A message of another kind is not looked into: its numbers mean something else.
  const plain = kind === '' || kind === expected ? protobuf.decode(raw) : {}
  return { kind, apiVersion, ...plain }
}
