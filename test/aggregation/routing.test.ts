/** Where requests for extension servers go, and which certificate they show. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer, type ServerOptions } from '../../src/index.ts'
import { issue } from '../../src/pki/issue.ts'
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
const DEFAULT = '/api/v1/namespaces/default'

const times = { notBeforeMs: Date.now() - 3_600_000, notAfterMs: Date.now() + 3_600_000 }
const proxyCa = issue({ ...times, subject: { commonName: 'proxies' }, use: 'authority' })
const proxy = (commonName: string) =>
  issue({ ...times, subject: { commonName }, use: 'client', issuer: proxyCa })

let dir: string
let server: RunningServer | null = null
let client: Client
let backend: ExtensionServer | null = null
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'routing-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))
afterEach(async () => {
  client?.close()
  await backend?.close()
  await server?.close()
  backend = server = null
})

async function start(options: ServerOptions): Promise<void> {
  server = await startServer({ vocabulary: 'kubernetes', controllers: false, ...options })
  client = new Client(server)
  await server.settled()
}
const ownCa = async () => (await publishedOf(client))['requestheader-client-ca-file']!

async function register(port: number): Promise<void> {
  const service = { namespace: 'default', name: 'ext', port }
  const caBundle = Buffer.from(extensionCa).toString('base64')
  await client.post(APISERVICES, apiService(GV, { service, caBundle }))
  await conditionOf(client, NAME, ({ status }) => status === 'True')
}
const reached = async () => (await client.get(`/apis/${GV}/things`)).status

const address = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address

test.skipIf(address === undefined)('an endpoint, with --enable-aggregator-routing', async () => {
  await start({ aggregation: { routesToEndpoints: true } })
  backend = await ExtensionServer.start(await ownCa(), { host: address! })
  await client.post(`${DEFAULT}/services`, {
    metadata: { name: 'ext' },
    spec: { ports: [{ name: 'https', port: 8443 }] },
  })
  await client.post(`${DEFAULT}/endpoints`, {
    metadata: { name: 'ext' },
    subsets: [{ addresses: [{ ip: address }], ports: [{ name: 'https', port: backend.port }] }],
  })
  await register(8443)
  expect(await reached()).toBe(200)
})

// Only there is every address of the network bound to the machine.
test.skipIf(process.platform !== 'linux' || address === undefined)(
  'the cluster IP, without',
  async () => {
    await start({ serviceClusterIpRange: '127.9.0.0/24', proxiesToLoopback: true })
    backend = await ExtensionServer.start(await ownCa(), { host: '127.9.0.77' })
    const spec = { clusterIP: '127.9.0.77', ports: [{ port: backend.port }] }
    expect(
      (await client.post(`${DEFAULT}/services`, { metadata: { name: 'ext' }, spec })).status,
    ).toBe(201)
    await client.post(`${DEFAULT}/endpoints`, {
      metadata: { name: 'ext' },
      subsets: [{ addresses: [{ ip: address }], ports: [{ port: 1 }] }],
    })
    await register(backend.port)
    expect(await reached()).toBe(200)
  },
)

test('an external name of this machine, whose certificate is its own authority', async () => {
  await start({})
  backend = await ExtensionServer.start(await ownCa())
  await client.post(`${DEFAULT}/services`, localService('ext'))
  await register(backend.port)
  expect(await reached()).toBe(200)
})

describe('a certificate of files', () => {
  const files = async (name: string) => {
    const { cert, key } = proxy(name)
    await writeFile(join(dir, 'cert'), cert)
    await writeFile(join(dir, 'key'), key)
    await writeFile(join(dir, 'ca'), proxyCa.cert)
    return { proxyClientCertFile: join(dir, 'cert'), proxyClientKeyFile: join(dir, 'key') }
  }

  test('is shown, also a later one, and published as the flags say', async () => {
    await start({
      proxiesToLoopback: true,
      aggregation: await files('first'),
      authentication: {
        requestHeader: {
          clientCaFile: join(dir, 'ca'),
          allowedNames: ['first', 'second'],
          usernameHeaders: ['X-Remote-User'],
        },
      },
    })
    const published = await publishedOf(client)
    expect([
      published['requestheader-client-ca-file']!.trim(),
      published['requestheader-allowed-names'],
      published['requestheader-group-headers'],
    ]).toEqual([proxyCa.cert.trim(), '["first","second"]', '[]'])
    backend = await ExtensionServer.start(proxyCa.cert)
    await client.post(`${DEFAULT}/services`, localService('ext'))
    await register(backend.port)
    expect([await reached(), backend.ofUsers.at(-1)!.client]).toEqual([200, 'first'])
    await files('second')
    expect([await reached(), backend.ofUsers.at(-1)!.client]).toEqual([200, 'second'])
  })
  test('is not published without the flags', async () => {
    await start({ aggregation: await files('first') })
    expect(Object.keys(await publishedOf(client))).toEqual(['client-ca-file'])
  })
  for (const [name, options, message] of [
    [
      'without its key',
      ({ proxyClientCertFile }) => ({ proxyClientCertFile }),
      'aggregation.proxyClientCertFile needs aggregation.proxyClientKeyFile',
    ],
    [
      'a key alone',
      ({ proxyClientKeyFile }) => ({ proxyClientKeyFile }),
      'aggregation.proxyClientKeyFile needs aggregation.proxyClientCertFile',
    ],
    [
      'that is absent',
      (all) => ({ ...all, proxyClientCertFile: '/nowhere' }),
      'aggregation.proxyClientCertFile: cannot read /nowhere: there is no such file',
    ],
    [
      'that does not fit its key',
      ({ proxyClientCertFile }) => ({
        proxyClientCertFile,
        proxyClientKeyFile: join(dir, 'other'),
      }),
      'aggregation.proxyClientCertFile: the client certificate and its key do not belong together',
    ],
  ] as [string, (files: Record<string, string>) => object, string][]) {
    test(name, async () => {
      const both = await files('first')
      await writeFile(join(dir, 'other'), proxy('other').key)
      await expect(startServer({ aggregation: options(both) })).rejects.toThrow(message)
    })
  }
})

test('another proxy with flags of its own does not replace the one of the servers', async () => {
  await writeFile(join(dir, 'ca'), proxyCa.cert)
  await start({
    authentication: {
      requestHeader: {
        clientCaFile: join(dir, 'ca'),
        allowedNames: ['gate'],
        usernameHeaders: ['X-Name'],
        groupHeaders: ['X-Team'],
      },
    },
  })
  const published = await publishedOf(client)
  expect(published['requestheader-client-ca-file']!.match(/BEGIN/g)!.length).toBe(2)
  expect([
    published['requestheader-allowed-names'],
    published['requestheader-username-headers'],
    published['requestheader-group-headers'],
    published['requestheader-extra-headers-prefix'],
  ]).toEqual([
    '["kube-aggregator","gate"]',
    '["X-Remote-User","X-Name"]',
    '["X-Remote-Group","X-Team"]',
    '["X-Remote-Extra-"]',
  ])
})
