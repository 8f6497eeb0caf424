/** Whoever uses the names of the other vocabulary is told what they are called here. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

let server: RunningServer
let client: Client
beforeAll(async () => {
  server = await startServer({ vocabulary: 'orch', controllers: false })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const WARNING =
  '299 - "this server speaks the vocabulary orch, in which the group rbac.authorization.k8s.io is called rbac.authorization.orch.io; start it with --vocabulary kubernetes for the names of that vocabulary"'

for (const path of [
  '/apis/rbac.authorization.k8s.io',
  '/apis/rbac.authorization.k8s.io/v1',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/a',
])
  test(`GET ${path}`, async () => {
    const { status, text, headers } = await client.get(path)
    expect({ status, text, warning: headers['warning'] }).toEqual({
      status: 404,
      text: '404 page not found\n',
      warning: WARNING,
    })
  })

for (const path of ['/apis/none.k8s.io/v1/things', '/apis/example.com', '/none'])
  test(`GET ${path} is unknown in both`, async () => {
    const { status, headers } = await client.get(path)
    expect([status, headers['warning']]).toEqual([404, undefined])
  })
