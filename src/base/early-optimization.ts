import { channel } from 'node:diagnostics_channel'
import { setFlagsFromString } from 'node:v8'
import { READING_CODE } from './reading-code.ts'

/** Bytes of bytecode that run between two looks of V8 at how hot a function is. */
const BUDGET_BYTES = 10_000
/** V8's own value. */
const DEFAULT_BYTES = 66 << 10

/** Whether this V8 has no compiler between the one without optimization and the best one. Later ones have, and other flags. */
export const waitsLong = process.versions.v8.startsWith('11.')

/**
 * Lets V8 optimize functions after a sixth of the work that it waits for by default. A server that has just started has
 * hot code from its first request on, the same for every request, so there is little to learn by waiting.
 *
 * For the owner of the process, once the code of the start has run: that runs once and would be optimized for nothing.
 */
export function optimizeEarly(): void {
  if (!waitsLong) return
  setBudget(BUDGET_BYTES)
  channel(READING_CODE).subscribe((reading) =>
    setBudget(reading === true ? DEFAULT_BYTES : BUDGET_BYTES),
  )
}

const setBudget = (bytes: number): void => setFlagsFromString(`--interrupt-budget=${bytes}`)
