import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const PROGRAM = join(import.meta.dirname, 'tick-shape.fixture.ts')

test('what is kept has the shape of every task, whenever the heap was collected', () => {
  // In a process of its own: the flags are the whole process's.
  const flags = ['--expose-gc', '--allow-natives-syntax', '--import', 'tsx']
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, PROGRAM], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({ same: [true, true, true], other: false })
})
