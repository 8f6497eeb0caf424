/** Text in columns, as people know it: three blanks between them, at least six characters each. */

const PADDING = 3
const MIN_WIDTH = 6

/** Lays out rows. Widths are remembered, so that rows that come later fit below. */
export class Columns {
  readonly #padding: number
  readonly #minWidth: number
  #widths: number[] = []

  constructor({ padding = PADDING, minWidth = MIN_WIDTH } = {}) {
    this.#padding = padding
    this.#minWidth = minWidth
  }

  /** The text of rows; the last cell of each is not padded. */
  format(rows: readonly (readonly string[])[]): string {
    for (const row of rows) {
      for (let i = 0; i < row.length - 1; i++) {
        const width = Math.max(lengthOf(row[i]!) + this.#padding, this.#minWidth)
        if (width > (this.#widths[i] ?? 0)) this.#widths[i] = width
      }
    }
    return rows
      .map((row) => {
        const cells = row.map((cell, i) =>
          i === row.length - 1 ? cell : cell + ' '.repeat(this.#widths[i]! - lengthOf(cell)),
        )
        return `${cells.join('')}\n`
      })
      .join('')
  }
}

/** Characters, not units. */
const lengthOf = (text: string): number => (isAscii(text) ? text.length : [...text].length)

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false
  return true
}

/** One line of a value: cut at the first line break, without control of the terminal. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return escaped(String(value))
  const end = value.search(/[\f\n\r]/)
  return end === -1 ? escaped(value) : `${escaped(value.slice(0, end))}...`
}

/** Shows the start of escape sequences of terminals instead of obeying it. */
const escaped = (text: string) => text.replaceAll('\u001B', '^[')
