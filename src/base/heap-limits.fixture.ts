/** A program that limits its heap and makes objects that live on, as a server has them: a few between two waits. */
import { limitHeap, youngHeapBytes } from './heap-limits.ts'

limitHeap()
const kept: object[] = []
for (let round = 0; round < 800; round++) {
  for (let i = 0; i < 500; i++) kept.push({ round, i, name: String(i) })
  await new Promise((resolve) => setImmediate(resolve))
}
console.log(JSON.stringify({ kept: kept.length, young: youngHeapBytes() }))
