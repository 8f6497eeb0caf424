import type { AuditEvent } from './event.ts'

/** Bounds of what a backend gets, bytes. */
export interface TruncationOptions {
  readonly maxEventBytes: number
  readonly maxBatchBytes: number
}

/** Makes an event small enough by removing its objects; false when it is too large all the same. */
export function fits(event: AuditEvent, { maxEventBytes }: TruncationOptions): boolean {
  if (Buffer.byteLength(event.body) <= maxEventBytes) return true
  event.truncate()
  return Buffer.byteLength(event.body) <= maxEventBytes
}

/** Cuts a batch of texts into parts of a limited size; a text that is larger is a part alone. */
export function partsOf(texts: readonly string[], maxBytes: number): string[][] {
  const parts: string[][] = []
  let size = Infinity
  for (const text of texts) {
    const bytes = Buffer.byteLength(text)
    if (size + bytes > maxBytes) {
      parts.push([])
      size = 0
    }
    parts.at(-1)!.push(text)
    size += bytes
  }
  return parts
}
