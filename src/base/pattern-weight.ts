/** Cost of compiling regular expressions, estimated before they are compiled. */

/** How much all patterns of one document, or of one expression, may weigh together; a limit of this server. */
export const MAX_PATTERN_WEIGHT = 32_768
/** Classes of characters by property are large tables. */
const CLASS_WEIGHT = 8

/**
 * About how many steps a regular expression compiles to: its characters, repeated parts as often as they may be. Takes
 * one pass; an invalid regular expression has some weight too.
 */
export function patternWeight(source: string): number {
  /** Weights of the groups that are open, and of the last thing in the innermost. */
  const groups = [0]
  let last = 0
  const add = (weight: number) => {
    groups[groups.length - 1]! += weight
    last = weight
  }
  for (let i = 0; i < source.length; i++) {
    const char = source[i]
    if (char === '\\') {
      i++
      add(/[a-zA-Z]/.test(source[i] ?? '') ? CLASS_WEIGHT : 1)
    } else if (char === '(') groups.push(0)
    else if (char === ')' && groups.length > 1) add(groups.pop()! + 2)
    else if (char === '{') {
      const braces = bracesAt(source, i)
      if (!braces) {
        add(1)
        continue
      }
      groups[groups.length - 1]! += last * (braces.times - 1)
      last *= braces.times
      i += braces.length - 1
    } else add(1)
  }
  return groups.reduce((sum, weight) => sum + weight, 0)
}

/** The most repetitions that braces request; null for braces that are no quantifier. */
function bracesAt(source: string, at: number): { times: number; length: number } | null {
  const found = /^\{(\d{1,6})(?:,(\d{0,6}))?\}/.exec(source.slice(at, at + 16))
  if (!found) return null
  const times = Math.max(Number(found[1]), Number(found[2] ?? 0), 1)
  return { times, length: found[0].length }
}
