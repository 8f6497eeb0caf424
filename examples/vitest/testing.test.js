// A controller of a few lines, against a server that is clean before each test.
import { builders, useServer } from 'orch/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

const server = useServer({ beforeAll, beforeEach, afterAll }, { vocabulary: 'kubernetes' })
const { configMap } = builders('kubernetes')

/** Writes how many keys a map has into its labels, again and again until that succeeds. */
async function label(maps, name) {
  for (;;) {
    const map = await maps.get(name)
    const labels = { keys: String(Object.keys(map.data).length) }
    try {
      return await maps.update({ ...map, metadata: { ...map.metadata, labels } })
    } catch (error) {
      if (error.code !== 409) throw error
    }
  }
}

test('a conflict is tried again', async () => {
  const client = await server.connect()
  const { name: namespace } = await server.namespace()
  const maps = client.resource('v1', 'configmaps').in(namespace)
  await maps.create(configMap('a', { data: { x: '1', y: '2' } }))
  server.fail({ verb: 'update', resource: 'configmaps', race: true, times: 1 })

  expect((await label(maps, 'a')).metadata.labels).toEqual({ keys: '2' })

  server.requests.expect({ verb: 'update', name: 'a' }, { times: 2 })
  expect(server.requests.find({ verb: 'update' }).map(({ status }) => status)).toEqual([409, 200])
  client.close()
})

test('the next test finds nothing of it', () => {
  server.requests.none({ resource: 'configmaps' })
})
