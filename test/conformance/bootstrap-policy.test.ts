/** The standing roles and bindings of a server: there at once, put right at the next start, otherwise left alone. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

const RBAC = '/apis/rbac.authorization.orch.io/v1'
const LISTS = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings']

let dataDir: string
let server: RunningServer
let client: Client

const start = async () => {
  server = await startServer({ dataDir, authorization: { modes: ['RBAC'] }, controllers: false })
  client = new Client(server)
}
const stop = async () => {
  client.close()
  await server.close()
}
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'policy-'))
  await start()
})
afterAll(async () => {
  await stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** What is stored: the version of every object by its place. */
const stored = async (): Promise<Record<string, string>> => {
  const lists = await Promise.all(LISTS.map((plural) => client.get(`${RBAC}/${plural}`)))
  return Object.fromEntries(
    lists.flatMap(({ body }, i) =>
      body.items.map(({ metadata: { namespace = '', name, resourceVersion } }: any) => [
        `${LISTS[i]} ${namespace}/${name}`,
        resourceVersion,
      ]),
    ),
  )
}

test('everything is there when the server is', async () => {
  const { status, body } = await client.get(`${RBAC}/clusterroles/system:basic-user`)
  expect([status, body.metadata.labels, body.metadata.annotations, body.rules]).toEqual([
    200,
    { 'orch.io/bootstrapping': 'rbac-defaults' },
    { 'rbac.authorization.orch.io/autoupdate': 'true' },
    [
      {
        verbs: ['create'],
        apiGroups: ['authorization.orch.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      },
    ],
  ])
  expect(Object.keys(await stored())).toHaveLength(119)
})

test('everybody may read the version, and nothing else', async () => {
  // A server is ready before all steps of its start are over, which its health tells.
  await server.settled()
  const nobody = new Client(server, { anonymous: true })
  try {
    const replies = await Promise.all(
      ['/version', '/healthz', '/apis', '/api/v1/pods'].map((path) => nobody.get(path)),
    )
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 403, 403])
  } finally {
    nobody.close()
  }
})

test('a start with everything there writes nothing', async () => {
  const before = await stored()
  await stop()
  await start()
  await server.settled()
  expect(await stored()).toEqual(before)
})

test('a start puts right what differs, and nothing else', async () => {
  const before = await stored()
  await client.delete(`${RBAC}/clusterroles/system:discovery`)
  await client.merge(`${RBAC}/clusterrolebindings/system:basic-user`, { subjects: null })
  await stop()
  await start()
  await server.settled()
  const after = await stored()
  expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort())
  expect(Object.keys(after).filter((place) => after[place] !== before[place])).toEqual([
    'clusterroles /system:discovery',
    'clusterrolebindings /system:basic-user',
  ])
  const { body } = await client.get(`${RBAC}/clusterrolebindings/system:basic-user`)
  expect(body.subjects).toEqual([
    { kind: 'Group', apiGroup: 'rbac.authorization.orch.io', name: 'system:authenticated' },
  ])
})
