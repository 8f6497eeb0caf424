/** APIServices that cannot be served: their conditions through their life, and what requests get. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { issue } from '../../src/pki/issue.ts'
import { Client } from '../client.ts'
import { freePort } from '../ports.ts'
import {
  apiService,
  APISERVICES,
  conditionOf,
  ExtensionServer,
  extensionCa,
  localService,
  publishedOf,
} from './extension-server.fixture.ts'

const SERVICES = '/api/v1/namespaces/default/services'
const ENDPOINTS = '/api/v1/namespaces/default/endpoints'
const caBundle = Buffer.from(extensionCa).toString('base64')

let server: RunningServer
let client: Client
let backend: ExtensionServer

beforeAll(async () => {
  server = await startServer({
    vocabulary: 'kubernetes',
    proxiesToLoopback: true,
    controllers: false,
  })
  client = new Client(server)
  await server.settled()
  const published = await publishedOf(client)
  backend = await ExtensionServer.start(published['requestheader-client-ca-file']!, {
    hosts: ['ext.default.svc', 'web.default.svc'],
  })
})
afterAll(async () => {
  client?.close()
  await backend?.close()
  await server?.close()
})

const condition = async (name: string, reason: string) => {
  const found = await conditionOf(client, name, (one) => one['reason'] === reason)
  return [found['status'], found['message']]
}
const unavailable = [503, 'service unavailable\n', 'text/plain; charset=utf-8']
const reached = async (path: string) => {
  const { status, text, headers } = await client.get(path)
  return [status, text, headers['content-type']]
}

test('the condition follows services and endpoints, and requests follow the condition', async () => {
  const name = 'v1.steps.example.com'
  const path = '/apis/steps.example.com/v1/things'
  expect((await reached(path))[0]).toBe(404)
  const service = { namespace: 'default', name: 'web', port: backend.port }
  await client.post(APISERVICES, apiService('steps.example.com/v1', { service, caBundle }))
  expect(await condition(name, 'ServiceNotFound')).toEqual([
    'False',
    'service/web in "default" is not present',
  ])
  expect(await reached(path)).toEqual(unavailable)
  const { text } = await client.get('/metrics')
  expect(text.split('\n').filter((line) => line.includes('aggregator"'))).toEqual([
    'apiserver_request_terminations_total{code="503",component="aggregator",group="steps.example.com",resource="things",scope="cluster",subresource="",verb="LIST",version="v1"} 1',
  ])
  // Without a selector nobody writes endpoints.
  const ports = [{ name: 'https', port: 80 }]
  await client.post(SERVICES, { metadata: { name: 'web' }, spec: { ports } })
  expect(await condition(name, 'ServicePortError')).toEqual([
    'False',
    `service/web in "default" is not listening on port ${backend.port}`,
  ])
  await client.merge(`${SERVICES}/web`, {
    spec: { ports: [{ name: 'https', port: backend.port }] },
  })
  expect(await condition(name, 'EndpointsNotFound')).toEqual([
    'False',
    'cannot find endpoints for service/web in "default"',
  ])
  const subset = { addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'other', port: 1 }] }
  await client.post(ENDPOINTS, { metadata: { name: 'web' }, subsets: [subset] })
  expect(await condition(name, 'MissingEndpoints')).toEqual([
    'False',
    'endpoints for service/web in "default" have no addresses with port name "https"',
  ])
  await client.merge(`${SERVICES}/web`, localService('web'))
  await client.merge(`${SERVICES}/web`, {
    spec: { type: 'ExternalName', clusterIP: '', clusterIPs: null, externalName: '127.0.0.1' },
  })
  expect(await condition(name, 'Passed')).toEqual(['True', 'all checks passed'])
  expect((await reached(path))[0]).toBe(200)
  await client.delete(`${SERVICES}/web`)
  await condition(name, 'ServiceNotFound')
  expect(await reached(path)).toEqual(unavailable)
  expect((await client.get('/apis')).body.groups.at(-1).name).toBe('steps.example.com')
  await client.delete(`${APISERVICES}/${name}`)
  expect((await reached(path))[0]).toBe(404)
  expect((await client.get('/apis/steps.example.com')).status).toBe(404)
})

describe('a connection that fails', () => {
  let stranger: Server
  let port = 0
  const own = issue({
    subject: { commonName: 'stranger' },
    notBeforeMs: Date.now() - 3_600_000,
    notAfterMs: Date.now() + 3_600_000,
    use: 'server',
    hosts: ['ext.default.svc'],
  })
  beforeAll(async () => {
    stranger = createServer(own, (_, response) => void response.end('{}'))
    stranger.listen(0, '127.0.0.1')
    await once(stranger, 'listening')
    port = (stranger.address() as AddressInfo).port
    await client.post(SERVICES, localService('ext'))
    await client.post(SERVICES, localService('misnamed'))
  })
  afterAll(() => {
    stranger?.closeAllConnections()
    stranger?.close()
  })

  for (const [i, [title, spec, wanted]] of (
    [
      [
        'a certificate of an unknown authority',
        () => ({ service: { namespace: 'default', name: 'ext', port }, caBundle }),
        [503, 'error trying to reach service: x509: certificate signed by unknown authority\n'],
      ],
      [
        'the same without authorities: those of the system count',
        () => ({ service: { namespace: 'default', name: 'ext', port } }),
        [503, 'error trying to reach service: x509: certificate signed by unknown authority\n'],
      ],
      [
        'the same unverified',
        () => ({
          service: { namespace: 'default', name: 'ext', port },
          insecureSkipTLSVerify: true,
        }),
        [200, '{}'],
      ],
      [
        'the certificate of another service',
        () => ({
          service: { namespace: 'default', name: 'misnamed', port: backend.port },
          caBundle,
        }),
        [
          503,
          'error trying to reach service: x509: certificate is not valid for misnamed.default.svc\n',
        ],
      ],
    ] as [string, () => object, [number, string]][]
  ).entries()) {
    test(title, async () => {
      const gv = `tls${i}.example.com/v1`
      await client.post(APISERVICES, apiService(gv, spec()))
      // Probes do not verify certificates: requests say what is wrong.
      await condition(`v1.tls${i}.example.com`, 'Passed')
      expect((await reached(`/apis/${gv}/things`)).slice(0, 2)).toEqual(wanted)
    })
  }

  test('a server that has gone, until the next probe', async () => {
    const closedPort = await freePort()
    const gv = 'gone.example.com/v1'
    const service = { namespace: 'default', name: 'ext', port: closedPort }
    await client.post(APISERVICES, apiService(gv, { service, caBundle }))
    const [, message] = await condition('v1.gone.example.com', 'FailedDiscoveryCheck')
    expect(message).toContain(`dial tcp 127.0.0.1:${closedPort}: connect: connection refused`)
    // As if it had been there at the last probe.
    const path = `${APISERVICES}/v1.gone.example.com/status`
    const { body } = await client.get(path)
    body.status.conditions[0].status = 'True'
    const waiting = client.put(path, body)
    await waiting
    const [status, text] = await reached(`/apis/${gv}/things`)
    expect([
      [
        503,
        `error trying to reach service: dial tcp 127.0.0.1:${closedPort}: connect: connection refused\n`,
      ],
      // A probe was faster.
      unavailable.slice(0, 2),
    ]).toContainEqual([status, text])
  })
})

test('a server on this machine is reached, one at an address of its links is not', async () => {
  const other = await startServer({ vocabulary: 'kubernetes', controllers: false })
  const another = new Client(other)
  try {
    for (const [name, externalName, expected] of [
      ['loop', 'localhost', 'bad status from'],
      ['link', '169.254.169.254', 'address not allowed'],
    ] as const) {
      const spec = { type: 'ExternalName', externalName, ports: [{ port: 443 }] }
      await another.post(SERVICES, { metadata: { name }, spec })
      const service = { namespace: 'default', name, port: other.port }
      await another.post(
        APISERVICES,
        apiService(`${name}.example.com/v1`, { service, insecureSkipTLSVerify: true }),
      )
      const { message } = await conditionOf(
        another,
        `v1.${name}.example.com`,
        (one) => one['reason'] === 'FailedDiscoveryCheck',
      )
      // The first asks itself, and has no such group.
      expect(message).toContain(expected)
    }
  } finally {
    another.close()
    await other.close()
  }
})

test('the group of APIServices itself stays with this server', async () => {
  const gv = 'apiregistration.k8s.io/v1'
  const service = { namespace: 'default', name: 'nowhere' }
  await client.post(APISERVICES, apiService(gv, { service }))
  expect((await client.get(`${APISERVICES}/v1.apiregistration.k8s.io`)).status).toBe(200)
  expect((await client.delete(`${APISERVICES}/v1.apiregistration.k8s.io`)).status).toBe(200)
})
