/**
 * A number in the spelling of the exposition formats that clients know: the shortest digits, with an exponent from 1e+06 on
 * and below 1e-04. Bounds of buckets are label values, so the spelling is part of their name.
 */
export function numberText(value: number): string {
  if (Number.isInteger(value) && value < 1e6 && value > -1e6) return String(value)
  if (Number.isNaN(value)) return 'NaN'
  if (value === Infinity) return '+Inf'
  if (value === -Infinity) return '-Inf'
  const size = Math.abs(value)
  if (size >= 1e-4 && size < 1e6) return String(value)
  const digits = value.toExponential()
  const [mantissa = '', exponent = ''] = digits.split('e')
  const sign = exponent.startsWith('-') ? '-' : '+'
  return `${mantissa}e${sign}${exponent.slice(1).padStart(2, '0')}`
}
