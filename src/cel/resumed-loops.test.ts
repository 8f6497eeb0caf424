import { describe, expect, test } from 'vitest'
import { Budget } from './budget.ts'
import { type DeclaredType, INT_OR_TEXT, list, map, scalar, text } from './declared-type.ts'
import { Expressions } from './expressions.ts'

const field = (type: DeclaredType) => ({ type, takesSpace: false })
const item: DeclaredType = {
  is: 'object',
  fields: new Map([
    ['k', field(text())],
    ['v', field(scalar('int'))],
    ['n', field(list(scalar('int')))],
  ]),
}
const root: DeclaredType = {
  is: 'object',
  fields: new Map([
    ['l', field(list(scalar('int')))],
    ['t', field(list(text()))],
    ['o', field(list(item))],
    ['m', field(map(scalar('int')))],
    ['e', field(INT_OR_TEXT)],
    ['s', field(text())],
    ['set', field(list(text(), undefined, { by: 'value' }))],
  ]),
}
const expressions = new Expressions()
const self = {
  l: [3, 1, 2, 5],
  t: ['a', 'bb', 'ccc'],
  o: [
    { k: 'x', v: 1, n: [1, 2] },
    { k: 'y', v: 2, n: [] },
    { k: 'z', n: [7] },
  ],
  m: { a: 1, b: 2 },
  e: 'text',
  s: 'q,w,e',
  set: ['i', 'j'],
}

/** The outcome, what is left of the budget, and the pieces that it took. */
function evaluated(source: string, all: number, inPieces: boolean) {
  const made = expressions.compile(source, root)
  if ('problem' in made) throw new Error(made.problem)
  // Every piece ends as soon as it may.
  const budget = new Budget(all, 500, { ms: 0, charges: 1, now: () => 0 })
  const { expression } = made
  if (!inPieces) return { outcome: expression.evaluate(self, null, budget), left: budget.left }
  const steps = expression.evaluateInSteps(self, null, budget)
  for (let pieces = 1; ; pieces++) {
    const step = steps.next()
    if (step.done === true) return { outcome: step.value, left: budget.left, pieces }
  }
}

describe('an evaluation in pieces has the same outcome and cost', () => {
  for (const [source, pieces] of [
    ['self.l.all(x, x > 0)', 5],
    ['self.l.all(x, x > 1)', 3],
    ['self.l.exists(x, x == 2)', 4],
    ['self.l.exists_one(x, x == 2)', 5],
    ['self.l.exists_one(x, x < 3)', 5],
    ['self.l.filter(x, x > 1) == [3, 2, 5]', 5],
    ['self.l.map(x, x * 2) == [6, 2, 4, 10]', 5],
    ['self.l.map(x, x > 1, x + 1) == [4, 3, 6]', 5],
    ['self.l.filter(x, x > 2).map(x, x + 1).exists(y, y == 6)', 9],
    ['self.l.all(x, self.l.exists(y, x == y))', 15],
    ['self.l.map(x, self.t.map(y, y.size() > x)).size() == 4', 17],
    ['self.o.all(x, x.n.all(y, self.l.exists(z, z != y)))', 10],
    ['self.m.all(k, self.m[k] > 0)', 3],
    ['{"a": 1, "b": 2}.all(k, k != "")', 3],
    ['self.s.split(",").all(x, self.s.split("w").exists(y, y.contains(x) || true))', 7],
    ['self.set.all(x, x in (self.set + ["n"])) && (self.set + ["n"]).size() == 3', 3],
    ['self.l.all(x, x > 0) ? self.t.exists(x, x == "bb") : self.t.exists(x, x == "a")', 7],
    // Errors that are made up for, and others.
    ['self.o.exists(x, x.v == 2)', 3],
    ['self.o.all(x, x.v > 0)', 4],
    ['self.o.exists_one(x, x.v > 1)', 4],
    ['self.o.map(x, x.v).size() == 3', 4],
    ['self.o.all(x, x.v > 0) || self.l.exists(x, x == 5)', 8],
    ['self.l.exists(x, x == 5) || self.o.all(x, x.v > 0)', 5],
    ['self.o.all(x, x.v > 0) && self.l.all(x, x > 1)', 6],
    ['self.l.all(x, self.o.exists(y, y.v == x))', 14],
    ['self.e.all(x, x == "t")', 1],
    ['self.l.all(x, 1 / (x - 2) != 0 || true)', 5],
  ] as const)
    test(source, () => {
      const once = evaluated(source, 10_000, false)
      expect('stopped' in once.outcome).toBe(false)
      expect(evaluated(source, 10_000, true)).toEqual({ ...once, pieces })
    })

  for (const all of [0, 3, 10, 20, 30])
    test(`with a budget of ${all}`, () => {
      const source = 'self.l.all(x, self.l.exists(y, x == y)) || self.o.all(x, x.v > 0) || true'
      const once = evaluated(source, all, false)
      expect(once.outcome).toEqual({ outOfBudget: true })
      expect(evaluated(source, all, true)).toMatchObject(once)
    })
})

test('evaluations of one expression may be interleaved', () => {
  const made = expressions.compile(
    'self.l.map(x, self.l.filter(y, y > x).size()) == [1, 3, 2, 0]',
    root,
  )
  if ('problem' in made) throw new Error(made.problem)
  const begun = [self, { ...self, l: [1, 2, 3] }, self].map((one) =>
    made.expression.evaluateInSteps(
      one,
      null,
      new Budget(1e4, 1e4, { ms: 0, charges: 1, now: () => 0 }),
    ),
  )
  const ends: unknown[] = []
  while (ends.length < begun.length) {
    for (const steps of begun) {
      const step = steps.next()
      if (step.done === true && step.value) ends.push(step.value)
    }
  }
  expect(ends).toEqual([{ value: false }, { value: true }, { value: true }])
})
