import { plainError } from '../meta/errors.ts'

/** Largest value of a resourceVersion. */
const MAX = 2n ** 64n - 1n

/**
 * The revision that a resourceVersion in a body names; 0 when absent or `0`. Throws the plain 500 that clients know for
 * text that is not a number.
 */
export function namedRevision(text: string | undefined): bigint {
  if (text === undefined || text === '') return 0n
  const revision = /^\d+$/.test(text) && text.length <= 1024 ? BigInt(text) : null
  if (revision === null) throw notNumeric(text, 'invalid syntax')
  if (revision > MAX) throw notNumeric(text, 'value out of range')
  return revision
}

/** Whether a create treats it as unset: text that is not a number is ignored there, like `0`. */
export function meansUnset(text: string | undefined): boolean {
  if (text === undefined || !/^\d+$/.test(text) || text.length > 1024) return true
  const revision = BigInt(text)
  return revision === 0n || revision > MAX
}

const SHOWN = 64

function notNumeric(text: string, why: string) {
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text
  return plainError(`strconv.ParseUint: parsing ${JSON.stringify(shown)}: ${why}`)
}
