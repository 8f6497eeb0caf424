import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** Label of a user in metrics: only few names are distinguished, so that users cannot fill memory with theirs. */
export function metricUser(name: string, v: Vocabulary): string {
  const known = [
    'admin',
    'client',
    v.resolve('{system}_proxy'),
    v.resolve('{agent}'),
    v.resolve('system:serviceaccount:{system}-system:default'),
  ]
  if (known.includes(name)) return name
  return name.includes('@') ? 'email_id' : 'other'
}
