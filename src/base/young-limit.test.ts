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
  /** Allocated in it since the last look, KiB. */
  readonly allocated?: number
  /** What is held, MiB; 100 by default. */
  readonly held?: number
  /** How long the collection takes that comes of it, milliseconds. */
  readonly takes?: number
  /** The limit after the look, MiB. */
  readonly limit: number
  /** 'go on' by default. */
  readonly next?: Next
}

const busy = { collections: 40, eachMs: 1.5 }
const none = { collections: 0 }
const times = (count: number, step: Step): Step[] => Array.from({ length: count }, () => step)
/** Twelve small collections and one of all. */
const collecting = ({ size = 8, held = 100, takes = 50 } = {}): Step[] => [
  { ...none, size, held, limit: 8, next: 'collect young' },
  ...times(11, { collections: 1, eachMs: 9, ms: 100, size, held, limit: 8, next: 'collect young' }),
  { collections: 1, eachMs: 9, ms: 100, size, held, takes, limit: 8, next: 'collect all' },
]
/** After a start. */
const started: Step[] = [
  { ...none, limit: 8 },
  ...collecting(),
  { ...none, size: 1, limit: 8, next: 'rest' },
]

const CASES: Readonly<Record<string, readonly Step[]>> = {
  'stays small while collections are cheap': times(20, { collections: 40, eachMs: 0.5, limit: 8 }),
  'grows to its limit while they are costly': [
    { ...busy, limit: 16 },
    { ...busy, limit: 32 },
    { ...busy, limit: 32 },
  ],
  'stays large while it is used up now and then, or may be soon': [
    { ...busy, limit: 16 },
    { ...busy, limit: 32 },
    ...times(20, { collections: 1, eachMs: 2, limit: 32 }),
    { ...none, limit: 32 },
    { collections: 1, eachMs: 2, limit: 32 },
    ...times(20, { ...none, allocated: 300, limit: 32 }),
  ],
  'becomes small after a second in which little was allocated, and rests': [
    { ...busy, limit: 16 },
    { ...busy, limit: 32 },
    { ...none, allocated: 100, limit: 32 },
    ...collecting({ size: 32 }),
    { ...none, size: 1, limit: 8, next: 'rest' },
  ],
  'begins again where it is used up between the steps': [
    { ...busy, limit: 16 },
    { ...none, limit: 16 },
    { ...none, size: 16, limit: 8, next: 'collect young' },
    { collections: 2, eachMs: 2, size: 16, limit: 8 },
    { ...none, size: 16, limit: 8 },
    ...collecting({ size: 16 }),
  ],
  'collects what a load left in the old generation, once': [
    ...started,
    { collections: 1, held: 107, limit: 8 },
    { ...none, held: 107, limit: 8 },
    { ...none, held: 107, limit: 8, next: 'rest' },
    { collections: 1, ms: 10_000, held: 108, limit: 8 },
    { ...none, held: 108, limit: 8 },
    ...collecting({ held: 108 }),
    { collections: 1, held: 108, limit: 8 },
    { ...none, held: 108, limit: 8 },
    { ...none, held: 108, limit: 8, next: 'rest' },
  ],
  'collects all for a hundredth of the time at most': [
    { ...none, limit: 8 },
    ...collecting({ size: 16, takes: 200 }),
    { ...none, size: 16, limit: 8 },
    { ...none, ms: 19_000, size: 16, limit: 8 },
    ...collecting({ size: 16, takes: 50 }),
    { ...none, ms: 9_000, size: 16, limit: 8 },
    { ...none, ms: 500, size: 16, limit: 8 },
    ...collecting({ size: 16 }),
  ],
  'rests where it never grew': [
    ...started,
    { collections: 2, eachMs: 1, limit: 8 },
    { ...none, limit: 8 },
    { ...none, limit: 8, next: 'rest' },
  ],
  'does not divide by a clock that stands still': [
    { ...busy, limit: 16 },
    { ...busy, ms: 0, limit: 16 },
  ],
}

describe('the limit of the young generation', () => {
  test.each(Object.entries(CASES))('%s', (_, steps) => {
    let now = 1_000
    let allocated = 0
    const young = new YoungLimit({ now: () => now, small: 8 * MIB, large: 32 * MIB })
    const seen = steps.map((step) => {
      const { collections, eachMs = 0, ms = 500, size = young.bytes / MIB, held = 100 } = step
      for (let i = 0; i < collections; i++) young.collected(eachMs)
      now += ms
      allocated += (step.allocated ?? 0) * 1024
      const next = young.look({ young: size * MIB, allocated, held: held * MIB })
      if (next === 'collect all') young.collectedAll(step.takes ?? 50)
      return { limit: young.bytes / MIB, next }
    })
    expect(seen).toEqual(steps.map(({ limit, next = 'go on' }) => ({ limit, next })))
  })
})
