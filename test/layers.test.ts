import { join } from 'node:path'
import { expect, test } from 'vitest'
import { walk } from './layers.ts'

test('rooms import only what lies below them, without cycles', () => {
  const { files, imports, faults } = walk(join(import.meta.dirname, '..', 'src'))
  // A check that sees nothing finds nothing.
  expect(files).toBeGreaterThan(60)
  expect(imports).toBeGreaterThan(200)
  expect(faults).toEqual([])
})
