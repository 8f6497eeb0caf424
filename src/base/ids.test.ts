import { expect, test } from 'vitest'
import { randomIds } from './ids.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('identifiers are version 4 UUIDs, none like another', () => {
  const made = Array.from({ length: 1_000 }, () => randomIds.uid())
  expect(made.filter((id) => !UUID.test(id))).toEqual([])
  expect(new Set(made).size).toBe(made.length)
})
