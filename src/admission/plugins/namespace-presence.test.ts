import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  forbidden,
  missing,
  serverWith,
  type PluginServer,
} from '../../../test/plugin-server.fixture.ts'

const maps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`
const map = (name: string) => ({ metadata: { name } })

describe('NamespaceAutoProvision', () => {
  let started: PluginServer
  beforeAll(async () => {
    started = await serverWith(['NamespaceAutoProvision'])
  })
  afterAll(() => started.close())

  test('makes the namespace of a new object', async () => {
    expect((await started.admin.post(maps('fresh'), map('a'))).status).toBe(201)
    expect((await started.admin.get('/api/v1/namespaces/fresh')).body).toMatchObject({
      metadata: { name: 'fresh', labels: { 'kubernetes.io/metadata.name': 'fresh' } },
      status: { phase: 'Active' },
    })
  })

  test('once, however many ask for it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => started.admin.post(maps('racing'), map(`m${i}`))),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201))
  })

  test('not in a dry run', async () => {
    const { body } = await started.admin.post(`${maps('dry')}?dryRun=All`, map('a'))
    expect(body).toEqual(missing('namespaces', 'dry'))
    expect((await started.admin.get('/api/v1/namespaces/dry')).status).toBe(404)
  })

  test('not under a name that no namespace can have', async () => {
    const { body } = await started.admin.post(maps('Not_One'), map('a'))
    expect(body).toEqual(
      forbidden(
        'configmaps',
        'a',
        `Namespace "Not_One" is invalid: metadata.name: Invalid value: "Not_One": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      ),
    )
  })
})

describe('NamespaceExists', () => {
  let started: PluginServer
  beforeAll(async () => {
    started = await serverWith(['NamespaceExists'], {
      disableAdmissionPlugins: ['NamespaceLifecycle'],
    })
  })
  afterAll(() => started.close())

  for (const { name, send, status, body } of [
    {
      name: 'a create where the namespace is',
      send: ({ admin }) => admin.post(maps('default'), map('a')),
      status: 201,
    },
    {
      name: 'a create where it is not',
      send: ({ admin }) => admin.post(maps('absent'), map('a')),
      status: 404,
      body: missing('namespaces', 'absent'),
    },
    {
      name: 'a namespace',
      send: ({ admin }) => admin.post('/api/v1/namespaces', map('other')),
      status: 201,
    },
    {
      name: 'a delete of a namespace that is otherwise kept',
      send: ({ admin }) => admin.delete('/api/v1/namespaces/kube-public'),
      status: 200,
    },
    {
      name: 'an object of the cluster',
      send: ({ admin }) => admin.post('/api/v1/nodes', map('n')),
      status: 201,
    },
  ] as {
    name: string
    send: (server: PluginServer) => Promise<{ status: number; body: unknown }>
    status: number
    body?: object
  }[]) {
    test(name, async () => {
      const answer = await send(started)
      expect(answer.status).toBe(status)
      if (body) expect(answer.body).toEqual(body)
    })
  }
})
