import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { Connection } from './connection.ts'

type Left = readonly [member: string, isOut?: 'out']

test.each<{ title: string; left: readonly Left[]; used: readonly string[] }>([
  { title: 'members are used by turns', left: [['a'], ['b'], ['c']], used: ['b', 'c', 'a'] },
  { title: 'one that was left already is not left twice', left: [['a'], ['a']], used: ['b', 'b'] },
  {
    title: 'one that cannot be reached is passed over',
    left: [['a', 'out'], ['b'], ['c'], ['b']],
    used: ['b', 'c', 'b', 'c'],
  },
  {
    title: 'one that is left alone is stayed with',
    left: [['a', 'out'], ['b', 'out'], ['c'], ['c']],
    used: ['b', 'c', 'c', 'c'],
  },
  {
    title: 'when none can be reached, all are tried',
    left: [
      ['a', 'out'],
      ['b', 'out'],
      ['c', 'out'],
      ['a', 'out'],
    ],
    used: ['b', 'c', 'a', 'b'],
  },
])('$title', ({ left, used }) => {
  const url = (member: string) => `http://${member}:2379`
  const connection = new Connection({
    servers: ['a', 'b', 'c'].map(url),
    requestTimeoutMs: 1000,
    clock: systemClock,
  })
  const seen = left.map(([member, isOut]) => {
    connection.leave(url(member), { isOut: isOut === 'out' })
    return connection.server
  })
  expect(seen).toEqual(used.map(url))
  connection.close()
})
