type JsonObject = Record<string, unknown>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Applies a JSON merge patch (RFC 7386). The document is not changed; what did not change is shared. */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const target = isObject(document) ? document : {}
  const entries = new Map(Object.entries(target))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) entries.delete(key)
    else entries.set(key, applyMergePatch(Object.hasOwn(target, key) ? target[key] : undefined, value))
  }
  // fromEntries defines own properties, also for a key such as __proto__.
  return Object.fromEntries(entries)
}
