import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const PROGRAM = join(import.meta.dirname, 'heap-limits.fixture.ts')

test('the young generation grows to its bound under load, and is small afterwards', () => {
  // In a process of its own: the flags are the whole process's, and other tests' threads would be held to them too.
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', PROGRAM], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  const { most, young } = JSON.parse(stdout)
  expect(most).toBeLessThanOrEqual(16 << 20)
  expect(young).toBeLessThanOrEqual(8 << 20)
})
