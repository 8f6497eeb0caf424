import { age } from '../base/human-duration.ts'
import type { Typed } from '../meta/object-meta.ts'
import { column } from '../catalogue/resource.ts'

/** The column that identifies the object. */
export const nameColumn = column<Typed>('Name', 'string', (o) => o.metadata.name ?? '', {
  format: 'name',
  description: 'Name of the object.',
})

/** Time since creation in human-readable form. */
export const ageColumn = column<Typed>(
  'Age',
  'string',
  (o, { now }) => age(o.metadata.creationTimestamp, now),
  {
    description: 'Time since the object was created.',
    since: (o) => o.metadata.creationTimestamp,
  },
)
