import { expect, test } from 'vitest'
import { changesOf } from './synthesized-events.ts'

test('a gap is closed with the fewest changes, in order', () => {
  const kv = (key: string, created: number, changed: number) => ({
    key,
    value: Buffer.from(key),
    created,
    changed,
    version: 1,
    lease: '0',
  })
  const changes = changesOf({
    before: new Map([
      ['kept', 1],
      ['updated', 2],
      ['deleted', 3],
      ['anew', 4],
    ]),
    after: new Set(['kept', 'updated', 'anew', 'made']),
    changed: [kv('anew', 12, 15), kv('made', 11, 11), kv('updated', 2, 14)],
    end: 20,
  })
  expect(
    changes.map(({ deleted, item }) => `${item.changed} ${deleted ? '-' : '+'} ${item.key}`),
  ).toEqual(['11 + made', '12 - anew', '14 + updated', '15 + anew', '20 - deleted'])
})
