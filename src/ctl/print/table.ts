/** Tables as the server makes them. */
import { cellText, Columns } from './columns.ts'

/** A Table of the API. */
export interface Table {
  readonly kind?: string
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string }
  readonly columnDefinitions?: readonly TableColumn[] | null
  readonly rows?: readonly TableRow[] | null
}

export interface TableColumn {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly priority?: number
}

export interface TableRow {
  readonly cells: readonly unknown[]
  readonly object?: {
    readonly metadata?: {
      readonly name?: string
      readonly namespace?: string
      readonly resourceVersion?: string
      readonly labels?: Readonly<Record<string, string>>
    }
  }
}

/** What of a table is shown. */
export interface TableOptions {
  readonly isWide: boolean
  readonly noHeaders: boolean
  readonly withNamespace: boolean
  /** Written before names with a slash; empty for nothing. */
  readonly kind: string
  readonly showLabels: boolean
  readonly labelColumns: readonly string[]
}

/** Prints tables of one resource below each other, with one line of headers. */
export class TablePrinter {
  readonly #options: TableOptions
  readonly #columns = new Columns()
  #definitions: readonly TableColumn[] = []
  #hasHeaders = false

  constructor(options: TableOptions) {
    this.#options = options
  }

  /** The text of a table, with headers the first time. `event` is its first column where given. */
  print(tables: readonly Table[], event: string | null = null): string {
    const lines: string[][] = []
    for (const table of tables) {
      if (table.columnDefinitions && table.columnDefinitions.length > 0) {
        this.#definitions = table.columnDefinitions
      }
      for (const row of table.rows ?? []) {
        if (!this.#hasHeaders) {
          this.#hasHeaders = true
          if (!this.#options.noHeaders) lines.push(this.#headers(event !== null))
        }
        lines.push(this.#line(row, event))
      }
    }
    return this.#columns.format(lines)
  }

  #headers(hasEvent: boolean): string[] {
    const { withNamespace, labelColumns, showLabels, isWide } = this.#options
    return [
      ...(hasEvent ? ['EVENT'] : []),
      ...(withNamespace ? ['NAMESPACE'] : []),
      ...this.#definitions
        .filter(({ priority = 0 }) => isWide || priority === 0)
        .map(({ name }) => name.toUpperCase()),
      ...labelColumns.map((label) => label.slice(label.lastIndexOf('/') + 1).toUpperCase()),
      ...(showLabels ? ['LABELS'] : []),
    ]
  }

  #line({ cells, object }: TableRow, event: string | null): string[] {
    const { withNamespace, labelColumns, showLabels, isWide, kind } = this.#options
    const { namespace = '', labels = {} } = object?.metadata ?? {}
    const shown = this.#definitions.flatMap(({ priority = 0, name, format }, i) => {
      if (!isWide && priority !== 0) return []
      const text = cellText(cells[i])
      return [kind !== '' && (format === 'name' || name === 'Name') ? `${kind}/${text}` : text]
    })
    return [
      ...(event === null ? [] : [event]),
      ...(withNamespace ? [namespace] : []),
      ...shown,
      ...labelColumns.map((label) => (Object.hasOwn(labels, label) ? labels[label]! : '')),
      ...(showLabels ? [labelsText(labels)] : []),
    ]
  }
}

/** `a=1,b=2`, in order of keys; `<none>` without any. */
function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const keys = Object.keys(labels ?? {}).sort()
  return keys.length === 0 ? '<none>' : keys.map((key) => `${key}=${labels![key]}`).join(',')
}
