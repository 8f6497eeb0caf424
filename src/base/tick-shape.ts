import { executionAsyncResource } from 'node:async_hooks'

/** The record of one task of `process.nextTick`. */
let kept: object | null = null

/**
 * Keeps the hidden class of the records that Node.js makes for tasks of `process.nextTick`, some seven for each request.
 *
 * V8 frees a hidden class that no object has when it collects the whole heap, and between two requests there is no such
 * record. The literal that makes them has computed keys, for which V8 learns one class only: when it meets the class that
 * replaces the freed one, it adds the fields of every later record by the slow way, for as long as the process runs. This
 * was 2 µs of a get of 50. One record that is never freed keeps the class.
 *
 * For the owner of the process, and before its heap is collected for the first time.
 */
export function keepTickShape(): void {
  if (kept === null) process.nextTick(() => (kept = executionAsyncResource()))
}

/** The record that is kept; null until the next turn. For the test. */
export const keptTick = (): object | null => kept
