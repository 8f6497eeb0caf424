import { markCommand } from '../api/marks.ts'

/** annotate: sets and removes annotations. */
export const annotate = markCommand({
  field: 'annotations',
  one: 'annotation',
  command: 'annotate',
  taken: (key, value) =>
    `--overwrite is false but found the following declared annotation(s): '${key}' already has a value (${value})`,
  what: () => 'annotated',
})
