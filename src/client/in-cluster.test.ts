import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inClusterConfig } from './in-cluster.ts'

let secrets = ''
beforeEach(() => {
  secrets = mkdtempSync(join(tmpdir(), 'in-cluster-'))
})
afterEach(() => rmSync(secrets, { recursive: true, force: true }))

for (const { label, env, server } of [
  {
    label: 'orch.io',
    env: { ORCH_SERVICE_HOST: '10.0.0.1', ORCH_SERVICE_PORT: '443' },
    server: 'https://10.0.0.1:443',
  },
  {
    label: 'kubernetes.io',
    env: { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' },
    server: 'https://[fd00::1]:6443',
  },
]) {
  test(`a pod of vocabulary ${label} finds its server`, async () => {
    const folder = join(secrets, label, 'serviceaccount')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'token'), 'TOKEN')
    writeFileSync(join(folder, 'ca.crt'), 'CA')
    writeFileSync(join(folder, 'namespace'), 'here\n')
    expect(await inClusterConfig({ env, secrets })).toEqual({
      server,
      ca: 'CA',
      tokenFile: join(folder, 'token'),
      namespace: 'here',
    })
  })
}

test('outside of a cluster the error says what to do', async () => {
  await expect(inClusterConfig({ env: {}, secrets })).rejects.toThrow(
    'this is no pod: name a client configuration',
  )
})
