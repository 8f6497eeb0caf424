/** Names that are longer than a key of the store: some kinds bound them by no rule of their own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lineLog } from '../../src/base/log.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

const GROUP = 'rbac.authorization.orch.io'
const API = `/apis/${GROUP}/v1`
const KINDS = [
  ['Role', `${API}/namespaces/default/roles`],
  ['RoleBinding', `${API}/namespaces/default/rolebindings`],
  ['ClusterRole', `${API}/clusterroles`],
  ['ClusterRoleBinding', `${API}/clusterrolebindings`],
] as const

let dataDir: string
let server: RunningServer
let client: Client
const logged: string[] = []
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'long-names-'))
  const write = (line: string) => void logged.push(line)
  const log = lineLog({ format: 'json', level: 0, now: () => 0, write })
  server = await startServer({ controllers: false, store: 'lmdb', dataDir, log })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
  await rm(dataDir, { recursive: true, force: true })
})

const objectOf = (kind: string, name: string) => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name },
  ...(kind.endsWith('Binding')
    ? { roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'view' } }
    : { rules: [] }),
})

const REFUSED = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Request entity too large: the store takes no names of this length',
  reason: 'RequestEntityTooLarge',
  code: 413,
}

for (const [kind, path] of KINDS)
  describe(kind, () => {
    const name = 'n:'.repeat(1_000)
    const object = objectOf(kind, name)
    const apply = 'application/apply-patch+yaml'

    test('is refused by every verb that makes one, and nothing is logged', async () => {
      const made = [
        await client.post(path, object),
        await client.ask('PUT', `${path}/${name}`, { body: object }),
        await client.ask('PATCH', `${path}/${name}?fieldManager=m`, {
          body: object,
          headers: { 'content-type': apply },
        }),
      ]
      for (const { body } of made) expect(body).toEqual(REFUSED)
      expect(logged.filter((line) => line.includes('"level":"error"'))).toEqual([])
    })

    test('is not there for the others', async () => {
      for (const method of ['GET', 'DELETE', 'PATCH']) {
        const { body } = await client.ask(method, `${path}/${name}`, {
          ...(method === 'PATCH'
            ? { body: {}, headers: { 'content-type': 'application/merge-patch+json' } }
            : {}),
        })
        expect([method, body.code, body.reason]).toEqual([method, 404, 'NotFound'])
      }
    })

    test('of the longest that is taken is served', async () => {
      const long = 'n'.repeat(1_700)
      expect((await client.post(path, objectOf(kind, long))).status).toBe(201)
      expect((await client.get(`${path}/${long}`)).status).toBe(200)
      expect((await client.ask('DELETE', `${path}/${long}`)).status).toBe(200)
    })
  })
