import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { StoreUnavailable } from '../engine.ts'
import { Space, spaceFor } from './space.ts'

test('the space of a transaction grows with its values', () => {
  const nothing = { value: Buffer.alloc(0) }
  const value = spaceFor([nothing])
  expect([spaceFor([]), spaceFor([nothing, nothing])]).toEqual([0, 2 * value])
  expect(spaceFor([{ value: Buffer.alloc(1000) }])).toBe(value + 2000)
  expect(spaceFor([{ value: null }])).toBeGreaterThan(0)
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
