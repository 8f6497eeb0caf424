/** The checkers against brute force, and against histories that were broken on purpose. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkAgainstLog } from './against-log.ts'
import type { Committed, Operation, Outcome, Seen } from './history.ts'
import { apply, bind, findLinearization } from './linearizable.ts'
import { simulate, type Simulated } from './simulate.fixture.ts'

/** Tries every subset of the unanswered operations in every order. */
function bruteForce(operations: readonly Operation[]): boolean {
  const bindings = new Map<string, Seen>()
  if (bind(operations, [], bindings) !== null) return false
  const go = (state: string | null, left: readonly Operation[]): boolean => {
    if (left.every(({ outcome }) => outcome.is === 'unknown')) return true
    const deadline = Math.min(...left.map(({ completed }) => completed))
    return left.some((operation) => {
      if (operation.invoked > deadline) return false
      const rest = left.filter((other) => other !== operation)
      if (operation.outcome.is === 'unknown' && go(state, rest)) return true
      const next = apply(operation, state, bindings)
      return next !== undefined && go(next, rest)
    })
  }
  return go(null, operations)
}

describe('the search', () => {
  test('says of random small histories what brute force says', () => {
    let good = 0
    let bad = 0
    fc.assert(
      fc.property(anyHistory(), (operations) => {
        const expected = bruteForce(operations)
        if (expected) good++
        else bad++
        expect(findLinearization(operations) === null).toBe(expected)
      }),
      { numRuns: 3000, seed: 7 },
    )
    expect({ good: good > 300, bad: bad > 300 }).toEqual({ good: true, bad: true })
  })

  test('takes every history of a real register', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const { operations, log } = simulate(seed, { keys: 1, clients: 4, steps: 60 })
      expect({ seed, wrong: findLinearization(operations) }).toEqual({ seed, wrong: null })
      expect({ seed, wrong: findLinearization(operations, log) }).toEqual({ seed, wrong: null })
    }
  })
})

describe('the check against the log', () => {
  test('takes every history of a real store', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const { operations, log } = simulate(seed, { keys: 3, clients: 6, steps: 150 })
      expect({ seed, wrong: checkAgainstLog(operations, log) }).toEqual({ seed, wrong: [] })
    }
  })

  test('finds no fault where the search finds none, and all that the search finds', () => {
    let bad = 0
    for (let seed = 1; seed <= 600; seed++) {
      const { operations, log } = simulate(seed, { keys: 1, clients: 3, steps: 40 })
      const broken = breakSomething(operations, seed)
      if (findLinearization(broken, log) === null) continue
      bad++
      expect({ seed, found: checkAgainstLog(broken, log).length > 0 }).toEqual({
        seed,
        found: true,
      })
    }
    expect(bad).toBeGreaterThan(50)
  })
})

describe.each(faults())('$name', ({ make, search }) => {
  test('is found', () => {
    let made = 0
    for (let seed = 1; seed <= 120; seed++) {
      const broken = make(simulate(seed, { keys: 1, clients: 3, steps: 40 }))
      if (!broken) continue
      made++
      const found = checkAgainstLog(broken.operations, broken.log)
      expect({ seed, found: found.length > 0 }).toEqual({ seed, found: true })
      if (search)
        expect({ seed, wrong: findLinearization(broken.operations, broken.log) }).not.toEqual({
          seed,
          wrong: null,
        })
    }
    expect(made).toBeGreaterThan(20)
  })
})

interface Broken {
  readonly name: string
  /** Whether the search sees it too, which takes the log for revisions only. */
  readonly search: boolean
  make(history: Simulated): Pick<Simulated, 'operations' | 'log'> | null
}

/** What a store that is wrong would tell. */
function faults(): readonly Broken[] {
  const change = (
    { operations, log }: Simulated,
    pick: (operation: Operation) => boolean,
    to: (operation: Operation, log: readonly Committed[]) => Partial<Operation> | null,
  ) => {
    const index = operations.findIndex(
      (operation) => pick(operation) && to(operation, log) !== null,
    )
    if (index === -1) return null
    const changed = { ...operations[index]!, ...to(operations[index]!, log) }
    return { operations: operations.with(index, changed), log }
  }
  const isGet = ({ kind, outcome }: Operation) => kind === 'get' && outcome.is === 'done'
  /** The value before the one that stands when `at` comes, if it was overwritten before. */
  const stale = (operation: Operation, operations: readonly Operation[]): Outcome | null => {
    if (operation.outcome.is !== 'done') return null
    const { revision } = operation.outcome.seen
    for (const { outcome, kind, completed } of operations) {
      if (outcome.is !== 'done' || kind === 'get') continue
      if (outcome.seen.revision < revision && completed < operation.invoked) {
        const later = operations.some(
          (other) =>
            other.outcome.is === 'done' &&
            other.kind !== 'get' &&
            other.outcome.seen.revision > outcome.seen.revision &&
            other.completed < operation.invoked,
        )
        if (later) return outcome
      }
    }
    return null
  }
  return [
    {
      name: 'a get that tells an old value',
      search: true,
      make: (history) =>
        change(history, isGet, (operation) => {
          const outcome = stale(operation, history.operations)
          return outcome && { outcome }
        }),
    },
    {
      name: 'a get that misses the object',
      search: false,
      make: (history) =>
        change(
          history,
          (operation) => isGet(operation) && !history.log.some(({ type }) => type === 'DELETED'),
          (operation, log) =>
            log[0] &&
            history.operations.some(
              ({ kind, outcome, completed }) =>
                kind === 'create' && outcome.is === 'done' && completed < operation.invoked,
            )
              ? { outcome: { is: 'absent' } }
              : null,
        ) ?? deletedNever(history),
    },
    {
      name: 'an acknowledged write that is lost',
      search: false,
      make: ({ operations, log }) => {
        const lost = log.find(
          ({ value, type }) =>
            type === 'MODIFIED' &&
            operations.some((o) => o.value === value && o.outcome.is === 'done'),
        )
        return lost ? { operations, log: log.filter((event) => event !== lost) } : null
      },
    },
    {
      name: 'an update that ignores the expected revision',
      search: true,
      make: (history) =>
        change(
          history,
          ({ kind, outcome, expected }) =>
            kind === 'update' && outcome.is === 'done' && expected !== undefined,
          (operation) => ({ expected: operation.expected! - 1 }),
        ),
    },
    {
      name: 'a refused write that takes effect',
      search: true,
      make: (history) =>
        change(
          history,
          (operation) =>
            operation.kind === 'update' &&
            operation.outcome.is === 'done' &&
            history.operations.some(
              ({ kind, outcome }) =>
                kind === 'get' && outcome.is === 'done' && outcome.seen.value === operation.value,
            ),
          () => ({ outcome: { is: 'conflict' } }),
        ),
    },
    {
      name: 'a deletion that is acknowledged twice',
      search: false,
      make: ({ operations, log }) => {
        const one = operations.find(({ outcome }) => outcome.is === 'deleted')
        if (!one) return null
        const end = Math.max(
          ...operations.map((o) => (o.completed === Infinity ? o.invoked : o.completed)),
        )
        return {
          operations: [...operations, { ...one, invoked: end + 1, completed: end + 2 }],
          log,
        }
      },
    },
    {
      name: 'a create over an object',
      search: false,
      make: (history) =>
        change(
          history,
          ({ kind, outcome, expected }) =>
            kind === 'update' && outcome.is === 'done' && expected !== undefined,
          () => ({ kind: 'create' }),
        ),
    },
    {
      name: 'a write that takes effect before it is asked for',
      search: true,
      make: (history) => {
        const read = history.operations.find(
          ({ kind, outcome }) => kind === 'get' && outcome.is === 'done',
        )
        if (!read || read.outcome.is !== 'done') return null
        const { value } = read.outcome.seen
        const end = Math.max(...history.operations.map(({ invoked }) => invoked))
        return change(
          history,
          (operation) => operation.value === value && operation.outcome.is === 'done',
          () => ({ invoked: end + 1000, completed: end + 1001 }),
        )
      },
    },
    {
      name: 'a change that nobody asked for',
      search: false,
      make: ({ operations, log }) => {
        const last = log.at(-1)
        if (!last || last.type === 'DELETED') return null
        const event = {
          ...last,
          type: 'MODIFIED' as const,
          revision: last.revision + 5,
          value: 'x',
        }
        return { operations, log: [...log, event] }
      },
    },
  ]
}

/** A get in the middle of a life that was never ended. */
function deletedNever({ operations, log }: Simulated) {
  const born = log.filter(({ type }) => type === 'ADDED').at(-1)
  if (!born || log.some(({ type, revision }) => type === 'DELETED' && revision > born.revision))
    return null
  const create = operations.find(({ value }) => value === born.value)
  if (!create || create.completed === Infinity) return null
  const end = Math.max(
    ...operations.map((o) => (o.completed === Infinity ? o.invoked : o.completed)),
  )
  const get: Operation = {
    kind: 'get',
    key: born.key,
    invoked: end + 1,
    completed: end + 2,
    outcome: { is: 'absent' },
  }
  return { operations: [...operations, get], log }
}

/** Gives one answer that another operation had. */
function breakSomething(operations: readonly Operation[], seed: number): readonly Operation[] {
  const gets = operations.filter(({ kind }) => kind === 'get')
  const one = gets[seed % Math.max(1, gets.length)]
  const other = gets[(seed * 7 + 3) % Math.max(1, gets.length)]
  if (!one || !other) return operations
  return operations.map((operation) =>
    operation === one ? { ...operation, outcome: other.outcome } : operation,
  )
}

/** Up to six operations with times and answers at random, with values few enough to meet. */
function anyHistory(): fc.Arbitrary<readonly Operation[]> {
  const spans = fc.uniqueArray(fc.nat(40), { minLength: 12, maxLength: 12 })
  const parts = fc.array(
    fc.record({
      kind: fc.constantFrom('create', 'update', 'delete', 'get'),
      known: fc.integer({ min: 0, max: 5 }),
      told: fc.constantFrom('good', 'good', 'good', 'bad', 'unknown'),
      expects: fc.boolean(),
    }),
    { minLength: 2, maxLength: 6 },
  )
  return fc.tuple(spans, parts).map(([times, asked]) =>
    asked.map(({ kind, known, told, expects }, i): Operation => {
      const [invoked, completed] = [times[2 * i]!, times[2 * i + 1]!].sort((a, b) => a - b)
      const value = `v${i}`
      const seen = (n: number): Seen => ({ revision: n + 1, value: `v${n}`, uid: 'u' })
      const good: Outcome =
        kind === 'delete'
          ? { is: 'deleted', uid: 'u' }
          : { is: 'done', seen: seen(kind === 'get' ? known : i) }
      const bad: Outcome = {
        is: kind === 'create' ? 'exists' : kind === 'get' || !expects ? 'absent' : 'conflict',
      }
      return {
        kind: kind,
        key: 'k',
        ...(kind === 'create' || kind === 'update' ? { value } : {}),
        ...((kind === 'update' || kind === 'delete') && expects ? { expected: known + 1 } : {}),
        invoked: invoked!,
        completed: told === 'unknown' && known % 2 === 0 ? Infinity : completed!,
        outcome: told === 'good' ? good : told === 'bad' ? bad : { is: 'unknown' },
      }
    }),
  )
}
