import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { waitsLong } from './early-optimization.ts'

const PROGRAM = join(import.meta.dirname, 'early-optimization.fixture.ts')

/** With them the number of calls does not depend on other threads. */
const V8_FLAGS = ['--allow-natives-syntax', '--no-concurrent-recompilation', '--no-maglev']

/** Calls of a function until V8 has optimized it, in a process of its own: the flag is the whole process's. */
function callsUntilOptimized(early: boolean): number {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...V8_FLAGS, '--import', 'tsx', PROGRAM, early ? 'early' : 'late'],
    { encoding: 'utf8' },
  )
  expect(stderr).toBe('')
  return Number(stdout)
}

test('a hot function is optimized after fewer calls where V8 waits long', () => {
  const late = callsUntilOptimized(false)
  const early = callsUntilOptimized(true)
  if (waitsLong) expect(early).toBeLessThan(late / 2)
  else expect(early).toBe(late)
})
