/** The JSON of an object without its large parts, for readers that need the rest of thousands of objects. */
import { parseJson } from './json-text.ts'
import { valueEnd } from './json-view.ts'

const OPEN_OBJECT = 0x7b
const OPEN_LIST = 0x5b
const NO_MEMBERS = Buffer.from('{}')
const NO_ITEMS = Buffer.from('[]')

/**
 * Parses an object with empty ones in the place of all objects and lists under some names. The JSON must have the format
 * of JSON.stringify.
 */
export const parseOutline = (bytes: Buffer, names: readonly string[]): unknown =>
  parseJson(names.reduce(emptied, bytes))

function emptied(bytes: Buffer, name: string): Buffer {
  // Quotes inside of strings are escaped: it is a name and not a part of a text.
  const pattern = Buffer.from(`${JSON.stringify(name)}:`)
  const kept: Buffer[] = []
  let from = 0
  for (;;) {
    const at = bytes.indexOf(pattern, from)
    if (at < 0) break
    const value = at + pattern.length
    const isObject = bytes[value] === OPEN_OBJECT
    kept.push(bytes.subarray(from, value))
    from = value
    if (!isObject && bytes[value] !== OPEN_LIST) continue
    kept.push(isObject ? NO_MEMBERS : NO_ITEMS)
    from = valueEnd(bytes, value)
  }
  return from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)])
}
