/** The program as it is published: joined files, run by plain Node.js. Skipped where nothing is built. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { preparedFiles } from '../src/server/bootstrap/prepare-objects.ts'
import { Client } from './client.ts'

const PROGRAM = join(import.meta.dirname, '..', 'dist', 'bin', 'orch.js')
const SCRIPT = join(import.meta.dirname, '..', 'dist', 'src', 'program.js')

interface Built {
  readonly child: ChildProcess
  readonly client: Client
}

async function startBuilt(dir: string, flags: readonly string[], env = {}): Promise<Built> {
  const args = [PROGRAM, 'server', '--data-dir', dir, '--secure-port', '0', ...flags]
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const url = /https:\S+/.exec(line.toString())![0]
  const kubeconfig = await readFile(join(dir, 'admin.kubeconfig'), 'utf8')
  const ca = /certificate-authority-data: (\S+)/.exec(kubeconfig)![1]!
  return {
    child,
    client: new Client({ url, kubeconfig, ca: Buffer.from(ca, 'base64').toString() }),
  }
}

async function end({ child, client }: Built, signal: NodeJS.Signals): Promise<void> {
  client.close()
  child.kill(signal)
  await once(child, 'close')
}

describe.skipIf(!existsSync(PROGRAM))('the built program', () => {
  let dir = ''
  beforeEach(async () => void (dir = await mkdtemp(join(tmpdir(), 'built-'))))
  afterEach(() => rm(dir, { recursive: true, force: true }))

  test('serves every kind, each with its documentation', async () => {
    const built = await startBuilt(dir, [])
    const { client } = built
    const { definitions } = (await client.get('/openapi/v2')).body
    const subjects = Object.keys(definitions).filter((name) => name.endsWith('.Subject'))
    // Two classes of one name in two files, each under its own.
    expect(subjects).toEqual([
      'io.orch.api.flowcontrol.v1beta1.Subject',
      'io.orch.api.flowcontrol.v1beta2.Subject',
      'io.orch.api.rbac.v1.Subject',
    ])
    expect(definitions['io.orch.api.core.v1.ConfigMap'].properties.data.description).not.toBe('')
    expect((await client.get('/apis')).body.groups).toHaveLength(19)
    const { gitCommit, gitTreeState, buildDate } = (await client.get('/version')).body
    expect({ gitCommit, gitTreeState, buildDate }).toEqual(
      JSON.parse(await readFile(join(SCRIPT, '..', 'build.json'), 'utf8')),
    )
    expect([gitCommit, gitTreeState, buildDate]).toEqual([
      expect.stringMatching(/^[0-9a-f]{40}$/),
      expect.stringMatching(/^(clean|dirty|archive)$/),
      expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    ])
    await end(built, 'SIGTERM')
  })

  test('finds the compiled code of each of its scripts, also of those that are read later', async () => {
    // A copy: the build may have been made by another release of Node.js, whose code is not accepted.
    const copy = join(dir, 'copy')
    const root = join(PROGRAM, '..', '..', '..')
    await cp(join(root, 'dist'), join(copy, 'dist'), { recursive: true })
    await cp(join(root, 'package.json'), join(copy, 'package.json'))
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')
    execFileSync(process.execPath, [join(copy, 'dist', 'src', 'code-cache', 'write-cache.js')])
    const hook = join(import.meta.dirname, 'built-code.fixture.cjs')
    const flags = ['--data-dir', join(dir, 'data'), '--secure-port', '0']
    const program = join(copy, 'dist', 'bin', 'orch.js')
    const child = spawn(process.execPath, ['--require', hook, program, 'server', ...flags])
    let lines = ''
    child.stderr.on('data', (data: Buffer) => (lines += data.toString()))
    const scripts = () => [...new Set(lines.match(/^script .*$/gm))].toSorted()
    await expect
      .poll(scripts, { timeout: 30_000 })
      .toEqual([
        'script program-controllers.js true',
        'script program-later.js true',
        'script program.js true',
      ])
    child.kill('SIGTERM')
    await once(child, 'close')
  })

  test('takes values of other scripts once, not at each use', async () => {
    const folder = join(SCRIPT, '..')
    const scripts = (await readdir(folder)).filter((name) => /program.*\.js$/.test(name))
    expect(scripts).toContain('program-later.js')
    let taken = 0
    for (const name of scripts) {
      const text = await readFile(join(folder, name), 'utf8')
      expect(text).not.toMatch(/\bimport_chunk_\w+\s*=\s*require\(/)
      taken += text.split(/\}\s*=\s*require\("(?:client-)?program\S*\.js#chunk-/).length - 1
    }
    expect(taken).toBeGreaterThan(50)
  })

  test('has the first objects of its sources', async () => {
    for (const [name, bytes] of await preparedFiles())
      expect((await readFile(join(SCRIPT, '..', name))).equals(bytes)).toBe(true)
  })

  test('works without what is for speed alone', async () => {
    const plain = ['--store-journal=false', '--limit-heap=false']
    const env = { NODE_DISABLE_COMPILE_CACHE: '1' }
    const maps = '/api/v1/namespaces/default/configmaps'
    let built = await startBuilt(dir, plain, env)
    // More than the small transactions after which a journal would be kept.
    for (let i = 0; i < 40; i++) {
      const { status } = await built.client.post(maps, { metadata: { name: `made-${i}` } })
      expect(status).toBe(201)
    }
    expect((await readdir(join(dir, 'store'))).filter((file) => file.includes('journal'))).toEqual(
      [],
    )
    await end(built, 'SIGKILL')
    // With everything on again, over the same data; then with a journal that only the other thread flushes.
    for (const [flags, made] of [
      [[], 41],
      [['--store-flush-at-once=false'], 42],
    ] as const) {
      built = await startBuilt(dir, [...flags])
      expect((await built.client.get(maps)).body.items).toHaveLength(made)
      const { status } = await built.client.post(maps, { metadata: { name: `then-${made}` } })
      expect(status).toBe(201)
      await end(built, 'SIGTERM')
    }
  })
})
