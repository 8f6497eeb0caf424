/** The messages of etcd's API v3 that the engine speaks, as far as it uses their fields. */
import protobuf from 'protobufjs/minimal.js'
import type { Reader as WireReader, Writer as WireWriter } from 'protobufjs/minimal.js'
import type { Item, Revision } from '../engine.ts'

const { Reader, Writer } = protobuf

/** A lease's name: 64 bits, of which JavaScript's numbers hold fewer, so it stays text. */
export type LeaseId = string

/** One key as etcd keeps it. */
export interface KeyValue {
  readonly key: string
  readonly value: Buffer
  readonly created: Revision
  readonly changed: Revision
  /** How many times it was written since it was made. */
  readonly version: number
  /** The lease that the key expires with; 0: none. */
  readonly lease: LeaseId
}

/** One key as the store's users see it. */
export const itemOf = (key: string, { value, created, changed }: KeyValue): Item => ({
  key,
  value,
  created,
  changed,
})

/** A range request. */
export interface RangeRequest {
  readonly key: string
  /** First key that is not read; absent: only `key`. */
  readonly end?: string
  readonly limit?: number
  readonly at?: Revision
  readonly keysOnly?: boolean
  readonly countOnly?: boolean
  /** Only keys that were changed at this revision or later. */
  readonly changedFrom?: Revision
}

/** Result of a range. */
export interface RangeResponse {
  readonly revision: Revision
  readonly items: readonly KeyValue[]
  readonly more: boolean
  /** How many keys there are, whatever the limit. */
  readonly count: number
}

/** Whether a key was changed at a revision last, or has been written so often; 0: whether it is absent. */
export type Compare =
  | { readonly key: string; readonly changed: Revision }
  | { readonly key: string; readonly version: number }

/** One write of a transaction; a null value deletes, an absent one stays as it is. */
export interface Write {
  readonly key: string
  readonly value?: Uint8Array | null
  readonly lease?: LeaseId | undefined
}

/** All writes when all comparisons hold, otherwise the keys of `read` are read. */
export interface TxnRequest {
  readonly compare: readonly Compare[]
  readonly writes: readonly Write[]
  readonly read: readonly string[]
}

/** Result of a transaction. */
export interface TxnResponse {
  readonly revision: Revision
  readonly succeeded: boolean
  /** Keys that its deletions removed. */
  readonly deleted: number
  /** Result for each key of `read`. */
  readonly read: readonly (KeyValue | null)[]
}

/** A watch request: its keys, and its first revision. */
export interface WatchRequest {
  readonly key: string
  readonly end?: string
  readonly from: Revision
  /** Whether the value before a change comes along. */
  readonly before?: boolean
}

/** One change. */
export interface WatchedChange {
  readonly deleted: boolean
  readonly item: KeyValue
  readonly before: KeyValue | null
}

/** One frame of a watch. */
export interface WatchResponse {
  readonly revision: Revision
  /** -1 when the frame is of no one watch. */
  readonly id: number
  readonly created: boolean
  readonly canceled: boolean
  /** When canceled since history is compacted: the remaining history starts here. */
  readonly compacted: Revision
  readonly reason: string
  /** Whether the rest of these changes is in the next frame. */
  readonly fragment: boolean
  readonly changes: readonly WatchedChange[]
}

/** How a member is. */
export interface StatusResponse {
  readonly version: string
  readonly databaseBytes: number
}

/** Field number and wire type in front of a value. */
const varint = (field: number): number => field << 3
const bytes = (field: number): number => (field << 3) | 2

/** The library's type for 64-bit numbers. */
type Wide = number | { readonly high: number; readonly low: number }

const num = (value: Wide): number =>
  typeof value === 'number' ? value : value.high * 2 ** 32 + (value.low >>> 0)

const text = (value: Wide): string =>
  typeof value === 'number'
    ? String(value)
    : ((BigInt(value.high) << 32n) | BigInt(value.low >>> 0)).toString()

const VERSION_TARGET = 0
const MOD_TARGET = 2

/** Writes a range request. */
export function encodeRange(request: RangeRequest): Buffer {
  return finish(writeRange(Writer.create(), request))
}

function writeRange(w: WireWriter, request: RangeRequest): WireWriter {
  w.uint32(bytes(1)).string(request.key)
  if (request.end !== undefined) w.uint32(bytes(2)).string(request.end)
  if (request.limit !== undefined) w.uint32(varint(3)).int64(request.limit)
  if (request.at !== undefined) w.uint32(varint(4)).int64(request.at)
  if (request.keysOnly) w.uint32(varint(8)).bool(true)
  if (request.countOnly) w.uint32(varint(9)).bool(true)
  if (request.changedFrom !== undefined) w.uint32(varint(10)).int64(request.changedFrom)
  return w
}

/** Writes a put. */
export function encodePut(write: Write & { readonly value: Uint8Array }): Buffer {
  return finish(writePut(Writer.create(), write))
}

function writePut(w: WireWriter, { key, value, lease }: Write): WireWriter {
  w.uint32(bytes(1)).string(key)
  if (value) w.uint32(bytes(2)).bytes(value)
  if (lease !== undefined) w.uint32(varint(3)).int64(lease)
  if (value === undefined) w.uint32(varint(5)).bool(true)
  return w
}

/** Writes a transaction. */
export function encodeTxn({ compare, writes, read }: TxnRequest): Buffer {
  const w = Writer.create()
  for (const condition of compare) {
    w.uint32(bytes(1)).fork()
    const isMod = 'changed' in condition
    w.uint32(varint(2)).int32(isMod ? MOD_TARGET : VERSION_TARGET)
    w.uint32(bytes(3)).string(condition.key)
    if (isMod) w.uint32(varint(6)).int64(condition.changed)
    else w.uint32(varint(4)).int64(condition.version)
    w.ldelim()
  }
  for (const write of writes) {
    w.uint32(bytes(2)).fork()
    if (write.value === null) {
      w.uint32(bytes(3)).fork()
      w.uint32(bytes(1)).string(write.key)
      w.ldelim()
    } else {
      writePut(w.uint32(bytes(2)).fork(), write).ldelim()
    }
    w.ldelim()
  }
  for (const key of read) {
    w.uint32(bytes(3)).fork()
    writeRange(w.uint32(bytes(1)).fork(), { key }).ldelim()
    w.ldelim()
  }
  return finish(w)
}

/** Writes a compaction; etcd gives the space back when it has time. */
export function encodeCompact(upTo: Revision): Buffer {
  return finish(Writer.create().uint32(varint(1)).int64(upTo))
}

/** Writes the start of a watch. */
export function encodeWatch({ key, end, from, before }: WatchRequest): Buffer {
  const w = Writer.create().uint32(bytes(1)).fork()
  w.uint32(bytes(1)).string(key)
  if (end !== undefined) w.uint32(bytes(2)).string(end)
  w.uint32(varint(3)).int64(from)
  w.uint32(varint(4)).bool(true)
  if (before) w.uint32(varint(6)).bool(true)
  w.uint32(varint(8)).bool(true)
  return finish(w.ldelim())
}

/** Writes the wish for a lease of some seconds. */
export function encodeGrant(seconds: number): Buffer {
  return finish(Writer.create().uint32(varint(1)).int64(seconds))
}

/** Writes a message without fields. */
export const encodeNothing = (): Buffer => Buffer.alloc(0)

/** Reads the revision of a response from its header; ignores the rest. */
export function decodeRevision(buffer: Buffer): Revision {
  let revision = 0
  fields(Reader.create(buffer), (field, r) => {
    if (field !== 1) return false
    revision = readHeader(r)
    return true
  })
  return revision
}

/** Reads the response to a range. */
export function decodeRange(buffer: Buffer): RangeResponse {
  return readRange(Reader.create(buffer))
}

function readRange(reader: WireReader, end?: number): RangeResponse {
  let revision = 0
  let more = false
  let count = 0
  const items: KeyValue[] = []
  fields(
    reader,
    (field, r) => {
      if (field === 1) revision = readHeader(r)
      else if (field === 2) items.push(readKeyValue(r))
      else if (field === 3) more = r.bool()
      else if (field === 4) count = Number(r.int64())
      else return false
      return true
    },
    end,
  )
  return { revision, items, more, count }
}

/** Reads the response to a transaction. */
export function decodeTxn(buffer: Buffer): TxnResponse {
  let revision = 0
  let succeeded = false
  let deleted = 0
  const read: (KeyValue | null)[] = []
  fields(Reader.create(buffer), (field, r) => {
    if (field === 1) revision = readHeader(r)
    else if (field === 2) succeeded = r.bool()
    else if (field === 3)
      inside(r, (kind) => {
        if (kind === 1) read.push(readRange(r, r.uint32() + r.pos).items[0] ?? null)
        else if (kind === 3) deleted += readDeleted(r)
        else return false
        return true
      })
    else return false
    return true
  })
  return { revision, succeeded, deleted, read }
}

function readDeleted(r: WireReader): number {
  let deleted = 0
  inside(r, (field) => {
    if (field !== 2) return false
    deleted = num(r.int64())
    return true
  })
  return deleted
}

/** Reads one frame of a watch. */
export function decodeWatch(buffer: Buffer): WatchResponse {
  let revision = 0
  let id = 0
  let created = false
  let canceled = false
  let compacted = 0
  let reason = ''
  let fragment = false
  const changes: WatchedChange[] = []
  fields(Reader.create(buffer), (field, r) => {
    if (field === 1) revision = readHeader(r)
    else if (field === 2) id = num(r.int64())
    else if (field === 3) created = r.bool()
    else if (field === 4) canceled = r.bool()
    else if (field === 5) compacted = num(r.int64())
    else if (field === 6) reason = r.string()
    else if (field === 7) fragment = r.bool()
    else if (field === 11) changes.push(readChange(r))
    else return false
    return true
  })
  return { revision, id, created, canceled, compacted, reason, fragment, changes }
}

function readChange(r: WireReader): WatchedChange {
  let deleted = false
  let item: KeyValue = ABSENT
  let before: KeyValue | null = null
  inside(r, (field) => {
    if (field === 1) deleted = r.int32() === 1
    else if (field === 2) item = readKeyValue(r)
    else if (field === 3) before = readKeyValue(r)
    else return false
    return true
  })
  return { deleted, item, before }
}

/** Reads which lease was given. */
export function decodeGrant(buffer: Buffer): LeaseId {
  let id = '0'
  fields(Reader.create(buffer), (field, r) => {
    if (field !== 2) return false
    id = text(r.int64())
    return true
  })
  return id
}

/** Reads how a member is. */
export function decodeStatus(buffer: Buffer): StatusResponse {
  let version = ''
  let databaseBytes = 0
  fields(Reader.create(buffer), (field, r) => {
    if (field === 2) version = r.string()
    else if (field === 3) databaseBytes = num(r.int64())
    else return false
    return true
  })
  return { version, databaseBytes }
}

const ABSENT: KeyValue = {
  key: '',
  value: Buffer.alloc(0),
  created: 0,
  changed: 0,
  version: 0,
  lease: '0',
}

function readKeyValue(r: WireReader): KeyValue {
  let key = ''
  let value: Uint8Array = ABSENT.value
  let created = 0
  let changed = 0
  let version = 0
  let lease = ABSENT.lease
  inside(r, (field) => {
    if (field === 1) key = r.string()
    else if (field === 2) created = num(r.int64())
    else if (field === 3) changed = num(r.int64())
    else if (field === 4) version = num(r.int64())
    else if (field === 5) value = r.bytes()
    else if (field === 6) lease = text(r.int64())
    else return false
    return true
  })
  return {
    key,
    value: Buffer.from(value.buffer, value.byteOffset, value.length),
    created,
    changed,
    version,
    lease,
  }
}

function readHeader(r: WireReader): Revision {
  let revision = 0
  inside(r, (field) => {
    if (field !== 3) return false
    revision = num(r.int64())
    return true
  })
  return revision
}

/** Reads a message that has its length in front. */
function inside(r: WireReader, read: (field: number, r: WireReader) => boolean): void {
  const length = r.uint32()
  fields(r, read, r.pos + length)
}

/** Passes each field to `read`, which returns whether it took the value; others are skipped. */
function fields(
  r: WireReader,
  read: (field: number, r: WireReader) => boolean,
  end: number = r.len,
): void {
  while (r.pos < end) {
    const tag = r.uint32()
    if (!read(tag >>> 3, r)) r.skipType(tag & 7)
  }
}

function finish(w: WireWriter): Buffer {
  const done = w.finish()
  return Buffer.from(done.buffer, done.byteOffset, done.length)
}
