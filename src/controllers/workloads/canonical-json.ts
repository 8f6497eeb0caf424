/**
 * JSON of a value with the members of each object in the order of their names; what is absent, null or an empty list is
 * left out.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map((one) => canonicalJson(one)).join()}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, member]) => !isAbsent(member))
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${canonicalJson(one)}`).join()}}`
}

/** Whether two values mean the same: what is absent, null or an empty list is not told apart. */
export const isEquivalent = (a: unknown, b: unknown): boolean =>
  canonicalJson(a ?? null) === canonicalJson(b ?? null)

const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)
