import protobuf from 'protobufjs/minimal.js'
import { GrpcClient } from '../etcd/grpc/client.ts'
import type { GrpcError } from '../etcd/grpc/status.ts'

/** Where an etcd is; PEM. */
export interface EtcdSource {
  /** Addresses of members, `scheme://host:port`; the first that responds sends its snapshot. */
  readonly servers: readonly string[]
  readonly ca?: Buffer
  readonly cert?: Buffer
  readonly key?: Buffer
}

const METHOD = '/etcdserverpb.Maintenance/Snapshot'
/** Number of the field with the bytes in a response. */
const BLOB = 3

/**
 * The stream of etcd's own snapshot call: its whole database at one moment, with a checksum at the end. Throws an
 * Error when no member responds, or the one that began stops.
 */
export async function* readEtcdSnapshot(source: EtcdSource): AsyncGenerator<Uint8Array> {
  const problems: string[] = []
  for (const server of source.servers) {
    let begun = false
    try {
      for await (const blob of readFrom(server, source)) {
        begun = true
        yield blob
      }
      return
    } catch (error) {
      const { details, message } = error as GrpcError
      if (begun) {
        throw new Error(`etcd at ${server} stopped sending: ${details || message}`, {
          cause: error,
        })
      }
      problems.push(`${server}: ${details || message}`)
    }
  }
  throw new Error(`no etcd sends a snapshot: ${problems.join('; ')}`)
}

async function* readFrom(
  server: string,
  { ca, cert, key }: EtcdSource,
): AsyncGenerator<Uint8Array> {
  const client = new GrpcClient(new URL(server).origin, { ca, cert, key })
  try {
    const answers = client.stream(METHOD, blobOf)
    // The request is empty.
    answers.send(Buffer.alloc(0))
    answers.done()
    // Flow control reaches from end to end: etcd sends as fast as the file is written.
    for await (const blob of answers) yield blob
  } finally {
    client.close()
  }
}

function blobOf(message: Buffer): Uint8Array {
  const reader = protobuf.Reader.create(message)
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    if (tag >>> 3 === BLOB) return reader.bytes()
    reader.skipType(tag & 7)
  }
  return Buffer.alloc(0)
}
