import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'
import { clusterIpResolver, endpointResolver } from '../client/service-address.ts'
import type { APIService } from '../kinds/apiregistration/api-service.ts'
import type { Typed } from '../meta/object-meta.ts'
import { issue } from '../pki/issue.ts'
import { vocabularies } from '../vocabulary/index.ts'
import { availabilityOf } from './availability.ts'
import { freePort } from '../../test/ports.ts'

const HOUR_MS = 3_600_000
const AT = '/apis/ext.example.com/v1'

const own = issue({
  subject: { commonName: 'extension' },
  notBeforeMs: Date.now() - HOUR_MS,
  notAfterMs: Date.now() + HOUR_MS,
  use: 'server',
  hosts: ['other.example'],
})
let server: Server | null = null
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = null
})

async function listening(answer: RequestListener): Promise<number> {
  server = createServer(own, answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

type Stored = Record<string, object | Error>

interface Case {
  readonly objects?: Stored
  readonly port?: number
  readonly toEndpoints?: boolean
  readonly group?: string
  readonly proxiesToLoopback?: boolean
  readonly service?: object | null
  readonly clock?: ManualClock
}

/** `s` in `n` is the service that is asked for. */
function check({
  objects = {},
  port = 443,
  toEndpoints = false,
  group = 'ext.example.com',
  proxiesToLoopback = true,
  service = { namespace: 'n', name: 's', port },
  clock = new ManualClock(),
}: Case) {
  const source: Pick<ObjectSource, 'get'> = {
    get<T extends Typed>({ resource }: { resource: string }, namespace: string, name: string) {
      const found = objects[`${resource} ${namespace}/${name}`]
      return found instanceof Error
        ? Promise.reject(found)
        : Promise.resolve((found ?? null) as T | null)
    },
  }
  return availabilityOf(
    {
      v: vocabularies.kubernetes,
      clock,
      reach: { proxiesToLoopback, isForExtensions: true },
      certificate: () => Promise.resolve({}),
      objects: source,
      resolve: toEndpoints
        ? endpointResolver(source, { fraction: () => 0 })
        : clusterIpResolver(source),
      signal: new AbortController().signal,
    },
    { spec: { group, version: 'v1', ...(service ? { service } : {}) } } as unknown as APIService,
  )
}

const SERVICE = 'services n/s'
const ENDPOINTS = 'endpoints n/s'
const cluster = (...ports: object[]) => ({
  spec: { type: 'ClusterIP', clusterIP: '10.0.0.9', ports },
})
const elsewhere = { spec: { type: 'ExternalName', externalName: '127.0.0.1' } }
const subsets = (address: string | null, ...ports: object[]) => ({
  subsets: [{ ...(address === null ? {} : { addresses: [{ ip: address }] }), ports }],
})
const https = { name: 'https', port: 443 }

describe('what objects say', () => {
  for (const [name, asked, wanted] of [
    ['no service', { service: null }, ['True', 'Local', 'Local APIServices are always available']],
    [
      'a service that is absent',
      {},
      ['False', 'ServiceNotFound', 'service/s in "n" is not present'],
    ],
    [
      'a service that cannot be read',
      { objects: { [SERVICE]: new Error('no store') } },
      ['Unknown', 'ServiceAccessError', 'service/s in "n" cannot be checked due to: no store'],
    ],
    [
      'another port',
      { objects: { [SERVICE]: cluster({ port: 80 }) } },
      ['False', 'ServicePortError', 'service/s in "n" is not listening on port 443'],
    ],
    [
      'no endpoints',
      { objects: { [SERVICE]: cluster(https) } },
      ['False', 'EndpointsNotFound', 'cannot find endpoints for service/s in "n"'],
    ],
    [
      'endpoints that cannot be read',
      { objects: { [SERVICE]: cluster(https), [ENDPOINTS]: new Error('no store') } },
      ['Unknown', 'EndpointsAccessError', 'service/s in "n" cannot be checked due to: no store'],
    ],
    [
      'endpoints of another port',
      {
        objects: {
          [SERVICE]: cluster(https),
          [ENDPOINTS]: subsets('10.1.0.1', { name: 'http', port: 1 }),
        },
      },
      [
        'False',
        'MissingEndpoints',
        'endpoints for service/s in "n" have no addresses with port name "https"',
      ],
    ],
    [
      'endpoints of which none is ready',
      { objects: { [SERVICE]: cluster({ port: 443 }), [ENDPOINTS]: subsets(null, { port: 1 }) } },
      [
        'False',
        'MissingEndpoints',
        'endpoints for service/s in "n" have no addresses with port name ""',
      ],
    ],
    [
      'an address of the link of this machine',
      {
        objects: { [SERVICE]: { spec: { ...elsewhere.spec, externalName: '169.254.1.1' } } },
        proxiesToLoopback: false,
      },
      [
        'False',
        'FailedDiscoveryCheck',
        `failing or missing response from https://169.254.1.1:443${AT}: Get "https://169.254.1.1:443${AT}": address not allowed`,
      ],
    ],
  ] as [string, Case, string[]][]) {
    test(name, async () => {
      const { status, reason, message } = await check(asked)
      expect([status, reason, message]).toEqual(wanted)
    })
  }
})

describe('what the server says', () => {
  const passed = ['True', 'Passed', 'all checks passed']
  const objects = { [SERVICE]: elsewhere }
  const found = async (asked: Case) => {
    const { status, reason, message } = await check({ objects, ...asked })
    return [status, reason, message]
  }

  test('discovery, whatever its certificate', async () => {
    const urls = new Set<string>()
    const users = new Set<unknown>()
    const port = await listening((request, response) => {
      urls.add(request.url!)
      const { 'x-remote-user': user, 'x-remote-group': group } = request.headers
      users.add(`${String(user)} of ${String(group)}`)
      response.end('{}')
    })
    expect(await found({ port })).toEqual(passed)
    expect([[...urls], [...users]]).toEqual([[AT], ['system:kube-aggregator of system:masters']])
  })
  test('the core group has another path', async () => {
    const port = await listening(({ url }, response) => {
      response.statusCode = url === '/api/v1' ? 200 : 404
      response.end()
    })
    expect(await found({ port, group: '' })).toEqual(passed)
  })
  test('endpoints instead of the cluster IP', async () => {
    const port = await listening((_, response) => void response.end())
    expect(
      await found({
        toEndpoints: true,
        objects: {
          [SERVICE]: cluster(https),
          [ENDPOINTS]: subsets('127.0.0.1', { name: 'https', port }),
        },
      }),
    ).toEqual(passed)
  })
  test('one success of several is enough', async () => {
    let requests = 0
    const port = await listening((_, response) => {
      response.statusCode = ++requests === 2 ? 200 : 500
      response.end()
    })
    expect(await found({ port })).toEqual(passed)
  })
  test('a refusal', async () => {
    const port = await listening((_, response) => {
      response.statusCode = 403
      response.end()
    })
    const url = `https://127.0.0.1:${port}${AT}`
    expect(await found({ port })).toEqual([
      'False',
      'FailedDiscoveryCheck',
      `failing or missing response from ${url}: bad status from ${url}: 403`,
    ])
  })
  test('a redirect is no success', async () => {
    const port = await listening((_, response) => {
      response.writeHead(302, { location: '/' })
      response.end()
    })
    expect((await found({ port }))[2]).toMatch(/: 302$/)
  })
  test('nobody listens', async () => {
    const port = await freePort()
    const url = `https://127.0.0.1:${port}${AT}`
    expect(await found({ port })).toEqual([
      'False',
      'FailedDiscoveryCheck',
      `failing or missing response from ${url}: Get "${url}": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    ])
  })
  test('no answer within five seconds', async () => {
    const clock = new ManualClock()
    let arrived = 0
    let all = () => {}
    const waiting = new Promise<void>((resolve) => (all = resolve))
    const port = await listening(() => {
      if (++arrived === 5) all()
    })
    const checked = found({ port, clock })
    await waiting
    clock.advance(5_000)
    const url = `https://127.0.0.1:${port}${AT}`
    expect(await checked).toEqual([
      'False',
      'FailedDiscoveryCheck',
      `failing or missing response from ${url}: Get "${url}": context deadline exceeded`,
    ])
  })
})
