/** Addresses and ports of services: how they are given out, kept and given back. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Ids } from '../../src/base/ids.ts'
import { systemClock } from '../../src/base/clock.ts'
import { startServer, type RunningServer, type ServerOptions } from '../../src/index.ts'
import { openLmdb } from '../../src/engine/lmdb/engine.ts'
import { Client, type Reply } from '../client.ts'

type Json = Record<string, any>

const ALL = '/api/v1/namespaces/default/services'

/** Picks the first free value of every pool. */
class FirstIds implements Ids {
  #made = 0
  uid = () => `00000000-0000-4000-8000-${String(++this.#made).padStart(12, '0')}`
  suffix = (length: number) => String(++this.#made).padStart(length, 'b')
  fraction = () => 0
}

interface Running {
  readonly server: RunningServer
  readonly client: Client
  close(): Promise<void>
}

async function start(options: ServerOptions = {}): Promise<Running> {
  const server = await startServer({ advertiseAddress: '192.0.2.7', ...options })
  const client = new Client(server)
  return {
    server,
    client,
    async close() {
      client.close()
      await server.close()
    },
  }
}

const port80 = { ports: [{ port: 80 }] }
const service = (name: string, spec: Json = {}): Json => ({
  metadata: { name },
  spec: { ...port80, ...spec },
})
const named = (...ports: Json[]) => ports.map((port, i) => ({ name: `p${i}`, ...port }))

/** What a service that says nothing is filled with. */
const standard = {
  ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
  type: 'ClusterIP',
  sessionAffinity: 'None',
  ipFamilyPolicy: 'SingleStack',
  internalTrafficPolicy: 'Cluster',
}
const with4 = (ip: string, more: Json = {}) => ({
  ...standard,
  clusterIP: ip,
  clusterIPs: [ip],
  ipFamilies: ['IPv4'],
  ...more,
})
const with6 = (ip: string, more: Json = {}) => ({ ...with4(ip, more), ipFamilies: ['IPv6'] })
const dual = (ips: readonly [string, string], families: readonly string[], more: Json = {}) => ({
  ...standard,
  clusterIP: ips[0],
  clusterIPs: ips,
  ipFamilies: families,
  ipFamilyPolicy: 'PreferDualStack',
  ...more,
})
const onNodes = (nodePort: number, more: Json = {}) => ({
  type: 'NodePort',
  externalTrafficPolicy: 'Cluster',
  ports: [{ protocol: 'TCP', port: 80, targetPort: 80, nodePort }],
  ...more,
})
const balanced = (nodePort: number, more: Json = {}) =>
  onNodes(nodePort, { type: 'LoadBalancer', allocateLoadBalancerNodePorts: true, ...more })

const invalid = (name: string, field: string, message: string, causes = 1) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `Service ${JSON.stringify(name)} is invalid: ${field}: Invalid value: ${message}`,
  reason: 'Invalid',
  details: {
    name,
    kind: 'Service',
    causes: Array.from({ length: causes }, () => ({
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${message}`,
      field,
    })),
  },
  code: 422,
})
const failed = (text: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `Internal error occurred: ${text}`,
  reason: 'InternalError',
  details: { causes: [{ message: text }] },
  code: 500,
})
const taken = (ip: string) =>
  `[${JSON.stringify(ip)}]: failed to allocate IP ${ip}: provided IP is already allocated`
const outside = (ip: string, range: string) =>
  `[${JSON.stringify(ip)}]: failed to allocate IP ${ip}: the provided IP (${ip}) is not in the valid range. ` +
  `The range of valid IPs is ${range}`

/** Without what differs from run to run. */
function bare({ metadata, ...rest }: Json): Json {
  const {
    uid: _u,
    resourceVersion: _r,
    creationTimestamp: _c,
    managedFields: _m,
    ...kept
  } = metadata
  return { ...rest, metadata: kept }
}

/** Whether a value is held, found out without taking it. */
async function isTaken(client: Client, value: string | number): Promise<boolean> {
  const spec =
    typeof value === 'number'
      ? { type: 'NodePort', ports: [{ port: 80, nodePort: value }] }
      : { clusterIP: value }
  const reply = await client.post(`${ALL}?dryRun=All`, service('probe', spec))
  if (reply.status === 201) return false
  expect(reply.body.message).toContain('is already allocated')
  return true
}

describe('given out on create', () => {
  let running: Running
  let client: Client
  beforeAll(async () => {
    running = await start({
      serviceClusterIpRange: '10.0.0.0/28,fd00::/120',
      serviceNodePortRange: '30000-30009',
      ids: new FirstIds(),
    })
    // Revisions are counted: nothing of the start may come between two of them.
    await running.server.settled()
    client = running.client
    await client.post(ALL, service('holder', { clusterIP: '10.0.0.9', ...onNodes(30_009) }))
  })
  afterAll(() => running.close())

  // Address 1 is the server's own; the first sixteen of the longer range are kept for those who choose.
  for (const { name, spec, gets } of [
    { name: 'nothing asked', spec: {}, gets: with4('10.0.0.2') },
    { name: 'one by text', spec: { clusterIP: '10.0.0.7' }, gets: with4('10.0.0.7') },
    {
      name: 'one in the list',
      spec: { clusterIP: '10.0.0.14', clusterIPs: ['10.0.0.14'] },
      gets: with4('10.0.0.14'),
    },
    {
      name: 'none',
      spec: { clusterIP: 'None', selector: { a: 'b' } },
      gets: with4('None', { selector: { a: 'b' } }),
    },
    {
      name: 'none, and endpoints of somebody else',
      spec: { clusterIP: 'None' },
      gets: with4('None', { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }),
    },
    {
      name: 'no ports needed without an address',
      spec: { clusterIP: 'None', ports: [], selector: { a: 'b' } },
      gets: (() => {
        const { ports: _ports, ...rest } = with4('None', { selector: { a: 'b' } })
        return rest
      })(),
    },
    { name: 'the other family', spec: { ipFamilies: ['IPv6'] }, gets: with6('fd00::11') },
    { name: 'its address alone', spec: { clusterIP: 'fd00::5' }, gets: with6('fd00::5') },
    {
      name: 'both if there are both',
      spec: { ipFamilyPolicy: 'PreferDualStack' },
      gets: dual(['10.0.0.2', 'fd00::11'], ['IPv4', 'IPv6']),
    },
    {
      name: 'both, the other first',
      spec: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] },
      gets: dual(['fd00::11', '10.0.0.2'], ['IPv6', 'IPv4'], {
        ipFamilyPolicy: 'RequireDualStack',
      }),
    },
    {
      name: 'both, one of them chosen',
      spec: { ipFamilyPolicy: 'PreferDualStack', clusterIP: 'fd00::6' },
      gets: dual(['fd00::6', '10.0.0.2'], ['IPv6', 'IPv4']),
    },
    {
      name: 'both chosen',
      spec: {
        ipFamilyPolicy: 'RequireDualStack',
        clusterIP: '10.0.0.5',
        clusterIPs: ['10.0.0.5', 'fd00::7'],
      },
      gets: dual(['10.0.0.5', 'fd00::7'], ['IPv4', 'IPv6'], { ipFamilyPolicy: 'RequireDualStack' }),
    },
    {
      name: 'another name',
      spec: { type: 'ExternalName', externalName: 'example.com' },
      gets: {
        ports: standard.ports,
        type: 'ExternalName',
        sessionAffinity: 'None',
        externalName: 'example.com',
      },
    },
    {
      name: 'a port of nodes',
      spec: { type: 'NodePort' },
      gets: with4('10.0.0.2', onNodes(30_000)),
    },
    {
      name: 'a chosen port of nodes',
      spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30_005 }] },
      gets: with4('10.0.0.2', onNodes(30_005)),
    },
    {
      name: 'one port of nodes for both protocols of a port',
      spec: {
        type: 'NodePort',
        ports: named(
          { port: 53, protocol: 'UDP' },
          { port: 53, protocol: 'TCP' },
          { port: 54, protocol: 'TCP' },
        ),
      },
      gets: with4('10.0.0.2', {
        ...onNodes(0),
        ports: [
          { name: 'p0', protocol: 'UDP', port: 53, targetPort: 53, nodePort: 30_000 },
          { name: 'p1', protocol: 'TCP', port: 53, targetPort: 53, nodePort: 30_000 },
          { name: 'p2', protocol: 'TCP', port: 54, targetPort: 54, nodePort: 30_001 },
        ],
      }),
    },
    {
      name: 'a chosen port that would be picked for another',
      spec: {
        type: 'NodePort',
        ports: named({ port: 80 }, { port: 81, nodePort: 30_000 }),
      },
      gets: with4('10.0.0.2', {
        ...onNodes(0),
        ports: [
          { name: 'p0', protocol: 'TCP', port: 80, targetPort: 80, nodePort: 30_001 },
          { name: 'p1', protocol: 'TCP', port: 81, targetPort: 81, nodePort: 30_000 },
        ],
      }),
    },
    {
      name: 'a load balancer',
      spec: { type: 'LoadBalancer' },
      gets: with4('10.0.0.2', balanced(30_000)),
    },
    {
      name: 'a load balancer that needs no ports',
      spec: { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false },
      gets: with4(
        '10.0.0.2',
        balanced(0, { ports: standard.ports, allocateLoadBalancerNodePorts: false }),
      ),
    },
    {
      name: 'a load balancer that keeps sources',
      spec: { type: 'LoadBalancer', externalTrafficPolicy: 'Local' },
      gets: with4(
        '10.0.0.2',
        balanced(30_000, { externalTrafficPolicy: 'Local', healthCheckNodePort: 30_001 }),
      ),
    },
    {
      name: 'a chosen port for health',
      spec: {
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 30_004,
      },
      gets: with4(
        '10.0.0.2',
        balanced(30_000, { externalTrafficPolicy: 'Local', healthCheckNodePort: 30_004 }),
      ),
    },
  ] as { name: string; spec: Json; gets: Json }[]) {
    test(`${name}, and free again when it is gone`, async () => {
      const made = await client.post(ALL, service('x', spec))
      expect([made.status, bare(made.body)]).toEqual([
        201,
        {
          kind: 'Service',
          apiVersion: 'v1',
          metadata: { name: 'x', namespace: 'default' },
          spec: gets,
          status: { loadBalancer: {} },
        },
      ])
      expect((await client.get(`${ALL}/x`)).body).toEqual(made.body)
      const held = [
        ...((gets.clusterIPs ?? []) as string[]).filter((ip) => ip !== 'None'),
        ...((gets.ports ?? []) as Json[]).flatMap((p) => p.nodePort ?? []),
        ...[gets.healthCheckNodePort ?? []].flat(),
      ]
      for (const value of held) expect(await isTaken(client, value), String(value)).toBe(true)
      const gone = await client.delete(`${ALL}/x`)
      expect([gone.status, gone.body]).toEqual([200, made.body])
      for (const value of held) expect(await isTaken(client, value), String(value)).toBe(false)
    })
  }

  const ranges = { 4: '10.0.0.0/28', 6: 'fd00::/120' }
  for (const { name, spec, answer } of [
    {
      name: 'an address that is held',
      spec: { clusterIP: '10.0.0.9' },
      answer: invalid('x', 'spec.clusterIPs', taken('10.0.0.9')),
    },
    {
      name: "the server's own address",
      spec: { clusterIP: '10.0.0.1' },
      answer: invalid('x', 'spec.clusterIPs', taken('10.0.0.1')),
    },
    {
      name: 'the address of the network',
      spec: { clusterIP: '10.0.0.0' },
      answer: invalid('x', 'spec.clusterIPs', outside('10.0.0.0', ranges[4])),
    },
    {
      name: 'the address of all',
      spec: { clusterIP: '10.0.0.15' },
      answer: invalid('x', 'spec.clusterIPs', outside('10.0.0.15', ranges[4])),
    },
    {
      name: 'an address elsewhere',
      spec: { clusterIP: '10.0.1.1' },
      answer: invalid('x', 'spec.clusterIPs', outside('10.0.1.1', ranges[4])),
    },
    {
      name: 'an address elsewhere, of the other family',
      spec: { clusterIP: 'fd00::100' },
      answer: invalid('x', 'spec.clusterIPs', outside('fd00::100', ranges[6])),
    },
    {
      name: 'two addresses for one family',
      spec: { clusterIP: '10.0.0.5', clusterIPs: ['10.0.0.5', 'fd00::7'] },
      answer: invalid(
        'x',
        'spec.ipFamilyPolicy',
        `"SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified`,
      ),
    },
    {
      name: 'two families for one',
      spec: { ipFamilies: ['IPv4', 'IPv6'] },
      answer: invalid(
        'x',
        'spec.ipFamilyPolicy',
        `"SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified`,
      ),
    },
    {
      name: 'a port of nodes that is held',
      spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 30_009 }] },
      answer: invalid('x', 'spec.ports[0].nodePort', '30009: provided port is already allocated'),
    },
    {
      name: 'a port of nodes elsewhere',
      spec: { type: 'NodePort', ports: named({ port: 80 }, { port: 81, nodePort: 29_999 }) },
      answer: invalid(
        'x',
        'spec.ports[1].nodePort',
        '29999: provided port is not in the valid range. The range of valid ports is 30000-30009',
      ),
    },
    {
      name: 'one port of nodes for two ports',
      spec: {
        type: 'NodePort',
        ports: named(
          { port: 80, nodePort: 30_003 },
          { port: 81, protocol: 'UDP', nodePort: 30_003 },
        ),
      },
      answer: invalid('x', 'spec.ports[1].nodePort', '30003: provided port is already allocated'),
    },
    {
      name: 'a port for health that is held',
      spec: { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_009 },
      answer: failed(
        'failed to allocate requested HealthCheck NodePort 30009: provided port is already allocated',
      ),
    },
    {
      name: 'more ports than there are',
      spec: {
        type: 'NodePort',
        ports: named(...Array.from({ length: 10 }, (_, i) => ({ port: 80 + i }))),
      },
      answer: failed('failed to allocate a nodePort: range is full'),
    },
  ] as { name: string; spec: Json; answer: Json }[]) {
    test(`refused, and nothing kept: ${name}`, async () => {
      const reply = await client.post(ALL, service('x', spec))
      expect([reply.status, reply.body]).toEqual([answer.code, answer])
      expect((await client.get(`${ALL}/x`)).status).toBe(404)
      const free = ['10.0.0.2', '10.0.0.5', 'fd00::7', 30_000, 30_003]
      for (const value of free) expect(await isTaken(client, value), String(value)).toBe(false)
    })
  }

  test('a dry run answers with an address and takes none', async () => {
    const before = (await client.get(ALL)).body.metadata.resourceVersion
    const dry = await client.post(`${ALL}?dryRun=All`, service('dry', { type: 'NodePort' }))
    expect([dry.status, dry.body.spec]).toEqual([201, with4('10.0.0.2', onNodes(30_000))])
    expect(await isTaken(client, '10.0.0.2')).toBe(false)
    expect(await isTaken(client, 30_000)).toBe(false)
    await client.post(ALL, service('dry'))
    const put = await client.put(`${ALL}/dry?dryRun=All`, service('dry', { type: 'NodePort' }))
    expect([put.status, put.body.spec]).toEqual([200, with4('10.0.0.2', onNodes(30_000))])
    expect(await isTaken(client, 30_000)).toBe(false)
    expect((await client.delete(`${ALL}/dry?dryRun=All`)).status).toBe(200)
    expect(await isTaken(client, '10.0.0.2')).toBe(true)
    await client.delete(`${ALL}/dry`)
    expect(Number((await client.get(ALL)).body.metadata.resourceVersion)).toBe(Number(before) + 2)
  })

  test('generated names hold addresses like others', async () => {
    const { body } = await client.post(ALL, { metadata: { generateName: 'g' }, spec: port80 })
    expect(body.spec.clusterIP).toBe('10.0.0.2')
    const all = await client.delete(`${ALL}?fieldSelector=metadata.name%3D${body.metadata.name}`)
    expect(all.body.items.map((s: Json) => s.metadata.name)).toEqual([body.metadata.name])
    expect(await isTaken(client, '10.0.0.2')).toBe(false)
  })
})

describe('given out and back on update', () => {
  let running: Running
  let client: Client
  beforeAll(async () => {
    running = await start({
      serviceClusterIpRange: '10.0.0.0/28,fd00::/120',
      serviceNodePortRange: '30000-30009',
      ids: new FirstIds(),
    })
    client = running.client
  })
  afterAll(() => running.close())

  const twoPorts = named({ port: 80 }, { port: 81 })
  for (const { name, from, to, gets, frees } of [
    { name: 'the first manifest again', from: {}, to: {}, gets: with4('10.0.0.2'), frees: [] },
    {
      name: 'on nodes',
      from: {},
      to: { type: 'NodePort' },
      gets: with4('10.0.0.2', onNodes(30_000)),
      frees: [],
    },
    {
      name: 'on nodes no more',
      from: { type: 'NodePort' },
      to: {},
      gets: with4('10.0.0.2'),
      frees: [30_000],
    },
    {
      name: 'on nodes, another port',
      from: { type: 'NodePort' },
      to: { type: 'NodePort', ports: [{ port: 80, nodePort: 30_007 }] },
      gets: with4('10.0.0.2', onNodes(30_007)),
      frees: [30_000],
    },
    {
      name: 'one port less',
      from: { type: 'NodePort', ports: twoPorts },
      to: { type: 'NodePort', ports: twoPorts.slice(1) },
      gets: with4('10.0.0.2', {
        ...onNodes(0),
        ports: [{ name: 'p1', protocol: 'TCP', port: 81, targetPort: 81, nodePort: 30_001 }],
      }),
      frees: [30_000],
    },
    {
      name: 'another name instead',
      from: { type: 'NodePort' },
      to: { type: 'ExternalName', externalName: 'example.com' },
      gets: {
        ports: standard.ports,
        type: 'ExternalName',
        sessionAffinity: 'None',
        externalName: 'example.com',
      },
      frees: ['10.0.0.2', 30_000],
    },
    {
      name: 'another name no more',
      from: { type: 'ExternalName', externalName: 'example.com' },
      to: {},
      gets: with4('10.0.0.2'),
      frees: [],
    },
    {
      name: 'balanced, keeping sources',
      from: { type: 'NodePort' },
      to: { type: 'LoadBalancer', externalTrafficPolicy: 'Local' },
      gets: with4(
        '10.0.0.2',
        balanced(30_000, { externalTrafficPolicy: 'Local', healthCheckNodePort: 30_001 }),
      ),
      frees: [],
    },
    {
      name: 'not keeping sources any more',
      from: { type: 'LoadBalancer', externalTrafficPolicy: 'Local' },
      to: { type: 'LoadBalancer' },
      gets: with4('10.0.0.2', balanced(30_000)),
      frees: [30_001],
    },
    {
      name: 'balanced no more',
      from: { type: 'LoadBalancer', externalTrafficPolicy: 'Local', loadBalancerClass: 'a.b/c' },
      to: {},
      gets: with4('10.0.0.2'),
      frees: [30_000, 30_001],
    },
    {
      name: 'a second family',
      from: {},
      to: { ipFamilyPolicy: 'PreferDualStack' },
      gets: dual(['10.0.0.2', 'fd00::11'], ['IPv4', 'IPv6']),
      frees: [],
    },
    {
      name: 'a second family no more',
      from: { ipFamilyPolicy: 'PreferDualStack' },
      to: { ipFamilyPolicy: 'SingleStack' },
      gets: with4('10.0.0.2'),
      frees: ['fd00::11'],
    },
  ] as { name: string; from: Json; to: Json; gets: Json; frees: (string | number)[] }[]) {
    test(name, async () => {
      const made = await client.post(ALL, service('x', from))
      expect([made.status, made.body.message]).toEqual([201, undefined])
      // A write of the whole object changes only what the client changed in what it read.
      const put = await client.put(`${ALL}/x`, service('x', to))
      expect([put.status, bare(put.body)]).toEqual([
        200,
        {
          kind: 'Service',
          apiVersion: 'v1',
          metadata: { name: 'x', namespace: 'default' },
          spec: gets,
          status: { loadBalancer: {} },
        },
      ])
      for (const value of frees) expect(await isTaken(client, value), String(value)).toBe(false)
      const held = [
        ...((gets.clusterIPs ?? []) as string[]),
        ...((gets.ports ?? []) as Json[]).flatMap((p) => p.nodePort ?? []),
        ...[gets.healthCheckNodePort ?? []].flat(),
      ]
      for (const value of held) expect(await isTaken(client, value), String(value)).toBe(true)
      await client.delete(`${ALL}/x`)
      for (const value of held) expect(await isTaken(client, value), String(value)).toBe(false)
    })
  }

  test('an address is not changed', async () => {
    await client.post(ALL, service('x'))
    const put = await client.put(`${ALL}/x`, service('x', { clusterIP: '10.0.0.5' }))
    expect([put.status, put.body.message]).toEqual([
      422,
      'Service "x" is invalid: spec.clusterIPs: Required value',
    ])
    const patched = await client.merge(`${ALL}/x`, { spec: { clusterIP: '10.0.0.5' } })
    expect([patched.status, patched.body.message]).toEqual([
      422,
      'Service "x" is invalid: spec.clusterIPs[0]: Invalid value: ["10.0.0.5"]: may not change once set',
    ])
    expect(await isTaken(client, '10.0.0.5')).toBe(false)
    await client.delete(`${ALL}/x`)
  })

  test('made by PUT, and the status written, with the same address', async () => {
    const made = await client.put(`${ALL}/x`, service('x'))
    expect([made.status, made.body.spec]).toEqual([201, with4('10.0.0.2')])
    const status = await client.put(`${ALL}/x/status`, {
      ...made.body,
      spec: { ...made.body.spec, clusterIP: '10.0.0.5', clusterIPs: ['10.0.0.5'] },
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
    })
    expect([status.status, status.body.spec, status.body.status]).toEqual([
      200,
      made.body.spec,
      { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
    ])
    await client.delete(`${ALL}/x`)
  })

  test('a patch picks ports as a write does', async () => {
    await client.post(ALL, service('x'))
    const patched = await client.merge(`${ALL}/x`, { spec: { type: 'NodePort' } })
    expect([patched.status, patched.body.spec]).toEqual([200, with4('10.0.0.2', onNodes(30_000))])
    await client.delete(`${ALL}/x`)
  })

  test('a held object keeps its address until it is gone', async () => {
    const made = service('x')
    made.metadata.finalizers = ['example.com/keep']
    await client.post(ALL, made)
    expect((await client.delete(`${ALL}/x`)).body.metadata.deletionTimestamp).toBeDefined()
    expect(await isTaken(client, '10.0.0.2')).toBe(true)
    await client.merge(`${ALL}/x`, { metadata: { finalizers: null } })
    expect((await client.get(`${ALL}/x`)).status).toBe(404)
    expect(await isTaken(client, '10.0.0.2')).toBe(false)
  })

  test('endpoints go with their service, one by one and as a collection', async () => {
    const endpoints = '/api/v1/namespaces/default/endpoints'
    for (const [name, remove] of [
      ['a', `${ALL}/a`],
      ['b', `${ALL}?labelSelector=sweep`],
    ] as const) {
      await client.post(ALL, { metadata: { name, labels: { sweep: '' } }, spec: port80 })
      await client.post(endpoints, { metadata: { name } })
      await client.post(endpoints, { metadata: { name: 'other' } })
      expect((await client.delete(remove)).status).toBe(200)
      const left = (await client.get(endpoints)).body.items.map((e: Json) => e.metadata.name)
      expect(left).toEqual(['orch', 'other'])
      expect(await isTaken(client, '10.0.0.2')).toBe(false)
    }
  })
})

describe('one family only', () => {
  for (const { range, own, first, cases } of [
    {
      range: '10.0.0.0/28',
      own: '10.0.0.1',
      first: '10.0.0.2',
      cases: [
        {
          spec: { ipFamilyPolicy: 'RequireDualStack' },
          answer: invalid(
            'x',
            'spec.ipFamilyPolicy',
            '"RequireDualStack": this cluster is not configured for dual-stack services',
          ),
        },
        {
          spec: { ipFamilies: ['IPv6'] },
          answer: invalid('x', 'spec.ipFamilies[0]', '"IPv6": not configured on this cluster'),
        },
        { spec: { ipFamilyPolicy: 'PreferDualStack' }, answer: ['10.0.0.2'] },
      ],
    },
    {
      range: 'fd00::/124',
      own: 'fd00::1',
      first: 'fd00::2',
      cases: [
        {
          spec: { ipFamilies: ['IPv4'] },
          answer: invalid('x', 'spec.ipFamilies[0]', '"IPv4": not configured on this cluster'),
        },
        { spec: { clusterIP: 'FD00:0::0B' }, answer: ['FD00:0::0B'] },
      ],
    },
  ]) {
    test(range, async () => {
      const address = range.includes(':') ? '2001:db8::7' : '192.0.2.7'
      const running = await start({
        serviceClusterIpRange: range,
        advertiseAddress: address,
        ids: new FirstIds(),
      })
      const { client } = running
      expect((await client.get(`${ALL}/orch`)).body.spec.clusterIPs).toEqual([own])
      for (const { spec, answer } of cases as { spec: Json; answer: Json | string[] }[]) {
        const reply = await client.post(ALL, service('x', spec))
        if (Array.isArray(answer)) {
          expect(reply.body.spec?.clusterIPs, reply.text).toEqual(answer)
          // However it is written, it is the same address.
          const again = await client.post(ALL, service('y', { clusterIP: first }))
          const plain = await client.post(ALL, service('z', { clusterIP: 'fd00::b' }))
          expect([again.status, plain.status]).toEqual(
            range.includes(':') ? [201, 422] : [422, 422],
          )
          await client.delete(`${ALL}/x`)
        } else expect([reply.status, reply.body]).toEqual([422, answer])
      }
      await running.close()
    })
  }

  test('a range is used to its last address, and none beside it', async () => {
    const running = await start({ serviceClusterIpRange: 'fd00::/124', advertiseAddress: '' })
    const { client } = running
    const ips: string[] = []
    for (let i = 0; i < 14; i++)
      ips.push((await client.post(ALL, service(`s${i}`))).body.spec.clusterIP)
    expect(ips.sort()).toEqual(
      Array.from({ length: 14 }, (_, i) => `fd00::${(i + 2).toString(16)}`).sort(),
    )
    const full = await client.post(ALL, service('s14'))
    expect(full.body).toEqual(failed('failed to allocate a serviceIP: range is full'))
    await running.close()
  })
})

// On disk many writes share a commit, and see each other only after it.
for (const store of ['memory', 'lmdb'] as const)
  describe(`asked for all at once, ${store}`, () => {
    let folder = ''
    let serial = 0
    beforeAll(async () => {
      if (store === 'lmdb') folder = await mkdtemp(join(tmpdir(), 'services-'))
    })
    afterAll(() => (folder === '' ? undefined : rm(folder, { recursive: true, force: true })))
    const fresh = (options: ServerOptions = {}) =>
      start({
        ...options,
        store,
        ...(folder === '' ? {} : { dataDir: join(folder, String(serial++)) }),
      })
    const count = (replies: readonly Reply[], status: number) =>
      replies.filter((r) => r.status === status)

    test('addresses are distinct, and a full range says so', async () => {
      const running = await fresh({ serviceClusterIpRange: '10.0.0.0/27' })
      const { client } = running
      const replies = await Promise.all(
        Array.from({ length: 64 }, (_, i) => client.post(ALL, service(`s${i}`))),
      )
      // 32 less network, broadcast and the server's own.
      const made = count(replies, 201)
      const ips = new Set(made.map((r) => r.body.spec.clusterIP))
      expect([made.length, ips.size, count(replies, 500).length]).toEqual([29, 29, 35])
      expect(ips).toEqual(new Set(Array.from({ length: 29 }, (_, i) => `10.0.0.${i + 2}`)))
      for (const { body } of count(replies, 500))
        expect(body).toEqual(failed('failed to allocate a serviceIP: range is full'))
      const one = made[0]!.body
      await client.delete(`${ALL}/${one.metadata.name}`)
      const next = await client.post(ALL, service('next'))
      expect(next.body.spec.clusterIP).toBe(one.spec.clusterIP)
      const swept = await client.delete(ALL)
      expect(swept.body.items).toHaveLength(30)
      const again = await client.post(ALL, service('again', { clusterIP: '10.0.0.2' }))
      expect(again.status).toBe(201)
      await running.close()
    })

    test('the same address goes to one, and the same port', async () => {
      const running = await fresh({ serviceNodePortRange: '30000-30003' })
      const { client } = running
      const same = await Promise.all(
        Array.from({ length: 16 }, (_, i) =>
          client.post(ALL, service(`s${i}`, { clusterIP: '10.0.0.7' })),
        ),
      )
      expect([count(same, 201).length, count(same, 422).length]).toEqual([1, 15])
      for (const [i, reply] of same.entries())
        if (reply.status === 422)
          expect(reply.body).toEqual(invalid(`s${i}`, 'spec.clusterIPs', taken('10.0.0.7')))
      const ports = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          client.post(
            ALL,
            service(`p${i}`, { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] }),
          ),
        ),
      )
      expect([count(ports, 201).length, count(ports, 422).length]).toEqual([1, 11])
      const rest = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          client.post(ALL, service(`r${i}`, { type: 'NodePort' })),
        ),
      )
      const picked = count(rest, 201).map((r) => r.body.spec.ports[0].nodePort)
      expect(picked.sort()).toEqual([30_000, 30_002, 30_003])
      for (const { body } of count(rest, 500))
        expect(body).toEqual(failed('failed to allocate a nodePort: range is full'))
      // Whoever got no port kept no address either.
      const held = (await client.get(ALL)).body.items.map((s: Json) => s.spec.clusterIP)
      expect([held.length, new Set(held).size]).toEqual([6, 6])
      await running.close()
    })

    test('the same name goes to one, and the others keep nothing', async () => {
      const running = await fresh({ serviceClusterIpRange: '10.0.0.0/29' })
      const { client } = running
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => client.post(ALL, service('x'))),
      )
      expect([count(replies, 201).length, count(replies, 409).length]).toEqual([1, 19])
      for (let i = 0; i < 4; i++)
        expect((await client.post(ALL, service(`s${i}`))).status).toBe(201)
      expect((await client.post(ALL, service('s4'))).status).toBe(500)
      await running.close()
    })

    test('updates of one service ask for ports one after the other', async () => {
      const running = await fresh({ serviceNodePortRange: '30000-30001' })
      const { client } = running
      await client.post(ALL, service('x'))
      await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          client.merge(`${ALL}/x`, { spec: { type: i % 2 === 0 ? 'NodePort' : 'ClusterIP' } }),
        ),
      )
      const { spec } = (await client.get(`${ALL}/x`)).body
      const own = spec.ports[0].nodePort
      for (const port of [30_000, 30_001]) expect(await isTaken(client, port)).toBe(port === own)
      await running.close()
    })
  })

describe('whatever happens, what is taken is what services hold', () => {
  const IPS = Array.from({ length: 13 }, (_, i) => `10.0.0.${i + 2}`)
  const PORTS = Array.from({ length: 6 }, (_, i) => 30_000 + i)
  const name = fc.constantFrom('a', 'b', 'c', 'd')
  const ip = fc.constantFrom('10.0.0.3', '10.0.0.4', undefined, undefined, 'None')
  const port = fc.constantFrom(30_001, 30_002, undefined, undefined)
  const type = fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName')
  const spec = fc.record({ type, clusterIP: ip, nodePort: port, policy: fc.boolean() })
  const specOf = ({ type, clusterIP, nodePort, policy }: Json): Json => ({
    type,
    ...(type === 'ExternalName' ? { externalName: 'example.com' } : {}),
    ...(clusterIP === undefined || type === 'ExternalName' ? {} : { clusterIP }),
    ...(policy && type === 'LoadBalancer' ? { externalTrafficPolicy: 'Local' } : {}),
    ports: [{ port: 80, ...(nodePort === undefined ? {} : { nodePort }) }],
  })
  const step = fc.oneof(
    fc.record({ verb: fc.constant('post'), name, spec }),
    fc.record({ verb: fc.constant('put'), name, spec }),
    fc.record({ verb: fc.constant('patch'), name, spec }),
    fc.record({ verb: fc.constant('delete'), name, spec }),
  )

  test('many at once, in any order', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'services-'))
    const running = await start({
      dataDir,
      serviceClusterIpRange: '10.0.0.0/28',
      serviceNodePortRange: '30000-30005',
    })
    const { client } = running
    const run = async ({ verb, name, spec }: Json): Promise<Reply> => {
      const path = `${ALL}/${name}`
      if (verb === 'post') return client.post(ALL, service(name, specOf(spec)))
      if (verb === 'put') return client.put(path, service(name, specOf(spec)))
      if (verb === 'patch') return client.merge(path, { spec: { type: spec.type } })
      return client.delete(path)
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 4 }),
        async (all) => {
          for (const together of all) {
            const replies = await Promise.all(together.map(run))
            for (const { status, text } of replies)
              expect([200, 201, 404, 409, 422, 500], text).toContain(status)
            for (const { text } of replies.filter((r) => r.status === 500))
              expect(text).toMatch(/range is full|already allocated|not in the valid range/)
          }
          const held: Json[] = (await client.get(ALL)).body.items.map((s: Json) => s.spec)
          const ips = held.flatMap((s) => s.clusterIPs ?? []).filter((ip) => ip !== 'None')
          const ports = held.flatMap((s) => [
            ...(s.ports ?? []).flatMap((p: Json) => p.nodePort ?? []),
            ...[s.healthCheckNodePort ?? []].flat(),
          ])
          expect([new Set(ips).size, new Set(ports).size]).toEqual([ips.length, ports.length])
          const probe = async (values: readonly (string | number)[]) => {
            const taken: (string | number)[] = []
            for (const value of values) if (await isTaken(client, value)) taken.push(value)
            return taken
          }
          expect(await probe(IPS)).toEqual(IPS.filter((ip) => ips.includes(ip)))
          expect(await probe(PORTS)).toEqual(PORTS.filter((port) => ports.includes(port)))
          for (const one of 'abcd') await client.delete(`${ALL}/${one}`)
        },
      ),
      { numRuns: 10, seed: 20_240_102 },
    )
    await running.close()
    await rm(dataDir, { recursive: true, force: true })
  })
})

describe('on disk', () => {
  let dataDir: string
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'services-'))
  })
  afterAll(() => rm(dataDir, { recursive: true, force: true }))

  const again = (options: ServerOptions = {}) =>
    start({
      dataDir,
      store: 'lmdb',
      serviceClusterIpRange: '10.0.0.0/28',
      serviceNodePortRange: '30000-30009',
      ids: new FirstIds(),
      ...options,
    })

  test('claims outlive the server, and are put right at its start', async () => {
    let running = await again()
    await running.client.post(ALL, service('a', { type: 'NodePort' }))
    await running.client.post(ALL, service('b', { clusterIP: '10.0.0.9' }))
    await running.client.post(ALL, service('gone'))
    await running.client.delete(`${ALL}/gone`)
    await running.close()

    running = await again()
    const { client } = running
    for (const value of ['10.0.0.1', '10.0.0.2', '10.0.0.9', 30_000])
      expect(await isTaken(client, value), String(value)).toBe(true)
    for (const value of ['10.0.0.3', 30_001])
      expect(await isTaken(client, value), String(value)).toBe(false)
    await running.close()

    // Somebody else wrote into the store: a claim is lost, and one is left over.
    const engine = await openLmdb({
      dir: join(dataDir, 'store'),
      clock: systemClock,
      format: { vocabulary: 'orch' },
    })
    const claims = await engine.range('/registry/servers/claims/')
    expect(claims.items.map((item) => item.key)).toEqual(
      [
        '/registry/servers/claims/servicenodeports/30000',
        '/registry/servers/claims/serviceips/IPv4/10.0.0.1',
        '/registry/servers/claims/serviceips/IPv4/10.0.0.2',
        '/registry/servers/claims/serviceips/IPv4/10.0.0.9',
      ].sort(),
    )
    await engine.commit([
      { key: '/registry/servers/claims/serviceips/IPv4/10.0.0.9', value: null },
      { key: '/registry/servers/claims/serviceips/IPv4/10.0.0.4', value: claims.items[0]!.value },
    ])
    await engine.close()
    running = await again()
    expect(await isTaken(running.client, '10.0.0.9')).toBe(true)
    expect(await isTaken(running.client, '10.0.0.4')).toBe(false)
    await running.client.delete(`${ALL}/b`)
    expect(await isTaken(running.client, '10.0.0.9')).toBe(false)
    await running.close()
  })

  test('another range: what is there stays, what is new comes from it', async () => {
    let running = await again({
      serviceClusterIpRange: '10.1.0.0/28',
      serviceNodePortRange: '31000-31009',
    })
    expect((await running.client.get(`${ALL}/orch`)).body.spec.clusterIP).toBe('10.0.0.1')
    expect((await running.client.get(`${ALL}/a`)).body.spec).toEqual(
      with4('10.0.0.2', onNodes(30_000)),
    )
    // An object from before can still be written.
    const changed = await running.client.merge(`${ALL}/a`, { spec: { selector: { a: 'b' } } })
    expect([changed.status, changed.body.spec.clusterIP]).toEqual([200, '10.0.0.2'])
    const made = await running.client.post(ALL, service('c', { type: 'NodePort' }))
    expect(made.body.spec).toEqual(with4('10.1.0.1', onNodes(31_000)))
    const old = await running.client.post(ALL, service('d', { clusterIP: '10.0.0.5' }))
    expect(old.body).toEqual(invalid('d', 'spec.clusterIPs', outside('10.0.0.5', '10.1.0.0/28')))
    await running.close()

    running = await again({ serviceNodePortRange: '30000-31009' })
    for (const value of ['10.0.0.1', '10.0.0.2', 30_000, 31_000])
      expect(await isTaken(running.client, value), String(value)).toBe(true)
    await running.close()
  })

  test("somebody took the server's address: it starts all the same, and says so", async () => {
    let running = await again()
    await running.client.delete(`${ALL}/orch`)
    await running.client.post(ALL, service('thief', { clusterIP: '10.0.0.1' }))
    await running.close()
    const warnings: string[] = []
    const log = {
      error: (text: string) => void warnings.push(text),
      warn: (text: string) => void warnings.push(text),
      info: () => {},
      debug: () => {},
      v: () => false,
      child: () => log,
    }
    running = await again({ log })
    expect((await running.client.get(`${ALL}/orch`)).status).toBe(404)
    expect(warnings).toEqual(['the service of this server cannot be written'])
    await running.client.delete(`${ALL}/thief`)
    await running.close()
    running = await again()
    expect((await running.client.get(`${ALL}/orch`)).body.spec.clusterIP).toBe('10.0.0.1')
    await running.close()
  })
})

describe("the server's own service", () => {
  const slicesPath = '/apis/discovery.orch.io/v1/namespaces/default/endpointslices'

  test('service, endpoints and slice tell where the server is, also after it moved', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'services-'))
    const own = async (running: Running) => {
      const { client } = running
      const [service, endpoints, slice] = await Promise.all([
        client.get(`${ALL}/orch`),
        client.get('/api/v1/namespaces/default/endpoints/orch'),
        client.get(`${slicesPath}/orch`),
      ])
      return [service.body, endpoints.body, slice.body].map(bare)
    }
    const wanted = (port: number, first: number, address: string) => [
      {
        kind: 'Service',
        apiVersion: 'v1',
        metadata: {
          name: 'orch',
          namespace: 'default',
          labels: { component: 'apiserver', provider: 'orch' },
        },
        spec: with4('10.0.0.1', {
          ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: first }],
        }),
        status: { loadBalancer: {} },
      },
      {
        kind: 'Endpoints',
        apiVersion: 'v1',
        metadata: {
          name: 'orch',
          namespace: 'default',
          labels: { 'endpointslice.orch.io/skip-mirror': 'true' },
        },
        subsets: [
          { addresses: [{ ip: address }], ports: [{ name: 'https', port, protocol: 'TCP' }] },
        ],
      },
      {
        kind: 'EndpointSlice',
        apiVersion: 'discovery.orch.io/v1',
        metadata: {
          name: 'orch',
          namespace: 'default',
          labels: { 'orch.io/service-name': 'orch' },
          generation: address === '192.0.2.7' ? 1 : 2,
        },
        addressType: 'IPv4',
        endpoints: [{ addresses: [address], conditions: { ready: true } }],
        ports: [{ name: 'https', protocol: 'TCP', port }],
      },
    ]
    let running = await start({ dataDir })
    const first = running.server.port
    expect(await own(running)).toEqual(wanted(first, first, '192.0.2.7'))
    await running.close()
    running = await start({ dataDir, advertiseAddress: '192.0.2.8' })
    expect(await own(running)).toEqual(wanted(running.server.port, first, '192.0.2.8'))
    const list = (await running.client.get(ALL)).body
    expect(list.items).toHaveLength(1)
    await running.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  test('its address is of the family of its service', async () => {
    await expect(start({ advertiseAddress: '2001:db8::1' })).rejects.toThrow(
      'serviceClusterIpRange 10.0.0.0/16 is not of the family of the address of this server, 2001:db8::1; choose another with advertiseAddress',
    )
  })
})

describe('ranges that are refused', () => {
  for (const { options, message } of [
    {
      options: { serviceClusterIpRange: '10.0.0.0/11' },
      message:
        'serviceClusterIpRange 10.0.0.0/11 is too large; for 32-bit addresses, the mask must be 12 or more',
    },
    {
      options: { serviceClusterIpRange: 'fd00::/107' },
      message:
        'serviceClusterIpRange fd00::/107 is too large; for 128-bit addresses, the mask must be 108 or more',
    },
    {
      options: { serviceClusterIpRange: '10.0.0.0/24,10.1.0.0/24' },
      message: 'serviceClusterIpRange with two entries must be of different families',
    },
    {
      options: { serviceClusterIpRange: '10.0.0.0/24,fd00::/120,fd01::/120' },
      message: 'serviceClusterIpRange must not have more than two entries',
    },
    {
      options: { serviceClusterIpRange: '10.0.0.0' },
      message: 'serviceClusterIpRange: 10.0.0.0 is no network such as 10.0.0.0/24',
    },
    {
      options: { serviceClusterIpRange: '10.0.0.0/31' },
      message: 'serviceClusterIpRange 10.0.0.0/31 has no usable address',
    },
    {
      options: { serviceNodePortRange: '30000-x' },
      message: 'serviceNodePortRange: unable to parse port range: 30000-x',
    },
    {
      options: { serviceNodePortRange: '30010-30000' },
      message: 'serviceNodePortRange: end port cannot be less than start port: 30010-30000',
    },
    {
      options: { serviceNodePortRange: '65000-66000' },
      message: 'serviceNodePortRange: the port range cannot be greater than 65535: 65000-66000',
    },
  ] as { options: ServerOptions; message: string }[]) {
    test(Object.values(options).join(), async () => {
      await expect(startServer(options)).rejects.toThrow(new Error(message))
    })
  }
})
