/** Bundles the measuring programs, which are TypeScript, and runs them; what is measured is `dist/`. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const here = import.meta.dirname
const cache = join(here, '..', '.cache')
mkdirSync(cache, { recursive: true })
// Inside the project, so that packages resolve; a folder for each run, so that runs do not meet.
const outdir = mkdtempSync(join(cache, 'bench-'))
process.on('exit', () => rmSync(outdir, { recursive: true, force: true }))
const entries = [
  'main.ts',
  'bare/process.ts',
  'load/process.ts',
  'profiler.ts',
  'store-raw-process.ts',
  'webhook-process.ts',
  'grpc-js/process.ts',
]
const settings = {
  outdir,
  outbase: here,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
}
await build({ ...settings, entryPoints: entries.map((file) => join(here, file)) })
const { main } = await import(pathToFileURL(join(outdir, 'main.js')).href)
process.exit(await main(process.argv.slice(2)))
