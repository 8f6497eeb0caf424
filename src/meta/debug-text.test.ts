import { expect, test } from 'vitest'
import { LabelSelector } from '../kinds/meta/label-selector.ts'
import { debugList, debugObject, debugTime } from './debug-text.ts'
import { renderValue } from './field-errors.ts'

const selector = (value: object) => debugObject(LabelSelector, value as LabelSelector)

for (const [name, value, text] of [
  ['nothing', undefined, '"null"'],
  ['null', null, '"null"'],
  ['a text', 'a"b', '"a\\"b"'],
  ['a number', 5, '5'],
  ['true', true, 'true'],
  ['a time', debugTime('2024-01-02T03:04:05Z'), '2024-01-02 03:04:05 +0000 UTC'],
  ['no time', debugTime(undefined), '"null"'],
  ['words', debugList('core.Word', ['a', 'b']), '[]core.Word{"a", "b"}'],
  ['no words', debugList('core.Word', undefined), '[]core.Word(nil)'],
  ['no selector', debugObject(LabelSelector, undefined), '"null"'],
  [
    'a selector',
    selector({ matchLabels: { b: '2', a: '1' } }),
    'v1.LabelSelector{MatchLabels:map[string]string{"a":"1", "b":"2"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}',
  ],
  [
    'an expression',
    selector({
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['x'] },
        { key: 'b', operator: 'Exists' },
      ],
    }),
    'v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement{v1.LabelSelectorRequirement{Key:"a", Operator:"In", Values:[]string{"x"}}, v1.LabelSelectorRequirement{Key:"b", Operator:"Exists", Values:[]string(nil)}}}',
  ],
] as const) {
  test(`${name} in an error`, () => expect(renderValue(value)).toBe(text))
}

test('long text is truncated', () => {
  const text = renderValue(selector({ matchLabels: { a: 'x'.repeat(5000) } }))
  expect([text.length, text.endsWith('...')]).toEqual([1027, true])
})
