/** Lines with tabs, whose columns are as wide as the lines above and below need: each run of lines by itself. */

const PADDING = 2

/** Replaces tabs by blanks. A cell without a tab behind it belongs to no column. */
export function withColumns(lines: readonly string[]): string {
  const rows = lines.map((line) => line.split('\t'))
  const widths = rows.map((cells) => cells.map(() => 0))
  const most = Math.max(0, ...rows.map(({ length }) => length))
  for (let column = 0; column < most - 1; column++) {
    for (let from = 0; from < rows.length; from++) {
      if (rows[from]!.length <= column + 1) continue
      let to = from
      let width = 0
      for (; to < rows.length && rows[to]!.length > column + 1; to++)
        width = Math.max(width, lengthOf(rows[to]![column]!) + PADDING)
      for (let i = from; i < to; i++) widths[i]![column] = width
      from = to
    }
  }
  return rows
    .map((cells, i) => {
      const text = cells.map((cell, j) =>
        j === cells.length - 1 ? cell : cell + ' '.repeat(widths[i]![j]! - lengthOf(cell)),
      )
      return `${text.join('')}\n`
    })
    .join('')
}

const lengthOf = (text: string): number => [...text].length
