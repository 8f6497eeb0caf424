import { describe, expect, test } from 'vitest'
import { OldLimit } from './old-limit.ts'

const MIB = 1 << 20

/** A collection, milliseconds after the last one; how large the old generation is then, MiB, and by how much it may grow. */
type Step = readonly [afterMs: number, mib: number, percent: number]

const CASES: Readonly<Record<string, readonly Step[]>> = {
  'a small heap that is collected now and then is up to V8': [
    [100, 11, 0],
    [6_000, 11, 0],
    [5_000, 30, 0],
  ],
  'a large one grows by 60 percent': [
    [100, 64, 60],
    [6_000, 300, 60],
  ],
  'many collections that follow closely leave more room': [
    [100, 11, 0],
    [2_000, 24, 0],
    [1_000, 24, 0],
    [1_000, 24, 0],
    [4_999, 40, 120],
    [1_000, 64, 80],
    [1_000, 79, 70],
    [1_000, 500, 60],
  ],
  'they do not any more when it was quiet': [
    [100, 11, 0],
    [1_000, 24, 0],
    [1_000, 24, 0],
    [1_000, 24, 0],
    [1_000, 24, 200],
    [5_000, 24, 0],
    [1_000, 24, 0],
  ],
  'those of a start are not many': [
    [100, 11, 0],
    [200, 14, 0],
    [300, 24, 0],
    [1_000, 26, 0],
  ],
  'an empty one is no exception': [
    [100, 0, 0],
    [1, 0, 0],
    [1, 0, 0],
    [1, 0, 0],
    [1, 0, 4_800],
  ],
}

describe('the limit of the old generation', () => {
  test.each(Object.entries(CASES))('%s', (_, steps) => {
    let now = 1_000
    const old = new OldLimit({ now: () => now })
    const seen = steps.map(([afterMs, mib]) => {
      now += afterMs
      old.collected()
      return [afterMs, mib, old.percent(mib * MIB)]
    })
    expect(seen).toEqual(steps)
  })

  test('what was allowed ends with the quiet', () => {
    let now = 1_000
    const old = new OldLimit({ now: () => now })
    for (let i = 0; i < 5; i++) {
      now += 1_000
      old.collected()
    }
    now += 4_999
    expect(old.percent(24 * MIB)).toBe(200)
    now += 1
    expect(old.percent(24 * MIB)).toBe(0)
  })
})
