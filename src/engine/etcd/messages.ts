/** The messages of etcd's API v3 that the engine speaks, as far as it uses their fields. */
import type { Item, Revision } from '../engine.ts'
import { WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

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

const VERSION_TARGET = 0
const MOD_TARGET = 2

/** Memory that is written over by each message: none is under way when another begins. */
const out = new WireWriter()

/** Writes a range request. */
export function encodeRange(request: RangeRequest): Buffer {
  out.begin()
  writeRange(request)
  return out.finish()
}

function writeRange(request: RangeRequest): void {
  if (request.changedFrom !== undefined) out.number(10, request.changedFrom)
  if (request.countOnly) out.flag(9)
  if (request.keysOnly) out.flag(8)
  if (request.at !== undefined) out.number(4, request.at)
  if (request.limit !== undefined) out.number(3, request.limit)
  if (request.end !== undefined) out.text(2, request.end)
  out.text(1, request.key)
}

/** Writes a put. */
export function encodePut(write: Write & { readonly value: Uint8Array }): Buffer {
  out.begin()
  writePut(write)
  return out.finish()
}

function writePut({ key, value, lease }: Write): void {
  if (value === undefined) out.flag(5)
  if (lease !== undefined) out.decimal(3, lease)
  if (value) out.bytes(2, value)
  out.text(1, key)
}

/** Writes a transaction. */
export function encodeTxn({ compare, writes, read }: TxnRequest): Buffer {
  out.begin()
  for (let i = read.length - 1; i >= 0; i--) {
    const operation = out.written
    out.text(1, read[i]!)
    out.message(1, operation)
    out.message(3, operation)
  }
  for (let i = writes.length - 1; i >= 0; i--) {
    const write = writes[i]!
    const operation = out.written
    if (write.value === null) out.text(1, write.key)
    else writePut(write)
    out.message(write.value === null ? 3 : 2, operation)
    out.message(2, operation)
  }
  for (let i = compare.length - 1; i >= 0; i--) writeCompare(compare[i]!)
  return out.finish()
}

function writeCompare(condition: Compare): void {
  const start = out.written
  const isMod = 'changed' in condition
  if (isMod) out.number(6, condition.changed)
  else out.number(4, condition.version)
  out.text(3, condition.key)
  out.number(2, isMod ? MOD_TARGET : VERSION_TARGET)
  out.message(1, start)
}

/** Writes a compaction; etcd gives the space back when it has time. */
export function encodeCompact(upTo: Revision): Buffer {
  out.begin()
  out.number(1, upTo)
  return out.finish()
}

/** Writes the start of a watch. */
export function encodeWatch({ key, end, from, before }: WatchRequest): Buffer {
  out.begin()
  out.flag(8)
  if (before) out.flag(6)
  out.flag(4)
  out.number(3, from)
  if (end !== undefined) out.text(2, end)
  out.text(1, key)
  out.message(1, 0)
  return out.finish()
}

/** Writes the wish for a lease of some seconds. */
export function encodeGrant(seconds: number): Buffer {
  out.begin()
  out.number(1, seconds)
  return out.finish()
}

/** Writes a message without fields. */
export const encodeNothing = (): Buffer => Buffer.alloc(0)

/** Reads the revision of a response from its header; ignores the rest. */
export function decodeRevision(buffer: Buffer): Revision {
  const r = new WireReader(buffer)
  let revision = 0
  while (r.more)
    if (r.field() === 1) revision = readHeader(r)
    else r.skip()
  return revision
}

/** Reads the response to a range. */
export function decodeRange(buffer: Buffer): RangeResponse {
  return readRange(new WireReader(buffer))
}

function readRange(r: WireReader): RangeResponse {
  let revision = 0
  let more = false
  let count = 0
  const items: KeyValue[] = []
  while (r.more) {
    const field = r.field()
    if (field === 1) revision = readHeader(r)
    else if (field === 2) items.push(readKeyValue(r))
    else if (field === 3) more = r.flag()
    else if (field === 4) count = r.number()
    else r.skip()
  }
  return { revision, items, more, count }
}

/** Reads the response to a transaction. */
export function decodeTxn(buffer: Buffer): TxnResponse {
  const r = new WireReader(buffer)
  let revision = 0
  let succeeded = false
  let deleted = 0
  const read: (KeyValue | null)[] = []
  while (r.more) {
    const field = r.field()
    if (field === 1) revision = readHeader(r)
    else if (field === 2) succeeded = r.flag()
    else if (field === 3) deleted += readOperation(r, read)
    else r.skip()
  }
  return { revision, succeeded, deleted, read }
}

/** Reads what became of one operation; gives how many keys it deleted. */
function readOperation(r: WireReader, read: (KeyValue | null)[]): number {
  let deleted = 0
  const outer = r.enter()
  while (r.more) {
    const kind = r.field()
    if (kind === 1) {
      const operation = r.enter()
      read.push(readRange(r).items[0] ?? null)
      r.leave(operation)
    } else if (kind === 3) deleted += readDeleted(r)
    else r.skip()
  }
  r.leave(outer)
  return deleted
}

function readDeleted(r: WireReader): number {
  let deleted = 0
  const outer = r.enter()
  while (r.more)
    if (r.field() === 2) deleted = r.number()
    else r.skip()
  r.leave(outer)
  return deleted
}

/** Reads one frame of a watch. */
export function decodeWatch(buffer: Buffer): WatchResponse {
  const r = new WireReader(buffer)
  let revision = 0
  let id = 0
  let created = false
  let canceled = false
  let compacted = 0
  let reason = ''
  let fragment = false
  const changes: WatchedChange[] = []
  while (r.more) {
    const field = r.field()
    if (field === 1) revision = readHeader(r)
    else if (field === 2) id = r.number()
    else if (field === 3) created = r.flag()
    else if (field === 4) canceled = r.flag()
    else if (field === 5) compacted = r.number()
    else if (field === 6) reason = r.text()
    else if (field === 7) fragment = r.flag()
    else if (field === 11) changes.push(readChange(r))
    else r.skip()
  }
  return { revision, id, created, canceled, compacted, reason, fragment, changes }
}

function readChange(r: WireReader): WatchedChange {
  let deleted = false
  let item: KeyValue = ABSENT
  let before: KeyValue | null = null
  const outer = r.enter()
  while (r.more) {
    const field = r.field()
    if (field === 1) deleted = r.number() === 1
    else if (field === 2) item = readKeyValue(r)
    else if (field === 3) before = readKeyValue(r)
    else r.skip()
  }
  r.leave(outer)
  return { deleted, item, before }
}

/** Reads which lease was given. */
export function decodeGrant(buffer: Buffer): LeaseId {
  const r = new WireReader(buffer)
  let id = '0'
  while (r.more)
    if (r.field() === 2) id = r.decimal()
    else r.skip()
  return id
}

/** Reads how a member is. */
export function decodeStatus(buffer: Buffer): StatusResponse {
  const r = new WireReader(buffer)
  let version = ''
  let databaseBytes = 0
  while (r.more) {
    const field = r.field()
    if (field === 2) version = r.text()
    else if (field === 3) databaseBytes = r.number()
    else r.skip()
  }
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
  let value = ABSENT.value
  let created = 0
  let changed = 0
  let version = 0
  let lease = ABSENT.lease
  const outer = r.enter()
  while (r.more) {
    const field = r.field()
    if (field === 1) key = r.text()
    else if (field === 2) created = r.number()
    else if (field === 3) changed = r.number()
    else if (field === 4) version = r.number()
    else if (field === 5) value = r.bytes()
    else if (field === 6) lease = r.decimal()
    else r.skip()
  }
  r.leave(outer)
  return { key, value, created, changed, version, lease }
}

function readHeader(r: WireReader): Revision {
  let revision = 0
  const outer = r.enter()
  while (r.more)
    if (r.field() === 3) revision = r.number()
    else r.skip()
  r.leave(outer)
  return revision
}
