/** The deletion of a namespace that has objects of an extension server. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import {
  apiService,
  APISERVICES,
  conditionOf,
  ExtensionServer,
  extensionCa,
  localService,
  publishedOf,
} from './extension-server.fixture.ts'

const GV = 'ext.example.com/v1'
const NAME = 'v1.ext.example.com'

let server: RunningServer
let client: Client
let backend: ExtensionServer
/** Objects that the extension server has, by namespace. */
const objects = new Map<string, number>()
let isBroken = false
const BROKEN = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'broken',
  reason: 'InternalError',
  code: 500,
}

beforeAll(async () => {
  server = await startServer({ vocabulary: 'kubernetes', proxiesToLoopback: true })
  await server.settled()
  client = new Client(server)
  backend = await ExtensionServer.start(
    (await publishedOf(client))['requestheader-client-ca-file']!,
  )
  backend.answer = ({ line, headers }, response) => {
    response.setHeader('content-type', 'application/json')
    const isProbe = String(headers['x-remote-user']).endsWith('-aggregator')
    if (isBroken && !isProbe) {
      response.statusCode = 500
      return void response.end(JSON.stringify(BROKEN))
    }
    const [method, url = ''] = line.split(' ')
    const [, namespace] = /\/namespaces\/([^/]+)\/things/.exec(url) ?? []
    if (namespace === undefined) {
      const resource = {
        name: 'things',
        singularName: '',
        kind: 'Thing',
        namespaced: true,
        verbs: ['list', 'delete', 'deletecollection'],
      }
      return void response.end(
        JSON.stringify({ kind: 'APIResourceList', groupVersion: GV, resources: [resource] }),
      )
    }
    if (method === 'DELETE') objects.delete(namespace)
    const items = Array.from({ length: objects.get(namespace) ?? 0 }, (_, i) => ({
      metadata: { name: `t${i}`, namespace },
    }))
    response.end(
      JSON.stringify({
        kind: 'ThingList',
        apiVersion: GV,
        metadata: { resourceVersion: '1' },
        items,
      }),
    )
  }
  await client.post('/api/v1/namespaces/default/services', localService('ext'))
  const service = { namespace: 'default', name: 'ext', port: backend.port }
  await client.post(
    APISERVICES,
    apiService(GV, { service, caBundle: Buffer.from(extensionCa).toString('base64') }),
  )
  await conditionOf(client, NAME, ({ status }) => status === 'True')
})
afterAll(async () => {
  client?.close()
  await backend?.close()
  await server?.close()
})

/** Deletes a namespace, and follows it until it fits. */
async function deleted(name: string, fits: (type: string, object: any) => boolean) {
  await client.post('/api/v1/namespaces', { metadata: { name } })
  const watch = await client.watch(
    `/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3D${name}`,
  )
  try {
    await client.delete(`/api/v1/namespaces/${name}`)
    for (;;) {
      const event = await watch.next()
      if (!event) throw new Error('the watch has ended')
      if (fits(event.type, event.object)) return event.object
    }
  } finally {
    watch.close()
  }
}

test('its objects are deleted too, by the controller as user', async () => {
  objects.set('full', 3)
  await deleted('full', (type) => type === 'DELETED')
  expect(objects.has('full')).toBe(false)
  const { headers } = backend.requests.find(({ line }) => line.startsWith('DELETE'))!
  expect(headers['x-remote-user']).toBe('system:serviceaccount:kube-system:namespace-controller')
})

test('it stays while the extension server cannot say what it has', async () => {
  isBroken = true
  const { status } = await deleted('stuck', (_, { status }) =>
    (status.conditions ?? []).some(
      ({ type, status }: { type: string; status: string }) =>
        type === 'NamespaceDeletionDiscoveryFailure' && status === 'True',
    ),
  )
  const about = status.conditions.map((condition: object) => ({
    ...condition,
    lastTransitionTime: undefined,
  }))
  expect(about).toEqual([
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      status: 'True',
      reason: 'DiscoveryFailed',
      message: `Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: ${GV}: ${BROKEN.message}`,
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      status: 'False',
      reason: 'ParsedGroupVersions',
      message: 'All legacy kube types successfully parsed',
    },
    // What was found is gone: nothing failed but the discovery.
    {
      type: 'NamespaceDeletionContentFailure',
      status: 'False',
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    },
    {
      type: 'NamespaceContentRemaining',
      status: 'False',
      reason: 'ContentRemoved',
      message: 'All content successfully removed',
    },
    {
      type: 'NamespaceFinalizersRemaining',
      status: 'False',
      reason: 'ContentHasNoFinalizers',
      message: 'All content-preserving finalizers finished',
    },
  ])
  isBroken = false
})
