/** Prints how often a function is called until V8 has optimized it. Argument: `early` or `late`. */
import { runInThisContext } from 'node:vm'
import { optimizeEarly } from './early-optimization.ts'

if (process.argv[2] === 'early') optimizeEarly()

/** The bits of V8's status that say that optimized code is in use. */
const OPTIMIZED = 1 << 4
// V8's own syntax, which no other parser knows.
const statusOf = runInThisContext('(f) => %GetOptimizationStatus(f)') as (f: unknown) => number

const sum = (values: readonly number[]): number => {
  let all = 0
  for (const value of values) all += value
  return all
}
const VALUES = [1, 2, 3, 4, 5, 6, 7, 8]
let calls = 0
while ((statusOf(sum) & OPTIMIZED) === 0 && calls < 10_000_000) {
  sum(VALUES)
  calls++
}
process.stdout.write(String(calls))
