/** The README is true: its commands and programs are run, in order, as somebody pastes them. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { product } from '../src/vocabulary/index.ts'
import { kubectlPath } from './clients/kubectl.ts'

const ROOT = join(import.meta.dirname, '..')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const blocks = [...README.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', text = '']) => ({ language, text }),
)

/** The block that begins with a text. */
function block(language: string, start: string): string {
  const found = blocks.find((each) => each.language === language && each.text.startsWith(start))
  if (!found) throw new Error(`the README has no block of ${language} that begins with ${start}`)
  return found.text
}

/** The first commands under a heading. */
function blockAfter(heading: string): string {
  const text = README.slice(README.indexOf(`${heading}\n`))
  return /^```sh\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? ''
}

test('every folder that its commands make is ignored', () => {
  const ignored = readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')
  const named = [
    ...README.matchAll(/--data-dir[ =](\S+?)[\s`]/g),
    ...README.matchAll(/dataDir: '([^']+)'/g),
    ...README.matchAll(/\$PWD\/([\w-]+)\//g),
  ].map(([, path = '']) => path.replace(/^\.\//, ''))
  const folders = [...new Set([product.dataDir, ...named])].toSorted()
  expect(folders).toEqual(['data', 'kubernetes-data', 'orch-data'])
  expect(folders.filter((folder) => !ignored.includes(`/${folder}/`))).toEqual([])
  expect(README).toContain('npm pack')
  expect(ignored).toContain('/*.tgz')
})

test('it recommends one release and names those that the package takes', () => {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    engines: { node: string }
  }
  const [oldest, next] = [...engines.node.matchAll(/\d+\.\d+/g)].map(([release]) => release)
  expect(README).toContain(
    `Node.js 24, which is recommended, or another release from ${next} on. ${oldest} and later of line`,
  )
})

describe.skipIf(!existsSync(join(ROOT, 'dist', 'bin', 'orch.js')))('its commands', () => {
  const dir = mkdtempSync(join(tmpdir(), 'readme-'))
  const running: ChildProcess[] = []
  let path = ''
  beforeAll(async () => {
    cpSync(join(ROOT, 'package.json'), join(dir, 'package.json'))
    for (const name of ['dist', 'node_modules'])
      symlinkSync(join(ROOT, name), join(dir, name), 'junction')
    path = `${dirname(await kubectlPath())}:${process.env.PATH}`
  })
  afterAll(async () => {
    for (const child of running) await stopped(child)
    rmSync(dir, { recursive: true, force: true })
  })

  const env = () => ({ PATH: path, HOME: dir, npm_config_cache: join(dir, '.npm') })
  const stopped = async (child: ChildProcess) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    // With what npm started.
    process.kill(-child.pid!, 'SIGTERM')
    await once(child, 'close')
  }

  /** Runs a line that starts a server, on any free port; resolves with the port when it is ready. */
  async function started(line: string): Promise<{ port: string; child: ChildProcess }> {
    const command = line.includes(' -- ') ? `${line} --secure-port 0` : `${line} -- --secure-port 0`
    const child = spawn('bash', ['--norc', '-c', command], { cwd: dir, env: env(), detached: true })
    running.push(child)
    let said = ''
    const ready = await new Promise<RegExpExecArray>((resolve, reject) => {
      const hear = (data: Buffer) => {
        said += data.toString()
        const found = /ready at https:\/\/127\.0\.0\.1:(\d+)/.exec(said)
        if (found) resolve(found)
      }
      child.stdout.on('data', hear)
      child.stderr.on('data', hear)
      child.once('close', () => reject(new Error(said)))
    })
    return { port: ready[1]!, child }
  }

  // As pasted: a line that fails, such as a question that is answered with no, does not stop the next.
  const pasted = (text: string, port: string) =>
    spawnSync('bash', ['--norc', '-uo', 'pipefail', '-c', text.replaceAll(':6443', `:${port}`)], {
      cwd: dir,
      env: env(),
      encoding: 'utf8',
      // With a pipe there, bash takes itself for the shell of a remote login.
      stdio: ['ignore', 'pipe', 'pipe'],
    })

  test('the quick start works, and users and access', async () => {
    const [install, start = ''] = block('sh', 'npm install\n').trim().split('\n')
    expect(install).toBe('npm install')
    const { port, child } = await started(start)
    const quick = pasted(block('sh', 'export KUBECONFIG=$PWD/kubernetes-data'), port)
    expect([quick.status, quick.stderr]).toEqual([0, ''])
    expect(quick.stdout).toMatch(/^kube-system +Active/m)
    expect(quick.stdout).toContain('configmap/greeting created')
    expect(quick.stdout).toContain('text: hello')
    const access = pasted(blockAfter('## Users and access'), port)
    // curl shows its progress.
    const said = access.stderr.replace(/^.*% Total[\s\S]*/m, '')
    expect([access.status, said]).toEqual([0, ''])
    expect(access.stdout).toMatch(/^yes\nno\n/m)
    expect(access.stdout).toMatch(/^ +"kind": "ConfigMapList",$/m)
    await stopped(child)
  })

  test('the other vocabulary is served too', async () => {
    const { port, child } = await started(block('sh', 'npm start\n').trim())
    const text = 'export KUBECONFIG=$PWD/orch-data/admin.kubeconfig\nkubectl get namespaces'
    const { status, stdout, stderr } = pasted(text, port)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^orch-system +Active/m)
    await stopped(child)
  })

  test('the program works', () => {
    const project = join(dir, 'project')
    mkdirSync(join(project, 'node_modules'), { recursive: true })
    symlinkSync(dir, join(project, 'node_modules', 'orch'), 'junction')
    writeFileSync(join(project, 'first.mjs'), block('js', "import { startServer } from 'orch'\n\n"))
    const { status, stdout, stderr } = spawnSync(process.execPath, ['first.mjs'], {
      cwd: project,
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^https:\/\/127\.0\.0\.1:\d+\n$/)
  })
})
