// Builds the package: npm run build
//
// Everything is made in a folder beside dist/, which takes its place at the end: a build that fails or is interrupted
// leaves the last good one. No server is started, and nothing is listened on (docs/decisions/0025-builds-start-nothing.md).
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.mjs'
import { writeDocs } from './write-docs.mjs'
import { writeFirstObjects } from './write-first-objects.mjs'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const folder = (what) => join(root, `dist.${process.pid}.${what}`)
const [next, joined, old] = ['next', 'joined', 'old'].map(folder)

tidy()
try {
  compile()
  await writeDocs(next)
  await writeFirstObjects(next)
  await bundle({ dist: next, joined })
  swap()
  keepCode()
} finally {
  for (const made of [next, joined, old]) remove(made)
}

/** Removes what builds left that ended early. Puts back what one had moved away when it ended. */
function tidy() {
  for (const name of readdirSync(root)) {
    const [, pid, what] = /^dist\.(\d+)\.(next|joined|old)$/.exec(name) ?? []
    if (pid === undefined || isAlive(Number(pid))) continue
    if (what === 'old' && !existsSync(dist)) renameSync(join(root, name), dist)
    else remove(join(root, name))
  }
}

/** What cannot be removed now, such as what a compiler still writes into whose build was killed, is left to the next. */
function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    process.stderr.write(`${folder} is left: ${error.message}\n`)
  }
}

function isAlive(pid) {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function compile() {
  const { bin } = JSON.parse(readFile('node_modules/typescript/package.json'))
  run(join(root, 'node_modules', 'typescript', bin.tsc), [
    ...['-p', join(root, 'tsconfig.build.json')],
    ...['--outDir', next],
  ])
}

/**
 * In a process of its own, since it changes flags of V8, and last: stacks name the place where the code was made. Without
 * it a start takes longer, and all else is the same.
 */
function keepCode() {
  const program = join(dist, 'src', 'code-cache', 'write-cache.js')
  const { status } = spawnSync(process.execPath, [program], { stdio: 'inherit' })
  if (status !== 0) process.stderr.write('the code of the programs could not be kept\n')
}

/** Two renames, between which no signal ends this process. */
function swap() {
  const ignore = () => {}
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, ignore)
  if (existsSync(dist)) renameSync(dist, old)
  renameSync(next, dist)
  for (const signal of signals) process.off(signal, ignore)
}

function readFile(path) {
  return readFileSync(join(root, path), 'utf8')
}

function run(program, args) {
  const { status } = spawnSync(process.execPath, [program, ...args], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${program} ended with ${status}`)
}
