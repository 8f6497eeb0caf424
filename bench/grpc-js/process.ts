/** Measures calls once in a process of its own: options come as JSON in the first argument. */
import { measureCalls, type CallsOptions } from './measure.ts'

const options = JSON.parse(process.argv[2] ?? '{}') as CallsOptions
process.stdout.write(`${JSON.stringify(await measureCalls(options))}\n`)
