/** The built program on a release of Node.js: it starts, stock clients work, it ends when asked, and keeps what it had. */
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Kubectl } from '../clients/kubectl.ts'
import { canFetch, DIST, Run, titleOf, type Release } from './releases.ts'

const RELEASES: readonly Release[] = canFetch ? ['20', '22.12', '26'] : [null]
const PROGRAM = join(DIST, 'bin', 'orch.js')
const STOPPED = /^\S+ info {2}stopped signal="SIGTERM" how="in order"\n$/
const GREETING = JSON.stringify({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'greeting' },
  data: { text: 'hello' },
})

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'smoke-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** Resolves when a command has printed a line. */
function printed(child: ChildProcess, line: string): Promise<void> {
  let text = ''
  return new Promise((resolve, reject) => {
    child.stdout!.on('data', (data: Buffer) => {
      text += data.toString()
      if (text.split('\n').includes(line)) resolve()
    })
    child.once('close', () => reject(new Error(`ended without ${line}: ${text}`)))
  })
}

describe.each(RELEASES)('on release %s', (release) => {
  test('kubectl reads, applies and watches; SIGTERM ends the server, which then has it all', async () => {
    const dataDir = join(dir, titleOf(release))
    const start = async () => {
      const run = new Run(release, [PROGRAM, 'server', '--data-dir', dataDir, '--secure-port=0'])
      expect(await run.line()).toMatch(/^orch is ready at https:/)
      return run
    }
    const stop = async (run: Run) => {
      run.child.kill('SIGTERM')
      // Windows has no such signal: the process is ended by the system.
      const isHeard = process.platform !== 'win32'
      expect(await run.ended).toMatchObject({
        code: isHeard ? 0 : null,
        stderr: isHeard ? expect.stringMatching(STOPPED) : '',
      })
    }

    const first = await start()
    const kubectl = await Kubectl.for(await readFile(join(dataDir, 'admin.kubeconfig'), 'utf8'))
    try {
      expect(await kubectl.ok('get', 'namespaces', '-o', 'name')).toContain('namespace/default\n')
      const watch = kubectl.start(['get', 'configmaps', '--watch', '-o', 'name'])
      const shown = printed(watch, 'configmap/greeting')
      expect(await kubectl.run(['apply', '-f', '-'], GREETING)).toEqual({
        code: 0,
        stdout: 'configmap/greeting created\n',
        stderr: '',
      })
      await shown
      await stop(first)
    } finally {
      await kubectl.close()
    }

    const second = await start()
    const again = await Kubectl.for(await readFile(join(dataDir, 'admin.kubeconfig'), 'utf8'))
    try {
      expect(await again.ok('get', 'configmap', 'greeting', '-o', 'jsonpath={.data.text}')).toBe(
        'hello',
      )
    } finally {
      await again.close()
    }
    await stop(second)
  })
})
