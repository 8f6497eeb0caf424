/** The verbs of clients: the same answers and the same refusals over each transport. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { StatusError } from '../../src/meta/errors.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { clientOf, transports } from './clients.fixture.ts'

interface ConfigMap {
  apiVersion?: string
  kind?: string
  metadata?: { name?: string; namespace?: string; labels?: Record<string, string>; uid?: string }
  data?: Record<string, string>
}

const MAPS = { group: '', version: 'v1', resource: 'configmaps' }

let server: RunningServer
beforeAll(async () => {
  server = await startServer({ controllers: false })
})
afterAll(() => server.close())

for (const transport of transports) {
  describe(transport, () => {
    let client: Client
    const maps = () => client.resource<ConfigMap>(MAPS).in('default')
    beforeAll(async () => {
      client = await clientOf(server, transport)
    })
    afterAll(async () => {
      await maps().deleteCollection({}, { labelSelector: 'test=yes' })
      client.close()
    })
    const named = (name: string, data: Record<string, string> = {}): ConfigMap => ({
      metadata: { name, labels: { test: 'yes' } },
      data,
    })

    test('an object is made, read, changed in every way and deleted', async () => {
      const made = await maps().create(named('a', { n: '1' }))
      expect([made.kind, made.apiVersion, made.data]).toEqual(['ConfigMap', 'v1', { n: '1' }])
      expect(await maps().get('a')).toEqual(made)
      const updated = await maps().update({ ...made, data: { n: '2' } })
      expect(updated.data).toEqual({ n: '2' })
      expect((await maps().patch('a', { data: { m: '3' } })).data).toEqual({ m: '3', n: '2' })
      expect((await maps().patch('a', { data: { m: null } }, { type: 'merge' })).data).toEqual({
        n: '2',
      })
      const operations = [{ op: 'replace', path: '/data/n', value: '4' }]
      expect((await maps().patch('a', operations, { type: 'json' })).data).toEqual({ n: '4' })
      const config = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
        data: { o: '5' },
      }
      const applied = await maps().apply(config, { fieldManager: 'tester' })
      expect(applied.data).toEqual({ n: '4', o: '5' })
      expect(await maps().delete('a')).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'a', kind: 'configmaps', uid: made.metadata!.uid },
      })
      expect(await maps().find('a')).toBe(null)
    })

    test('built-in kinds are found by apiVersion and plural, with their types', async () => {
      const deployments = client.resource('apps/v1', 'deployments').in('default')
      const made = await deployments.create(
        {
          metadata: { name: 'd' },
          spec: {
            selector: { matchLabels: { app: 'd' } },
            template: {
              metadata: { labels: { app: 'd' } },
              spec: { containers: [{ name: 'c', image: 'i' }] },
            },
          },
        },
        { dryRun: true },
      )
      expect([made.kind, made.spec?.replicas, made.spec?.template.spec?.dnsPolicy]).toEqual([
        'Deployment',
        1,
        'ClusterFirst',
      ])
    })

    test('a dry run writes nothing', async () => {
      await maps().create(named('dry'), { dryRun: true })
      expect(await maps().find('dry')).toBe(null)
    })

    test('a collection is read in chunks, all of it and by its metadata', async () => {
      for (const name of ['p1', 'p2', 'p3']) await maps().create(named(name, { d: name }))
      const selected = { labelSelector: 'test=yes' }
      const page = await maps().list({ ...selected, limit: 2 })
      expect(page.items.map((one) => [one.kind, one.metadata?.name])).toEqual([
        ['ConfigMap', 'p1'],
        ['ConfigMap', 'p2'],
      ])
      const names: (string | undefined)[] = []
      for await (const one of maps().each({ ...selected, limit: 1 })) names.push(one.metadata?.name)
      expect(names).toEqual(['p1', 'p2', 'p3'])
      const metadata = await maps().metadata().list(selected)
      for (const one of metadata.items)
        expect(Object.keys(one).sort()).toEqual(['apiVersion', 'kind', 'metadata'])
      expect(metadata.items[0]!.kind).toBe('PartialObjectMetadata')
    })

    test('sub-resources are read, written and acted on', async () => {
      const namespaces = client.resource({ group: '', version: 'v1', resource: 'namespaces' })
      const status = { metadata: { name: 'default' }, status: { phase: 'Active' } }
      expect(await namespaces.sub('status').patch('default', status)).toMatchObject(status)
      const accounts = client.resource({ group: '', version: 'v1', resource: 'serviceaccounts' })
      await accounts.in('default').create({ metadata: { name: `robot-${transport.length}` } })
      const order = { spec: { audiences: [], expirationSeconds: 600 } }
      const { status: given } = await accounts
        .in('default')
        .sub('token')
        .create<{ status: { token: string } }>(`robot-${transport.length}`, order)
      expect(given.token.split('.')).toHaveLength(3)
    })

    test('another version of a kind is converted', async () => {
      const at = (version: string) => ({
        group: 'autoscaling',
        version,
        resource: 'horizontalpodautoscalers',
      })
      const name = `h-${transport.length}`
      await client
        .resource(at('v1'))
        .in('default')
        .create({
          metadata: { name },
          spec: {
            scaleTargetRef: { kind: 'Deployment', name: 'd' },
            maxReplicas: 3,
            targetCPUUtilizationPercentage: 50,
          },
        } as object)
      const v1 = await client.resource<Record<string, unknown>>(at('v1')).in('default').get(name)
      expect([v1['apiVersion'], v1['spec']]).toEqual([
        'autoscaling/v1',
        {
          scaleTargetRef: { kind: 'Deployment', name: 'd' },
          minReplicas: 1,
          maxReplicas: 3,
          targetCPUUtilizationPercentage: 50,
        },
      ])
    })

    test('a watch tells what happens, from a version on', async () => {
      const { metadata } = await maps().list()
      const events = maps().watch({ resourceVersion: metadata.resourceVersion! })
      await maps().create(named('w'))
      await maps().patch('w', { data: { x: '1' } })
      await maps().delete('w')
      const seen: string[] = []
      for await (const { type, object } of events) {
        seen.push(`${type} ${object.metadata?.name} ${object.data?.['x'] ?? ''}`)
        if (type === 'DELETED') break
      }
      expect(seen).toEqual(['ADDED w ', 'MODIFIED w 1', 'DELETED w 1'])
    })

    test('a watch that is aborted ends without a failure', async () => {
      const ending = new AbortController()
      const events = maps().watch({ resourceVersion: '1', signal: ending.signal })
      const next = events.next()
      ending.abort()
      for (let one = await next; one.done !== true; one = await events.next());
    })

    const refusal = async (work: Promise<unknown>) => {
      const error = await work.then(
        () => null,
        (why: unknown) => why,
      )
      expect(error).toBeInstanceOf(StatusError)
      return (error as StatusError).toStatus()
    }
    const FAILED = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' }
    for (const { title, ask, status } of [
      {
        title: 'an absent object',
        ask: () => maps().get('none'),
        status: {
          message: 'configmaps "none" not found',
          reason: 'NotFound',
          details: { name: 'none', kind: 'configmaps' },
          code: 404,
        },
      },
      {
        title: 'a kind that is not served',
        ask: () => client.resource({ group: '', version: 'v1', resource: 'things' }).list(),
        status: {
          message: 'the server could not find the requested resource',
          reason: 'NotFound',
          details: {},
          code: 404,
        },
      },
      {
        title: 'a name that is taken',
        ask: () =>
          client.resource({ group: '', version: 'v1', resource: 'namespaces' }).create({
            metadata: { name: 'default' },
          }),
        status: {
          message: 'namespaces "default" already exists',
          reason: 'AlreadyExists',
          details: { name: 'default', kind: 'namespaces' },
          code: 409,
        },
      },
      {
        title: 'a path segment that would lead elsewhere',
        ask: () => maps().get('a/b'),
        status: {
          message: 'invalid path segment "a/b": may not contain \'/\'',
          reason: 'BadRequest',
          code: 400,
        },
      },
      {
        title: 'a selector that is no selector',
        ask: () => maps().list({ labelSelector: 'a in' }),
        status: { reason: 'BadRequest', code: 400, message: expect.any(String) as string },
      },
    ]) {
      test(`${title} is refused with the whole Status`, async () => {
        expect(await refusal(ask())).toEqual({ ...FAILED, ...status })
      })
    }

    test('who may not is refused, in the words of any request', async () => {
      const nobody = await clientOf(server, transport, { user: 'nobody' })
      const asked = nobody.resource(MAPS).in('default')
      const told = (verb: string) => ({
        ...FAILED,
        message: `configmaps is forbidden: User "nobody" cannot ${verb} resource "configmaps" in API group "" in the namespace "default"`,
        reason: 'Forbidden',
        details: { kind: 'configmaps' },
        code: 403,
      })
      expect(await refusal(asked.list())).toEqual(told('list'))
      expect(await refusal(asked.create({ metadata: { name: 'x' } }))).toEqual(told('create'))
      expect(await refusal(asked.watch().next())).toEqual(told('watch'))
      nobody.close()
    })

    test('a request that is aborted rejects with the reason', async () => {
      const reason = new Error('no longer wanted')
      await expect(maps().list({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    })

    test('what is served is told', async () => {
      const { resources, failures } = await client.discover()
      expect(failures.size).toBe(0)
      expect(resources.filter(({ resource }) => resource === 'configmaps')).toEqual([
        {
          group: '',
          version: 'v1',
          resource: 'configmaps',
          kind: 'ConfigMap',
          namespaced: true,
          verbs: expect.arrayContaining(['get', 'list', 'watch', 'deletecollection']) as string[],
        },
      ])
      expect(new Set(resources.map(({ group }) => group)).size).toBeGreaterThan(15)
    })
  })
}

test('who is not allowed to act as another is refused', async () => {
  const client = await server.client({
    user: { name: 'jane' },
    impersonate: { user: 'root', uid: '', groups: [], extra: [] },
  })
  const refused = client.resource(MAPS).list()
  await expect(refused).rejects.toMatchObject({
    code: 403,
    message:
      'users "root" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope',
  })
})

test('both transports serve the same', async () => {
  const served = await Promise.all(
    transports.map(async (transport) => {
      const client = await clientOf(server, transport)
      const { resources } = await client.discover()
      client.close()
      return resources.map((one) => JSON.stringify({ ...one, verbs: [...one.verbs].sort() })).sort()
    }),
  )
  expect(served[1]).toEqual(served[0])
})
