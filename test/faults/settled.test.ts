/** Histories of a store that outlives its servers: what was not answered may happen long after. */
import { expect, test } from 'vitest'
import { checkAgainstLog } from './against-log.ts'
import { findLinearization } from './linearizable.ts'
import { settled, Told } from './settled.ts'
import { simulate, type Simulated } from './simulate.fixture.ts'

const faultOf = ({ operations, log }: Simulated) =>
  findLinearization(settled(operations, log, new Told(operations)), log)

test.each([false, true])('every history of a real store is taken; late effects: %s', (late) => {
  for (let seed = 1; seed <= 60; seed++) {
    const history = simulate(seed, { keys: 1, clients: 5, steps: 400, late })
    expect({ seed, fault: faultOf(history), log: checkAgainstLog(...both(history)) }).toEqual({
      seed,
      fault: null,
      log: [],
    })
  }
})

test('an answer that was not so is found, whatever else is not known', () => {
  let found = 0
  let made = 0
  for (let seed = 1; seed <= 100; seed++) {
    const { operations, log } = simulate(seed, { keys: 1, clients: 4, steps: 300, late: true })
    const reads = operations.flatMap(({ kind, outcome }, i) =>
      kind === 'get' && outcome.is === 'done' ? [{ i, outcome }] : [],
    )
    const [first, last] = [reads.at(0), reads.at(-1)]
    if (!first || !last || first.outcome.seen.value === last.outcome.seen.value) continue
    made++
    const broken = operations.map((operation, i) =>
      i === last.i ? { ...operation, outcome: first.outcome } : operation,
    )
    if (faultOf({ operations: broken, log }) !== null) found++
  }
  expect({ found, enough: made > 50 }).toEqual({ found: made, enough: true })
})

test('revisions are told by the first answer that has them or later ones', () => {
  const { operations } = simulate(3, { keys: 2, clients: 3, steps: 200 })
  const told = new Told(operations)
  const answers = operations.flatMap(({ outcome, completed }) =>
    outcome.is === 'done' ? [{ revision: outcome.seen.revision, completed }] : [],
  )
  const lists = operations.flatMap(({ outcome, completed }) =>
    outcome.is === 'listed' ? [{ revision: outcome.at, completed }] : [],
  )
  const all = [...answers, ...lists]
  for (let revision = 1; revision < 60; revision++) {
    const ticks = all.flatMap((one) => (one.revision >= revision ? [one.completed] : []))
    expect(told.of(revision)).toBe(Math.min(...ticks))
  }
})

const both = ({ operations, log }: Simulated) => [operations, log] as const
