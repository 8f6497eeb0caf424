import { describe, expect, test } from 'vitest'
import type { Made } from '../../server/in-process.fixture.ts'
import { mirroringController } from './mirroring-controller.ts'
import { controllerScene } from '../../../test/controller-scene.ts'

const scene = controllerScene(mirroringController)
const SERVICE = ['v1', 'services', 'default', 's'] as const
const ENDPOINTS = ['v1', 'endpoints', 'default', 's'] as const
const SLICES = ['discovery{api}/v1', 'endpointslices', 'default'] as const
const service = (spec: object = {}) =>
  scene.context.hand.create(['v1', 'services', 'default'], {
    metadata: { name: 's' },
    spec: { ports: [{ port: 80 }], ...spec },
  })
const ports = [{ port: 80, protocol: 'TCP' }]
const endpoints = (subsets: readonly object[], metadata: object = {}) =>
  scene.context.hand.create(['v1', 'endpoints', 'default'], {
    metadata: { name: 's', ...metadata },
    subsets,
  })
const slices = async (): Promise<Made[]> => {
  await scene.running.idle()
  const names = await scene.context.hand.names(SLICES)
  return Promise.all(names.map((name) => scene.context.hand.get([...SLICES, name])))
}
const content = async () =>
  (await slices()).map(({ addressType, endpoints: list, ports: of }) => ({
    addressType,
    endpoints: list,
    ...(of ? { ports: of } : {}),
  }))
const ips = (...addresses: string[]) => addresses.map((ip) => ({ ip }))
const ready = (ip: string) => ({ addresses: [ip], conditions: { ready: true } })
const port80 = [{ name: '', port: 80, protocol: 'TCP' }]

describe('the mirrored slices of', () => {
  for (const { name, subsets, expected } of [
    { name: 'nothing', subsets: [], expected: [] },
    {
      name: 'addresses, ready ones and others',
      subsets: [{ addresses: ips('10.1.0.1'), notReadyAddresses: ips('10.1.0.2'), ports }],
      expected: [
        {
          addressType: 'IPv4',
          endpoints: [ready('10.1.0.1'), { addresses: ['10.1.0.2'], conditions: { ready: false } }],
          ports: port80,
        },
      ],
    },
    {
      name: 'an address with all that is known of it',
      subsets: [
        {
          addresses: [
            { ip: '10.1.0.1', hostname: 'h', nodeName: 'n', targetRef: { kind: 'Pod', name: 'p' } },
          ],
          ports: [{ name: 'http', port: 80, appProtocol: 'x.io/y' }],
        },
      ],
      expected: [
        {
          addressType: 'IPv4',
          endpoints: [
            {
              ...ready('10.1.0.1'),
              hostname: 'h',
              nodeName: 'n',
              targetRef: { kind: 'Pod', name: 'p' },
            },
          ],
          ports: [{ name: 'http', port: 80, protocol: 'TCP', appProtocol: 'x.io/y' }],
        },
      ],
    },
    {
      name: 'addresses of both families',
      subsets: [{ addresses: ips('10.1.0.1', 'fd00::1'), ports }],
      expected: [
        { addressType: 'IPv4', endpoints: [ready('10.1.0.1')], ports: port80 },
        { addressType: 'IPv6', endpoints: [ready('fd00::1')], ports: port80 },
      ],
    },
    {
      name: 'subsets with the same ports: one',
      subsets: [
        { addresses: ips('10.1.0.1'), ports },
        { addresses: ips('10.1.0.2'), ports },
      ],
      expected: [
        {
          addressType: 'IPv4',
          endpoints: [ready('10.1.0.1'), ready('10.1.0.2')],
          ports: port80,
        },
      ],
    },
    {
      name: 'a port in two subsets: one, and what is not ready in one of them is not',
      subsets: [
        {
          addresses: ips('10.1.0.1'),
          ports: [
            { name: 'a', port: 80 },
            { name: 'b', port: 81 },
          ],
        },
        {
          addresses: ips('10.1.0.2'),
          notReadyAddresses: ips('10.1.0.1'),
          ports: [{ name: 'a', port: 80 }],
        },
      ],
      expected: [
        {
          addressType: 'IPv4',
          endpoints: [ready('10.1.0.2'), { addresses: ['10.1.0.1'], conditions: { ready: false } }],
          ports: [{ name: 'a', port: 80, protocol: 'TCP' }],
        },
        {
          addressType: 'IPv4',
          endpoints: [ready('10.1.0.1')],
          ports: [{ name: 'b', port: 81, protocol: 'TCP' }],
        },
      ],
    },
    {
      name: 'subsets with different ports: several',
      subsets: [
        { addresses: ips('10.1.0.1'), ports },
        { addresses: ips('10.1.0.2'), ports: [{ port: 81 }] },
      ],
      expected: [
        { addressType: 'IPv4', endpoints: [ready('10.1.0.1')], ports: port80 },
        {
          addressType: 'IPv4',
          endpoints: [ready('10.1.0.2')],
          ports: [{ name: '', port: 81, protocol: 'TCP' }],
        },
      ],
    },
  ])
    test(name, async () => {
      await service()
      await endpoints(subsets)
      const found = await content()
      expect(found).toHaveLength(expected.length)
      for (const one of expected) expect(found).toContainEqual(one)
    })
})

test('a mirrored slice has labels and annotations of the endpoints, and belongs to them', async () => {
  await service()
  const { metadata } = await endpoints([{ addresses: ips('10.1.0.1') }], {
    labels: { team: 'a' },
    annotations: {
      note: 'b',
      'endpoints.orch.io/last-change-trigger-time': '2024-01-01T00:00:00Z',
      [scene.context.api.v.resolve('{cli}.{label}/last-applied-configuration')]: '{}',
    },
  })
  const [slice] = await slices()
  const { labels, annotations, ownerReferences, name } = slice.metadata
  expect({ labels, annotations, ownerReferences }).toEqual({
    labels: {
      team: 'a',
      'orch.io/service-name': 's',
      'endpointslice.orch.io/managed-by': 'endpointslicemirroring-controller.orch.io',
    },
    annotations: { note: 'b' },
    ownerReferences: [
      {
        apiVersion: 'v1',
        kind: 'Endpoints',
        name: 's',
        uid: metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  })
  await scene.context.hand.patch(ENDPOINTS, {
    metadata: { labels: { team: 'b' } },
    subsets: [{ addresses: ips('10.1.0.2') }],
  })
  const [next, ...others] = await slices()
  expect([next.metadata.name, next.metadata.labels.team, next.endpoints, others]).toEqual([
    name,
    'b',
    [ready('10.1.0.2')],
    [],
  ])
})

describe('endpoints are not mirrored', () => {
  for (const [name, spec, metadata] of [
    ['of a service with a selector', { selector: { app: 'x' } }, {}],
    ['that say so', {}, { labels: { 'endpointslice.orch.io/skip-mirror': 'true' } }],
    ['of elections', {}, { annotations: { 'control-plane.alpha.orch.io/leader': '{}' } }],
    ['without a service', null, {}],
  ] as const)
    test(name, async () => {
      if (spec) await service(spec)
      await endpoints([{ addresses: ips('10.1.0.1'), ports }], metadata)
      expect(await slices()).toEqual([])
    })
})

describe('mirrored slices go', () => {
  for (const [name, change] of [
    ['with the endpoints', () => scene.context.hand.delete(ENDPOINTS)],
    ['with the service', () => scene.context.hand.delete(SERVICE)],
    [
      'when the service gets a selector',
      () => scene.context.hand.patch(SERVICE, { spec: { selector: { app: 'x' } } }),
    ],
    [
      'when the endpoints say so',
      () =>
        scene.context.hand.patch(ENDPOINTS, {
          metadata: { labels: { 'endpointslice.orch.io/skip-mirror': 'true' } },
        }),
    ],
  ] as const)
    test(name, async () => {
      await service()
      await endpoints([{ addresses: ips('10.1.0.1'), ports }])
      expect(await slices()).toHaveLength(1)
      await change()
      expect(await slices()).toEqual([])
    })
})

test('addresses above the limit of a subset are left out, which is told', async () => {
  await scene.running.stop()
  scene.start({ mirroringMaxEndpointsPerSubset: 2 })
  await service()
  await endpoints([
    { notReadyAddresses: ips('10.1.0.1', '10.1.0.2'), addresses: ips('10.1.0.3'), ports },
  ])
  const [slice] = await slices()
  expect(slice.endpoints.map(({ addresses }: Made) => addresses[0])).toEqual([
    '10.1.0.3',
    '10.1.0.1',
  ])
  const [name] = await scene.context.hand.names(['v1', 'events', 'default'])
  const event = await scene.context.hand.get(['v1', 'events', 'default', name!])
  expect([event.type, event.reason, event.message, event.involvedObject.kind]).toEqual([
    'Warning',
    'TooManyAddressesToMirror',
    'A max of 2 addresses can be mirrored to EndpointSlices per Endpoints subset. 1 addresses were skipped',
    'Endpoints',
  ])
})

test('a slice that somebody deletes is restored', async () => {
  await service()
  await endpoints([{ addresses: ips('10.1.0.1'), ports }])
  const [slice] = await slices()
  await scene.context.hand.delete([...SLICES, slice.metadata.name])
  const [next] = await slices()
  expect(next.metadata.uid).not.toBe(slice.metadata.uid)
})
