/** Passing over large parts of the JSON of stored objects. */
import { BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-bytes.ts'

/**
 * End of the object or list that begins at an offset. Most of a large one is text, which is looked at four bytes at a
 * time.
 */
export function containerEnd(bytes: Buffer, from: number): number {
  const { length, byteOffset, buffer } = bytes
  // Of the first word so many bytes are not ours.
  const before = byteOffset & 3
  const words = new Int32Array(buffer, byteOffset - before, (length + before) >> 2)
  let depth = 0
  for (let at = from; at < length;) {
    const byte = bytes[at++]!
    if (byte === QUOTE) {
      for (;;) {
        if (((at + before) & 3) === 0) at = plainEnd(words, (at + before) >> 2) - before
        const inner = bytes[at++]
        if (inner === QUOTE || at > length) break
        if (inner === BACKSLASH) at++
      }
    } else if (byte < OPEN_LIST) continue
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && --depth === 0) return at
  }
  throw new Error('a stored object is not the JSON that was written')
}

/** Offset of the first word from a word on that has a quote or a backslash, or of the end. */
function plainEnd(words: Int32Array, from: number): number {
  let i = from
  for (; i < words.length; i++) {
    const word = words[i]!
    const quotes = word ^ 0x22222222
    const slashes = word ^ 0x5c5c5c5c
    // The usual test for a byte that is zero.
    const found = ((quotes - 0x01010101) & ~quotes) | ((slashes - 0x01010101) & ~slashes)
    if ((found & 0x80808080) !== 0) break
  }
  return i << 2
}

/** In longer texts `indexOf` finds the end. */
const NEAR = 96

/** End of the text at an offset. */
export function textEnd(bytes: Buffer, from: number): number {
  let at = from + 1
  for (const near = at + NEAR; at < near; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) return at + 1
    if (byte === BACKSLASH) at++
  }
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at)
    if (quote < 0) throw new Error('a stored object is not the JSON that was written')
    let escapes = quote
    while (bytes[escapes - 1] === BACKSLASH) escapes--
    at = quote + 1
    if ((quote - escapes) % 2 === 0) return at
  }
}
