/** The program as it is published: joined files, run by plain Node.js. Skipped where nothing is built. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Client } from './client.ts'

const PROGRAM = join(import.meta.dirname, '..', 'dist', 'bin', 'orch.js')
const SCRIPT = join(import.meta.dirname, '..', 'dist', 'src', 'program.js')

describe.skipIf(!existsSync(PROGRAM))('the built program', () => {
  test('serves every kind, each with its documentation', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'built-'))
    const child = spawn(process.execPath, [
      PROGRAM,
      'server',
      '--data-dir',
      dir,
      '--secure-port',
      '0',
    ])
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      const url = /https:\S+/.exec(line.toString())![0]
      const kubeconfig = await readFile(join(dir, 'admin.kubeconfig'), 'utf8')
      const ca = Buffer.from(
        /certificate-authority-data: (\S+)/.exec(kubeconfig)![1]!,
        'base64',
      ).toString()
      const client = new Client({ url, ca, kubeconfig })
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
      client.close()
    } finally {
      child.kill('SIGTERM')
      await once(child, 'close')
      await rm(dir, { recursive: true, force: true })
    }
  })
})
