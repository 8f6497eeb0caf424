const { startServer } = require('orch')
const { clientOf } = require('../client.cjs')

let server
let send
beforeAll(async () => {
  server = await startServer()
  send = clientOf(server)
})
afterAll(() => server.close())

test('a config map is kept', async () => {
  const path = '/api/v1/namespaces/default/configmaps'
  const created = await send('POST', path, { metadata: { name: 'greeting' }, data: { a: 'b' } })
  expect(created.status).toBe(201)
  expect((await send('GET', `${path}/greeting`)).body.data).toEqual({ a: 'b' })
})

test('options are those of a server', async () => {
  await expect(startServer({ featureGates: {}, prot: 1 })).rejects.toThrow(
    'unknown option prot (did you mean port?)',
  )
})
