import { apiserverMain } from '../src/cli/main.ts'

await apiserverMain(process.argv.slice(2))
