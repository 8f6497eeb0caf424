/** Lists as indented JSON and as YAML, item by item: a whole list may take seconds to write. */
import type { JsonObject } from '../codec/codec.ts'
import { formatJson, parseJson } from '../codec/json-text.ts'
import type { WriteYaml } from '../codec/yaml.ts'
import type { ListResult } from '../registry/results.ts'
import type { ListBytes } from './represent.ts'

const INDENT = 2
/** An item is in a list, which is in an object. */
const ITEM_LINE = `\n${' '.repeat(2 * INDENT)}`
const NO_ITEMS = '[]'

/** The list as indented JSON, as `formatJson` writes it. */
export function* indentedList(list: ListResult, bytes: ListBytes): Generator<string> {
  const text = formatJson(withoutItems(bytes), INDENT)
  const end = text.lastIndexOf(NO_ITEMS)
  yield text.slice(0, end)
  let before = '['
  for (const item of itemsOf(list, bytes)) {
    yield before + ITEM_LINE + formatJson(item, INDENT).replaceAll('\n', ITEM_LINE)
    before = ','
  }
  const last = before === '[' ? NO_ITEMS : `\n${' '.repeat(INDENT)}]`
  yield last + text.slice(end + NO_ITEMS.length)
}

/** The list as YAML, as `toYaml` writes it. */
export function* yamlList(list: ListResult, bytes: ListBytes, write: WriteYaml): Generator<string> {
  const document = withoutItems(bytes)
  const place = Object.keys(document).at(-1)!
  for (const name of Object.keys(document).toSorted()) {
    if (name !== place || list.items.length === 0) {
      yield write({ [name]: document[name] })
      continue
    }
    yield `${name}:\n`
    for (const item of itemsOf(list, bytes)) yield write([item])
  }
}

/** The list with no items; they are its last member. */
const withoutItems = ({ opening, closing }: ListBytes): JsonObject =>
  parseJson(Buffer.concat([opening, closing])) as JsonObject

function* itemsOf(list: ListResult, bytes: ListBytes): Generator {
  for (const version of list.items)
    yield parseJson(Buffer.concat(bytes.item(version).map((part) => Buffer.from(part))))
}
