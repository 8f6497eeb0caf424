/** The text of a description while it is written: lines with tabs between columns. */
import { NONE, shortened, timeText } from './texts.ts'
import type { Value } from './value.ts'

/** Values with more than this many characters have lines of their own. */
const MAX_VALUE = 140

/** Lines of a description. */
export class Page {
  readonly lines: string[] = []

  /** A line of cells, so many steps from the left. */
  add(depth: number, ...cells: readonly string[]): this {
    const text = '  '.repeat(depth) + cells.join('\t')
    this.lines.push(...text.split('\n'))
    return this
  }

  /** Adds lines with a name each. */
  all(depth: number, fields: readonly (readonly [name: string, value: string])[]): this {
    for (const [name, value] of fields) this.add(depth, `${name}:`, value)
    return this
  }

  /** A line where there is a value. */
  maybe(depth: number, name: string, value: string): this {
    return value === '' ? this : this.add(depth, `${name}:`, value)
  }

  /** Values below each other beside a name. */
  column(depth: number, name: string, values: readonly string[]): this {
    if (values.length === 0) return this.add(depth, `${name}:`, NONE)
    for (const [i, value] of values.entries()) this.add(depth, i === 0 ? `${name}:` : '', value)
    return this
  }

  /** A table with lines below its heads. */
  table(depth: number, heads: readonly string[], rows: readonly (readonly string[])[]): this {
    this.add(depth, ...heads)
    this.add(depth, ...heads.map((head) => '-'.repeat(head.length)))
    for (const row of rows) this.add(depth, ...row)
    return this
  }

  labels(depth: number, labels: Value, name = 'Labels'): this {
    return this.column(
      depth,
      name,
      labels.members().map(([key, value]) => `${key}=${value.text()}`),
    )
  }

  /** Annotations but the one of apply. */
  annotations(depth: number, annotations: Value): this {
    const shown = annotations
      .members()
      .filter(([key]) => !key.endsWith('/last-applied-configuration'))
    const lines = shown.flatMap(([key, value]) => {
      const text = value.text().replace(/\n$/, '')
      if (!text.includes('\n') && text.length + key.length + 2 <= MAX_VALUE)
        return [`${key}: ${text}`]
      return [`${key}:`, ...text.split('\n').map((line) => `  ${shortened(line, MAX_VALUE - 2)}`)]
    })
    return this.column(depth, 'Annotations', lines)
  }

  created(object: Value): this {
    return this.add(0, 'CreationTimestamp:', timeText(object.textAt('metadata.creationTimestamp')))
  }
}
