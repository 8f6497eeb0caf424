import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** Group and version of the home of a shape, such as `core/v1`; shared types belong to the core group. */
export function groupVersionOf(home: string, v: Vocabulary): { group: string; version: string } {
  const [group = '', version = ''] = v.resolve(home).split('/')
  return { group: group === 'core' || group === 'meta' ? '' : group, version }
}
