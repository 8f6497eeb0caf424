/** A selector text or object that cannot be used; callers answer 400 with its message. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
}
