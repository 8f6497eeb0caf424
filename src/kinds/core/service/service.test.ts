import { describe, expect, test } from 'vitest'
import { FieldErrors } from '../../../meta/field-errors.ts'
import { c, context, port80, serviceOf, texts } from './service.fixture.ts'
import { Service, services } from './service.ts'

const filled = { type: 'ClusterIP', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' }
const tcp80 = { protocol: 'TCP', port: 80, targetPort: 80 }

describe('what is left out is filled', () => {
  for (const [name, given, want] of [
    ['nothing', {}, filled],
    ['ports', port80, { ...filled, ports: [tcp80] }],
    [
      'target port by name, zero, empty',
      {
        ports: [
          { port: 1, targetPort: 'web' },
          { port: 2, targetPort: 0 },
          { port: 3, targetPort: '' },
        ],
      },
      {
        ...filled,
        ports: [
          { protocol: 'TCP', port: 1, targetPort: 'web' },
          { protocol: 'TCP', port: 2, targetPort: 2 },
          { protocol: 'TCP', port: 3, targetPort: 3 },
        ],
      },
    ],
    [
      'NodePort',
      { type: 'NodePort' },
      { ...filled, type: 'NodePort', externalTrafficPolicy: 'Cluster' },
    ],
    [
      'LoadBalancer',
      { type: 'LoadBalancer' },
      {
        ...filled,
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Cluster',
        allocateLoadBalancerNodePorts: true,
      },
    ],
    [
      'LoadBalancer without node ports',
      { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false },
      {
        ...filled,
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Cluster',
        allocateLoadBalancerNodePorts: false,
      },
    ],
    ['ExternalName', { type: 'ExternalName' }, { type: 'ExternalName', sessionAffinity: 'None' }],
    [
      'affinity to the client',
      { sessionAffinity: 'ClientIP' },
      {
        ...filled,
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
      },
    ],
    [
      'settings of no affinity go away',
      { sessionAffinityConfig: { clientIP: { timeoutSeconds: 1 } } },
      filled,
    ],
  ] as const) {
    test(name, () => expect(serviceOf(given).spec).toEqual(want))
  }
})

test('a create starts with an empty status and both forms of an address', () => {
  const service = serviceOf(
    { clusterIP: 'None' },
    { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } },
  )
  services.prepareForCreate!(service, c)
  expect(service).toMatchObject({
    spec: { clusterIP: 'None', clusterIPs: ['None'] },
    status: { loadBalancer: {} },
  })
})

test('a policy whose gate is off goes away, unless it is stored', () => {
  const off = context('ServiceInternalTrafficPolicy')
  const service = serviceOf()
  services.prepareForCreate!(service, off)
  expect(service.spec.internalTrafficPolicy).toBeUndefined()
  const next = serviceOf()
  services.prepareForUpdate!(next, serviceOf(), off)
  expect(next.spec.internalTrafficPolicy).toBe('Cluster')
})

test('the policy inside says nothing about another name', () => {
  const service = serviceOf({ type: 'ExternalName', internalTrafficPolicy: 'Local' })
  services.canonicalize!(service, c)
  expect(service.spec).toEqual({ type: 'ExternalName', sessionAffinity: 'None' })
})

const ips = (...clusterIPs: string[]) => ({ clusterIP: clusterIPs[0], clusterIPs })
const one = { ...ips('10.0.0.1'), ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }

describe('an update keeps what was picked and drops what has no use any more', () => {
  for (const { name, old, next, want } of [
    { name: 'addresses left out', old: { ...port80, ...one }, next: port80, want: ips('10.0.0.1') },
    {
      name: 'only the list left out',
      old: { ...port80, ...ips('10.0.0.1', 'fd00::1') },
      next: { ...port80, clusterIP: '10.0.0.1' },
      want: ips('10.0.0.1', 'fd00::1'),
    },
    {
      name: 'only the one address changed',
      old: { ...port80, ...one },
      next: { ...port80, ...one, clusterIP: '10.0.0.2' },
      want: ips('10.0.0.2'),
    },
    {
      name: 'to another name',
      old: { ...port80, ...one },
      next: { ...port80, ...one, type: 'ExternalName', externalName: 'a' },
      want: { clusterIP: undefined, clusterIPs: undefined, ipFamilies: undefined },
    },
    {
      name: 'to another name with other addresses',
      old: { ...port80, ...one },
      next: { ...port80, ...one, ...ips('10.0.0.2'), type: 'ExternalName', externalName: 'a' },
      want: { ...ips('10.0.0.2'), ipFamilies: undefined, ipFamilyPolicy: undefined },
    },
    {
      name: 'node ports by name',
      old: {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 1, nodePort: 30001 },
          { name: 'b', port: 2, nodePort: 30002 },
        ],
      },
      next: {
        type: 'NodePort',
        ports: [
          { name: 'b', port: 3 },
          { name: 'a', port: 1 },
          { name: 'c', port: 4 },
        ],
      },
      want: { ports: [{ nodePort: 30002 }, { nodePort: 30001 }, { port: 4 }] },
    },
    {
      name: 'a node port that another port has now',
      old: { type: 'NodePort', ports: [{ name: 'a', port: 1, nodePort: 30001 }] },
      next: {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 2, nodePort: 30001 },
        ],
      },
      want: { ports: [{ name: 'a', port: 1 }, { nodePort: 30001 }] },
    },
    {
      name: 'to ClusterIP',
      old: { type: 'NodePort', ports: [{ port: 80, nodePort: 30001 }] },
      next: {
        type: 'ClusterIP',
        externalTrafficPolicy: 'Cluster',
        ports: [{ port: 80, nodePort: 30001 }],
      },
      want: { externalTrafficPolicy: undefined, ports: [tcp80] },
    },
    {
      name: 'to ClusterIP with other values',
      old: { type: 'NodePort', ports: [{ port: 80, nodePort: 30001 }] },
      next: {
        type: 'ClusterIP',
        externalTrafficPolicy: 'Local',
        ports: [{ port: 80, nodePort: 30002 }],
      },
      want: { externalTrafficPolicy: 'Local', ports: [{ nodePort: 30002 }] },
    },
    {
      name: 'the port of health checks left out',
      old: { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30009 },
      next: { type: 'LoadBalancer', externalTrafficPolicy: 'Local' },
      want: { healthCheckNodePort: 30009 },
    },
    {
      name: 'the port of health checks of no use',
      old: { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30009 },
      next: { type: 'LoadBalancer', externalTrafficPolicy: 'Cluster', healthCheckNodePort: 30009 },
      want: { healthCheckNodePort: undefined },
    },
    {
      name: 'no load balancer any more',
      old: { type: 'LoadBalancer', loadBalancerClass: 'a/b' },
      next: {
        type: 'NodePort',
        loadBalancerClass: 'a/b',
        allocateLoadBalancerNodePorts: true,
        externalTrafficPolicy: 'Cluster',
      },
      want: {
        loadBalancerClass: undefined,
        allocateLoadBalancerNodePorts: undefined,
        externalTrafficPolicy: 'Cluster',
      },
    },
  ]) {
    test(name, () => {
      const after = serviceOf(next)
      services.prepareForUpdate!(after, serviceOf(old), c)
      const spec = after.spec as Record<string, unknown>
      const got = Object.fromEntries(Object.keys(want).map((key) => [key, spec[key]]))
      expect(got).toMatchObject(want)
    })
  }
})

test('what is no load balancer has no status of one, and the old object stays as it was', () => {
  const old = serviceOf(
    { type: 'LoadBalancer' },
    { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } },
  )
  const next = serviceOf({ type: 'NodePort' })
  next.status = old.status
  services.prepareForUpdate!(next, old, c)
  expect([next.status, old.status]).toEqual([
    { loadBalancer: {} },
    { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
  ])
})

test('the status names addresses and hosts', () => {
  const errors = new FieldErrors()
  const ingress = [{ ip: '1.2.3' }, { hostname: '1.2.3.4' }, { hostname: 'a.b' }, { ip: '::1' }]
  const service = serviceOf(port80, { status: { loadBalancer: { ingress } } })
  const { status } = services.subresources!
  if (status?.serves === 'part') status.validate!(service, errors, c)
  expect(texts(errors)).toEqual([
    'status.loadBalancer.ingress[0].ip: Invalid value: "1.2.3": must be a valid IP address',
    'status.loadBalancer.ingress[1].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
  ])
})

describe('columns', () => {
  const balanced = (...ingress: object[]) => ({ status: { loadBalancer: { ingress } } })
  for (const [spec, rest, want] of [
    [{}, {}, ['ClusterIP', '<none>', '<none>', '<none>', '<none>']],
    [
      {
        ...port80,
        ...ips('10.0.0.1'),
        externalIPs: ['1.1.1.1', '2.2.2.2'],
        selector: { b: '2', a: '1' },
      },
      {},
      ['ClusterIP', '10.0.0.1', '1.1.1.1,2.2.2.2', '80/TCP', 'a=1,b=2'],
    ],
    [
      {
        ...ips('None'),
        type: 'NodePort',
        ports: [{ port: 53, nodePort: 30053, protocol: 'UDP' }, { port: 1 }],
      },
      {},
      ['NodePort', 'None', '<none>', '53:30053/UDP,1/TCP', '<none>'],
    ],
    [{ type: 'LoadBalancer' }, {}, ['LoadBalancer', '<none>', '<pending>', '<none>', '<none>']],
    [
      { type: 'LoadBalancer', externalIPs: ['9.9.9.9'] },
      balanced({ hostname: 'b' }, { ip: '1.1.1.1', hostname: 'x' }, { hostname: 'b' }),
      ['LoadBalancer', '<none>', '1.1.1.1,b,9.9.9.9', '<none>', '<none>'],
    ],
    [
      { type: 'ExternalName', externalName: 'a.b' },
      {},
      ['ExternalName', '<none>', 'a.b', '<none>', '<none>'],
    ],
  ] as const) {
    test(want.join(' '), () => {
      const row: Service = serviceOf(spec, rest)
      const cells = services.columns!.map(({ cell }) => cell(row, c))
      expect(cells).toEqual(['s', ...want.slice(0, 4), '<unknown>', want[4]])
    })
  }
})
