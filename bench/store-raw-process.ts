/** Runs the raw store once in a process of its own: options come as JSON in the first argument. */
import { rawStore, type RawStoreOptions } from './store-raw.ts'

const options = JSON.parse(process.argv[2] ?? '{}') as RawStoreOptions
process.stdout.write(`${JSON.stringify(await rawStore(options))}\n`)
