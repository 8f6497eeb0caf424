/**
 * Conversion from format 1: keys had no group (`/configmaps/<namespace>/<name>`), and records did not have the
 * version of their object, which their JSON begins with.
 */
import { storageTag } from '../../base/storage-tag.ts'
import { serversPrefix } from '../../base/store-keys.ts'
import { FORM, insertTag } from '../record.ts'
import type { Item } from '../engine.ts'

/** Properties needed to read it. */
export interface Format1 {
  /** Today's prefix of the keys of a resource that had the prefix `/<plural>/`. */
  readonly prefixOf: (plural: string) => string | undefined
  /** Whether keys began with this, behind the first slash. */
  readonly isOld: (first: string) => boolean
  /** The record of a stored value. Throws TransformError. */
  readonly open?: (oldKey: string, stored: Uint8Array) => Uint8Array
  /** The stored value of a record. */
  readonly seal?: (key: string, record: Uint8Array) => Uint8Array
}

/** First byte of a record of format 1, and the positions of its JSON and of the offset of the JSON's first digit. */
const OLD_FORM = 1
const OLD_HEADER_BYTES = 17
const OPENING_BYTES = 300

/** Whether keys of the servers themselves began so. */
export const isOfServers = (first: string): boolean => Object.hasOwn(OF_SERVERS, first)

/** Keys of the servers themselves; those that go by themselves are left behind. */
const OF_SERVERS: Readonly<Record<string, string | null>> = {
  authorities: serversPrefix('authorities'),
  masterleases: null,
  migration: null,
  ranges: serversPrefix('claims'),
}

/** An item of format 1 as it is kept today; null when it is not needed any more. Throws an Error that names the key. */
export function upgradeItem(item: Item, format: Format1): Item | null {
  const key = upgradeKey(item.key, format)
  if (key === null) return null
  const record = format.open?.(item.key, item.value) ?? item.value
  const value = upgradeRecord(record, item.key)
  return { ...item, key, value: format.seal?.(key, value) ?? value }
}

/** Those of several that are still needed. */
export const upgradeItems = (items: readonly Item[], format: Format1): Item[] =>
  items.map((item) => upgradeItem(item, format)).filter((item) => item !== null)

/** Today's place of an object. */
function upgradeKey(key: string, { prefixOf }: Format1): string | null {
  const slash = key.indexOf('/', 1)
  const plural = key.slice(1, slash)
  const own = isOfServers(plural) ? OF_SERVERS[plural] : undefined
  if (own === null) return null
  const prefix = own ?? prefixOf(plural)
  if (slash === -1 || prefix === undefined)
    throw new Error(`${key} is of no resource that this program knows`)
  return prefix + key.slice(slash + 1)
}

function upgradeRecord(record: Uint8Array, key: string): Uint8Array {
  if (record[0] === FORM) return record
  if (record[0] !== OLD_FORM)
    throw new Error(
      `${key} is in no known form; if it is encrypted, name the configuration with --encryption-provider-config`,
    )
  return insertTag(record, OLD_HEADER_BYTES, storageTag(versionOf(record)))
}

/** The version that an object's JSON begins with; none for other values. */
function versionOf(record: Uint8Array): string {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  const start = OLD_HEADER_BYTES + bytes.readUInt32LE(13)
  const opening = bytes.toString('utf8', start, start + OPENING_BYTES)
  const groupVersion = /^\{"kind":"[^"]*","apiVersion":"([^"]*)",/.exec(opening)?.[1] ?? ''
  return groupVersion.slice(groupVersion.indexOf('/') + 1)
}
