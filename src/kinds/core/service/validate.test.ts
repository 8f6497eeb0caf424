import { describe, expect, test } from 'vitest'
import { context, port80, problems, serviceOf } from './service.fixture.ts'

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const NOT_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const ONLY_LB = "may only be used when `type` is 'LoadBalancer'"
const RANGE = 'must be between 1 and 65535, inclusive'
const RANGES = 'must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 '
const annotation = 'service.beta.orch.io/load-balancer-source-ranges'
const ips = (...clusterIPs: string[]) => ({ clusterIP: clusterIPs[0], clusterIPs })
const lb = { ...port80, type: 'LoadBalancer' }
const named = { type: 'ExternalName', externalName: 'a.b' }

describe('a service by itself', () => {
  for (const [name, spec, want] of [
    ['plain', port80, []],
    ['no ports', {}, ['spec.ports: Required value']],
    ['headless without ports', { clusterIP: 'None' }, []],
    ['another name', { type: 'ExternalName', externalName: 'a.b.' }, []],
    ['no name', { type: 'ExternalName' }, ['spec.externalName: Required value']],
    [
      'another name with addresses',
      { ...named, ...ips('10.0.0.1'), ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
      ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].map(
        (f) => `spec.${f}: Forbidden: may not be set for ExternalName services`,
      ),
    ],
    [
      'port of the node agent',
      { type: 'LoadBalancer', ports: [{ port: 10250 }] },
      [
        'spec.ports[0]: Invalid value: 10250: may not expose port 10250 externally since it is used by nodeagent',
      ],
    ],
    [
      'headless load balancer',
      { ...lb, clusterIP: 'None' },
      [
        'spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for LoadBalancer services',
      ],
    ],
    [
      'headless on nodes',
      { ...port80, type: 'NodePort', clusterIP: 'None' },
      [
        'spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for NodePort services',
      ],
    ],
    [
      'unknown type, affinity, protocol',
      { type: 'X', sessionAffinity: 'Y', ports: [{ port: 1, protocol: 'Z' }] },
      [
        'spec.ports[0].protocol: Unsupported value: "Z": supported values: "SCTP", "TCP", "UDP"',
        'spec.type: Unsupported value: "X": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
        'spec.sessionAffinity: Unsupported value: "Y": supported values: "ClientIP", "None"',
      ],
    ],
    [
      'ports',
      {
        ports: [
          { port: 0, targetPort: 0 },
          { name: 'A', port: 80, targetPort: 'a--b', appProtocol: 'a b' },
          { name: 'c', port: 81, targetPort: 70000 },
          { name: 'c', port: 80 },
        ],
      },
      [
        'spec.ports[0].name: Required value',
        `spec.ports[0].port: Invalid value: 0: ${RANGE}`,
        `spec.ports[0].targetPort: Invalid value: 0: ${RANGE}`,
        `spec.ports[1].name: Invalid value: "A": ${LABEL}`,
        'spec.ports[1].targetPort: Invalid value: "a--b": must not contain consecutive hyphens',
        "spec.ports[1].appProtocol: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        `spec.ports[2].targetPort: Invalid value: 70000: ${RANGE}`,
        'spec.ports[3].name: Duplicate value: "c"',
        'spec.ports[3]: Duplicate value: {"protocol":"TCP","port":80}',
      ],
    ],
    [
      'ports of nodes without nodes',
      { ports: [{ port: 80, nodePort: 30000 }] },
      ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    ],
    [
      'a port of nodes twice',
      {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 1, nodePort: 30000 },
          { name: 'b', port: 1, nodePort: 30000, protocol: 'UDP' },
          { name: 'c', port: 2, nodePort: 30000 },
        ],
      },
      ['spec.ports[2].nodePort: Duplicate value: 30000'],
    ],
    [
      'affinity too long',
      {
        ...port80,
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 86401 } },
      },
      [
        'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than or equal to 86400',
      ],
    ],
    [
      'external addresses',
      { ...port80, externalIPs: ['1.2.3.4', 'x', '127.0.0.1'] },
      [
        `spec.externalIPs[1]: Invalid value: "x": ${NOT_IP}`,
        'spec.externalIPs[2]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      ],
    ],
    [
      'list without the one address',
      { ...port80, clusterIPs: ['10.0.0.1'] },
      [
        'spec.clusterIPs: Invalid value: ["10.0.0.1"]: must be empty when `clusterIP` is not specified',
      ],
    ],
    [
      'list with another address',
      { ...port80, clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.1'] },
      ['spec.clusterIPs: Invalid value: ["10.0.0.1"]: first value must match `clusterIP`'],
    ],
    [
      'None and more',
      { ...port80, ...ips('None', '10.0.0.1') },
      [
        'spec.clusterIPs: Invalid value: ["None","10.0.0.1"]: \'None\' must be the first and only value',
      ],
    ],
    [
      'None behind, and no address',
      { ...port80, ...ips('10.0.0.1', 'None') },
      [`spec.clusterIPs[1]: Invalid value: "None": ${NOT_IP}`],
    ],
    [
      'three addresses, two of a family',
      { ...port80, ...ips('10.0.0.1', 'fd00::1', '10.0.0.2') },
      [
        'spec.clusterIPs: Invalid value: ["10.0.0.1","fd00::1","10.0.0.2"]: may only hold up to 2 values',
        'spec.clusterIPs: Invalid value: ["10.0.0.1","fd00::1","10.0.0.2"]: may specify no more than one IP for each IP family',
      ],
    ],
    [
      'addresses of other families',
      { ...port80, ...ips('10.0.0.1', 'fd00::1'), ipFamilies: ['IPv6', 'IPv4'] },
      [
        'spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`',
        'spec.clusterIPs[1]: Invalid value: "fd00::1": expected an IPv4 value as indicated by `ipFamilies[1]`',
      ],
    ],
    [
      'families',
      { ...port80, ipFamilies: ['IPv4', 'IPv5', 'IPv4'], ipFamilyPolicy: 'X' },
      [
        'spec.ipFamilyPolicy: Unsupported value: "X": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
        'spec.ipFamilies[1]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"',
        'spec.ipFamilies[2]: Duplicate value: "IPv4"',
      ],
    ],
    [
      'source ranges without a load balancer',
      { ...port80, loadBalancerSourceRanges: ['10.0.0.0/8', 'x'] },
      [
        `spec.LoadBalancerSourceRanges: Forbidden: ${ONLY_LB}`,
        `spec.LoadBalancerSourceRanges: Invalid value: "[10.0.0.0/8 x]": ${RANGES}`,
      ],
    ],
    ['source ranges', { ...lb, loadBalancerSourceRanges: [' 10.0.0.0/8 '] }, []],
    [
      'settings of a load balancer without one',
      { ...port80, allocateLoadBalancerNodePorts: true, loadBalancerClass: 'a/b' },
      [
        `spec.allocateLoadBalancerNodePorts: Forbidden: ${ONLY_LB}`,
        `spec.loadBalancerClass: Forbidden: ${ONLY_LB}`,
      ],
    ],
    [
      'policies',
      { ...port80, externalTrafficPolicy: 'Local', healthCheckNodePort: 1 },
      [
        "spec.externalTrafficPolicy: Invalid value: \"Local\": may only be set when `type` is 'NodePort' or 'LoadBalancer'",
        "spec.healthCheckNodePort: Invalid value: 1: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      ],
    ],
    [
      'the port of health checks',
      { ...lb, externalTrafficPolicy: 'Local', healthCheckNodePort: -1 },
      [`spec.healthCheckNodePort: Invalid value: -1: ${RANGE}`],
    ],
    ['a port of health checks to be picked', { ...lb, externalTrafficPolicy: 'Local' }, []],
    [
      'unknown policies',
      { ...port80, type: 'NodePort', externalTrafficPolicy: 'X', internalTrafficPolicy: 'Y' },
      [
        'spec.externalTrafficPolicy: Unsupported value: "X": supported values: "Cluster", "Local"',
        'spec.internalTrafficPolicy: Unsupported value: "Y": supported values: "Cluster", "Local"',
      ],
    ],
  ] as [string, object, string[]][]) {
    test(name, () => expect(problems(serviceOf(spec))).toEqual(want))
  }
})

test('a selector has the rules of labels', () => {
  const [first] = problems(serviceOf({ ...port80, selector: { a: 'b c' } }))
  expect(first).toMatch(/^spec\.selector: Invalid value: "b c": a valid label must be an empty/)
})

describe('source ranges in the annotation', () => {
  const at = `metadata.annotations[${annotation}]`
  for (const [name, spec, value, want] of [
    ['good', lb, '10.0.0.0/8, fd00::/8', []],
    ['empty', lb, ' ', []],
    ['bad', lb, '10.0.0.0', [`${at}: Invalid value: "10.0.0.0": ${RANGES}`]],
    ['no load balancer', port80, '', [`${at}: Forbidden: ${ONLY_LB}`]],
  ] as const) {
    test(name, () => {
      const metadata = { name: 's', annotations: { [annotation]: value } }
      expect(problems(serviceOf(spec, { metadata }))).toEqual(want)
    })
  }
})

describe('protocols of a load balancer', () => {
  const mixed = {
    type: 'LoadBalancer',
    ports: [
      { name: 'a', port: 53 },
      { name: 'b', port: 53, protocol: 'UDP' },
    ],
  }
  const off = context('MixedProtocolLBService')
  test('may be mixed', () => expect(problems(serviceOf(mixed))).toEqual([]))
  test('may not without the gate, unless they are already', () => {
    expect(
      problems(serviceOf(mixed), null, off).map((text) => text.replace(/\[.*\]/, '[]')),
    ).toEqual([
      'spec.ports: Invalid value: []: cannot create an external load balancer with mix protocols',
    ])
    expect(problems(serviceOf(mixed), serviceOf(mixed), off)).toEqual([])
  })
})

describe('a change', () => {
  const local = { ...lb, externalTrafficPolicy: 'Local' }
  for (const [name, old, next, want] of [
    [
      'class of a load balancer',
      { ...lb, loadBalancerClass: 'a/b' },
      lb,
      ['spec.loadBalancerClass: Invalid value: "null": may not change once set'],
    ],
    ['class with the type', port80, { ...lb, loadBalancerClass: 'a/b' }, []],
    [
      'port of health checks',
      { ...local, healthCheckNodePort: 30001 },
      { ...local, healthCheckNodePort: 30002 },
      ['spec.healthCheckNodePort: Forbidden: field is immutable'],
    ],
  ] as [string, object, object, string[]][]) {
    test(name, () => expect(problems(serviceOf(next), serviceOf(old))).toEqual(want))
  }
})
