import type { ResourceEntry } from './catalogue.ts'
import type { Typed } from '../meta/object-meta.ts'
import { column, type Column } from './resource.ts'

/** Columns of kinds that declare none. */
export const STANDARD_COLUMNS: readonly Column<Typed>[] = [
  column('Name', 'string', (o) => o.metadata.name ?? '', {
    format: 'name',
    description: 'Name of the object.',
  }),
  column('Created At', 'date', (o) => o.metadata.creationTimestamp ?? null, {
    description: 'When the object was made.',
  }),
]

/** `columnDefinitions` of a table. */
export function columnDefinitions(served: ResourceEntry): object[] {
  return served.table.columns.map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format: format ?? '',
    description,
    priority,
  }))
}
