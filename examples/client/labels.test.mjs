// A small controller: every config map gets a label with the number of its entries. Run by node:test.
import { startServer } from 'orch'
import { WorkQueue, placeIn, systemClock } from 'orch/client'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

const MAPS = { group: '', version: 'v1', resource: 'configmaps' }

/** Runs the controller with a client of any server; gives what ends it. */
function countEntries(client) {
  const maps = client.resource(MAPS)
  const informer = maps.informer()
  const queue = new WorkQueue({
    clock: systemClock,
    async work(key) {
      const { namespace, name } = placeIn(key)
      const map = informer.lister.get(namespace, name)
      const entries = String(Object.keys(map?.data ?? {}).length)
      if (!map || map.metadata.labels?.entries === entries) return
      await maps.in(namespace).patch(name, { metadata: { labels: { entries } } })
    },
  })
  informer.addHandler({
    add: ({ key }) => queue.add(key),
    update: ({ key }) => queue.add(key),
  })
  informer.start()
  return async () => {
    await informer.stop()
    await queue.stop()
  }
}

let server
let client
let end
before(async () => {
  server = await startServer()
  // Without sockets; with `connect` the same runs against a server elsewhere.
  client = await server.client({ user: { name: 'counter', groups: ['system:masters'] } })
  end = countEntries(client)
})
after(async () => {
  await end()
  await server.close()
})

test('a config map is labelled with the number of its entries', async () => {
  const maps = client.resource(MAPS).in('default')
  const events = maps.watch({ fieldSelector: 'metadata.name=greeting' })
  await maps.create({ metadata: { name: 'greeting' }, data: { text: 'hello', tone: 'warm' } })
  for await (const { object } of events) if (object.metadata.labels?.entries === '2') break
  const made = await maps.get('greeting')
  assert.equal(made.metadata.labels.entries, '2')
})
