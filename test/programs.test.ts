/** The executables as processes of their own. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readKubeconfig } from '../src/client/kubeconfig.ts'
import { programOf } from './program.ts'

const ROOT = join(import.meta.dirname, '..')

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'programs-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

class Program {
  readonly child: ChildProcess
  stdout = ''
  stderr = ''
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>
  /** The first line on standard output. */
  readonly line: Promise<string>
  constructor(name: string, ...args: string[]) {
    this.child = spawn(process.execPath, [...programOf(name), ...args], { cwd: ROOT })
    this.line = new Promise((resolve) => {
      this.child.stdout!.on('data', (data: Buffer) => {
        this.stdout += data.toString()
        if (this.stdout.includes('\n')) resolve(this.stdout)
      })
    })
    this.child.stderr!.on('data', (data: Buffer) => (this.stderr += data.toString()))
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code) => {
        resolve({ code, stdout: this.stdout, stderr: this.stderr })
      })
    })
  }
}

test('a server says one line, serves its administrator and ends on SIGTERM', async () => {
  const flags = ['--data-dir', join(dir, 'data'), '--secure-port=0']
  const first = new Program('orch', 'server', ...flags)
  const line = await Promise.race([first.line, first.ended.then(({ stderr }) => stderr)])
  const [, url = '', path = ''] =
    /^orch is ready at (https:\/\/127\.0\.0\.1:\d+) in the vocabulary orch, release 1\.25 - try: KUBECONFIG=(\S+) kubectl get namespaces\n$/.exec(
      line,
    ) ?? []
  expect({ line, path }).toEqual({ line, path: join(dir, 'data', 'admin.kubeconfig') })

  const config = await readKubeconfig(await readFile(path, 'utf8'))
  expect(config.server).toBe(url)
  expect(await statusOf(`${url}/api/v1/namespaces`, config)).toBe(200)

  const second = new Program('orch', 'server', ...flags)
  expect(await second.ended).toEqual({
    code: 1,
    stdout: '',
    stderr: `orch server: data directory ${join(dir, 'data', 'store')} is in use by process ${first.child.pid}; stop it or choose another with --data-dir\n`,
  })
  const port = new URL(url).port
  const third = new Program(
    'orch-apiserver',
    '--store=memory',
    `--data-dir=${dir}/b`,
    '--secure-port',
    port,
  )
  expect(await third.ended).toEqual({
    code: 1,
    stdout: '',
    stderr: `orch-apiserver: address 127.0.0.1:${port} is in use; choose another port with --secure-port\n`,
  })

  first.child.kill('SIGTERM')
  expect(await first.ended).toEqual({
    code: 0,
    stdout: line,
    stderr: expect.stringMatching(
      /^\S+ info  stopped signal="SIGTERM" how="in order"\n$/,
    ) as string,
  })
})

describe('a server without readers of what it says', () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    test(`ends in order on ${signal}`, async () => {
      const flags = ['--data-dir', join(dir, signal), '--secure-port=0', '-v=1']
      const program = new Program('orch', 'server', ...flags)
      expect(await program.line).toMatch(/^orch is ready at /)
      program.child.stdout!.destroy()
      program.child.stderr!.destroy()
      program.child.kill(signal)
      expect(await program.ended).toMatchObject({ code: 0 })
      // It is removed by a process that gives its data back.
      expect(existsSync(join(dir, signal, 'store', 'lock'))).toBe(false)
    })
  }
})

function statusOf(url: string, tls: { ca?: string; cert?: string; key?: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { ...tls, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    }).once('error', reject)
  })
}
