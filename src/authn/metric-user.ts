import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** What a metric calls a user: only few names are told apart, so that users cannot fill memory with theirs. */
export function metricUser(name: string, v: Vocabulary): string {
  const known = [
    'admin',
    'client',
    v.spell('{system}_proxy'),
    v.spell('{agent}'),
    v.spell('system:serviceaccount:{system}-system:default'),
  ]
  if (known.includes(name)) return name
  return name.includes('@') ? 'email_id' : 'other'
}
