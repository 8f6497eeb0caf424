/**
 * A program that limits its heap. It makes objects that live for a while, as writes under way do, until its young generation
 * has grown, and goes on for some time. Then it has nothing to do until the young generation is small. A test's own time limit
 * ends it where that never comes.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { limitHeap, youngHeapBytes } from './heap-limits.ts'

const SMALL_BYTES = 8 << 20
const LOOK_MS = 50
/** Objects that live at a time; about half of a small young generation. */
const ALIVE = 20_000
const AT_ONCE = 500

limitHeap()
const alive: object[] = Array.from({ length: ALIVE }, () => ({}))
let made = 0
let most = 0

async function work(): Promise<void> {
  for (let i = 0; i < AT_ONCE; i++, made++)
    alive[made % ALIVE] = { made, name: String(made), list: [made, made, made] }
  most = Math.max(most, youngHeapBytes())
  await new Promise((resolve) => setImmediate(resolve))
}

while (most <= SMALL_BYTES) await work()
for (let round = 0; round < 2_000; round++) await work()
while (youngHeapBytes() > SMALL_BYTES) await wait(LOOK_MS)
console.log(JSON.stringify({ most, young: youngHeapBytes() }))
