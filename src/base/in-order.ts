/**
 * Sorts a list in place. Most lists of a few items are in order already, and the engine's sort makes a kilobyte of
 * working memory for any.
 */
export function putInOrder<T>(list: T[], compare: (a: T, b: T) => number): T[] {
  for (let i = 1; i < list.length; i++)
    if (compare(list[i - 1]!, list[i]!) > 0) return list.sort(compare)
  return list
}
