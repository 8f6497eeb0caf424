import { describe, expect, test } from 'vitest'
import { type Given, nodePort, write } from './allocate.fixture.ts'
import { port80 } from './service.fixture.ts'

const onNodes = (...ports: object[]) => ({ type: 'NodePort', ports })
const dns = [
  { name: 'a', port: 53 },
  { name: 'b', port: 53, protocol: 'UDP' },
]
const lb = { type: 'LoadBalancer', ports: [{ port: 80 }] }
const local = { ...lb, externalTrafficPolicy: 'Local' }

describe('ports of nodes that come out, the one of health checks last', () => {
  for (const [name, given, want] of [
    ['none without nodes', { next: port80 }, [undefined, undefined]],
    ['picked', { next: onNodes({ port: 80 }) }, [30000, undefined]],
    ['given', { next: onNodes({ port: 80, nodePort: 30007 }) }, [30007, undefined]],
    ['one port in two protocols', { next: onNodes(...dns) }, [30000, 30000, undefined]],
    [
      'one port in two protocols, the second given',
      { next: onNodes(dns[0]!, { ...dns[1], nodePort: 30005 }) },
      [30005, 30005, undefined],
    ],
    [
      'one port in two protocols, both given',
      { next: onNodes({ ...dns[0], nodePort: 30004 }, { ...dns[1], nodePort: 30005 }) },
      [30004, 30005, undefined],
    ],
    [
      'one given is not picked for another',
      { next: onNodes({ name: 'a', port: 1 }, { name: 'b', port: 2, nodePort: 30000 }) },
      [30001, 30000, undefined],
    ],
    ['a load balancer', { next: lb }, [30000, undefined]],
    [
      'a load balancer without',
      { next: { ...lb, allocateLoadBalancerNodePorts: false } },
      [undefined, undefined],
    ],
    [
      'a load balancer without, but one given',
      {
        next: {
          ...lb,
          ports: [
            { name: 'a', port: 1 },
            { name: 'b', port: 2, nodePort: 30003 },
          ],
          allocateLoadBalancerNodePorts: false,
        },
      },
      [undefined, 30003, undefined],
    ],
    ['health checks', { next: local }, [30000, 30001]],
    ['health checks given', { next: { ...local, healthCheckNodePort: 30000 } }, [30001, 30000]],
    ['health checks later', { old: { ...lb, ...onLb(30002) }, next: local }, [30002, 30000]],
    [
      'health checks no more',
      { old: { ...local, ...onLb(30002), healthCheckNodePort: 30003 }, next: lb },
      [30002, undefined],
    ],
    ['nodes later', { old: port80, next: onNodes({ port: 80 }) }, [30000, undefined]],
    [
      'another port of nodes',
      { old: onNodes({ port: 80, nodePort: 30001 }), next: onNodes({ port: 80, nodePort: 30002 }) },
      [30002, undefined],
    ],
    [
      'the same manifest and one port more',
      {
        old: onNodes({ name: 'a', port: 80, nodePort: 30001 }),
        next: onNodes({ name: 'a', port: 80 }, { name: 'b', port: 81 }),
      },
      [30001, 30000, undefined],
    ],
    [
      'nodes no more',
      {
        old: onNodes({ port: 80, nodePort: 30001 }),
        next: { ports: [{ port: 80, nodePort: 30001 }] },
      },
      [undefined, undefined],
    ],
  ] as [string, Given, (number | undefined)[]][]) {
    test(name, () => {
      const { service, errors } = write(given)
      const { ports = [], healthCheckNodePort } = service.spec
      expect([errors, [...ports.map((port) => port.nodePort), healthCheckNodePort]]).toEqual([
        [],
        want,
      ])
    })
  }
})

function onLb(port: number): object {
  return { ports: [{ port: 80, nodePort: port }] }
}

describe('ports of nodes that are refused', () => {
  for (const [name, given, want] of [
    [
      'taken',
      { next: onNodes({ port: 80, nodePort: 30001 }), held: [nodePort('30001')] },
      ['spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated'],
    ],
    [
      'outside',
      { next: onNodes({ port: 80, nodePort: 80 }) },
      [
        'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-30009',
      ],
    ],
    [
      'twice in a new service',
      {
        next: onNodes(
          { name: 'a', port: 1, nodePort: 30001 },
          { name: 'b', port: 2, nodePort: 30001, protocol: 'UDP' },
        ),
      },
      ['spec.ports[1].nodePort: Invalid value: 30001: provided port is already allocated'],
    ],
    [
      'taken on update',
      { old: port80, next: onNodes({ port: 80, nodePort: 30001 }), held: [nodePort('30001')] },
      ['spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated'],
    ],
  ] as [string, Given, string[]][]) {
    test(name, () => expect(write(given).errors).toEqual(want))
  }
})

describe('what is used up is a failure of the server', () => {
  for (const [name, given, want] of [
    [
      'addresses',
      { next: port80, ranges: ['10.0.0.0/32'] },
      'failed to allocate a serviceIP: range is full',
    ],
    [
      'ports',
      { next: onNodes({ port: 80 }), ports: '30000', held: [nodePort('30000')] },
      'failed to allocate a nodePort: range is full',
    ],
    [
      'ports, in the middle',
      { next: onNodes({ name: 'a', port: 1 }, { name: 'b', port: 2 }), ports: '30000' },
      'failed to allocate a nodePort: range is full',
    ],
    [
      'ports of health checks',
      { next: local, ports: '30000' },
      'failed to allocate a HealthCheck NodePort 0: range is full',
    ],
    [
      'a port of health checks that is taken',
      { next: { ...local, healthCheckNodePort: 30003 }, held: [nodePort('30003')] },
      'failed to allocate requested HealthCheck NodePort 30003: provided port is already allocated',
    ],
  ] as [string, Given, string][]) {
    test(name, () => expect(() => write(given)).toThrow(`Internal error occurred: ${want}`))
  }
})
