// A session of one test is the fixture of another.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { builders, useServer } from 'orch/testing'

const server = useServer({ before, beforeEach, after })
const { configMap } = builders()
let session

test('a session is recorded', async () => {
  const client = await server.connect({ user: { name: 'ada', groups: ['system:masters'] } })
  const maps = client.resource('v1', 'configmaps').in('default')
  await maps.create(configMap('a', { data: { key: 'value' } }))
  await maps.patch('a', { data: { key: 'other' } })
  client.close()
  // A JSON value: keep it in a file.
  session = JSON.stringify(await server.session())
})

test('and replayed', async () => {
  await server.replay(JSON.parse(session))
  const client = await server.client()
  const { data, metadata } = await client.resource('v1', 'configmaps').in('default').get('a')
  assert.deepEqual(data, { key: 'other' })
  assert.equal(metadata.managedFields[0].manager, 'orch-client')
})
