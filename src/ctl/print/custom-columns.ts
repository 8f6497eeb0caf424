/** Columns that users choose: `NAME:.metadata.name,NODE:.spec.nodeName`. */
import { Fault } from '../base/faults.ts'
import { Columns } from './columns.ts'
import { JsonPath, JsonPathFault, relaxedPath, valueText } from './json-path.ts'

/** Prints rows of chosen columns. */
export class CustomColumns {
  readonly #columns: readonly { readonly head: string; readonly path: JsonPath }[]
  readonly #layout = new Columns()
  #hasHeaders: boolean

  /** Throws for a wrong choice. `isFile`: headers in the first line, paths in the second. */
  constructor(text: string, { noHeaders, isFile }: { noHeaders: boolean; isFile: boolean }) {
    this.#columns = (isFile ? fromFile(text) : fromLine(text)).map(([head, path]) => {
      try {
        return { head, path: new JsonPath(relaxedPath(path)) }
      } catch (error) {
        throw error instanceof JsonPathFault ? new Fault(`error: ${error.message}`) : error
      }
    })
    this.#hasHeaders = noHeaders
  }

  print(objects: readonly unknown[]): string {
    const rows: string[][] = []
    if (!this.#hasHeaders) {
      this.#hasHeaders = true
      rows.push(this.#columns.map(({ head }) => head))
    }
    for (const object of objects) {
      rows.push(
        this.#columns.map(({ path }) => {
          const found = path.values(object)[0] ?? []
          return found.length === 0 ? '<none>' : found.map(shown).join(',')
        }),
      )
    }
    return this.#layout.format(rows)
  }
}

/** Values are shown as Go prints them. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return '<none>'
  if (Array.isArray(value)) return `[${value.map(shown).join(' ')}]`
  if (typeof value !== 'object') return valueText(value)
  const map = value as Record<string, unknown>
  const keys = Object.keys(map).sort()
  return `map[${keys.map((key) => `${key}:${shown(map[key])}`).join(' ')}]`
}

function fromLine(text: string): [string, string][] {
  return text.split(',').map((part) => {
    const colon = part.indexOf(':')
    if (colon === -1) {
      throw new Fault(
        `error: unexpected custom-columns spec: ${part}, expected <header>:<json-path-expr>`,
      )
    }
    return [part.slice(0, colon), part.slice(colon + 1)]
  })
}

function fromFile(text: string): [string, string][] {
  const [heads = [], paths = []] = text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .slice(0, 2)
  if (heads.length !== paths.length || heads.length === 0) {
    throw new Fault(
      `error: number of headers (${heads.length}) and field specifications (${paths.length}) don't match`,
    )
  }
  return heads.map((head, i) => [head, paths[i]!])
}
