/** Columns of tables that are described by paths into the object. */
import { humanDuration } from '../base/human-duration.ts'
import { parseTime } from '../base/time.ts'
import { formatJson } from '../codec/json-text.ts'
import type { Typed } from '../meta/object-meta.ts'
import { column, type Column } from '../catalogue/resource.ts'
import { parseJsonPath, valuesAt, type JsonPath } from './json-path.ts'

/** A column as users describe it. */
export interface ColumnDefinition {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

const NAME = column<Typed>('Name', 'string', ({ metadata }) => metadata.name ?? '', {
  format: 'name',
  description: 'Name of the object.',
})

const AGE: ColumnDefinition = {
  name: 'Age',
  type: 'date',
  description: 'When the object was made.',
  jsonPath: '.metadata.creationTimestamp',
}

/** The name and the described columns, or the age without any. Columns with an invalid path are left out. */
export function schemaColumns(definitions: readonly ColumnDefinition[] = [AGE]): Column<Typed>[] {
  const columns: Column<Typed>[] = [NAME]
  for (const one of definitions) {
    const path = parseJsonPath(one.jsonPath)
    if (!path) break
    columns.push({
      name: one.name,
      // Checked where the definition is.
      type: one.type as Column<Typed>['type'],
      ...(one.format === undefined ? {} : { format: one.format }),
      priority: one.priority ?? 0,
      description:
        one.description ??
        `Custom resource definition column (in JSONPath format): ${one.jsonPath}`,
      cell: (object, c) => cellOf(one.type, path, object, c),
      ...(one.type === 'date' ? { since: (object: Typed) => valuesAt(path, object)[0] } : {}),
    })
  }
  return columns
}

function cellOf(
  type: string,
  path: JsonPath,
  object: unknown,
  c: { readonly now: number },
): unknown {
  // A path to several values shows the first.
  const [value] = valuesAt(path, object)
  if (value === undefined) return null
  switch (type) {
    case 'string':
      return textOf(value)
    case 'integer':
      return integerOf(value)
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? sinceText(value, c.now) : null
    default:
      return null
  }
}

/** An integer; exact where it has 64 bits at most. */
function integerOf(value: unknown): number | bigint | null {
  if (typeof value === 'number') return Math.trunc(value)
  if (typeof value !== 'bigint') return null
  return BigInt.asIntN(64, value) === value ? value : Number(value)
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : formatJson(value))

function sinceText(time: string, now: number): string {
  try {
    return humanDuration(now - parseTime(time))
  } catch {
    return '<invalid>'
  }
}
