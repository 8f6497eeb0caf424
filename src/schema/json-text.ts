import { scanJson } from './json-scanner.ts'

/** A body that is not JSON; the message is in the usual decoder wording. */
export class JsonError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JsonError'
  }
}

/** Deepest nesting that is read: what handles values later walks them recursively. */
export const MAX_DEPTH = 512

// Sixteen digits in a row, outside strings or not: the cheap sign that a number may not fit.
const LONG_NUMBER = /\d{16}/

/**
 * Reads JSON text. Integers beyond 2^53 come as bigint, never rounded. Keys such as __proto__ are ordinary
 * ones. Throws JsonError.
 */
export function parseJson(input: Uint8Array | string): unknown {
  const text = typeof input === 'string' ? input : Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString('utf8')
  const exact = LONG_NUMBER.test(text)
  let value: unknown
  if (exact || isDeep(text)) {
    value = scanJson(text)
  } else {
    try {
      value = JSON.parse(text)
    } catch {
      // The scanner says what is wrong in words that do not depend on the engine.
      value = scanJson(text)
    }
  }
  return value
}

/** Whether nesting may pass the limit; brackets inside strings count too, which only costs time. */
function isDeep(text: string): boolean {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}
