/**
 * The recipes of the README as people run them: the package is packed, installed into a project of its own from the
 * tarball, and the tests of examples/ run there. Skipped where nothing is built.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const INSTALL_MS = 240_000

const dir = mkdtempSync(join(tmpdir(), 'examples-'))
const project = join(dir, 'examples')
afterAll(() => rmSync(dir, { recursive: true, force: true }))

function npm(cwd: string, ...args: string[]) {
  const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    env: { ...env, CI: 'true', NO_COLOR: '1' },
    shell: process.platform === 'win32',
  })
  return { status, said: stdout + stderr }
}

/** Runs lines as they are pasted, up to the first that fails; returns what they say. */
function pasted(cwd: string, text: string): string {
  const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-ec', text], {
    cwd,
    encoding: 'utf8',
    env: { ...env, CI: 'true', NO_COLOR: '1', npm_config_prefer_offline: 'true' },
  })
  if (status !== 0) throw new Error(`${stdout}${stderr}`)
  return stdout + stderr
}

function succeeds(cwd: string, ...args: string[]): string {
  const { status, said } = npm(cwd, ...args)
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${said}`)
  return said
}

describe.skipIf(!existsSync(join(ROOT, 'dist', 'src', 'index.js')))('the packed package', () => {
  beforeAll(() => {
    // What is built already is packed.
    succeeds(ROOT, 'pack', '--ignore-scripts', '--silent', '--pack-destination', dir)
    cpSync(join(ROOT, 'examples'), project, {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    })
    const flags = ['--no-audit', '--no-fund', '--prefer-offline']
    succeeds(project, 'install', ...flags, '../orch-0.1.0.tgz')
  }, INSTALL_MS)

  for (const { script, passed } of [
    { script: 'vitest', passed: /Tests\s+3 passed/ },
    { script: 'jest', passed: /Tests: +3 passed, 3 total/ },
    { script: 'webhook', passed: /# pass 2\n# fail 0|ℹ pass 2\nℹ fail 0/ },
    { script: 'client', passed: /# pass 1\n# fail 0|ℹ pass 1\nℹ fail 0/ },
    { script: 'operator', passed: /# pass 5\n# fail 0|ℹ pass 5\nℹ fail 0/ },
    { script: 'node-test', passed: /# pass 4\n# fail 0|ℹ pass 4\nℹ fail 0/ },
  ]) {
    test(`runs ${script}`, () => {
      const { status, said } = npm(project, 'run', script)
      expect(said).toMatch(passed)
      expect(status, said).toBe(0)
      // What is left open keeps a runner waiting, and it says so.
      expect(said).not.toMatch(/did not exit|open handle|ExperimentalWarning/)
    })
  }

  test('works as the README says, pasted into an empty folder', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8').split(
      '## In a test or a product',
    )[1]!
    const [install = '', run = ''] = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
      ([, text]) => text,
    )
    const folder = join(dir, 'orch')
    mkdirSync(folder)
    // What is built already is packed.
    expect(install.startsWith('npm pack\n')).toBe(true)
    renameSync(join(dir, 'orch-0.1.0.tgz'), join(folder, 'orch-0.1.0.tgz'))
    pasted(folder, install.slice('npm pack\n'.length))
    const empty = join(dir, 'try-orch')
    const files = [...readme.matchAll(/`([\w.]+\.[cm]js)`[^`]*\n\n```js\n([\s\S]*?)^```$/gm)]
    for (const [, name = '', text = ''] of files) writeFileSync(join(empty, name), text)
    expect(files.map(([, name]) => name)).toEqual([
      'program.mjs',
      'vitest.test.mjs',
      'jest.test.cjs',
      'node.test.mjs',
    ])
    const said = pasted(empty, run)
    expect(said).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/m)
    expect(said).toMatch(/Tests +1 passed/)
    expect(said).toMatch(/^Tests: +1 passed, 1 total$/m)
    expect(said).toMatch(/# pass 1\n|ℹ pass 1\n/)
  })

  test('brings the program', () => {
    expect(succeeds(project, 'exec', '--offline', 'orch', 'version')).toMatch(/^orch 0\.1\.0$/m)
  })
})
