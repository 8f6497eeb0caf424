/** Reads the head of a plain request. */
import type { KnownBlocks, SentHeaders } from './known-blocks.ts'

/** A head that was read completely. */
export interface PlainHead {
  readonly method: string
  readonly target: string
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
  for (const { text, bytes: start } of METHODS) {
    if (!startsAt(bytes, 0, start)) continue
    const from = start.length - 1
    const to = targetEnd(bytes, from)
    if (!startsAt(bytes, to, VERSION)) return null
    const sent = known.read(bytes, to + VERSION.length, MOST)
    if (sent === null) return null
    return { method: text, target: bytes.toString('latin1', from, to), sent }
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
