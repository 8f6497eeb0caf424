import { expect, test } from 'vitest'
import { FieldErrors } from './field-errors.ts'
import { checkPart, KnownParts } from './known-parts.ts'

const asked: string[] = []

function rule(part: { readonly is: string }, errors: FieldErrors): void {
  asked.push(part.is)
  if (part.is === 'bad') errors.invalid(part.is, 'is bad')
}

/** The rule as another one. */
const other: typeof rule = (part, errors) => rule(part, errors)

test('a part that passed a rule is not checked again once its object is stored', () => {
  const known = new KnownParts()
  const good = { is: 'good' }
  const bad = { is: 'bad' }
  const errors = new FieldErrors()
  const check = (parts = known.begin()) => {
    asked.length = 0
    for (const part of [good, bad]) checkPart(part, errors.at(part.is), { parts }, rule)
    return [...asked]
  }
  const first = known.begin()
  expect(check(first)).toEqual(['good', 'bad'])
  // Its write may still be refused, and its parts changed.
  expect(check()).toEqual(['good', 'bad'])
  first.settle()
  expect(check()).toEqual(['bad'])
  expect(errors.list.map(({ field }) => field)).toEqual(['bad', 'bad', 'bad'])
  asked.length = 0
  checkPart({ ...good }, errors, { parts: known.begin() }, rule)
  checkPart(good, errors, { parts: known.begin() }, other)
  checkPart(good, errors, {}, rule)
  expect(asked).toEqual(['good', 'good', 'good'])
})

test('a part that is like one that passed counts for the next write of its object alone', () => {
  const known = new KnownParts()
  const [root, part] = [{ is: 'good' }, { is: 'good' }]
  const first = known.begin()
  first.addLike(rule, part, root)
  expect(first.likeOf(rule, part)).toBe(root)
  expect(first.likeOf(other, part)).toBeNull()
  expect(first.likeOf(rule, root)).toBeNull()
  expect(first.pass(rule, part)).toBe(false)
  first.settle()
  expect(known.begin().pass(rule, part)).toBe(false)
  const next = known.begin(null, first.alike)
  expect(next.pass(rule, part)).toBe(true)
  expect(next.pass(other, part)).toBe(false)
  // What it says nothing about stays known.
  expect(next.alike).toBe(first.alike)
})
