import { describe, expect, test } from 'vitest'
import { codecOf, Decoding } from './codec.ts'
import { home, t } from '../notation/shape.ts'

const { shape } = home('test/v1')
class Sample extends shape({
  list: t.list(1, 'string'),
  seen: t.list(2, 'string').seenEmpty(),
  always: t.list(3, 'string').required(),
  map: t.map(4, 'string'),
}) {}

describe('empty lists and maps', () => {
  const codec = codecOf(Sample.shape)
  for (const [given, read] of [
    [{}, { always: [] }],
    [{ list: null, seen: null, always: null, map: null }, { always: [] }],
    [
      { list: [], seen: [], always: [], map: {} },
      { seen: [], always: [] },
    ],
    [
      { list: [''], seen: [''], always: [''], map: { a: '' } },
      { list: [''], seen: [''], always: [''], map: { a: '' } },
    ],
  ] as const) {
    test(JSON.stringify(given), () => expect(codec.decode(given, new Decoding())).toEqual(read))
  }

  test('are omitted unless always written', () =>
    expect(codec.plain({ list: [], seen: [], always: [], map: {} })).toEqual({ always: [] }))
})
