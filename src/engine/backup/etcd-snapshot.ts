import { createHash } from 'node:crypto'
import { onceOnly } from './write.ts'

/** etcd's file is a multiple of this size; the remainder at its end is the checksum. */
const SECTOR_BYTES = 512
const CHECKSUM_BYTES = 32

/**
 * Keeps what etcd's own snapshot call sends, in a file that only its owner may read: whole or not at all. etcd's tools
 * restore it. Resolves with its size. Throws an Error where the checksum at the end of the stream does not match.
 */
export async function writeEtcdSnapshot(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<number> {
  let bytes = 0
  await onceOnly(path, async (file) => {
    const hash = createHash('sha256')
    let tail = Buffer.alloc(0)
    for await (const chunk of chunks) {
      bytes += chunk.length
      for (let at = 0; at < chunk.length;) {
        at += (await file.write(chunk, at, chunk.length - at)).bytesWritten
      }
      const all = Buffer.concat([tail, chunk])
      const known = Math.max(0, all.length - CHECKSUM_BYTES)
      hash.update(all.subarray(0, known))
      tail = all.subarray(known)
    }
    if (bytes % SECTOR_BYTES !== CHECKSUM_BYTES || !hash.digest().equals(tail)) {
      throw new Error('the snapshot of etcd came incomplete; try again')
    }
  })
  return bytes
}
