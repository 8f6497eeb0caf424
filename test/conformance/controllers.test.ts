/**
 * What is done by itself with objects that owners, namespaces, accounts or definitions leave behind, over HTTP: by the
 * controllers in the server, and by those of a program of its own, each with no more rights than its role gives.
 */
import { setTimeout as later } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { ManualClock } from '../../src/base/clock.ts'
import type { Log } from '../../src/base/log.ts'
import { silentLog } from '../../src/base/log.ts'
import { formatTime } from '../../src/base/time.ts'
import { readKubeconfig } from '../../src/client/kubeconfig.ts'
import { controllerManager } from '../../src/controller-manager/controller-manager.ts'
import { createPki } from '../../src/pki/files.ts'
import { systemClock } from '../../src/base/clock.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client } from '../client.ts'

const settings = (['orch', 'kubernetes'] as const).flatMap((vocabulary) =>
  (['in the server', 'apart'] as const).map((place) => ({ vocabulary, place })),
)

for (const { vocabulary, place } of settings) {
  describe(`vocabulary ${vocabulary}, controllers ${place}`, () => {
    const domain = vocabulary === 'orch' ? 'orch.io' : 'k8s.io'
    const system = vocabulary === 'orch' ? 'orch' : 'kube'
    const MAPS = '/api/v1/namespaces/default/configmaps'
    const DEFINITIONS = `/apis/apiextensions.${domain}/v1/customresourcedefinitions`
    const ROLES = `/apis/rbac.authorization.${domain}/v1/clusterroles`
    const clock = new ManualClock()
    const faults: string[] = []
    const log: Log = {
      ...silentLog,
      warn: (text, fields) => void faults.push(`${text} ${JSON.stringify(fields)}`),
      error: (text, fields) => void faults.push(`${text} ${JSON.stringify(fields)}`),
    }
    const ending = new AbortController()
    let manager: Promise<void> | null = null
    let server: RunningServer
    let client: Client
    beforeAll(async () => {
      const controllers = place === 'apart' ? ('server' as const) : true
      server = await startServer({ vocabulary, clock, controllers, log })
      client = new Client(server)
      if (place === 'apart') manager = runApart(server, vocabulary)
    })
    afterAll(async () => {
      ending.abort()
      await manager
      client.close()
      await server.close()
      // A permission that its role does not give would make a controller fail again and again.
      expect(faults).toEqual([])
    })
    /** As the program of its own, whose controllers have tokens of their own. */
    const runApart = async (of: RunningServer, name: typeof vocabulary) => {
      const v = vocabularies[name]
      const { saPrivateKey, ca, caKey } = await createPki({
        clock: systemClock,
        bindAddress: '',
        vocabulary: v,
        hosts: [],
      })
      const signing = { cert: ca, key: caKey ?? '', flag: 'cluster-signing-cert-file' }
      const user = v.resolve('system:{system}-controller-manager')
      const config = {
        ...(await readKubeconfig(of.kubeconfig)),
        impersonate: { user, uid: '', groups: [], extra: [] },
      }
      return controllerManager({
        config,
        controllers: ['*'],
        useServiceAccountCredentials: true,
        rootCa: of.ca,
        serviceAccountKey: saPrivateKey,
        signing: { durationMs: 31_536_000_000, authorities: { agentClient: signing } },
        leaderElection: null,
        log,
        clock,
      }).run(ending.signal)
    }
    /** What is read when everything is done: over the network that shows only by looking. */
    const settles = async <T>(read: () => Promise<T>, wanted: T): Promise<void> => {
      if (place === 'in the server') await server.settled()
      else {
        const end = Date.now() + 20_000
        while (Date.now() < end && JSON.stringify(await read()) !== JSON.stringify(wanted))
          await later(10)
      }
      expect(await read()).toEqual(wanted)
    }
    const status = async (path: string) => (await client.get(path)).status

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
        const both = async () => [await status(`${MAPS}/owner`), await status(`${MAPS}/dependent`)]
        await settles(both, [waiting, 200])
        await client.ask('PATCH', `${MAPS}/dependent`, {
          body: { metadata: { finalizers: null } },
          headers: { 'content-type': 'application/merge-patch+json' },
        })
        await settles(both, [404, after])
        await client.delete(`${MAPS}/dependent`)
      })
    }

    test('a kind of users whose resource is named events has owners and dependents', async () => {
      const group = 'example.com'
      const schema = { openAPIV3Schema: { type: 'object' } }
      await client.post(DEFINITIONS, {
        metadata: { name: `events.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { plural: 'events', kind: 'Event' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      })
      const kind = { apiVersion: `${group}/v1`, kind: 'Event' }
      const path = `/apis/${group}/v1/namespaces/default/events`
      const create = async () =>
        (await client.post(path, { ...kind, metadata: { name: 'owner' } })).status
      await vi.waitUntil(async () => (await create()) !== 404, { timeout: 10_000 })
      const { body: owner } = await client.get(`${path}/owner`)
      const reference = { ...kind, name: 'owner', uid: owner.metadata.uid }
      await client.post(path, {
        ...kind,
        metadata: {
          name: 'dependent',
          finalizers: ['x.com/wait'],
          ownerReferences: [{ ...reference, blockOwnerDeletion: true }],
        },
      })
      await client.delete(`${path}/owner?propagationPolicy=Foreground`)
      const { body: waiting } = await client.get(`${path}/owner`)
      expect(waiting.metadata.finalizers).toEqual(['foregroundDeletion'])
      // Programs of their own look for new resources in intervals.
      clock.advance(30_000)
      await client.ask('PATCH', `${path}/dependent`, {
        body: { metadata: { finalizers: null } },
        headers: { 'content-type': 'application/merge-patch+json' },
      })
      const both = async () => [await status(`${path}/owner`), await status(`${path}/dependent`)]
      await settles(both, [404, 404])
      await client.delete(`${DEFINITIONS}/events.${group}`)
    })

    test('what objects take from a quota is counted, and given back', async () => {
      const namespace = '/api/v1/namespaces/quotas'
      await client.post('/api/v1/namespaces', { metadata: { name: 'quotas' } })
      const hard = { secrets: '5', services: '5', [`count/leases.coordination.${domain}`]: '5' }
      await client.post(`${namespace}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard } })
      const used = async () =>
        (await client.get(`${namespace}/resourcequotas/q`)).body.status?.used?.secrets
      await settles(used, '0')
      for (const name of ['a', 'b'])
        await client.post(`${namespace}/secrets`, { metadata: { name } })
      await settles(used, '2')
      await client.delete(`${namespace}/secrets/a`)
      await settles(used, '1')
      await client.delete('/api/v1/namespaces/quotas')
    })

    test('services have endpoints and slices: those of pods, or what somebody wrote', async () => {
      const label = vocabulary === 'orch' ? 'orch.io' : 'kubernetes.io'
      const services = '/api/v1/namespaces/default/services'
      const slices = `/apis/discovery.${domain}/v1/namespaces/default/endpointslices`
      const ports = [{ port: 80 }]
      // That of the pods.
      await settles(() => status('/api/v1/namespaces/default/serviceaccounts/default'), 200)
      await client.post('/api/v1/nodes', { metadata: { name: 'node' } })
      await client.post('/api/v1/namespaces/default/pods', {
        metadata: { name: 'p', labels: { app: 'x' } },
        spec: { nodeName: 'node', containers: [{ name: 'c', image: 'x' }] },
      })
      await client.ask('PATCH', '/api/v1/namespaces/default/pods/p/status', {
        body: { status: { phase: 'Running', podIP: '10.1.0.1', podIPs: [{ ip: '10.1.0.1' }] } },
        headers: { 'content-type': 'application/merge-patch+json' },
      })
      await client.post(services, {
        metadata: { name: 's' },
        spec: { selector: { app: 'x' }, ports },
      })
      await client.post(services, { metadata: { name: 'manual' }, spec: { ports } })
      await client.post('/api/v1/namespaces/default/endpoints', {
        metadata: { name: 'manual' },
        subsets: [{ addresses: [{ ip: '10.9.0.1' }], ports }],
      })
      const addresses = async (service: string) => {
        const query = `labelSelector=${encodeURIComponent(`${label}/service-name=${service}`)}`
        const { items } = (await client.get(`${slices}?${query}`)).body
        return items.map((one: { endpoints: { addresses: string[] }[]; metadata: object }) => [
          one.endpoints.map((endpoint) => endpoint.addresses[0]),
          (one.metadata as { labels: Record<string, string> }).labels[
            `endpointslice.${label}/managed-by`
          ],
        ])
      }
      const subsets = async (service: string) =>
        (await client.get(`/api/v1/namespaces/default/endpoints/${service}`)).body.subsets?.flatMap(
          (one: { notReadyAddresses?: { ip: string }[] }) =>
            one.notReadyAddresses?.map(({ ip }) => ip),
        )
      await settles(() => subsets('s'), ['10.1.0.1'])
      await settles(() => addresses('s'), [[['10.1.0.1'], `endpointslice-controller.${domain}`]])
      const mirroring = `endpointslicemirroring-controller.${domain}`
      await settles(() => addresses('manual'), [[['10.9.0.1'], mirroring]])
      // The server's own are its own.
      expect(await addresses(vocabulary)).toEqual([[expect.any(Array), undefined]])
      for (const name of ['s', 'manual']) await client.delete(`${services}/${name}`)
      await settles(async () => [await addresses('s'), await addresses('manual')], [[], []])
      await client.delete('/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0')
    })

    test('a definition with names of its own is in force, and goes when it is deleted', async () => {
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
      await settles(
        async () => (await client.get(path)).body.status?.conditions?.[1]?.status,
        'True',
      )
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
            status: 'True',
            lastTransitionTime,
            reason: 'InitialNamesAccepted',
            message: 'the initial names have been accepted',
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
      expect(groups).toContain('example.com')
      expect((await client.get('/apis/example.com/v1/things')).body.items).toEqual([])
      const gone = await client.delete(path)
      expect([gone.status, gone.body.kind, gone.body.metadata.finalizers]).toEqual([
        200,
        'CustomResourceDefinition',
        [`customresourcecleanup.apiextensions.${domain}`],
      ])
      await settles(() => status(path), 404)
    })

    test('a node that is lost has taints, and its pods are not ready and leave', async () => {
      const label = vocabulary === 'orch' ? 'orch.io' : 'kubernetes.io'
      const [node, pod] = ['/api/v1/nodes/lost', '/api/v1/namespaces/default/pods/p']
      const merge = async (path: string, body: object) => {
        const headers = { 'content-type': 'application/merge-patch+json' }
        expect((await client.ask('PATCH', path, { body, headers })).status).toBe(200)
      }
      const conditions = [{ type: 'Ready', status: 'True' }]
      const labels = { [`${label}/os`]: 'linux' }
      await client.post('/api/v1/nodes', { metadata: { name: 'lost', labels } })
      await merge(`${node}/status`, { status: { conditions } })
      const spec = { nodeName: 'lost', containers: [{ name: 'c', image: 'x' }] }
      const made = await client.post('/api/v1/namespaces/default/pods', {
        ...{ metadata: { name: 'p' }, spec },
      })
      expect(made.status).toBe(201)
      await merge(`${pod}/status`, { status: { phase: 'Running', conditions } })
      const beta = async () => (await client.get(node)).body.metadata.labels[`beta.${label}/os`]
      await settles(beta, 'linux')
      const isLost = async () => {
        clock.advance(5_000)
        const { status, spec: now } = (await client.get(node)).body
        const ready = (await client.get(pod)).body.status.conditions[0].status
        const taints = (now.taints ?? []).map((one: { key: string }) => one.key)
        return [status.conditions[0].status, ready, taints]
      }
      for (let passes = 0; place === 'in the server' && passes < 10; passes++) {
        clock.advance(5_000)
        await server.settled()
      }
      await settles(isLost, ['Unknown', 'False', [`node.${label}/unreachable`]])
      await merge(node, { spec: { taints: [{ key: 'mine', effect: 'NoExecute' }] } })
      const leaves = async () =>
        (await client.get(pod)).body.metadata.deletionTimestamp !== undefined
      await settles(leaves, true)
      await client.delete(`${pod}?gracePeriodSeconds=0`)
      await client.delete(node)
    })

    test('a namespace goes with what is in it', async () => {
      await client.post('/api/v1/namespaces', { metadata: { name: 'n' } })
      await client.post('/api/v1/namespaces/n/secrets', { metadata: { name: 's' } })
      const { body } = await client.delete('/api/v1/namespaces/n')
      expect(body.status.phase).toBe('Terminating')
      await settles(() => status('/api/v1/namespaces/n'), 200)
      const both = async () => {
        // A program of its own hears of the deletion later, and waits from then on.
        if (place === 'apart') clock.advance(5_000)
        return [
          await status('/api/v1/namespaces/n'),
          await status('/api/v1/namespaces/n/secrets/s'),
        ]
      }
      clock.advance(5_000)
      await settles(both, [404, 404])
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
      await settles(async () => (await client.get(`${ROLES}/all`)).body.rules, rules)
    })

    test('a namespace has its account and the authority, also when they are deleted', async () => {
      await client.post('/api/v1/namespaces', { metadata: { name: 'm' } })
      const account = '/api/v1/namespaces/m/serviceaccounts/default'
      const authority = `/api/v1/namespaces/m/configmaps/${system}-root-ca.crt`
      const both = async () => [
        await status(account),
        (await client.get(authority)).body.data?.['ca.crt'],
      ]
      await settles(both, [200, server.ca])
      await client.delete(account)
      await client.delete(authority)
      await settles(both, [200, server.ca])
    })

    test('a secret for an account gets a token, and goes with the account', async () => {
      const label = vocabulary === 'orch' ? 'orch.io' : 'kubernetes.io'
      await client.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'r' } })
      await client.post('/api/v1/namespaces/default/secrets', {
        metadata: { name: 't', annotations: { [`${label}/service-account.name`]: 'r' } },
        type: `${label}/service-account-token`,
      })
      const path = '/api/v1/namespaces/default/secrets/t'
      const filled = async () => Object.keys((await client.get(path)).body.data ?? {}).sort()
      await settles(filled, ['ca.crt', 'namespace', 'token'])
      await client.delete('/api/v1/namespaces/default/serviceaccounts/r')
      await settles(() => status(path), 404)
    })
  })
}

describe('the choice of controllers', () => {
  test('those that are left out do nothing', async () => {
    const server = await startServer({ controllers: ['*', '-endpoint', '-serviceaccount'] })
    const client = new Client(server)
    const spec = { selector: { app: 'x' }, ports: [{ port: 80 }] }
    await client.post('/api/v1/namespaces/default/services', { metadata: { name: 's' }, spec })
    await server.settled()
    const items = async (path: string) =>
      (await client.get(path)).body.items.map(
        ({ metadata }: { metadata: { generateName?: string; name: string } }) =>
          metadata.generateName ?? metadata.name,
      )
    const all = '/namespaces/default'
    expect([
      await items(`/api/v1${all}/endpoints`),
      await items(`/api/v1${all}/serviceaccounts`),
      await items(`/apis/discovery.orch.io/v1${all}/endpointslices`),
    ]).toEqual([['orch'], [], ['orch', 's-']])
    client.close()
    await server.close()
  })

  for (const { name, controllers, message } of [
    {
      name: 'an unknown name',
      controllers: ['*', '-endpoints'],
      message:
        'controllers "endpoints" is not in the list of known controllers (did you mean endpointslice?)',
    },
    {
      name: 'a word',
      controllers: 'endpoint' as 'server',
      message: 'controllers must be true, false or server, not "endpoint"',
    },
    {
      name: 'other values',
      controllers: [1] as unknown as string[],
      message: 'controllers must be a list of texts, not a list',
    },
  ])
    test(`${name} is refused`, async () => {
      await expect(startServer({ controllers })).rejects.toThrow(new Error(message))
    })
})
