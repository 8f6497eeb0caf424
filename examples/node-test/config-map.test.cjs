const assert = require('node:assert/strict')
const { after, before, test } = require('node:test')
const { startServer } = require('orch')
const { clientOf } = require('../client.cjs')

let server
before(async () => {
  server = await startServer()
})
after(() => server.close())

test('modules and required files share one package', async () => {
  assert.equal((await import('orch')).startServer, startServer)
  const { status } = await clientOf(server)('GET', '/api/v1/namespaces/default')
  assert.equal(status, 200)
})
