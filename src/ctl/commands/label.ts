import { markCommand } from '../api/marks.ts'

/** label: sets and removes labels. */
export const label = markCommand({
  field: 'labels',
  one: 'label',
  command: 'label',
  taken: (key, value) => `'${key}' already has a value (${value}), and --overwrite is false`,
  what: ({ isSame, removes }) => (isSame ? 'not labeled' : removes ? 'unlabeled' : 'labeled'),
})
