/** The build, in a clone of its own. */
import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const SOURCES = ['bin', 'src', 'tools', 'package.json', 'tsconfig.json', 'tsconfig.build.json']

const clone = mkdtempSync(join(tmpdir(), 'build-'))
const PROGRAM = join('dist', 'bin', 'orch.js')

beforeAll(() => {
  for (const name of [...SOURCES, 'dist'])
    cpSync(join(ROOT, name), join(clone, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'), 'junction')
})
afterAll(() => rmSync(clone, { recursive: true, force: true }))

const folders = () => readdirSync(clone).filter((name) => name.startsWith('dist'))
const built = () => statSync(join(clone, 'dist')).ino
const npm = (...args: string[]): SpawnSyncReturns<string> =>
  spawnSync('npm', args, {
    cwd: clone,
    encoding: 'utf8',
    env: { ...process.env, npm_config_cache: join(clone, '.npm'), npm_config_offline: 'true' },
    shell: process.platform === 'win32',
  })
const run = (args: readonly string[], flags: readonly string[] = []) =>
  spawnSync(process.execPath, [...flags, join(clone, PROGRAM), ...args], { encoding: 'utf8' })
/** Whether the program is given the code that was kept of it. */
const isCodeUsed = () => {
  const [loader, script] = [join('code-cache', 'start-cached.js'), 'program.js'].map((name) =>
    join(clone, 'dist', 'src', name),
  )
  const look = `import(${JSON.stringify(pathToFileURL(loader!).href)})
    .then((m) => console.log(m.openScript(${JSON.stringify(script)}).isCached))`
  // In a process of its own: kept code is good for the flags of V8 that it was made under, which other tests set.
  return spawnSync(process.execPath, ['-e', look], { encoding: 'utf8' }).stdout.trim()
}

describe.skipIf(!existsSync(join(ROOT, PROGRAM)))('the build', { timeout: 180_000 }, () => {
  test('of a clone is not made again by npx', () => {
    const before = built()
    for (let time = 0; time < 2; time++) {
      const { status, stdout } = npm('exec', 'orch', 'version')
      expect({ status, stdout }).toEqual({ status: 0, stdout: 'orch 0.1.0\n' })
    }
    expect({ inode: built(), folders: folders() }).toEqual({ inode: before, folders: ['dist'] })
  })

  test('that is killed leaves the last one, and the next one tidies up', async () => {
    const before = built()
    const child = spawn(process.execPath, ['tools/build.mjs'], {
      cwd: clone,
      stdio: 'ignore',
      // With the compiler, which it started.
      detached: process.platform !== 'win32',
    })
    while (folders().length === 1) await new Promise((resolve) => setTimeout(resolve, 5))
    process.kill(process.platform === 'win32' ? child.pid! : -child.pid!, 'SIGKILL')
    await once(child, 'close')
    expect(built()).toBe(before)
    expect(run(['version'])).toMatchObject({ status: 0, stdout: 'orch 0.1.0\n' })

    const { status } = npm('run', 'prepare')
    expect({ status, folders: folders() }).toEqual({ status: 0, folders: ['dist'] })
    expect(built()).not.toBe(before)
    expect(run(['version'])).toMatchObject({ status: 0, stdout: 'orch 0.1.0\n' })
    expect(isCodeUsed()).toBe('true')
  })

  test('that fails leaves the last one', () => {
    const before = built()
    rmSync(join(clone, 'src', 'base', 'package-version.ts'))
    expect(npm('run', 'build').status).not.toBe(0)
    expect({ inode: built(), folders: folders() }).toEqual({ inode: before, folders: ['dist'] })
    cpSync(
      join(ROOT, 'src', 'base', 'package-version.ts'),
      join(clone, 'src', 'base', 'package-version.ts'),
    )
  })

  test('listens on nothing and connects to nothing', () => {
    const refusal = `data:text/javascript,${encodeURIComponent(`
      import net from 'node:net'
      net.Server.prototype.listen = net.Socket.prototype.connect = () => {
        process.stderr.write('a port was asked for')
        process.exit(7)
      }
    `)}`
    const { status, stderr } = spawnSync(process.execPath, ['tools/build.mjs'], {
      cwd: clone,
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: `--import ${refusal}` },
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  test('keeps code that another runtime refuses without an error', () => {
    // V8 looks at its flags as it looks at its release.
    const other = ['--no-lazy-feedback-allocation']
    expect(run(['version'], other)).toMatchObject({ status: 0, stdout: 'orch 0.1.0\n', stderr: '' })
  })
})
