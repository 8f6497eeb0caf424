/** Several error texts as one: each text once, in brackets unless it is alone. */
export function aggregate(texts: readonly string[]): string {
  const distinct = [...new Set(texts)]
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`
}
