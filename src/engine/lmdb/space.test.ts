import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { StoreUnavailable } from '../engine.ts'
import { Space, spaceFor } from './space.ts'

test('the space of a write grows with its value', () => {
  expect(spaceFor(1000)).toBe(spaceFor(0) + 2000)
  expect(spaceFor(null)).toBeGreaterThan(0)
})

test('a full file system is reported before anything is written', () => {
  const dir = mkdtempSync(join(tmpdir(), 'space-'))
  try {
    const space = new Space(dir)
    expect(space.check(0)).toBeUndefined()
    space.keepReserve()
    expect(readdirSync(dir)).toEqual(['reserve'])
    const refused = (frees: boolean) => () => space.check(Number.MAX_SAFE_INTEGER, { frees })
    for (const frees of [false, true]) {
      expect(refused(frees)).toThrow(StoreUnavailable)
      expect(refused(frees)).toThrow(
        /^no space left for .*: \d+ KiB are free; nothing was written$/,
      )
      expect(readdirSync(dir)).toEqual(frees ? [] : ['reserve'])
    }
    // The reserve is restored when there is room.
    space.check(0)
    expect(readdirSync(dir)).toEqual(['reserve'])
  } finally {
    rmSync(dir, { recursive: true })
  }
})
