import { formatJson } from './json-text.ts'

/** JSON values that never change and whose text is known, so that writing one copies its text. */
const texts = new WeakMap<object, string>()

/** Remembers the text of a value, which must not be changed from now on. */
export function keepText<T extends object>(value: T, text: string): T {
  texts.set(value, text)
  return value
}

/** The JSON text of a value. */
export function textOf(value: unknown): string {
  const known = typeof value === 'object' && value !== null ? texts.get(value) : undefined
  if (known !== undefined) return known
  try {
    return JSON.stringify(value)
  } catch (error) {
    // A large integer, which few values have: the others are not searched for one.
    if (error instanceof TypeError) return formatJson(value)
    throw error
  }
}
