/**
 * The stored form of an object: a small header, what selectors read, and the JSON of the stored
 * version with an empty resourceVersion, into which the revision is written when it is known.
 *
 *     byte 0      form (1)
 *     bytes 1-4   offset in the JSON at which the digits of the revision belong
 *     bytes 5-8   offset in the JSON of the metadata object
 *     bytes 9-12  its length
 *     bytes 13-16 length of the selector part
 *     selector part: JSON {"l": labels, "f": selectable fields}, empty when there are none
 *     JSON
 */
export interface RecordParts {
  /** JSON text before the digits of the resourceVersion, and after them. */
  readonly head: string
  readonly tail: string
  /** Offset in bytes at which metadata starts, always inside `head`. */
  readonly metaStart: number
  /** Bytes of metadata, without the digits. */
  readonly metaLength: number
  /** JSON of what selectors read; empty when there is nothing. */
  readonly selectors: string
}

export const HEADER_BYTES = 17
const FORM = 1

export interface RecordHeader {
  readonly rvAt: number
  readonly metaStart: number
  readonly metaLength: number
  readonly selectorBytes: number
}

/** Makes the stored form. */
export function encodeRecord(parts: RecordParts): Buffer {
  const headBytes = Buffer.byteLength(parts.head)
  const selectorBytes = parts.selectors === '' ? 0 : Buffer.byteLength(parts.selectors)
  const record = Buffer.allocUnsafe(
    HEADER_BYTES + selectorBytes + headBytes + Buffer.byteLength(parts.tail),
  )
  record[0] = FORM
  record.writeUInt32LE(headBytes, 1)
  record.writeUInt32LE(parts.metaStart, 5)
  record.writeUInt32LE(parts.metaLength, 9)
  record.writeUInt32LE(selectorBytes, 13)
  let at = HEADER_BYTES
  if (selectorBytes > 0) at += record.write(parts.selectors, at)
  at += record.write(parts.head, at)
  record.write(parts.tail, at)
  return record
}

/** Reads the header; throws on a form that this program does not know. */
export function readHeader(record: Uint8Array): RecordHeader {
  if (record[0] !== FORM) throw new Error(`stored record has the unknown form ${record[0]}`)
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength)
  return {
    rvAt: view.getUint32(1, true),
    metaStart: view.getUint32(5, true),
    metaLength: view.getUint32(9, true),
    selectorBytes: view.getUint32(13, true),
  }
}
