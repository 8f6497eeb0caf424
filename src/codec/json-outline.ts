/** The JSON of an object without its large parts, for readers that need the rest of thousands of objects. */
import { parseJson } from './json-text.ts'
import { valueEnd } from './json-view.ts'

const NOTHING = Buffer.from('{}')

/**
 * Parses an object with empty objects in the place of all objects under a name. The JSON must have the format of
 * JSON.stringify.
 */
export function parseOutline(bytes: Buffer, name: string): unknown {
  // Quotes inside of strings are escaped: it is a name and not a part of a text.
  const pattern = Buffer.from(`${JSON.stringify(name)}:{`)
  const kept: Buffer[] = []
  let from = 0
  for (;;) {
    const at = bytes.indexOf(pattern, from)
    if (at < 0) break
    const value = at + pattern.length - 1
    kept.push(bytes.subarray(from, value), NOTHING)
    from = valueEnd(bytes, value)
  }
  return parseJson(from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)]))
}
