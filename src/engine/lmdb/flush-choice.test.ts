import { expect, test } from 'vitest'
import { FlushChoice } from './flush-choice.ts'

/** Transactions with the number of their commits, how long each takes, milliseconds, and other requests before it. */
type Run = readonly (readonly [commits: number, ms: number, others?: number])[]

const some = (count: number, commits: number, ms = 0.2): Run =>
  Array.from({ length: count }, () => [commits, ms] as const)
const beside = (others: number, count: number): Run =>
  Array.from({ length: count }, () => [8, 0.2, others] as const)
const alone = (count: number, ms?: number): Run => some(count, 1, ms)

const cases: readonly (readonly [name: string, run: Run, atOnce: string])[] = [
  ['a client alone, after a while', alone(19), '................|||'],
  ['two commits in one transaction', [...alone(17), [2, 0.2], ...alone(2)], '................|...'],
  ['alone again', [...alone(17), [2, 0.2], ...alone(17)], `................|.${'.'.repeat(16)}|`],
  ['a slow disk, one alone', alone(20, 1), '.'.repeat(20)],
  [
    'a flush that took long, one alone',
    [...alone(17), [1, 8], ...alone(2)],
    '................||.|',
  ],
  ['several commits, once it is known how long flushes take', some(4, 4), '.|||'],
  ['as many as a flush is worth', [...some(2, 3), ...some(2, 4), ...some(1, 3)], '..||.'],
  ['many commits, and a disk that is not fast', some(3, 100, 1.1), '...'],
  ['one flush of several that took longer', [...some(2, 8), [8, 4], ...some(4, 8)], '.||....'],
  ['which is forgotten', [...some(2, 8), [8, 4], ...some(8, 8), ...some(2, 8)], '.||.......|||'],
  [
    'a flush that kept everything waiting for long',
    [[8, 0.2], [8, 10], ...some(1000, 100), ...some(2, 100)],
    `.|${'.'.repeat(1000)}||`,
  ],
  ['few other requests', beside(2, 4), '.|||'],
  ['many other requests', beside(3, 30), '.'.repeat(30)],
  [
    'other requests that end',
    [...beside(0, 2), ...beside(40, 1), ...beside(0, 9), ...beside(0, 2)],
    `.|.${'.'.repeat(8)}|||`,
  ],
  [
    'and one alone',
    [...alone(17), [1, 10], ...alone(1001)],
    `${'.'.repeat(16)}||${'.'.repeat(1000)}|`,
  ],
  [
    'a flush of the other thread that took long',
    [[8, 10], ...some(60, 100)],
    `.${'.'.repeat(19)}${'|'.repeat(41)}`,
  ],
]

test.each(cases)('%s', (_, run, atOnce) => {
  let requests = 0
  const choice = new FlushChoice(() => requests)
  const chosen = run.map(([commits, ms, others = 0]) => {
    requests += commits + others
    const isAtOnce = choice.isAtOnce(commits)
    choice.took(ms, isAtOnce)
    return isAtOnce ? '|' : '.'
  })
  expect(chosen.join('')).toBe(atOnce)
})
