import type { Revision } from '../store.ts'

/**
 * One change as it stands on disk, under its revision and its place in the transaction (10 bytes, big-endian).
 *
 *     byte 0       1: deletion
 *     bytes 1-8    revision of the commit that made the key
 *     bytes 9-16   revision of the value before; 0: none
 *     bytes 17-18  its place in its transaction
 *     bytes 19-26  time of the commit, milliseconds since the epoch
 *     bytes 27-28  length of the key
 *     key, value
 *
 * Numbers are doubles (revisions, time) or 16-bit integers, little-endian.
 */
export interface ValueRecord {
  readonly deleted: boolean
  readonly created: Revision
  readonly prev: Place | null
  readonly timeMs: number
  readonly key: string
  readonly value: Buffer
}

/** Where a change stands. */
export interface Place {
  readonly revision: Revision
  readonly index: number
}

const FIXED = 29

export function encodeValue(
  record: Omit<ValueRecord, 'value'> & { readonly value: Uint8Array | null },
): Buffer {
  const keyBytes = Buffer.byteLength(record.key)
  const bytes = Buffer.allocUnsafe(FIXED + keyBytes + (record.value?.length ?? 0))
  bytes[0] = record.deleted ? 1 : 0
  bytes.writeDoubleLE(record.created, 1)
  bytes.writeDoubleLE(record.prev?.revision ?? 0, 9)
  bytes.writeUInt16LE(record.prev?.index ?? 0, 17)
  bytes.writeDoubleLE(record.timeMs, 19)
  bytes.writeUInt16LE(keyBytes, 27)
  bytes.write(record.key, FIXED)
  if (record.value) bytes.set(record.value, FIXED + keyBytes)
  return bytes
}

export function decodeValue(bytes: Buffer): ValueRecord {
  const keyEnd = FIXED + bytes.readUInt16LE(27)
  const before = bytes.readDoubleLE(9)
  return {
    deleted: bytes[0] === 1,
    created: bytes.readDoubleLE(1),
    prev: before === 0 ? null : { revision: before, index: bytes.readUInt16LE(17) },
    timeMs: bytes.readDoubleLE(19),
    key: bytes.toString('utf8', FIXED, keyEnd),
    value: bytes.subarray(keyEnd),
  }
}

/** Key of a change: sorts by revision, then by place. */
export function placeKey(revision: Revision, index: number): Buffer {
  const key = Buffer.allocUnsafe(10)
  key.writeUInt16BE(Math.floor(revision / 2 ** 48), 0)
  key.writeUIntBE(revision % 2 ** 48, 2, 6)
  key.writeUInt16BE(index, 8)
  return key
}

export function readPlaceKey(key: Buffer): Place {
  return {
    revision: key.readUInt16BE(0) * 2 ** 48 + key.readUIntBE(2, 6),
    index: key.readUInt16BE(8),
  }
}

/** What is kept for each key: where its newest change stands. */
export interface Head extends Place {
  readonly created: Revision
  readonly deleted: boolean
}

export function encodeHead(head: Head): Buffer {
  const bytes = Buffer.allocUnsafe(19)
  bytes.writeDoubleLE(head.revision, 0)
  bytes.writeUInt16LE(head.index, 8)
  bytes.writeDoubleLE(head.created, 10)
  bytes[18] = head.deleted ? 1 : 0
  return bytes
}

export function decodeHead(bytes: Buffer): Head {
  return {
    revision: bytes.readDoubleLE(0),
    index: bytes.readUInt16LE(8),
    created: bytes.readDoubleLE(10),
    deleted: bytes[18] === 1,
  }
}
