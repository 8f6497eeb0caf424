/** Reads the head of a plain request. */
import { RequestTarget } from '../request-target.ts'
import type { KnownBlocks, SentHeaders } from './known-blocks.ts'

/** A head that was read completely. */
export interface PlainHead {
  readonly request: RequestTarget
  readonly sent: SentHeaders
}

/** Bytes of the longest head that is read here. */
const MOST = 16 << 10

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].map((text) => ({
  text,
  bytes: Buffer.from(`${text} /`, 'latin1'),
}))

const VERSION = Buffer.from(' HTTP/1.1\r\n', 'latin1')

const SPACE = 0x20
const HASH = 0x23
const TILDE = 0x7e

/** Reads the head at the beginning of some bytes. Null: it is not plain, or not all there. */
export function readHead(bytes: Buffer, known: KnownBlocks): PlainHead | null {
  const request = known.request(bytes) ?? readRequest(bytes)
  if (request === null) return null
  const from = request.method.length + 1 + request.text.length
  if (!startsAt(bytes, from, VERSION)) return null
  const sent = known.read(bytes, from + VERSION.length, MOST)
  if (sent === null) return null
  known.keep(request)
  return { request, sent }
}

/** Reads method and target. Null: they are not plain. */
function readRequest(bytes: Buffer): RequestTarget | null {
  for (const { text, bytes: start } of METHODS) {
    if (!startsAt(bytes, 0, start)) continue
    const from = start.length - 1
    return new RequestTarget(text, bytes.toString('latin1', from, targetEnd(bytes, from)))
  }
  return null
}

/** Where the target ends. */
function targetEnd(bytes: Buffer, from: number): number {
  const most = Math.min(bytes.length, MOST)
  let at = from
  while (at < most && bytes[at]! > SPACE && bytes[at]! <= TILDE && bytes[at] !== HASH) at++
  return at
}

function startsAt(bytes: Buffer, at: number, part: Buffer): boolean {
  if (at + part.length > bytes.length) return false
  for (let i = 0; i < part.length; i++) if (bytes[at + i] !== part[i]) return false
  return true
}
