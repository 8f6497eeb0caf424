import { describe, expect, test } from 'vitest'
import { formatTime } from '../../base/time.ts'
import type { Made } from '../../server/in-process.fixture.ts'
import { endpointSliceController } from './endpoint-slice-controller.ts'
import { podMaker, type PodState } from './pods.fixture.ts'
import { controllerScene } from '../../../test/controller-scene.ts'

const scene = controllerScene(endpointSliceController)
const SERVICE = ['v1', 'services', 'default', 's'] as const
const SLICES = ['discovery{api}/v1', 'endpointslices', 'default'] as const
const pod = (state: PodState) => podMaker(scene.context)(state)
const node = (name: string, zone = '', cpu = '1') =>
  scene.context.hand
    .create(['v1', 'nodes'], {
      metadata: { name, labels: zone === '' ? {} : { 'topology.orch.io/zone': zone } },
    })
    .then(() =>
      scene.context.hand.patch(
        ['v1', 'nodes', '', name],
        { status: { allocatable: { cpu }, conditions: [{ type: 'Ready', status: 'True' }] } },
        'status',
      ),
    )
const service = (spec: object = {}, metadata: object = {}) =>
  scene.context.hand.create(['v1', 'services', 'default'], {
    metadata: { name: 's', ...metadata },
    spec: { selector: { app: 'x' }, ports: [{ port: 80 }], ...spec },
  })
const slices = async (): Promise<Made[]> => {
  await scene.running.idle()
  const names = await scene.context.hand.names(SLICES)
  return Promise.all(names.map((name) => scene.context.hand.get([...SLICES, name])))
}
const slice = async () => {
  const [only, ...others] = await slices()
  expect(others).toEqual([])
  return only
}
const endpoint = (name: string, ip: string, more: object = {}) => ({
  addresses: [ip],
  conditions: { ready: true, serving: true, terminating: false },
  nodeName: 'n',
  targetRef: { kind: 'Pod', namespace: 'default', name, uid: expect.any(String) },
  ...more,
})
const port80 = [{ name: '', port: 80, protocol: 'TCP' }]

describe('the slice of a service', () => {
  const ready = endpoint('p', '10.1.0.1')
  const conditions = (isReady: boolean, serving: boolean, terminating: boolean) => ({
    ...ready,
    conditions: { ready: isReady, serving, terminating },
  })
  const nothing = { endpoints: [], ports: [] }
  for (const { name, spec = {}, state = {}, is } of [
    { name: 'holds ready pods', is: { endpoints: [ready], ports: port80 } },
    {
      name: 'tells that pods are not ready',
      state: { isReady: false },
      is: { endpoints: [conditions(false, false, false)], ports: port80 },
    },
    {
      name: 'takes them as ready when that is wanted',
      spec: { publishNotReadyAddresses: true },
      state: { isReady: false },
      is: { endpoints: [conditions(true, false, false)], ports: port80 },
    },
    {
      name: 'tells that pods terminate',
      state: { isTerminating: true },
      is: { endpoints: [conditions(false, true, true)], ports: port80 },
    },
    {
      name: 'takes these as ready when that is wanted',
      spec: { publishNotReadyAddresses: true },
      state: { isTerminating: true },
      is: { endpoints: [conditions(true, true, true)], ports: port80 },
    },
    { name: 'leaves out pods that have ended', state: { phase: 'Failed' }, is: nothing },
    { name: 'leaves out pods without an address', state: { ips: [] }, is: nothing },
    {
      name: 'has named ports of pods',
      spec: { ports: [{ name: 'http', port: 80, targetPort: 'web', appProtocol: 'x.io/y' }] },
      state: { ports: [{ name: 'web', containerPort: 8080 }] },
      is: {
        endpoints: [ready],
        ports: [{ name: 'http', port: 8080, protocol: 'TCP', appProtocol: 'x.io/y' }],
      },
    },
    {
      name: 'has no ports for a headless service without any',
      spec: { clusterIP: 'None', ports: [] },
      is: { endpoints: [ready], ports: [] },
    },
    {
      name: 'has the hostname of pods in the subdomain of the service',
      state: { hostname: 'h', subdomain: 's' },
      is: { endpoints: [{ ...ready, hostname: 'h' }], ports: port80 },
    },
    { name: 'leaves out pods on a node that is not there', state: { node: 'lost' }, is: nothing },
    {
      name: 'takes these too when addresses are wanted in any case',
      spec: { publishNotReadyAddresses: true },
      state: { node: 'lost' },
      is: { endpoints: [{ ...ready, nodeName: 'lost' }], ports: port80 },
    },
  ])
    test(name, async () => {
      await node('n')
      await pod({ name: 'p', ...state })
      await service(spec)
      const { endpoints, ports = [] } = await slice()
      expect({ endpoints, ports }).toEqual(is)
    })

  test('names its service, and belongs to it', async () => {
    const made = formatTime(scene.context.clock.now())
    const { metadata } = await service({ clusterIP: 'None' }, { labels: { team: 'a' } })
    const { metadata: own, addressType } = await slice()
    const { labels, annotations, ownerReferences } = own
    expect({ addressType, labels, annotations, ownerReferences }).toEqual({
      addressType: 'IPv4',
      labels: {
        team: 'a',
        'orch.io/service-name': 's',
        'endpointslice.orch.io/managed-by': 'endpointslice-controller.orch.io',
        'service.orch.io/headless': '',
      },
      annotations: { 'endpoints.orch.io/last-change-trigger-time': made },
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Service',
          name: 's',
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    })
    expect(own.name).toMatch(/^s-[a-z0-9]{5}$/)
  })

  test('has the zones of nodes, and takes pods whose node comes later', async () => {
    await node('n', 'a')
    await pod({ name: 'p' })
    await pod({ name: 'q', ips: ['10.1.0.2'], node: 'm' })
    await service()
    expect((await slice()).endpoints).toEqual([{ ...ready, zone: 'a' }])
    await node('m', 'b')
    expect((await slice()).endpoints).toEqual([
      { ...ready, zone: 'a' },
      endpoint('q', '10.1.0.2', { nodeName: 'm', zone: 'b' }),
    ])
  })

  test('follows pods and labels', async () => {
    await node('n')
    await service()
    await pod({ name: 'p' })
    const { metadata, endpoints } = await slice()
    expect(endpoints).toEqual([ready])
    await scene.context.hand.patch(SERVICE, { metadata: { labels: { team: 'b' } } })
    await scene.context.hand.delete(['v1', 'pods', 'default', 'p'])
    const next = await slice()
    expect([next.metadata.name, next.metadata.labels.team, next.endpoints]).toEqual([
      metadata.name,
      'b',
      [conditions(false, true, true)],
    ])
  })
})

test('a dual-stack service has slices of both types', async () => {
  await scene.reopen({ serviceClusterIpRange: '10.0.0.0/24,fd00:1::/112' })
  await pod({ name: 'p', node: '', ips: ['10.1.0.1', 'fd00::1'] })
  await service({ clusterIP: 'None', ipFamilyPolicy: 'RequireDualStack' })
  const found = await slices()
  expect(
    found.map(({ addressType, endpoints: [{ addresses }] }) => [addressType, addresses]).sort(),
  ).toEqual([
    ['IPv4', ['10.1.0.1']],
    ['IPv6', ['fd00::1']],
  ])
  // One family less: its slice goes.
  await scene.context.hand.patch(SERVICE, {
    spec: { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] },
  })
  expect((await slice()).addressType).toBe('IPv4')
})

test('slices hold so many endpoints, and stay when some go', async () => {
  await scene.running.stop()
  scene.start({ maxEndpointsPerSlice: 2 })
  await service()
  for (const i of [1, 2, 3, 4, 5]) await pod({ name: `p${i}`, node: '', ips: [`10.1.0.${i}`] })
  const shown = async () =>
    (await slices())
      .map(({ endpoints }) => endpoints.map((one: Made) => one.targetRef.name).join(' '))
      .sort()
  const full = await shown()
  expect(full.map((names) => names.split(' ').length).sort()).toEqual([1, 2, 2])
  expect(full.join(' ').split(' ').sort()).toEqual(['p1', 'p2', 'p3', 'p4', 'p5'])
  await scene.context.hand.delete(['v1', 'pods', 'default', 'p1'])
  expect((await shown()).join(' ').split(' ').sort()).toEqual(['p2', 'p3', 'p4', 'p5'])
})

test('slices that others change or delete are restored, and their own are left to them', async () => {
  await service()
  const { metadata } = await slice()
  const place = [...SLICES, metadata.name] as const
  await scene.context.hand.patch(place, { metadata: { labels: { stray: 'x' } } })
  await scene.running.idle()
  scene.context.clock.advance(1_000)
  expect((await slice()).metadata.labels.stray).toBeUndefined()
  await scene.context.hand.delete(place)
  await scene.running.idle()
  scene.context.clock.advance(1_000)
  expect((await slice()).metadata.uid).not.toBe(metadata.uid)
  await scene.context.hand.create(SLICES, {
    metadata: { name: 'mine', labels: { 'orch.io/service-name': 's' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.9.0.1'] }],
  })
  scene.context.clock.advance(1_000)
  expect((await slices()).map((one) => one.metadata.name)).toContain('mine')
})

test('slices of a service of the same name before it go', async () => {
  await service()
  const { metadata } = await slice()
  await scene.context.hand.delete(SERVICE)
  await service()
  expect((await slice()).metadata.uid).not.toBe(metadata.uid)
})

for (const [name, spec] of [
  ['without a selector', { selector: null }],
  ['of type ExternalName', { type: 'ExternalName', externalName: 'x.com' }],
] as const)
  test(`a service ${name} gets none`, async () => {
    await service(spec)
    expect(await slices()).toEqual([])
  })

test('slices that are as they should be are not written at the start', async () => {
  await pod({ name: 'p', node: '' })
  await service()
  const { metadata } = await slice()
  await scene.running.stop()
  scene.start()
  expect((await slice()).metadata.resourceVersion).toBe(metadata.resourceVersion)
})

test('hints for zones come and go with nodes and annotation', async () => {
  const key = 'service.orch.io/topology-aware-hints'
  await node('n', 'a')
  await pod({ name: 'p' })
  await pod({ name: 'q', node: 'm', ips: ['10.1.0.2'] })
  await service({}, { annotations: { [key]: 'Auto' } })
  const hints = async () =>
    (await slice()).endpoints.map(({ targetRef, hints: found }: Made) => [
      targetRef.name,
      found?.forZones,
    ])
  expect(await hints()).toEqual([['p', undefined]])
  await node('m', 'b')
  expect(await hints()).toEqual([
    ['p', [{ name: 'a' }]],
    ['q', [{ name: 'b' }]],
  ])
  await scene.context.hand.patch(SERVICE, { metadata: { annotations: { [key]: null } } })
  expect(await hints()).toEqual([
    ['p', undefined],
    ['q', undefined],
  ])
})
