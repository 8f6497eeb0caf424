import type { Verb } from '../catalogue/resource.ts'

/** The verbs that create-only resources do not support: their objects are processed or answered, not persisted. */
export const ALL_BUT_CREATE: readonly Verb[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]
