/** The bytes of long lists, made chunk by chunk. */
import type { SharedPace } from '../base/shared-pace.ts'
import type { ListResult } from '../registry/results.ts'
import { CHUNK, GZIP_FROM } from './long-body.ts'
import { itemBrace, itemSeparator, type ListBytes } from './represent.ts'

/** Size up to which a body is made and sent in one piece: larger ones are worth compressing. */
export const GZIP_CHUNK = GZIP_FROM
/** Most items are smaller than this, bytes. */
const ITEM_ESTIMATE = 2048

/** The texts in chunks, which end when they have taken long, whatever their size. */
export function* joined(texts: Iterable<string>, pace: SharedPace): Generator<Buffer> {
  let parts: Buffer[] = []
  let length = 0
  for (const text of texts) {
    const part = Buffer.from(text)
    parts.push(part)
    length += part.length
    if (length < GZIP_CHUNK && !pace.isLong) continue
    yield Buffer.concat(parts)
    parts = []
    length = 0
  }
  yield Buffer.concat(parts)
}

/** The same of a list of generated items, in memory that `take` gives; longer items and short lists have their own. */
export function* encodedChunks(
  result: ListResult,
  bytes: ListBytes,
  take: () => Buffer,
  pace: SharedPace,
): Generator<Buffer> {
  const guess = bytes.opening.length + bytes.closing.length + result.items.length * ITEM_ESTIMATE
  let chunk = guess < GZIP_CHUNK ? Buffer.allocUnsafeSlow(guess) : take()
  let at = bytes.opening.copy(chunk)
  let isFirst = true
  for (const version of result.items) {
    const parts = bytes.item(version)
    let needed = 1 + bytes.closing.length
    // A UTF-16 unit is at most three bytes of UTF-8.
    for (const part of parts) needed += typeof part === 'string' ? 3 * part.length : part.length
    if (at + needed > chunk.length || pace.isLong) {
      yield chunk.subarray(0, at)
      chunk = needed > GZIP_CHUNK ? Buffer.allocUnsafeSlow(needed) : take()
      at = 0
    }
    if (!isFirst) chunk[at++] = itemSeparator[0]!
    isFirst = false
    for (const part of parts) {
      at += typeof part === 'string' ? writeText(chunk, part, at) : part.copy(chunk, at)
    }
  }
  at += bytes.closing.copy(chunk, at)
  yield chunk.subarray(0, at)
}

/** For a few characters a call into native code costs more than they do. */
const FEW = 4

function writeText(chunk: Buffer, text: string, at: number): number {
  if (text.length > FEW) return chunk.write(text, at)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) return chunk.write(text, at)
    chunk[at + i] = code
  }
  return text.length
}

/** A list's bytes in chunks, each in memory that is not reused while the socket may read it. */
export function* listChunks(
  result: ListResult,
  bytes: ListBytes,
  from: number,
  take: () => Buffer,
): Generator<Buffer> {
  let chunk = take()
  let at = bytes.opening.copy(chunk, 0)
  for (let i = 0; i < result.items.length; i++) {
    const version = result.items[i]!
    const size = version.jsonBytes - from + 2
    if (at + size > CHUNK) {
      yield chunk.subarray(0, at)
      const needed = size + bytes.closing.length
      chunk = needed > CHUNK ? Buffer.allocUnsafeSlow(needed) : take()
      at = 0
    }
    if (i > 0) chunk[at++] = itemSeparator[0]!
    chunk[at++] = itemBrace[0]!
    at += version.copyTo(chunk, at, from)
  }
  if (at + bytes.closing.length > chunk.length) {
    yield chunk.subarray(0, at)
    yield bytes.closing
    return
  }
  at += bytes.closing.copy(chunk, at)
  yield chunk.subarray(0, at)
}
