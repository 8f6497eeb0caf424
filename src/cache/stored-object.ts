import { TransformError, unreadableReason } from '../engine/encryption/unreadable.ts'
import type { Revision } from '../engine/engine.ts'
import { readHeader } from '../engine/record.ts'
import { Slab, type Slabs } from './slab.ts'
import { toCachedRecord, type StorageForm } from './storage-form.ts'

/** The attributes of an object that selectors match. */
export interface SelectorFacts {
  readonly labels: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, string>>
}

/** An object as a selection sees it. */
export interface Selectable {
  readonly key: string
  /** Labels and selectable fields. */
  facts(): SelectorFacts
  /** Bloom filter: false when the object lacks some of the filter; true is inconclusive. Very cheap. */
  mayHave(filter: number): boolean
}

/** The bloom filter bit of a label or field, or of one with a value; combine several with `|`. */
export function filterBit(name: string, value?: string): number {
  const hash = hashed(name, 0x811c9dc5)
  if (value === undefined) return 1 << ((hash >>> 27) % FILTER_BITS)
  const both = hashed(value, Math.imul(hash ^ 0x3d, 0x01000193))
  return (1 << ((both >>> 27) % FILTER_BITS)) | (1 << (((both >>> 20) & 31) % FILTER_BITS))
}

/** Number of bloom filter bits; the next bit says that they are computed. */
const FILTER_BITS = 30
const FILTER_COMPUTED = 1 << FILTER_BITS

/** FNV-1a over UTF-16. */
function hashed(text: string, from: number): number {
  let hash = from
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash ^ (hash >>> 15)
}

const NONE: SelectorFacts = { labels: {}, fields: {} }

// Many watchers with different selectors look at one change, and at the previous value.
const recent: { of: StoredObject; facts: SelectorFacts }[] = []
const RECENT = 2

const ZERO = 0x30

/** Number of digits of a revision in an object; none of that which no object has. */
function digitsOf(revision: Revision): number {
  let digits = 0
  for (let rest = revision; rest >= 1; rest /= 10) digits++
  return digits
}

/** Writes so many digits of a revision. For a few bytes a text and a call of the runtime cost more than they do. */
function writeDigits(memory: Uint8Array, revision: Revision, at: number, digits: number): void {
  let rest = revision
  for (let i = at + digits - 1; i >= at; i--) {
    const next = Math.floor(rest / 10)
    memory[i] = ZERO + rest - 10 * next
    rest = next
  }
}

const NEWLINE = 0x0a
/** Bytes after the JSON. */
const LINE_END = 1

/** Position of a value among the values of its key. */
interface StoredAt {
  readonly key: string
  readonly revision: Revision
  /** Revision that created the key. */
  readonly created: Revision
  readonly prev: StoredObject | null
}

/** One value of one key: the wire bytes including the resourceVersion, or a tombstone. */
export class StoredObject implements Selectable {
  readonly key: string
  readonly revision: Revision
  readonly created: Revision
  readonly deleted: boolean
  /** The previous value; removed when the history window has passed. */
  prev: StoredObject | null
  slab: Slab | null = null
  /** Offset in the slab of the selector part, which is followed by the JSON and a newline. */
  start = 0
  selectorBytes = 0
  jsonBytes = 0
  /** Offset in the JSON of the resourceVersion's digits, and their count. */
  rvAt = 0
  rvDigits = 0
  metaStart = 0
  metaLength = 0
  released = false
  #filter = 0
  /** Why the value cannot be read; trying throws TransformError. */
  fault: string | null = null
  /** Whether the stored form differs from the one that would be written now. */
  isOutdated = false

  private constructor({ key, revision, created, prev }: StoredAt, deleted: boolean) {
    this.key = key
    this.revision = revision
    this.created = created
    this.deleted = deleted
    this.prev = prev
  }

  /** Copies a stored record, in the current form, and its revision into a slab (or separate memory). */
  static of(
    value: Uint8Array,
    at: StoredAt,
    slabs: Slabs | null,
    form: StorageForm | null = null,
  ): StoredObject {
    const { record, isOutdated } = toCachedRecord(value, at.key, form)
    const version = new StoredObject(at, false)
    version.isOutdated = isOutdated
    version.fault = unreadableReason(record)
    if (version.fault !== null) return version
    const header = readHeader(record)
    const digits = digitsOf(at.revision)
    const bytes = record.length - header.bytes + digits
    const reserved = bytes + LINE_END
    version.selectorBytes = header.selectorBytes
    version.jsonBytes = bytes - header.selectorBytes
    version.rvAt = header.rvAt
    version.rvDigits = digits
    version.metaStart = header.metaStart
    version.metaLength = header.metaLength + digits
    const { slab, at: start } = slabs
      ? slabs.reserve(version, reserved)
      : { slab: new Slab(reserved), at: 0 }
    version.slab = slab
    version.start = start
    const { memory } = slab
    const cut = header.bytes + header.selectorBytes + header.rvAt
    const middle = start + cut - header.bytes
    memory.set(record.subarray(header.bytes, cut), start)
    writeDigits(memory, at.revision, middle, digits)
    memory.set(record.subarray(cut), middle + digits)
    memory[start + bytes] = NEWLINE
    return version
  }

  /** A tombstone: the key is deleted. */
  static tombstone(key: string, revision: Revision, prev: StoredObject): StoredObject {
    return new StoredObject({ key, revision, created: prev.created, prev }, true)
  }

  /** Bytes this version takes in its slab. */
  get bytes(): number {
    return this.selectorBytes + this.jsonBytes + LINE_END
  }

  /** The JSON as sent; a slice, not a copy. Must not be modified. */
  json(): Buffer {
    const from = this.start + this.selectorBytes
    return this.memory.subarray(from, from + this.jsonBytes)
  }

  /** The JSON with the newline that ends a response; a slice as well. */
  line(): Buffer {
    const from = this.start + this.selectorBytes
    return this.memory.subarray(from, from + this.jsonBytes + LINE_END)
  }

  /** Copies part of the JSON into `target`; returns the bytes written. */
  copyTo(target: Buffer, at: number, from = 0): number {
    const start = this.start + this.selectorBytes
    return this.memory.copy(target, at, start + from, start + this.jsonBytes)
  }

  /** The metadata object as JSON; a slice. */
  metadata(): Buffer {
    const from = this.start + this.selectorBytes + this.metaStart
    return this.memory.subarray(from, from + this.metaLength)
  }

  /** The same object with another resourceVersion, for the last state of a deleted one. */
  withRevision(revision: Revision): StoredObject {
    const digits = String(revision)
    const cut = this.start + this.selectorBytes + this.rvAt
    const end = this.start + this.bytes
    const { key, created, prev } = this
    const version = new StoredObject({ key, revision, created, prev }, this.deleted)
    const slab = new Slab(this.bytes - this.rvDigits + digits.length)
    this.memory.copy(slab.memory, 0, this.start, cut)
    const at = cut - this.start
    slab.memory.write(digits, at, 'latin1')
    this.memory.copy(slab.memory, at + digits.length, cut + this.rvDigits, end)
    version.slab = slab
    version.selectorBytes = this.selectorBytes
    version.jsonBytes = slab.memory.length - this.selectorBytes - LINE_END
    version.rvAt = this.rvAt
    version.rvDigits = digits.length
    version.metaStart = this.metaStart
    version.metaLength = this.metaLength - this.rvDigits + digits.length
    return version
  }

  /** Whether another version of the object has the same labels and selectable fields. */
  hasSelectorsOf(other: StoredObject): boolean {
    const [from, bytes] = [this.start, this.selectorBytes]
    if (bytes !== other.selectorBytes) return false
    const { memory, start } = other
    return this.memory.compare(memory, start, start + bytes, from, from + bytes) === 0
  }

  /** Labels and selectable fields. */
  facts(): SelectorFacts {
    if (this.selectorBytes === 0 && this.fault === null) return NONE
    for (const known of recent) if (known.of === this) return known.facts
    const facts = this.#readFacts()
    recent.unshift({ of: this, facts })
    recent.length = Math.min(recent.length, RECENT)
    return facts
  }

  mayHave(filter: number): boolean {
    if (this.#filter === 0) this.#filter = filterOf(this.facts())
    return (this.#filter & filter) === filter
  }

  #readFacts(): SelectorFacts {
    const text = this.memory.toString('utf8', this.start, this.start + this.selectorBytes)
    const { l, f } = JSON.parse(text) as { l?: Record<string, string>; f?: Record<string, string> }
    return { labels: l ?? NONE.labels, fields: f ?? NONE.fields }
  }

  private get memory(): Buffer {
    if (this.fault !== null) throw new TransformError(this.key, this.fault)
    if (!this.slab) throw new Error(`version ${this.revision} of ${this.key} holds no bytes`)
    return this.slab.memory
  }
}

function filterOf({ labels, fields }: SelectorFacts): number {
  let filter = FILTER_COMPUTED
  for (const [name, value] of Object.entries(labels))
    filter |= filterBit(name) | filterBit(name, value)
  for (const [name, value] of Object.entries(fields)) filter |= filterBit(name, value)
  return filter
}
