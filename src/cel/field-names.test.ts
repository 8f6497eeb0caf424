import { expect, test } from 'vitest'
import { escapeFieldName } from './field-names.ts'

for (const [name, escaped] of [
  ['plain', 'plain'],
  ['_x9', '_x9'],
  ['a_b', 'a_b'],
  ['a__b', 'a__underscores__b'],
  ['a___b', 'a__underscores___b'],
  ['a.b', 'a__dot__b'],
  ['a-b', 'a__dash__b'],
  ['a/b', 'a__slash__b'],
  ['a__dot__b', 'a__underscores__dot__underscores__b'],
  ['if', '__if__'],
  ['in', '__in__'],
  ['namespace', '__namespace__'],
  ['int', 'int'],
  ['1a', null],
  ['a b', null],
  ['é', null],
  ['$ref', null],
  ['', null],
] as const) {
  test(JSON.stringify(name), () => expect(escapeFieldName(name)).toBe(escaped))
}
