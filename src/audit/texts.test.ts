import { describe, expect, test } from 'vitest'
import { madeJson, sentJson } from './object-json.ts'
import { sourceAddresses } from './source-addresses.ts'
import { EventTimes } from './times.ts'
import { partsOf } from './truncation.ts'

describe('source addresses', () => {
  for (const [name, headers, remote, found] of [
    ['the connection', {}, '1.2.3.4', ['1.2.3.4']],
    ['a mapped address', {}, '::ffff:1.2.3.4', ['1.2.3.4']],
    ['unknown', {}, '', []],
    [
      'proxies',
      { 'x-forwarded-for': '5.6.7.8, x,fd00::1' },
      '1.2.3.4',
      ['5.6.7.8', 'fd00::1', '1.2.3.4'],
    ],
    ['the last proxy is the connection', { 'x-forwarded-for': '5.6.7.8' }, '5.6.7.8', ['5.6.7.8']],
    ['a real address', { 'x-real-ip': '5.6.7.8' }, '1.2.3.4', ['5.6.7.8', '1.2.3.4']],
    [
      'a real address among the proxies',
      { 'x-forwarded-for': '5.6.7.8,9.9.9.9', 'x-real-ip': '5.6.7.8' },
      '1.2.3.4',
      ['5.6.7.8', '9.9.9.9', '1.2.3.4'],
    ],
  ] as [string, Record<string, string>, string, string[]][]) {
    test(name, () => expect(sourceAddresses(headers, remote)).toEqual(found))
  }
})

test('times have microseconds', () => {
  const times = new EventTimes()
  const at = Date.parse('2024-01-02T03:04:05.006Z')
  expect(times.text(at)).toBe('2024-01-02T03:04:05.006000Z')
  expect(times.text(at + 94)).toBe('2024-01-02T03:04:05.100000Z')
  expect(times.text(at + 995)).toBe('2024-01-02T03:04:06.001000Z')
  expect(times.text(at)).toBe('2024-01-02T03:04:05.006000Z')
})

describe('objects', () => {
  const managed = { metadata: { name: 'a', managedFields: [{}] } }
  for (const [name, sent, omit, text] of [
    [
      'whitespace goes',
      '{\n "a": 1,\n "b": 12345678901234567890 }',
      false,
      '{"a":1,"b":12345678901234567890}',
    ],
    ['fields stay', JSON.stringify(managed), false, JSON.stringify(managed)],
    ['fields go', JSON.stringify(managed), true, '{"metadata":{"name":"a"}}'],
    [
      'those of items go',
      JSON.stringify({ items: [managed, 1] }),
      true,
      '{"items":[{"metadata":{"name":"a"}},1]}',
    ],
    ['what is not JSON', '{"kind":"x"},"user":{}', false, null],
    ['a list', '[1, 2]', true, '[1,2]'],
  ] as [string, string, boolean, string | null][]) {
    test(name, () => {
      expect(sentJson(Buffer.from(sent), omit)).toBe(text)
      if (omit && text !== null)
        expect(madeJson(Buffer.from(JSON.stringify(JSON.parse(sent))), omit)).toBe(text)
    })
  }
})

test('batches are cut by size', () => {
  expect(partsOf(['aa', 'bb', 'c', 'dddddd', 'e'], 4)).toEqual([
    ['aa', 'bb'],
    ['c'],
    ['dddddd'],
    ['e'],
  ])
})
