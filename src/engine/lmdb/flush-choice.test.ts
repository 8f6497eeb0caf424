import { expect, test } from 'vitest'
import { FlushChoice } from './flush-choice.ts'

/** Transactions with the number of their commits and how long each takes, milliseconds. */
type Run = readonly (readonly [commits: number, ms: number])[]

const alone = (count: number, ms = 0.2): Run =>
  Array.from({ length: count }, () => [1, ms] as const)

const cases: readonly (readonly [name: string, run: Run, atOnce: string])[] = [
  ['a client alone, after a while', alone(19), '................|||'],
  ['two commits in one transaction', [...alone(17), [2, 0.2], ...alone(2)], '................|...'],
  ['alone again', [...alone(17), [2, 0.2], ...alone(17)], `................|.${'.'.repeat(16)}|`],
  ['a slow disk', alone(20, 1), '.'.repeat(20)],
  ['a flush that took long', [...alone(17), [1, 8], ...alone(2)], '................||.|'],
]

test.each(cases)('%s', (_, run, atOnce) => {
  const choice = new FlushChoice()
  const chosen = run.map(([commits, ms]) => {
    const isAtOnce = choice.isAtOnce(commits)
    choice.took(ms)
    return isAtOnce ? '|' : '.'
  })
  expect(chosen.join('')).toBe(atOnce)
})
