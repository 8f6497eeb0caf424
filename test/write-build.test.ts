/** What the build writes down of itself. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const TOOL = join(import.meta.dirname, '..', 'tools', 'write-build.mjs')
// Digits of the version alone.
const OF_VERSION = '6f9f33482da53ff8cae20b0359720e365ffcc25c'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'write-build-'))
  writeFileSync(join(root, 'package.json'), '{"version":"1.2.3"}')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const git = (...args: string[]) => {
  const name = ['-c', 'user.name=x', '-c', 'user.email=x@example.com']
  const { status, stdout } = spawnSync('git', [...name, ...args], { cwd: root, encoding: 'utf8' })
  expect([args, status]).toEqual([args, 0])
  return stdout.trim()
}
/** Describes the sources at a path, as in a build of the first second of 2020. */
function build(path = root) {
  const folder = mkdtempSync(join(tmpdir(), 'write-build-out-'))
  const run = `import(${JSON.stringify(TOOL)}).then((m) => m.writeBuild(${JSON.stringify(path)}, ${JSON.stringify(folder)}))`
  const env = { ...process.env, SOURCE_DATE_EPOCH: '1577836800' }
  expect(spawnSync(process.execPath, ['-e', run], { env }).status).toBe(0)
  const text = readFileSync(join(folder, 'build.json'), 'utf8')
  rmSync(folder, { recursive: true })
  return JSON.parse(text)
}
const buildDate = '2020-01-01T00:00:00Z'

test('an archive has digits of its version', () => {
  expect(build()).toEqual({ gitCommit: OF_VERSION, gitTreeState: 'archive', buildDate })
})

test('a repository has its commit, and says whether that is all', () => {
  git('init', '-q')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  const gitCommit = git('rev-parse', 'HEAD')
  expect(gitCommit).toMatch(/^[0-9a-f]{40}$/)
  expect(build()).toEqual({ gitCommit, gitTreeState: 'clean', buildDate })
  writeFileSync(join(root, 'more'), '')
  expect(build()).toEqual({ gitCommit, gitTreeState: 'dirty', buildDate })
})

test('sources inside a repository of others have none of its commits', () => {
  git('init', '-q')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  const inner = join(root, 'vendor')
  mkdirSync(inner)
  writeFileSync(join(inner, 'package.json'), '{"version":"1.2.3"}')
  expect(build(inner)).toEqual({ gitCommit: OF_VERSION, gitTreeState: 'archive', buildDate })
})
