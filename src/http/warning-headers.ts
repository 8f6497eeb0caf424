/** Warnings of a response as its headers. */
import type { HeaderList } from './exchange.ts'

/** Code points of all warnings of one response, and of each of them when they exceed that. */
const MAX_WARNING_POINTS = 4096
const MAX_SHORT_WARNING_POINTS = 256

/** Adds warnings as headers: untruncated while all fit, else truncated, as many as fit. */
export function addWarnings(headers: HeaderList, texts: ReadonlySet<string>): void {
  let left = MAX_WARNING_POINTS
  for (const text of texts) left -= lengthUpTo(text, left + 1)
  const isShort = left < 0
  left = MAX_WARNING_POINTS
  for (const text of texts) {
    if (isShort && left <= 0) return
    const shown = isShort ? beginningOf(text, MAX_SHORT_WARNING_POINTS) : text
    const value = warningValue(shown)
    if (value === null) continue
    if (isShort) left -= lengthUpTo(shown, MAX_SHORT_WARNING_POINTS)
    headers.push('warning', value)
  }
}

/** Code points of a text; counting stops at `most`. */
function lengthUpTo(text: string, most: number): number {
  let length = 0
  for (const _ of text) if (++length >= most) break
  return length
}

function beginningOf(text: string, points: number): string {
  let end = 0
  for (const char of text) {
    if (points-- === 0) return text.slice(0, end)
    end += char.length
  }
  return text
}

/**
 * A text as `Warning` header (RFC 7234, section 5.5), as raw UTF-8 bytes; null when it contains characters that are
 * not allowed in headers.
 */
function warningValue(text: string): string | null {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (text === '' || /[\u0000-\u001f\u007f]/.test(text)) return null
  return `299 - "${Buffer.from(text.replaceAll(/["\\]/g, '\\$&')).toString('latin1')}"`
}
