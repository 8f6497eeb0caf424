import type { Verb } from '../catalogue/resource.ts'

/** What is left out where nothing but `create` can be done: with what is carried out or answered, and not kept. */
export const ALL_BUT_CREATE: readonly Verb[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]
