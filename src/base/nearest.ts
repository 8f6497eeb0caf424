/** The known word nearest to an unknown one, for a suggestion; null when none is near. */
export function nearest(word: string, known: readonly string[]): string | null {
  const near = known
    .map((each) => ({
      each,
      edits: word.length > 1 && each.startsWith(word) ? 0 : editsBetween(each, word),
    }))
    .filter(({ each, edits }) => edits <= Math.min(3, each.length / 2))
    .sort((a, b) => a.edits - b.edits)[0]
  return near?.each ?? null
}

/** How many letters to add, remove or change to make one word of the other. */
function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 3) return Infinity
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + change))
    }
    row = next
  }
  return row[b.length]!
}
