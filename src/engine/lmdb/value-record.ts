import { crc32 } from 'node:zlib'
import type { Revision } from '../engine.ts'
import { crcOfFew } from './crc-of-few.ts'

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

/** A change that is to be written. */
type NewRecord = Omit<ValueRecord, 'value'> & { readonly value: Uint8Array | null }

/** Bytes of a record whose key has so many. */
export const recordBytes = (keyBytes: number, value: Uint8Array | null): number =>
  FIXED + CHECKSUM_BYTES + keyBytes + (value?.length ?? 0)

/** Texts up to this are walked: a call of the runtime costs more. */
const SHORT = 96

/** Bytes of a key. */
export function bytesOf(key: string): number {
  const { length } = key
  if (length > SHORT) return Buffer.byteLength(key)
  for (let i = 0; i < length; i++)
    if (key.charCodeAt(i) > LAST_OF_ASCII) return Buffer.byteLength(key)
  return length
}

/** Writes a key into memory that has room for it. */
export function writeKey(memory: Buffer, at: number, key: string): void {
  const { length } = key
  let i = 0
  if (length <= SHORT)
    for (; i < length; i++) {
      const code = key.charCodeAt(i)
      if (code > LAST_OF_ASCII) break
      memory[at + i] = code
    }
  if (i < length) memory.write(key, at)
}

const LAST_OF_ASCII = 0x7f

/** Writes a record into memory that has {@link recordBytes} there; returns the place of its key. */
export function writeRecord(
  memory: Buffer,
  at: number,
  record: NewRecord & { readonly keyBytes: number },
): number {
  const { key, keyBytes, value, prev } = record
  const keyAt = at + FIXED + CHECKSUM_BYTES
  memory[at] = CHECKED | (record.deleted ? DELETED : 0)
  memory.writeDoubleLE(record.created, at + 1)
  memory.writeDoubleLE(prev?.revision ?? 0, at + 9)
  memory.writeUInt16LE(prev?.index ?? 0, at + 17)
  memory.writeDoubleLE(record.timeMs, at + 19)
  memory.writeUInt16LE(keyBytes, at + 27)
  writeKey(memory, keyAt, key)
  if (value) memory.set(value, keyAt + keyBytes)
  const end = keyAt + keyBytes + (value?.length ?? 0)
  memory.writeUInt32LE(checksumOf(memory, at, end), at + FIXED)
  return keyAt
}

/** A record in memory of its own. */
export function encodeValue(record: NewRecord): Buffer {
  const keyBytes = bytesOf(record.key)
  const bytes = Buffer.allocUnsafe(recordBytes(keyBytes, record.value))
  writeRecord(bytes, 0, { ...record, keyBytes })
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
  return start === FIXED || bytes.readUInt32LE(FIXED) === checksumOf(bytes, 0, bytes.length)
}

const startOf = (bytes: Buffer): number =>
  (bytes[0]! & CHECKED) !== 0 ? FIXED + CHECKSUM_BYTES : FIXED

/** CRC-32 of the record at a place, without the checksum. */
const checksumOf = (bytes: Buffer, at: number, end: number): number =>
  crc32(bytes.subarray(at + FIXED + CHECKSUM_BYTES, end), crcOfFew(bytes, at, at + FIXED))

/** Bytes of the key of a change. */
export const PLACE_BYTES = 10

/** Key of a change: sorts by revision, then by place. */
export function placeKey(revision: Revision, index: number): Buffer {
  const key = Buffer.allocUnsafe(PLACE_BYTES)
  writePlace(key, 0, { revision, index })
  return key
}

/** The same in memory that has {@link PLACE_BYTES} there. */
export function writePlace(memory: Buffer, at: number, { revision, index }: Place): void {
  memory.writeUInt16BE(Math.floor(revision / 2 ** 48), at)
  memory.writeUIntBE(revision % 2 ** 48, at + 2, 6)
  memory.writeUInt16BE(index, at + 8)
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

/** Bytes of such a record. */
export const HEAD_BYTES = 19

export function encodeHead(head: Head): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES)
  writeHead(bytes, 0, head)
  return bytes
}

/** The same in memory that has {@link HEAD_BYTES} there. */
export function writeHead(memory: Buffer, at: number, head: Head): void {
  memory.writeDoubleLE(head.revision, at)
  memory.writeUInt16LE(head.index, at + 8)
  memory.writeDoubleLE(head.created, at + 10)
  memory[at + 18] = head.deleted ? 1 : 0
}

export function decodeHead(bytes: Buffer): Head {
  return {
    revision: bytes.readDoubleLE(0),
    index: bytes.readUInt16LE(8),
    created: bytes.readDoubleLE(10),
    deleted: bytes[18] === 1,
  }
}
