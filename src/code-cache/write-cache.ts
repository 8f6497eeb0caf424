/**
 * Writes the V8 code cache of the programs beside them, for the release of Node.js that runs this and the flags it runs
 * with: `node dist/src/code-cache/write-cache.js`. A part of the build. Every function is compiled; none is run.
 */
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { CODE_SUFFIX, openScript } from './start-cached.ts'

const folder = join(import.meta.dirname, '..')
const scripts = readdirSync(folder).filter((name) => /^(client-)?program(-\w+)?\.js$/.test(name))

for (const name of scripts) {
  const path = join(folder, name)
  const code = path + CODE_SUFFIX
  const fresh = `${code}.${process.pid}`
  try {
    // Must precede the first read of the script: V8 reuses compiled code, and would not compile more of it.
    setFlagsFromString('--no-lazy')
    rmSync(code, { force: true })
    const script = openScript(path)
    // Code is good for the flags of when it is written out.
    setFlagsFromString('--lazy')
    writeFileSync(fresh, script.code())
    // Another process may be starting.
    renameSync(fresh, code)
  } catch (error) {
    rmSync(fresh, { force: true })
    const why = error instanceof Error ? error.message : String(error)
    process.stderr.write(`the code of ${name} cannot be kept: ${why}\n`)
    process.exitCode = 1
  }
}
