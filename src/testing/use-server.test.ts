/** The hooks of runners, and servers that files share. */
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { shareServer, sharedServer, useServer, type Hooks } from './index.ts'

describe('the server of a file', () => {
  const server = useServer(
    { beforeAll, beforeEach, afterAll },
    {
      setup: (its) =>
        its.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'base' } }),
    },
  )
  const maps = async () => (await server.client()).resource('v1', 'configmaps').in('default')

  // In order: each would fail without the reset before it.
  for (const round of ['first', 'second'])
    test(`is as after its setup, the ${round} time`, async () => {
      const all = await maps()
      expect((await all.list()).items.map(({ metadata }) => metadata!.name)).toEqual([
        'base',
        'orch-root-ca.crt',
      ])
      await all.create({ metadata: { name: 'mine' } })
      await all.delete('base')
      expect('reset' in server).toBe(true)
    })
})

describe('hooks', () => {
  const calls: string[] = []
  const works: (() => Promise<void>)[] = []
  const hook = (name: string) => (work: () => Promise<void>) => {
    calls.push(name)
    works.push(work)
  }

  test('are those of node:test too', async () => {
    const server = useServer(
      {
        before: hook('before'),
        beforeEach: hook('beforeEach'),
        after: hook('after'),
      },
      { controllers: false },
    )
    expect(calls).toEqual(['before', 'beforeEach', 'after'])
    expect(() => server.url).toThrow(
      'server.url: there is no server before the tests, and none after them',
    )
    for (const work of works.slice(0, 2)) await work()
    expect(server.url).toMatch(/^https:/)
    await works[2]!()
    expect(() => server.url).toThrow('server.url: there is no server')
  })

  test('are asked for', () => {
    expect(() => useServer({} as Hooks)).toThrow('useServer needs the hooks of the runner: {')
  })
})

test('files share a server', async () => {
  await expect(sharedServer()).rejects.toThrow('ORCH_TEST_KUBECONFIG is not set: call shareServer')
  const server = await shareServer()
  const path = process.env.ORCH_TEST_KUBECONFIG!
  const shared = await sharedServer()
  const space = await shared.namespace('file')
  const [map] = await shared.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: space.name },
  })
  expect(map!.metadata!.namespace).toBe(space.name)
  const ann = await shared.connect({ impersonate: { user: 'ann', uid: '', groups: [], extra: [] } })
  await expect(ann.resource('v1', 'configmaps').in(space.name).get('a')).rejects.toThrow(
    'User "ann"',
  )
  ann.close()
  shared.close()
  await server.close()
  expect([existsSync(path), process.env.ORCH_TEST_KUBECONFIG]).toEqual([false, undefined])
})
