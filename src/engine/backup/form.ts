/**
 * Form of a backup file. Numbers are little-endian; revisions are doubles.
 *
 *     16 bytes     mark
 *     4 bytes      length of the heading
 *     heading      JSON, see `Heading`
 *     32 bytes     SHA-256 of everything before
 *     records      1: object: length of key (2), of value (4), revision that made it (8), that gave the value (8), both
 *                  2: file: length of name (2), of content (4), both
 *     1 byte       0: end of the records
 *     32 bytes     SHA-256 of everything before
 */
import type { Item, Revision } from '../engine.ts'

/** The header of a backup. */
export interface Heading {
  /** Version of the file's form. */
  readonly version: number
  /** Properties that the data depends on, such as the vocabulary, and the version of the encoding of the values. */
  readonly format: Readonly<Record<string, string>>
  /** The revision of the backup: it has all and only the changes committed up to here. */
  readonly revision: Revision
  /** When it was taken, RFC 3339. */
  readonly time: string
  readonly objects: number
  readonly files: number
}

/** A small file included in the backup, such as a key. */
export interface BackupFile {
  readonly name: string
  readonly content: Buffer
}

/** A file that is no backup, or is damaged; the message names the place. */
export class UnusableBackup extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'UnusableBackup'
  }
}

/** Version of the form that this program writes. */
export const FORM_VERSION = 2
/** One that it reads as well: of data of format 1 (see engine/upgrade/format-1.ts). */
export const OLD_FORM_VERSION = 1
/** Not text, and damaged by whatever changes line ends. */
export const MARK = Buffer.from('\x89STORE-BACKUP\r\n\x1a', 'latin1')
/** Length of a checksum. */
export const HASH_BYTES = 32
/** First byte of a record. */
export const KIND = { end: 0, object: 1, file: 2 } as const
/** Bytes of an object's record that do not depend on it, without the first. */
export const OBJECT_FIXED = 22
/** The same of a file. */
export const FILE_FIXED = 6
/** A heading that claims to be longer is none. */
export const MAX_HEADING = 65_536
/** A record that claims to be longer is damaged; the largest request is far below. */
export const MAX_VALUE = 1 << 28

/** Mark and heading, without the checksum behind them. */
export function encodeHeading(heading: Heading): Buffer {
  const json = Buffer.from(JSON.stringify(heading))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(json.length)
  return Buffer.concat([MARK, length, json])
}

/** An object with its type byte. */
export function encodeObject({ key, value, created, changed }: Item): Buffer {
  const keyBytes = Buffer.byteLength(key)
  const bytes = Buffer.allocUnsafe(1 + OBJECT_FIXED + keyBytes + value.length)
  bytes[0] = KIND.object
  bytes.writeUInt16LE(keyBytes, 1)
  bytes.writeUInt32LE(value.length, 3)
  bytes.writeDoubleLE(created, 7)
  bytes.writeDoubleLE(changed, 15)
  bytes.write(key, 1 + OBJECT_FIXED)
  bytes.set(value, 1 + OBJECT_FIXED + keyBytes)
  return bytes
}

/** A file with its type byte. */
export function encodeFile({ name, content }: BackupFile): Buffer {
  const nameBytes = Buffer.from(name)
  const fixed = Buffer.alloc(1 + FILE_FIXED)
  fixed[0] = KIND.file
  fixed.writeUInt16LE(nameBytes.length, 1)
  fixed.writeUInt32LE(content.length, 3)
  return Buffer.concat([fixed, nameBytes, content])
}

/** Reads a heading's JSON; null when it is not of the form. */
export function decodeHeading(json: Buffer): Heading | null {
  let value: unknown
  try {
    value = JSON.parse(json.toString('utf8'))
  } catch {
    return null
  }
  const heading = value as Partial<Heading> | null
  const isCount = (n: unknown) => Number.isSafeInteger(n) && (n as number) >= 0
  return heading !== null &&
    typeof heading === 'object' &&
    [heading.version, heading.revision, heading.objects, heading.files].every(isCount) &&
    typeof heading.time === 'string' &&
    typeof heading.format === 'object' &&
    heading.format !== null &&
    Object.values(heading.format).every((word) => typeof word === 'string')
    ? (heading as Heading)
    : null
}
