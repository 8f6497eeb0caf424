import { crc32 } from 'node:zlib'
import type { Revision } from '../engine.ts'

/**
 * One change as it is on disk, under its revision and its place in the transaction (10 bytes, big-endian).
 *
 *     byte 0       1: deletion; 2: with a checksum, which records of the first versions lack
 *     bytes 1-8    revision of the commit that made the key
 *     bytes 9-16   revision of the value before; 0: none
 *     bytes 17-18  its place in its transaction
 *     bytes 19-26  time of the commit, milliseconds since the epoch
 *     bytes 27-28  length of the key
 *     bytes 29-32  CRC-32 of everything else, where there is one
 *     key, value
 *
 * Numbers are doubles (revisions, time) or integers, little-endian.
 */
export interface ValueRecord {
  readonly deleted: boolean
  readonly created: Revision
  readonly prev: Place | null
  readonly timeMs: number
  readonly key: string
  readonly value: Buffer
}

/** Position of a change. */
export interface Place {
  readonly revision: Revision
  readonly index: number
}

const FIXED = 29
const CHECKSUM_BYTES = 4
const DELETED = 1
const CHECKED = 2

export function encodeValue(
  record: Omit<ValueRecord, 'value'> & { readonly value: Uint8Array | null },
): Buffer {
  const keyBytes = Buffer.byteLength(record.key)
  const start = FIXED + CHECKSUM_BYTES
  const bytes = Buffer.allocUnsafe(start + keyBytes + (record.value?.length ?? 0))
  bytes[0] = CHECKED | (record.deleted ? DELETED : 0)
  bytes.writeDoubleLE(record.created, 1)
  bytes.writeDoubleLE(record.prev?.revision ?? 0, 9)
  bytes.writeUInt16LE(record.prev?.index ?? 0, 17)
  bytes.writeDoubleLE(record.timeMs, 19)
  bytes.writeUInt16LE(keyBytes, 27)
  bytes.write(record.key, start)
  if (record.value) bytes.set(record.value, start + keyBytes)
  bytes.writeUInt32LE(checksumOf(bytes), FIXED)
  return bytes
}

export function decodeValue(bytes: Buffer): ValueRecord {
  const start = startOf(bytes)
  const keyEnd = start + bytes.readUInt16LE(27)
  const before = bytes.readDoubleLE(9)
  return {
    deleted: (bytes[0]! & DELETED) !== 0,
    created: bytes.readDoubleLE(1),
    prev: before === 0 ? null : { revision: before, index: bytes.readUInt16LE(17) },
    timeMs: bytes.readDoubleLE(19),
    key: bytes.toString('utf8', start, keyEnd),
    value: bytes.subarray(keyEnd),
  }
}

/** Whether a change is undamaged, as far as can be known. */
export function isIntact(bytes: Buffer): boolean {
  if (bytes.length < FIXED || (bytes[0]! & ~(DELETED | CHECKED)) !== 0) return false
  const start = startOf(bytes)
  if (bytes.length < start + bytes.readUInt16LE(27)) return false
  return start === FIXED || bytes.readUInt32LE(FIXED) === checksumOf(bytes)
}

const startOf = (bytes: Buffer): number =>
  (bytes[0]! & CHECKED) !== 0 ? FIXED + CHECKSUM_BYTES : FIXED

const checksumOf = (bytes: Buffer): number =>
  crc32(bytes.subarray(FIXED + CHECKSUM_BYTES), crc32(bytes.subarray(0, FIXED)))

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

/** Record of each key: the position of its newest change. */
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
