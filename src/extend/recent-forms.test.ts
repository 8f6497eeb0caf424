import { expect, test } from 'vitest'
import { RecentForms, type FormHolder } from './recent-forms.ts'

/** A holder of a form that counts how often it was made. */
class Held implements FormHolder {
  made = 0
  #isThere = false
  #used = false
  readonly #recent: RecentForms
  constructor(recent: RecentForms) {
    this.#recent = recent
  }
  use(): void {
    this.#used = true
    if (this.#isThere) return
    this.#isThere = true
    this.made++
    this.#recent.add(this)
  }
  wasUsed(): boolean {
    const used = this.#used
    this.#used = false
    return used
  }
  drop(): void {
    this.#isThere = false
  }
}

test('what is used stays, and what is not is made again', () => {
  const recent = new RecentForms(2)
  const [a, b, c] = [new Held(recent), new Held(recent), new Held(recent)] as const
  for (const one of [a, b, c]) one.use()
  // All were used; the first in turn went.
  for (let i = 0; i < 20; i++) {
    a.use()
    c.use()
  }
  expect([a.made, b.made, c.made]).toEqual([2, 1, 1])
  b.use()
  expect(b.made).toBe(2)
})

test('there are never more than the most', () => {
  const recent = new RecentForms(3)
  const all = Array.from({ length: 50 }, () => new Held(recent))
  let held = 0
  for (const one of all) {
    const drop = one.drop.bind(one)
    one.drop = () => {
      held--
      drop()
    }
    one.use()
    held++
    expect(held).toBeLessThanOrEqual(3)
  }
})
