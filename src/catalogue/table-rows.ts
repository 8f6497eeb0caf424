/** Rows of tables as JSON text, which are kept for lists that clients read again and again. */
import { humanDuration, sinceOf } from '../base/human-duration.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { ResourceEntry } from './catalogue.ts'
import type { Column, HookContext } from './resource.ts'

/** An object whose row is kept: equal keys and revisions mean the same object. */
export interface RowSource {
  readonly key: string
  readonly revision: number
}

/** Text, the time since which a cell shows the age, or a column whose cell depends on the time otherwise. */
type Part = string | number | Column<Typed>

interface Row {
  readonly revision: number
  readonly served: ResourceEntry
  readonly parts: readonly Part[]
}

/** Memory that kept rows may take, by an estimate. */
const MOST_BYTES = 8 << 20
/** Of a row beside its text: its objects, and its place in the map. */
const ROW_BYTES = 240

/** The context of cells, which notes whether they depend on the time. */
class Timed implements HookContext {
  readonly #c: HookContext
  isUsed = false

  constructor(c: HookContext) {
    this.#c = c
  }

  get now(): number {
    this.isUsed = true
    return this.#c.now
  }
  get v() {
    return this.#c.v
  }
  get gate() {
    return this.#c.gate
  }
  get allowPrivileged() {
    return this.#c.allowPrivileged ?? false
  }
}

/**
 * The rows of one server, by key of the object. Those that were not used lately are discarded: at most half of the
 * memory is for new rows, and then these are the old ones.
 */
export class TableRows {
  readonly #mostBytes: number
  #young = new Map<string, Row>()
  #old = new Map<string, Row>()
  #youngBytes = 0

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes
  }

  /** Number of rows that are kept. */
  get size(): number {
    return this.#young.size + this.#old.size
  }

  /** The row of an object as JSON, up to the value of `object`; `view` gives the object for its cells. */
  text(served: ResourceEntry, source: RowSource, view: () => Typed, c: HookContext): string {
    const { key, revision } = source
    const row = this.#young.get(key)
    if (isRowOf(row, served, revision)) return textOf(row.parts, view, c)
    const old = this.#old.get(key)
    const kept = isRowOf(old, served, revision)
      ? old
      : { revision, served, parts: partsOf(served, view(), c) }
    this.#keep(key, kept)
    return textOf(kept.parts, view, c)
  }

  #keep(key: string, row: Row): void {
    let bytes = ROW_BYTES
    for (const part of row.parts) if (typeof part === 'string') bytes += part.length
    if (this.#youngBytes + bytes > this.#mostBytes / 2) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngBytes = 0
    }
    this.#young.set(key, row)
    this.#youngBytes += bytes
  }
}

const isRowOf = (row: Row | undefined, served: ResourceEntry, revision: number): row is Row =>
  row !== undefined && row.revision === revision && row.served === served

/** The same without keeping it. */
export const rowText = (served: ResourceEntry, object: Typed, c: HookContext): string =>
  textOf(partsOf(served, object, c), () => object, c)

/** What most rows end with: no more cells, and no conditions. */
const ROW_END = '],"object":'

/**
 * The parts of a row as they are kept: an array without room for more, of joined texts. Strings that are made by `+` hold
 * all of their pieces.
 */
function partsOf(served: ResourceEntry, object: Typed, c: HookContext): readonly Part[] {
  const { columns, rowConditions } = served.table
  const parts: Part[] = []
  const timed = new Timed(c)
  let texts = ['{"cells":[']
  for (const [i, column] of columns.entries()) {
    if (i > 0) texts.push(',')
    const since = column.since === undefined ? null : sinceOf(column.since(object))
    let part: Part | null = since
    if (since === null) {
      timed.isUsed = false
      const cell = cellText(column, object, timed)
      if (timed.isUsed) part = column
      else texts.push(cell)
    }
    if (part === null) continue
    parts.push(texts.join(''), part)
    texts = []
  }
  const conditions = rowConditions?.(object) ?? []
  if (conditions.length > 0) texts.push(`],"conditions":${JSON.stringify(conditions)},"object":`)
  else texts.push(ROW_END)
  parts.push(texts.length === 1 ? texts[0]! : texts.join(''))
  return parts.slice()
}

function textOf(parts: readonly Part[], view: () => Typed, c: HookContext): string {
  let text = ''
  let object: Typed | null = null
  for (const part of parts) {
    if (typeof part === 'string') text += part
    else if (typeof part === 'number') text += `"${humanDuration(c.now - part)}"`
    else text += cellText(part, (object ??= view()), c)
  }
  return text
}

/** A cell as it is in a list of cells. */
function cellText(column: Column<Typed>, object: Typed, c: HookContext): string {
  const cell = column.cell(object, c) ?? null
  return typeof cell === 'bigint' ? String(cell) : JSON.stringify(cell)
}
