// Run by npm when the package is installed from its sources or packed: node tools/prepare.mjs
//
// npx runs it as well, when it links a clone into its cache; a build that is there is left alone then.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const isBuilt = existsSync(join(import.meta.dirname, '..', 'dist', 'bin'))
if (process.env.npm_command !== 'exec' || !isBuilt) await import('./build.mjs')
