import { describe, expect, test } from 'vitest'
import { YoungLimit, type Next } from './young-limit.ts'

const MIB = 1 << 20

/** What happens before a look: collections of so many milliseconds each, and how long it takes; and what comes of it. */
interface Step {
  readonly collections: number
  readonly eachMs?: number
  readonly ms?: number
  /** Size of the young generation when it is looked at, MiB; the limit by default. */
  readonly size?: number
  /** The limit after the look, MiB. */
  readonly limit: number
  /** 'go on' by default. */
  readonly next?: Next
}

const busy = { collections: 40, eachMs: 1.5 }
const none = { collections: 0 }
const times = (count: number, step: Step): Step[] => Array.from({ length: count }, () => step)
/** Costly for almost long enough. */
const begun = times(3, { ...busy, limit: 8 })

const CASES: Readonly<Record<string, readonly Step[]>> = {
  'stays small while collections are cheap': times(20, { collections: 40, eachMs: 0.5, limit: 8 }),
  'grows to its limit while they are costly': [
    ...begun,
    { ...busy, limit: 16 },
    { ...busy, limit: 32 },
    { ...busy, limit: 32 },
  ],
  'stays large while it is used up now and then': [
    ...begun,
    { ...busy, limit: 16 },
    { ...busy, limit: 32 },
    ...times(20, { collections: 1, eachMs: 2, limit: 32 }),
    ...times(9, { ...none, limit: 32 }),
    { collections: 1, eachMs: 2, limit: 32 },
    ...times(10, { ...none, limit: 32 }),
  ],
  'becomes small in two steps of six seconds without other collections, and rests': [
    ...begun,
    { ...busy, limit: 16 },
    { ...busy, limit: 32 },
    ...times(10, { ...none, limit: 32 }),
    { ...none, size: 32, limit: 8, next: 'collect young' },
    { collections: 1, eachMs: 2, size: 32, limit: 8 },
    ...times(10, { ...none, size: 32, limit: 8 }),
    { ...none, size: 32, limit: 8, next: 'collect all' },
    { ...none, size: 1, limit: 8, next: 'rest' },
  ],
  'begins again where it is used up between the steps': [
    ...begun,
    { ...busy, limit: 16 },
    ...times(10, { ...none, limit: 16 }),
    { ...none, size: 16, limit: 8, next: 'collect young' },
    { collections: 2, eachMs: 2, size: 16, limit: 8 },
    ...times(10, { ...none, size: 16, limit: 8 }),
    { ...none, size: 16, limit: 8, next: 'collect young' },
    { collections: 1, eachMs: 2, size: 16, limit: 8 },
    ...times(10, { ...none, size: 16, limit: 8 }),
    { ...none, size: 16, limit: 8, next: 'collect all' },
  ],
  'tries again after a minute where it is still large': [
    ...begun,
    { ...busy, limit: 16 },
    ...times(10, { ...none, limit: 16 }),
    { ...none, size: 16, limit: 8, next: 'collect young' },
    { collections: 1, eachMs: 2, size: 16, limit: 8 },
    ...times(10, { ...none, size: 16, limit: 8 }),
    { ...none, size: 16, limit: 8, next: 'collect all' },
    ...times(119, { ...none, size: 16, limit: 8 }),
    { ...none, size: 16, limit: 8, next: 'collect young' },
  ],
  'rests where it never grew': [
    { collections: 2, eachMs: 1, limit: 8 },
    ...times(10, { ...none, limit: 8 }),
    { ...none, limit: 8, next: 'rest' },
  ],
  'stays small where they are costly for a moment only': [
    ...begun,
    { ...none, limit: 8 },
    ...begun,
    { collections: 1, eachMs: 2, limit: 8 },
    ...begun,
  ],
  'does not divide by a clock that stands still': [
    ...begun,
    { ...busy, limit: 16 },
    { ...busy, ms: 0, limit: 16 },
  ],
}

describe('the limit of the young generation', () => {
  test.each(Object.entries(CASES))('%s', (_, steps) => {
    let now = 1_000
    const young = new YoungLimit({ now: () => now, small: 8 * MIB, large: 32 * MIB })
    const seen = steps.map(({ collections, eachMs = 0, ms = 500, size = young.bytes / MIB }) => {
      for (let i = 0; i < collections; i++) young.collected(eachMs)
      now += ms
      const next = young.look(size * MIB)
      return { limit: young.bytes / MIB, next }
    })
    expect(seen).toEqual(steps.map(({ limit, next = 'go on' }) => ({ limit, next })))
  })
})
