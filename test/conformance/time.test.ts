/** What happens as time passes, with a clock that is moved by hand. */
import { expect, test } from 'vitest'
import { ManualClock, startServer } from '../../src/index.ts'
import { Client } from '../client.ts'

const NS = '/api/v1/namespaces/default/configmaps'
const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve))

test('bookmarks come to those who ask, and tell how far the stream has got', async () => {
  const clock = new ManualClock()
  const server = await startServer({ controllers: false, clock })
  const client = new Client(server)
  const with_ = await client.watch(`${NS}?watch=1&allowWatchBookmarks=true`)
  const without = await client.watch(`${NS}?watch=1`)
  await client.post(NS, { metadata: { name: 'a' } })
  expect([await with_.names(1), await without.names(1)]).toEqual([['ADDED a'], ['ADDED a']])
  // A change elsewhere moves the bookmark, not the stream.
  const other = await client.post('/api/v1/namespaces/default/secrets', { metadata: { name: 's' } })
  const next = with_.next()
  clock.advance(60_000)
  expect(await next).toEqual({
    type: 'BOOKMARK',
    object: {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { resourceVersion: other.body.metadata.resourceVersion, creationTimestamp: null },
    },
  })
  await client.post(NS, { metadata: { name: 'b' } })
  expect([await with_.names(1), await without.names(1)]).toEqual([['ADDED b'], ['ADDED b']])
  with_.close()
  without.close()
  client.close()
  await server.close()
})

test('a watch without a timeout ends by itself', async () => {
  const clock = new ManualClock()
  const server = await startServer({ controllers: false, clock, minRequestTimeoutMs: 10_000 })
  const client = new Client(server)
  const watch = await client.watch(`${NS}?watch=1`)
  const ended = watch.next()
  await yieldToEventLoop()
  clock.advance(20_000)
  expect(await ended).toBeNull()
  client.close()
  await server.close()
})

test('a request that takes too long is answered', async () => {
  const clock = new ManualClock()
  const server = await startServer({ controllers: false, clock, requestTimeoutMs: 1000 })
  const client = new Client(server)
  let done = false
  const reply = client.get(`${NS}?resourceVersion=99999`).finally(() => (done = true))
  while (!done) {
    clock.advance(250)
    await yieldToEventLoop()
  }
  const { status, body } = await reply
  expect([status, body]).toEqual([
    504,
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Timeout: request did not complete within the allotted timeout',
      reason: 'Timeout',
      details: {},
      code: 504,
    },
  ])
  client.close()
  await server.close()
})
