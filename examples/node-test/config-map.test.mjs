import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startServer } from 'orch'
import { clientOf } from '../client.cjs'

let server
let send
before(async () => {
  server = await startServer()
  send = clientOf(server)
})
after(() => server.close())

test('a config map is kept', async () => {
  const path = '/api/v1/namespaces/default/configmaps'
  const created = await send('POST', path, { metadata: { name: 'greeting' }, data: { a: 'b' } })
  assert.equal(created.status, 201)
  assert.deepEqual((await send('GET', `${path}/greeting`)).body.data, { a: 'b' })
})
