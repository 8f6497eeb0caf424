import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  forbidden,
  NS,
  serverWith,
  type PluginServer,
} from '../../../test/plugin-server.fixture.ts'

const SERVICES = `${NS}/services`
const DENIED = 'Use of external IPs is denied by admission control'
const service = (name: string, externalIPs?: readonly string[]) => ({
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...(externalIPs ? { externalIPs } : {}) },
})

let started: PluginServer
beforeAll(async () => {
  started = await serverWith(['DenyServiceExternalIPs'])
})
afterAll(() => started.close())

test('a service with external IPs is refused', async () => {
  const { body } = await started.admin.post(SERVICES, service('a', ['1.2.3.4']))
  expect(body).toEqual(forbidden('services', 'a', DENIED))
})

test('one without is accepted, and gets none later', async () => {
  expect((await started.admin.post(SERVICES, service('b'))).status).toBe(201)
  const path = `${SERVICES}/b`
  const patched = await started.admin.merge(path, { spec: { externalIPs: ['1.2.3.4'] } })
  expect(patched.body).toEqual(forbidden('services', 'b', DENIED))
  expect((await started.admin.merge(path, { spec: { externalIPs: [] } })).status).toBe(200)
})

test('those that are there may stay or go', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'external-ips-'))
  const before = await serverWith([], { dataDir })
  const made = await before.admin.post(SERVICES, service('c', ['1.2.3.4', '1.2.3.5']))
  expect(made.status).toBe(201)
  await before.close()
  const after = await serverWith(['DenyServiceExternalIPs'], { dataDir })
  const path = `${SERVICES}/c`
  for (const { ips, status } of [
    { ips: ['1.2.3.5', '1.2.3.4'], status: 200 },
    { ips: ['1.2.3.5', '1.2.3.6'], status: 403 },
    { ips: ['1.2.3.5'], status: 200 },
    { ips: ['1.2.3.5', '1.2.3.4'], status: 403 },
  ]) {
    const changed = await after.admin.merge(path, { spec: { externalIPs: ips } })
    expect(changed.status).toBe(status)
  }
  await after.close()
  rmSync(dataDir, { recursive: true })
})
