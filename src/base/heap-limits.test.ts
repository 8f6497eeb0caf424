import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

const HEAP_LIMITS = pathToFileURL(join(import.meta.dirname, 'heap-limits.ts')).href

/** Makes objects that live on, in short steps as a server does, each far shorter than the time between collections. */
const GROWS = `
  const { limitHeap, youngHeapBytes } = await import(${JSON.stringify(HEAP_LIMITS)})
  limitHeap()
  const kept = []
  for (let round = 0; round < 800; round++) {
    for (let i = 0; i < 500; i++) kept.push({ round, i, name: String(i) })
    await new Promise((resolve) => setImmediate(resolve))
  }
  console.log(JSON.stringify({ kept: kept.length, young: youngHeapBytes() }))
`

test('the young generation stays small, however many objects live on', () => {
  // In a process of its own: the flags are the whole process's, and other tests' threads would be held to them too.
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', GROWS],
    { encoding: 'utf8' },
  )
  expect(stderr).toBe('')
  const { kept, young } = JSON.parse(stdout)
  expect(kept).toBe(400_000)
  expect(young).toBeLessThanOrEqual(8 << 20)
})
