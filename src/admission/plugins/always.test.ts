import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  forbidden,
  NS,
  serverWith,
  type PluginServer,
} from '../../../test/plugin-server.fixture.ts'

const map = { metadata: { name: 'x' }, data: { a: '1' } }
const DENIED = 'admission control is denying all modifications'

let denying: PluginServer
beforeAll(async () => {
  denying = await serverWith(['AlwaysDeny', 'AlwaysAdmit'])
})
afterAll(() => denying.close())

for (const { name, send, answer } of [
  {
    name: 'a create',
    send: ({ admin }) => admin.post(`${NS}/configmaps`, map),
    answer: forbidden('configmaps', 'x', DENIED),
  },
  {
    name: 'a create of a name to be generated',
    send: ({ admin }) => admin.post(`${NS}/configmaps`, { metadata: { generateName: 'g-' } }),
    answer: forbidden('configmaps', 'g-', DENIED),
  },
  {
    name: 'an invalid object, before it is checked',
    send: ({ admin }) => admin.post(`${NS}/configmaps`, { metadata: { name: 'X' } }),
    answer: forbidden('configmaps', 'X', DENIED),
  },
  {
    name: 'a patch',
    send: ({ admin }) => admin.merge('/api/v1/namespaces/default', { metadata: { labels: {} } }),
    answer: forbidden('namespaces', 'default', DENIED),
  },
  {
    name: 'a delete',
    send: ({ admin }) => admin.delete('/api/v1/namespaces/kube-node-lease'),
    answer: forbidden('namespaces', 'kube-node-lease', DENIED),
  },
  {
    name: 'a connection',
    send: ({ admin }) => admin.get(`${NS}/services/kubernetes/proxy/`),
    answer: forbidden('services', 'kubernetes', DENIED),
  },
] satisfies {
  name: string
  send: (server: PluginServer) => Promise<{ body: unknown }>
  answer: object
}[]) {
  test(`AlwaysDeny refuses ${name}`, async () => {
    expect((await send(denying)).body).toEqual(answer)
  })
}

test('AlwaysDeny lets reads pass, and what the server writes itself', async () => {
  const { status, body } = await denying.admin.get('/api/v1/namespaces')
  expect([status, body.items.map((one: typeof map) => one.metadata.name)]).toEqual([
    200,
    ['default', 'kube-node-lease', 'kube-public', 'kube-system'],
  ])
})

test('AlwaysAdmit changes nothing', async () => {
  const admitting = await serverWith(['AlwaysAdmit'])
  expect((await admitting.admin.post(`${NS}/configmaps`, map)).status).toBe(201)
  expect((await admitting.admin.post('/api/v1/namespaces/absent/configmaps', map)).status).toBe(404)
  await admitting.close()
})
