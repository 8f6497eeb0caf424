import { expect, test } from 'vitest'
import { readPlain } from './yaml-scalars.ts'

for (const [value, ...texts] of [
  [null, '', '~', 'null', 'Null', 'NULL'],
  [true, 'y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'],
  [false, 'n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'],
  [0, '0', '-0', '+0', '00', '0x0', '0b0', '0o0'],
  [1000, '1000', '+1000', '1_000', '1e3', '1E+3', '1000.', '1000.0', '0x3e8', '0X3E8', '01750'],
  [-8, '-8', '-010', '-0o10', '-0x8', '-0b1000', '-8.0'],
  [9, '09', '9'],
  [0.5, '.5', '0.5', '5e-1', '.5e0'],
  [9007199254740991, '9007199254740991'],
  [9007199254740992n, '9007199254740992', '0x20000000000000'],
  [-9223372036854775808n, '-9223372036854775808', '-9_223_372_036_854_775_808'],
  [Infinity, '.inf', '+.Inf', '-.INF'],
  [Number.NaN, '.nan', '.NaN'],
] as const) {
  for (const text of texts) test(`${text} is ${value}`, () => expect(readPlain(text)).toBe(value))
}

const TEXTS = `
  yEs tRUE nULL none o onn Infinity NaN nan inf
  2001-01-01 2001-01-01T00:00:00Z 12:30:45 190:20:30.15 1.2.3 10.0.0.1
  - + . .. -. +-1 1- 1e e3 1e3e 0x 0b2 0o8 0xg ._5 1,000 100m 1Gi 1e999 _1 =
`

for (const text of [...TEXTS.trim().split(/\s+/), '- 1', '9'.repeat(321)]) {
  test(`${text.slice(0, 30)} is text`, () => expect(readPlain(text)).toBe(text))
}
