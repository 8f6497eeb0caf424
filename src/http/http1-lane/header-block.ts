/** Reads the headers of plain requests: a narrow part of the grammar, in which nothing has two meanings. */
import { ownCopy } from '../../base/own-copy.ts'
import type { IncomingHttpHeaders } from 'node:http'
import { RequestMemory } from '../../authn/authenticator.ts'
import type { RequestTarget } from '../request-target.ts'
import { knownPart, secretStart, type KnownBytes, type Span } from './known-bytes.ts'

/** Headers as they were sent, and what they say. */
export interface HeaderBlock {
  /** Bytes of all lines, with the empty one. */
  readonly size: number
  /** By name, as Node.js has them. Not to be changed: requests get copies. */
  readonly headers: IncomingHttpHeaders
  /** Names and values, alternating, as sent. */
  readonly raw: readonly string[]
  /** Where the digits of Content-Length begin in the bytes; -1: there are none. */
  readonly lengthAt: number
  /** All bytes, or those before these digits. */
  readonly front: KnownBytes
  /** Those behind the digits; null: there are none. */
  readonly back: KnownBytes | null
  /** Bytes of the body. */
  readonly length: number
  /** What is kept for requests with these headers. */
  readonly memory: RequestMemory
  /** Method and target of the last of them; null: none was read completely. */
  request: RequestTarget | null
}

const LF = 10
const CR = 13
const SPACE = 0x20
const COLON = 0x3a
const TILDE = 0x7e
const ZERO = 0x30

/** Digits of a length that a number holds exactly. */
const MOST_DIGITS = 15

/** Bytes of names (RFC 9110, section 5.6.2). */
const IN_NAME = new Uint8Array(256)
for (const char of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz") {
  IN_NAME[char.charCodeAt(0)] = 1
  IN_NAME[char.toUpperCase().charCodeAt(0)] = 1
}

/** Headers with an effect on the connection or on where the request ends, and a name that objects treat differently. */
const NOT_PLAIN = new Set([
  '__proto__',
  'expect',
  'http2-settings',
  'proxy-connection',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** One line: where its value begins and ends. */
interface Line {
  name: string
  from: number
  to: number
}

/**
 * Reads the lines from `at` on. Null: they are not plain, or not all there; no name may come twice. `most` bounds where they end.
 */
export function readBlock(bytes: Buffer, at: number, most: number): HeaderBlock | null {
  const end = Math.min(bytes.length, most)
  const headers: IncomingHttpHeaders = {}
  const raw: string[] = []
  const line: Line = { name: '', from: 0, to: 0 }
  let lengthAt = -1
  let lengthEnd = 0
  let secret: Span | null = null
  let next = at
  while (next < end && bytes[next] !== CR) {
    if (!readLine(bytes, next, end, line)) return null
    const { name, from, to } = line
    const value = bytes.toString('latin1', from, to)
    const lower = name.toLowerCase()
    if (Object.hasOwn(headers, lower) || !isPlain(lower, value)) return null
    headers[lower] = value
    raw.push(name, value)
    if (lower === 'content-length') {
      if (lengthOf(bytes, from, to) === -1) return null
      lengthAt = from - at
      lengthEnd = to - at
    }
    if (lower === 'authorization') secret = { from: from - at + secretStart(value), to: to - at }
    next = to + 2
  }
  if (next + 2 > end || bytes[next + 1] !== LF || headers.host === undefined) return null
  // Memory of its own: the connection keeps it.
  const own = ownCopy(bytes.subarray(at, next + 2))
  const length = lengthAt === -1 ? 0 : lengthOf(own, lengthAt, lengthEnd)
  const memory = new RequestMemory()
  const hasLength = lengthAt !== -1
  const front = knownPart(own, 0, hasLength ? lengthAt : own.length, secret)
  const back = hasLength ? knownPart(own, lengthEnd, own.length, secret) : null
  const size = own.length
  return { size, headers, raw, lengthAt, front, back, length, memory, request: null }
}

/** Reads `name: value` and the end of the line. False: it is not plain. */
function readLine(bytes: Buffer, at: number, end: number, line: Line): boolean {
  let next = at
  while (next < end && IN_NAME[bytes[next]!] === 1) next++
  if (next === at || next === end || bytes[next] !== COLON) return false
  line.name = bytes.toString('latin1', at, next)
  next++
  if (next < end && bytes[next] === SPACE) next++
  line.from = next
  while (next < end && bytes[next]! >= SPACE && bytes[next]! <= TILDE) next++
  line.to = next
  if (next + 2 > end || bytes[next] !== CR || bytes[next + 1] !== LF) return false
  // Neither empty nor with spaces around, which are not part of the value.
  return line.from < next && bytes[line.from] !== SPACE && bytes[next - 1] !== SPACE
}

function isPlain(name: string, value: string): boolean {
  if (name === 'connection') return value === 'keep-alive' || value.toLowerCase() === 'keep-alive'
  return !NOT_PLAIN.has(name)
}

/** The number that some digits are; -1: none, or one that could be written otherwise. */
export function lengthOf(bytes: Buffer, from: number, to: number): number {
  if (from === to || to - from > MOST_DIGITS) return -1
  if (bytes[from] === ZERO && to - from > 1) return -1
  let length = 0
  for (let at = from; at < to; at++) {
    const digit = bytes[at]! - ZERO
    if (digit < 0 || digit > 9) return -1
    length = length * 10 + digit
  }
  return length
}
