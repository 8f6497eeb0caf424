/**
 * The value of a plain YAML scalar: YAML 1.1 booleans, integers in four bases, floats; everything else is text, dates
 * included. Integers beyond 2^53 become `bigint`.
 */
export function readPlain(text: string): string | number | bigint | boolean | null {
  switch (text) {
    case '':
    case '~':
    case 'null':
    case 'Null':
    case 'NULL':
      return null
  }
  const first = text.charCodeAt(0)
  const isNumeric =
    (first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d || first === 0x2e
  if (isNumeric) return readNumber(text) ?? text
  if (text.length > 5) return text
  if (TRUE.has(text)) return true
  if (FALSE.has(text)) return false
  return text
}

const TRUE = new Set(['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'])
const FALSE = new Set(['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'])

const INTEGER = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/

/** Longest text that is read as a number; the largest double has 309 digits. */
const MAX_LENGTH = 320

function readNumber(text: string): number | bigint | null {
  if (text.length > MAX_LENGTH) return null
  if (NOT_FINITE.test(text)) return text.endsWith('n') || text.endsWith('N') ? Number.NaN : Infinity
  const digits = text.startsWith('.') ? text : text.replaceAll('_', '')
  if (INTEGER.test(digits)) return readInteger(digits)
  if (!FLOAT.test(digits)) return null
  const value = Number(digits)
  return Number.isFinite(value) ? value : null
}

function readInteger(text: string): number | bigint {
  const negative = text.startsWith('-')
  let digits = negative || text.startsWith('+') ? text.slice(1) : text
  // A leading zero alone means base 8.
  if (/^0[0-7]/.test(digits)) digits = `0o${digits.slice(1)}`
  const exact = negative ? -BigInt(digits) : BigInt(digits)
  const value = Number(exact)
  return Number.isSafeInteger(value) ? value : exact
}
