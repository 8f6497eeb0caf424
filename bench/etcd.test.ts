import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasEtcd, startEtcd, type Etcd } from './etcd.ts'
import { measureCalls } from './grpc-js/measure.ts'
import { rawStore } from './store-raw.ts'
import { Workspace } from './workspace.ts'

describe.skipIf(!hasEtcd())('over etcd', () => {
  let dir: string
  let workspace: Workspace
  let etcd: Etcd
  const bounds = { callers: 2, seconds: 0.05, valueBytes: 100 }

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'bench-etcd-test-'))
    workspace = new Workspace(dir, dir)
    etcd = await startEtcd(workspace)
  })
  afterAll(async () => {
    await workspace.close()
    await rm(dir, { recursive: true })
  })

  test('the engine alone is measured', async () => {
    const { url, pid } = etcd
    const result = await rawStore({ ...bounds, etcd: { url, pid, prefix: '/engine' } })
    expect(result.perSecond).toBeGreaterThan(0)
  })

  for (const client of ['builtin', 'grpc-js'] as const) {
    test(`${client} writes, and sees what is written`, async () => {
      const run = { ...bounds, client, url: etcd.url, prefix: `/${client}` }
      const [seen, written] = await Promise.all([
        measureCalls({ ...run, does: 'watch' }),
        measureCalls({ ...run, does: 'txn', seconds: 1 }),
      ])
      expect([seen.perSecond > 0, written.perSecond > 0]).toEqual([true, true])
    })
  }
})
