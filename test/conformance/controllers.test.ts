/** What the server does by itself with objects that owners, namespaces or definitions leave behind, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { ManualClock } from '../../src/base/clock.ts'
import { formatTime } from '../../src/base/time.ts'
import { Client } from '../client.ts'

for (const vocabulary of ['orch', 'kubernetes'] as const) {
  describe(`vocabulary ${vocabulary}`, () => {
    const domain = vocabulary === 'orch' ? 'orch.io' : 'k8s.io'
    const MAPS = '/api/v1/namespaces/default/configmaps'
    const DEFINITIONS = `/apis/apiextensions.${domain}/v1/customresourcedefinitions`
    const ROLES = `/apis/rbac.authorization.${domain}/v1/clusterroles`
    const clock = new ManualClock()
    let server: RunningServer
    let client: Client
    beforeAll(async () => {
      server = await startServer({ vocabulary, clock })
      client = new Client(server)
    })
    afterAll(async () => {
      client.close()
      await server.close()
    })
    const settledStatus = async (path: string) => {
      await server.settled()
      return (await client.get(path)).status
    }

    for (const { policy, waiting, after } of [
      { policy: 'Background', waiting: 404, after: 404 },
      { policy: 'Foreground', waiting: 200, after: 404 },
      { policy: 'Orphan', waiting: 404, after: 200 },
    ]) {
      test(`dependents of an owner that is deleted with ${policy}`, async () => {
        const { body: owner } = await client.post(MAPS, { metadata: { name: 'owner' } })
        const { name, uid } = owner.metadata
        const reference = { apiVersion: 'v1', kind: 'ConfigMap', name, uid }
        await client.post(MAPS, {
          metadata: {
            name: 'dependent',
            finalizers: ['x.com/wait'],
            ownerReferences: [{ ...reference, blockOwnerDeletion: true }],
          },
        })
        await client.delete(`${MAPS}/owner?propagationPolicy=${policy}`)
        expect([
          await settledStatus(`${MAPS}/owner`),
          await settledStatus(`${MAPS}/dependent`),
        ]).toEqual([waiting, 200])
        await client.ask('PATCH', `${MAPS}/dependent`, {
          body: { metadata: { finalizers: null } },
          headers: { 'content-type': 'application/merge-patch+json' },
        })
        expect([
          await settledStatus(`${MAPS}/owner`),
          await settledStatus(`${MAPS}/dependent`),
        ]).toEqual([404, after])
        await client.delete(`${MAPS}/dependent`)
      })
    }

    test('a definition is not in force while nothing serves it, and goes when it is deleted', async () => {
      const path = `${DEFINITIONS}/things.example.com`
      await client.post(DEFINITIONS, {
        metadata: { name: 'things.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Cluster',
          names: { plural: 'things', kind: 'Thing' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object' } },
            },
          ],
        },
      })
      await server.settled()
      const { body } = await client.get(path)
      const lastTransitionTime = formatTime(clock.now())
      expect(body.status).toEqual({
        conditions: [
          {
            type: 'NamesAccepted',
            status: 'True',
            lastTransitionTime,
            reason: 'NoConflicts',
            message: 'no conflicts found',
          },
          {
            type: 'Established',
            status: 'False',
            lastTransitionTime,
            reason: 'NotServed',
            message: 'the names are accepted, but this server does not serve custom resources',
          },
        ],
        acceptedNames: {
          plural: 'things',
          singular: 'thing',
          kind: 'Thing',
          listKind: 'ThingList',
        },
        storedVersions: ['v1'],
      })
      // Each condition is the server's, the list of them nobody's: it was there, though empty.
      const condition = Object.fromEntries(
        ['.', 'f:lastTransitionTime', 'f:message', 'f:reason', 'f:status', 'f:type'].map((name) => [
          name,
          {},
        ]),
      )
      expect(
        body.metadata.managedFields.find((one: { subresource?: string }) => one.subresource),
      ).toEqual({
        manager: vocabulary === 'orch' ? 'orch-apiserver' : 'kube-apiserver',
        operation: 'Update',
        apiVersion: `apiextensions.${domain}/v1`,
        time: lastTransitionTime,
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:status': {
            'f:acceptedNames': { 'f:kind': {}, 'f:listKind': {}, 'f:plural': {}, 'f:singular': {} },
            'f:conditions': {
              'k:{"type":"Established"}': condition,
              'k:{"type":"NamesAccepted"}': condition,
            },
          },
        },
        subresource: 'status',
      })
      const groups = (await client.get('/apis')).body.groups.map(
        ({ name }: { name: string }) => name,
      )
      expect(groups).not.toContain('example.com')
      expect((await client.get('/apis/example.com/v1/things')).status).toBe(404)
      const gone = await client.delete(path)
      expect([gone.status, gone.body.kind, gone.body.metadata.finalizers]).toEqual([
        200,
        'CustomResourceDefinition',
        [`customresourcecleanup.apiextensions.${domain}`],
      ])
      expect(await settledStatus(path)).toBe(404)
    })

    test('a namespace goes with what is in it', async () => {
      await client.post('/api/v1/namespaces', { metadata: { name: 'n' } })
      await client.post('/api/v1/namespaces/n/secrets', { metadata: { name: 's' } })
      const { body } = await client.delete('/api/v1/namespaces/n')
      expect(body.status.phase).toBe('Terminating')
      expect(await settledStatus('/api/v1/namespaces/n')).toBe(200)
      clock.advance(5_000)
      expect([
        await settledStatus('/api/v1/namespaces/n'),
        await settledStatus('/api/v1/namespaces/n/secrets/s'),
      ]).toEqual([404, 404])
    })

    test('a cluster role gathers the rules of others', async () => {
      const rules = [{ verbs: ['get'], apiGroups: ['example.com'], resources: ['things'] }]
      await client.post(ROLES, {
        metadata: { name: 'all' },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'example.com/to': 'all' } }] },
      })
      await client.post(ROLES, {
        metadata: { name: 'part', labels: { 'example.com/to': 'all' } },
        rules,
      })
      await server.settled()
      expect((await client.get(`${ROLES}/all`)).body.rules).toEqual(rules)
    })
  })
}
