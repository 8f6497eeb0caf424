import { expect, test } from 'vitest'
import { startServer } from '../index.ts'
import { connect, readKubeconfig } from './index.ts'

test('responses that arrive together are read whole', async () => {
  const server = await startServer({ controllers: false })
  const client = await connect({ config: await readKubeconfig(server.kubeconfig) })
  try {
    const maps = client.resource('v1', 'configmaps').in('default')
    const names = Array.from({ length: 30 }, (_, i) => `m${i}`)
    for (let round = 0; round < 20; round++) {
      const made = await Promise.all(names.map((name) => maps.create({ metadata: { name } })))
      expect(made.map(({ metadata }) => metadata?.name)).toEqual(names)
      await Promise.all(names.map((name) => maps.delete(name)))
    }
  } finally {
    client.close()
    await server.close()
  }
})
