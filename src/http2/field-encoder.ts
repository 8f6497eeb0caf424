/**
 * Writes header blocks without a dynamic table (RFC 7541): fields common to responses are encoded once for all
 * connections, and a client's table costs nothing here.
 */
import { STATIC } from './static-table.ts'

const STATUS_NAME = 8
const NO_TABLE = 0x20
const MANY_NAMES = 256
const MANY_VALUES = 16
const LONG_VALUE = 128

/** Names whose values are few. */
const CACHED_VALUES = [
  'cache-control',
  'content-encoding',
  'content-type',
  'retry-after',
  'vary',
  'www-authenticate',
  'x-content-type-options',
]
/** Connection-specific header fields, which have no place in HTTP/2 (RFC 9113, section 8.2.2). */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])

interface Name {
  /** The encoded name; null: the field is left out. */
  readonly bytes: Buffer | null
  readonly values: Map<string, Buffer> | null
}

const names = new Map<string, Name>()
const statuses = new Map<number, Buffer>()

function nameOf(name: string): Name {
  let found = names.get(name)
  if (found) return found
  const index = STATIC.findIndex(([known]) => known === name) + 1
  const values = CACHED_VALUES.includes(name) ? new Map<string, Buffer>() : null
  if (OF_CONNECTION.has(name)) found = { bytes: null, values }
  else if (index === 0) {
    const bytes = Buffer.allocUnsafeSlow(name.length + 8)
    bytes[0] = 0
    const end = writeText(bytes, 1, name.toLowerCase())
    found = { bytes: bytes.subarray(0, end), values }
  } else found = { bytes: index < 15 ? Buffer.of(index) : Buffer.of(15, index - 15), values }
  if (names.size < MANY_NAMES) names.set(name, found)
  return found
}

function statusOf(status: number): Buffer {
  let found = statuses.get(status)
  if (!found) {
    const text = String(status)
    const index = STATIC.findIndex(([name, value]) => name === ':status' && value === text) + 1
    found =
      index > 0 ? Buffer.of(0x80 | index) : Buffer.from([STATUS_NAME, 3, ...Buffer.from(text)])
    statuses.set(status, found)
  }
  return found
}

/** More bytes than a block of these headers has. */
export function mostBytes(headers: readonly string[]): number {
  let most = 16
  for (const text of headers) most += text.length + 6
  return most
}

/**
 * Writes the block of a response at `at`; returns its end. The first block of a connection sets the table size to 0.
 * Headers are alternating names and values. Throws TypeError for an invalid value.
 */
export function writeFields(
  into: Buffer,
  start: number,
  { status, headers, isFirst }: ResponseFields,
): number {
  let at = start
  if (isFirst) into[at++] = NO_TABLE
  at = copy(statusOf(status), into, at)
  for (let i = 0; i < headers.length; i += 2) {
    const name = nameOf(headers[i]!)
    if (name.bytes === null) continue
    at = copy(name.bytes, into, at)
    const value = headers[i + 1]!
    if (name.values === null) {
      at = writeText(into, at, value)
      continue
    }
    const cached = name.values.get(value)
    if (cached) at = copy(cached, into, at)
    else {
      const from = at
      at = writeText(into, at, value)
      if (name.values.size < MANY_VALUES && value.length <= LONG_VALUE)
        name.values.set(value, Buffer.from(into.subarray(from, at)))
    }
  }
  return at
}

export interface ResponseFields {
  readonly status: number
  readonly headers: readonly string[]
  readonly isFirst: boolean
}

function copy(from: Buffer, into: Buffer, at: number): number {
  const { length } = from
  for (let i = 0; i < length; i++) into[at + i] = from[i]!
  return at + length
}

function writeText(into: Buffer, start: number, text: string): number {
  const { length } = text
  let at = start
  if (length < 127) into[at++] = length
  else {
    into[at++] = 127
    let rest = length - 127
    for (; rest >= 128; rest >>= 7) into[at++] = (rest & 127) | 128
    into[at++] = rest
  }
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if ((code < 32 && code !== 9) || code === 127 || code > 255)
      throw new TypeError('a header of an answer has a character that no header may have')
    into[at++] = code
  }
  return at
}
