/** An invalid selector text or object; callers respond with 400 and its message. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
}
