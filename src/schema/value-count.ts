/**
 * The number of values that a document may be made of. A body has its bytes limited, but `{},` is three of them, and the
 * defaults of a declaration make a hundred of each: what a request costs goes by values rather than by bytes.
 */
import { tooLarge } from './errors.ts'

/** Members of objects and items of lists that a document may hold, all depths together. */
export const MAX_VALUES = 150_000

/** Refuses a document with more than MAX_VALUES. Throws 413. */
export function refuseTooMany(document: unknown): void {
  if (holdsMoreThan(document, MAX_VALUES))
    throw tooLarge(`the document must have at most ${MAX_VALUES} fields and list items`)
}

/** Whether a JSON value has more members and items than `most`; looks at no more of them. */
export function holdsMoreThan(document: unknown, most: number): boolean {
  const open: object[] = []
  let left = most
  const look = (value: unknown) => {
    if (typeof value === 'object' && value !== null) open.push(value)
  }
  look(document)
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const members: readonly unknown[] = Array.isArray(one) ? one : Object.values(one)
    left -= members.length
    if (left < 0) return true
    for (const member of members) look(member)
  }
  return false
}
