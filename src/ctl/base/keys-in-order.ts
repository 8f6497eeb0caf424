/** A JSON value with the members of its objects in the order of their names. */
export function keysInOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keysInOrder)
  if (typeof value !== 'object' || value === null) return value
  const map = value as Record<string, unknown>
  return Object.fromEntries(
    Object.keys(map)
      .sort()
      .map((key) => [key, keysInOrder(map[key])]),
  )
}
