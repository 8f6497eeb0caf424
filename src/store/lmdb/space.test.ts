import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { StoreUnavailable } from '../store.ts'
import { checkSpace, spaceFor } from './space.ts'

test('what a transaction may take grows with its values', () => {
  const nothing = Buffer.alloc(0)
  const value = spaceFor([nothing])
  expect([spaceFor([]), spaceFor([nothing, nothing])]).toEqual([0, 2 * value])
  expect(spaceFor([Buffer.alloc(1000)])).toBe(value + 2000)
})

test('a file system without room is told of before anything is written', () => {
  expect(checkSpace(tmpdir(), 0)).toBeUndefined()
  const refused = () => checkSpace(tmpdir(), Number.MAX_SAFE_INTEGER)
  expect(refused).toThrow(StoreUnavailable)
  expect(refused).toThrow(/^no space left for .*: \d+ KiB are free; nothing was written$/)
})
