import { expect, test } from 'vitest'
import { describeChange } from './describe-change.ts'

for (const { name, old, next, lines } of [
  { name: 'nothing', old: {}, next: {}, lines: [] },
  { name: 'the same', old: { a: 1 }, next: { a: 1 }, lines: ['  \t... // 1 identical field'] },
  {
    name: 'other values',
    old: { same: [1], also: '', text: 'a', list: [1] },
    next: { same: [1], also: '', text: 'b', list: [1, 2] },
    lines: [
      '- \tText: "a",',
      '+ \tText: "b",',
      '- \tList: [1],',
      '+ \tList: [1,2],',
      '  \t... // 2 identical fields',
    ],
  },
  {
    name: 'what comes and what goes',
    old: { gone: true },
    next: { new: { x: null } },
    lines: ['- \tGone: true,', '+ \tGone: nil,', '- \tNew: nil,', '+ \tNew: {"x":null},'],
  },
]) {
  test(name, () =>
    expect(describeChange('core.Thing', old, next)).toBe(
      ['  core.Thing{', ...lines, '  }', ''].join('\n'),
    ),
  )
}

test('large values are truncated, and many members counted', () => {
  const text = describeChange('T', { a: 'x'.repeat(1_000_000) }, { a: 'y' })
  expect(text.length).toBeLessThan(400)
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`m${i}`, i]))
  expect(describeChange('T', {}, many).split('\n').slice(-3)).toEqual([
    '  \t... // 8 different fields',
    '  }',
    '',
  ])
})
