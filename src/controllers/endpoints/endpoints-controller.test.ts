import { describe, expect, test } from 'vitest'
import { formatTime } from '../../base/time.ts'
import { endpointsController } from './endpoints-controller.ts'
import { podMaker, type PodState } from './pods.fixture.ts'
import { controllerScene } from '../../../test/controller-scene.ts'

const scene = controllerScene(endpointsController)
const SERVICE = ['v1', 'services', 'default', 's'] as const
const ENDPOINTS = ['v1', 'endpoints', 'default', 's'] as const
const pod = (state: PodState) => podMaker(scene.context)(state)
const service = (spec: object = {}, labels?: object) =>
  scene.context.hand.create(['v1', 'services', 'default'], {
    metadata: { name: 's', ...(labels ? { labels } : {}) },
    spec: { selector: { app: 'x' }, ports: [{ port: 80 }], ...spec },
  })
const endpoints = async () => {
  await scene.running.idle()
  return scene.context.hand.get(ENDPOINTS)
}
const address = (name: string, ip: string, more: object = {}) => ({
  ip,
  nodeName: 'n',
  targetRef: { kind: 'Pod', namespace: 'default', name, uid: expect.any(String) },
  ...more,
})
const port80 = [{ port: 80, protocol: 'TCP' }]

describe('the endpoints of a service', () => {
  const ready = address('p', '10.1.0.1')
  for (const { name, spec = {}, state = {}, subsets } of [
    { name: 'are ready pods', subsets: [{ addresses: [ready], ports: port80 }] },
    {
      name: 'are not ready where the pods are not',
      state: { isReady: false },
      subsets: [{ notReadyAddresses: [ready], ports: port80 }],
    },
    {
      name: 'are ready in any case when that is wanted',
      spec: { publishNotReadyAddresses: true },
      state: { isReady: false },
      subsets: [{ addresses: [ready], ports: port80 }],
    },
    { name: 'are no pods without an address', state: { ips: [] } },
    { name: 'are no pods that have ended', state: { phase: 'Succeeded' } },
    { name: 'are no pods that have failed', state: { phase: 'Failed' } },
    { name: 'are no terminating pods', state: { isTerminating: true } },
    {
      name: 'are terminating pods when that is wanted',
      spec: { publishNotReadyAddresses: true },
      state: { isTerminating: true },
      subsets: [{ addresses: [ready], ports: port80 }],
    },
    { name: 'are no pods with other labels', state: { labels: { app: 'y' } } },
    {
      name: 'are on the port that the service names',
      spec: { ports: [{ name: 'http', port: 80, targetPort: 'web', appProtocol: 'x.io/y' }] },
      state: { ports: [{ name: 'web', containerPort: 8080 }] },
      subsets: [
        {
          addresses: [ready],
          ports: [{ name: 'http', port: 8080, protocol: 'TCP', appProtocol: 'x.io/y' }],
        },
      ],
    },
    {
      name: 'leave out ports that a pod does not have',
      spec: {
        ports: [
          { name: 'a', port: 80, targetPort: 'web' },
          { name: 'b', port: 81 },
        ],
      },
      state: { ports: [{ name: 'web', containerPort: 8080, protocol: 'UDP' }] },
      subsets: [{ addresses: [ready], ports: [{ name: 'b', port: 81, protocol: 'TCP' }] }],
    },
    {
      name: 'have no ports for a headless service without any',
      spec: { clusterIP: 'None', ports: [] },
      subsets: [{ addresses: [ready] }],
    },
    {
      name: 'have the hostname of pods in the subdomain of the service',
      state: { hostname: 'h', subdomain: 's' },
      subsets: [{ addresses: [{ ...ready, hostname: 'h' }], ports: port80 }],
    },
    {
      name: 'have no hostname of other pods',
      state: { hostname: 'h', subdomain: 't' },
      subsets: [{ addresses: [ready], ports: port80 }],
    },
    {
      name: 'are of the first family of the service',
      state: { ips: ['fd00::1', '10.1.0.1'] },
      subsets: [{ addresses: [ready], ports: port80 }],
    },
    { name: 'are none where pods have no such address', state: { ips: ['fd00::1'] } },
    {
      name: 'have no node where pods have none',
      state: { node: '' },
      subsets: [{ addresses: [{ ip: ready.ip, targetRef: ready.targetRef }], ports: port80 }],
    },
  ])
    test(name, async () => {
      await pod({ name: 'p', ...state })
      await service(spec)
      expect((await endpoints()).subsets).toEqual(subsets)
    })

  test('follow the pods', async () => {
    await service()
    expect((await endpoints()).subsets).toBeUndefined()
    await pod({ name: 'p' })
    await pod({ name: 'q', ips: ['10.1.0.2'] })
    const q = address('q', '10.1.0.2')
    expect((await endpoints()).subsets).toEqual([{ addresses: [ready, q], ports: port80 }])
    await scene.context.hand.patch(['v1', 'pods', 'default', 'p'], {
      metadata: { labels: { app: 'y' } },
    })
    expect((await endpoints()).subsets).toEqual([{ addresses: [q], ports: port80 }])
    await scene.context.hand.delete(['v1', 'pods', 'default', 'q'])
    expect((await endpoints()).subsets).toBeUndefined()
  })

  test('follow the selector and the labels', async () => {
    await pod({ name: 'p', labels: { app: 'y', tier: 'a' } })
    await service({}, { team: 'a' })
    const { metadata, subsets } = await endpoints()
    expect([metadata.labels, subsets]).toEqual([{ team: 'a' }, undefined])
    const change = { metadata: { labels: { team: 'b' } }, spec: { selector: { app: 'y' } } }
    await scene.context.hand.patch(SERVICE, change)
    const next = await endpoints()
    expect([next.metadata.labels, next.subsets]).toEqual([
      { team: 'b' },
      [{ addresses: [ready], ports: port80 }],
    ])
  })

  test('of a headless service are labelled so', async () => {
    await service({ clusterIP: 'None' }, { team: 'a' })
    expect((await endpoints()).metadata.labels).toEqual({
      team: 'a',
      'service.orch.io/headless': '',
    })
  })

  test('tell the newest change that they follow from', async () => {
    const trigger = async () =>
      (await endpoints()).metadata.annotations?.['endpoints.orch.io/last-change-trigger-time']
    const made = formatTime(scene.context.clock.now())
    await service()
    expect(await trigger()).toBe(made)
    scene.context.clock.advance(5_000)
    await pod({ name: 'p' })
    expect(await trigger()).toBe(formatTime(scene.context.clock.now()))
    await scene.context.hand.delete(['v1', 'pods', 'default', 'p'])
    expect(await trigger()).toBeUndefined()
  })

  test('go with the service, and come back when they alone are deleted', async () => {
    await service()
    const { metadata } = await endpoints()
    await scene.context.hand.delete(ENDPOINTS)
    const again = await endpoints()
    expect(again.metadata.uid).not.toBe(metadata.uid)
    await scene.context.hand.delete(SERVICE)
    expect(await endpoints()).toBe(null)
  })

  for (const [name, spec] of [
    ['without a selector', { selector: null }],
    ['of type ExternalName', { type: 'ExternalName', externalName: 'x.com' }],
  ] as const)
    test(`${name} are left to others`, async () => {
      await service(spec)
      expect(await endpoints()).toBe(null)
      const subsets = [{ addresses: [{ ip: '10.9.0.1' }] }]
      await scene.context.hand.create(['v1', 'endpoints', 'default'], {
        metadata: { name: 's' },
        subsets,
      })
      await pod({ name: 'p' })
      expect((await endpoints()).subsets).toEqual(subsets)
    })
})

test('left endpoints go at the start, but for those of elections', async () => {
  await scene.running.stop()
  const leader = { 'control-plane.alpha.orch.io/leader': '{}' }
  for (const [name, annotations] of [
    ['left', {}],
    ['election', leader],
  ] as const)
    await scene.context.hand.create(['v1', 'endpoints', 'default'], {
      metadata: { name, annotations },
    })
  scene.start()
  await scene.running.idle()
  expect(await scene.context.hand.names(['v1', 'endpoints', 'default'])).toEqual(['election'])
})

test('an old change is none of a write after a restart', async () => {
  await pod({ name: 'p' })
  await pod({ name: 'q', ips: ['10.1.0.2'] })
  await service()
  await endpoints()
  await scene.running.stop()
  scene.start()
  await endpoints()
  await scene.context.hand.delete(['v1', 'pods', 'default', 'p'])
  expect((await endpoints()).metadata.annotations).toBeUndefined()
})

test('a pod whose times are unknown is an endpoint', async () => {
  await pod({ name: 'p' })
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: null }]
  await scene.context.hand.patch(
    ['v1', 'pods', 'default', 'p'],
    { status: { conditions } },
    'status',
  )
  await service()
  expect((await endpoints()).subsets).toHaveLength(1)
})

test('endpoints of a service that are as they should be are not written at the start', async () => {
  await pod({ name: 'p' })
  await service()
  const { metadata } = await endpoints()
  await scene.running.stop()
  scene.start()
  expect((await endpoints()).metadata.resourceVersion).toBe(metadata.resourceVersion)
})
