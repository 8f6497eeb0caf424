import { describe, expect, test } from 'vitest'
import { DUAL, type Given, ipv4, V6, write } from './allocate.fixture.ts'
import { port80, serviceOf } from './service.fixture.ts'
import { type Service, services } from './service.ts'

const families = ({ spec }: Service) => [
  spec.ipFamilyPolicy,
  spec.ipFamilies,
  spec.clusterIP,
  spec.clusterIPs,
]
const ips = (...clusterIPs: string[]) => ({ clusterIP: clusterIPs[0], clusterIPs })
const single = {
  ...port80,
  ...ips('10.0.0.1'),
  ipFamilies: ['IPv4'],
  ipFamilyPolicy: 'SingleStack',
}
const dual = {
  ...port80,
  ...ips('10.0.0.1', 'fd00::1'),
  ipFamilies: ['IPv4', 'IPv6'],
  ipFamilyPolicy: 'PreferDualStack',
}
const named = { type: 'ExternalName', externalName: 'a.b' }
const headless = { ...port80, clusterIP: 'None' }
const app = { selector: { app: 'a' } }
const NONE = ['None']
const BOTH = ['IPv4', 'IPv6']

describe('families and addresses that come out', () => {
  for (const [name, given, want] of [
    ['plain', { next: port80 }, ['SingleStack', ['IPv4'], '10.0.0.1', ['10.0.0.1']]],
    [
      'default family',
      { next: port80, ranges: V6 },
      ['SingleStack', ['IPv6'], 'fd00::1', ['fd00::1']],
    ],
    [
      'two families there',
      { next: port80, ranges: DUAL },
      ['SingleStack', ['IPv4'], '10.0.0.1', ['10.0.0.1']],
    ],
    [
      'the other family',
      { next: { ...port80, ipFamilies: ['IPv6'] }, ranges: DUAL },
      ['SingleStack', ['IPv6'], 'fd00::1', ['fd00::1']],
    ],
    [
      'prefer two, have one',
      { next: { ...port80, ipFamilyPolicy: 'PreferDualStack' } },
      ['PreferDualStack', ['IPv4'], '10.0.0.1', ['10.0.0.1']],
    ],
    [
      'prefer two, have two, the other first',
      {
        next: { ...port80, ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv6'] },
        ranges: DUAL,
      },
      ['PreferDualStack', ['IPv6', 'IPv4'], 'fd00::1', ['fd00::1', '10.0.0.1']],
    ],
    [
      'require two, one address given',
      { next: { ...port80, ipFamilyPolicy: 'RequireDualStack', ...ips('10.0.0.5') }, ranges: DUAL },
      ['RequireDualStack', BOTH, '10.0.0.5', ['10.0.0.5', 'fd00::1']],
    ],
    [
      'two addresses given',
      {
        next: { ...port80, ipFamilyPolicy: 'PreferDualStack', ...ips('fd00::9', '010.0.0.5') },
        ranges: DUAL,
      },
      ['PreferDualStack', ['IPv6', 'IPv4'], 'fd00::9', ['fd00::9', '010.0.0.5']],
    ],
    ['headless', { next: { ...headless, ...app } }, ['SingleStack', ['IPv4'], 'None', NONE]],
    ['headless without selector', { next: headless }, ['RequireDualStack', BOTH, 'None', NONE]],
    [
      'headless without selector, one family',
      { next: { ...headless, ipFamilyPolicy: 'SingleStack' } },
      ['SingleStack', ['IPv4'], 'None', NONE],
    ],
    ['another name', { next: named }, [undefined, undefined, undefined, undefined]],
    [
      'from another name',
      { old: named, next: port80 },
      ['SingleStack', ['IPv4'], '10.0.0.1', ['10.0.0.1']],
    ],
    [
      'to another name',
      { old: single, next: { ...single, ...named } },
      [undefined, undefined, undefined, undefined],
    ],
    [
      'the first manifest again',
      { old: single, next: port80 },
      ['SingleStack', ['IPv4'], '10.0.0.1', ['10.0.0.1']],
    ],
    [
      'the first manifest again, two families',
      { old: dual, next: port80, ranges: DUAL },
      ['PreferDualStack', BOTH, '10.0.0.1', ['10.0.0.1', 'fd00::1']],
    ],
    [
      'a second family',
      { old: single, next: { ...single, ipFamilyPolicy: 'RequireDualStack' }, ranges: DUAL },
      ['RequireDualStack', BOTH, '10.0.0.1', ['10.0.0.1', 'fd00::1']],
    ],
    [
      'a second address',
      {
        old: single,
        next: { ...single, ...ips('10.0.0.1', 'fd00::7'), ipFamilyPolicy: 'PreferDualStack' },
        ranges: DUAL,
      },
      ['PreferDualStack', BOTH, '10.0.0.1', ['10.0.0.1', 'fd00::7']],
    ],
    [
      'back to one family',
      { old: dual, next: { ...dual, ipFamilyPolicy: 'SingleStack' }, ranges: DUAL },
      ['SingleStack', ['IPv4'], '10.0.0.1', ['10.0.0.1']],
    ],
    [
      'two are kept when the cluster has one only',
      { old: dual, next: { ...dual, ...app } },
      ['PreferDualStack', BOTH, '10.0.0.1', ['10.0.0.1', 'fd00::1']],
    ],
  ] as [string, Given, unknown[]][]) {
    test(name, () => {
      const { service, errors } = write(given)
      expect([errors, families(service)]).toEqual([[], want])
    })
  }
})

describe('families and addresses that are refused', () => {
  const policy = (value: string, why: string) =>
    `spec.ipFamilyPolicy: Invalid value: "${value}": ${why}`
  for (const [name, given, want] of [
    [
      'require two, have one',
      { next: { ...port80, ipFamilyPolicy: 'RequireDualStack' } },
      [policy('RequireDualStack', 'this cluster is not configured for dual-stack services')],
    ],
    [
      'a family that is not there',
      { next: { ...port80, ipFamilies: ['IPv6'] } },
      ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
    ],
    [
      'an address of a family that is not there',
      { next: { ...port80, ...ips('fd00::1') } },
      ['spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster'],
    ],
    [
      'two addresses and families for one',
      { next: { ...dual, ipFamilyPolicy: undefined }, ranges: DUAL },
      ['cluster IPs', 'IP families'].map((what) =>
        policy(
          'SingleStack',
          `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
        ),
      ),
    ],
    [
      'an address that is taken',
      { next: { ...port80, ...ips('10.0.0.3') }, held: [ipv4('10.0.0.3')] },
      [
        'spec.clusterIPs: Invalid value: ["10.0.0.3"]: failed to allocate IP 10.0.0.3: provided IP is already allocated',
      ],
    ],
    [
      'an address outside',
      { next: { ...port80, ...ips('10.0.0.7') } },
      [
        'spec.clusterIPs: Invalid value: ["10.0.0.7"]: failed to allocate IP 10.0.0.7: the provided IP (10.0.0.7) is not in the valid range. The range of valid IPs is 10.0.0.0/29',
      ],
    ],
    [
      'another address',
      { old: single, next: { ...single, ...ips('10.0.0.2') } },
      ['spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set'],
    ],
    [
      'an address where there was none',
      {
        old: { ...headless, clusterIPs: NONE, ...app },
        next: { ...port80, ...app, ...ips('10.0.0.2') },
      },
      ['spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set'],
    ],
    [
      'the other family',
      { old: single, next: { ...headless, clusterIPs: NONE, ...app, ipFamilies: ['IPv4'] } },
      ['spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set'],
    ],
    [
      'fewer without saying so',
      { old: dual, next: { ...dual, ...ips('10.0.0.1'), ipFamilies: ['IPv4'] }, ranges: DUAL },
      [
        policy('PreferDualStack', "must be 'SingleStack' to release the secondary cluster IP"),
        policy('PreferDualStack', "must be 'SingleStack' to release the secondary IP family"),
      ],
    ],
    [
      'another second address',
      { old: dual, next: { ...dual, ...ips('10.0.0.1', 'fd00::2') }, ranges: DUAL },
      ['spec.clusterIPs[1]: Invalid value: ["10.0.0.1","fd00::2"]: may not change once set'],
    ],
  ] as [string, Given, string[]][]) {
    test(name, () => expect(write(given).errors).toEqual(want))
  }
})

test('a write that leaves the spec alone goes through whatever the allocators are', () => {
  const spec = { ...dual, ipFamilyPolicy: 'RequireDualStack' }
  expect(write({ old: spec, next: spec, ranges: ['192.168.0.0/24'] }).errors).toEqual([])
})

describe('allocations', () => {
  for (const [name, spec, want] of [
    ['headless', { ...headless, clusterIPs: NONE }, []],
    ['another name', named, []],
    [
      'addresses in one form',
      { ...port80, ...ips('010.0.0.1', 'FD00:0::1') },
      ['IPv4 10.0.0.1', 'IPv6 fd00::1'],
    ],
    [
      'ports, each once',
      {
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 30009,
        ports: [
          { name: 'a', port: 53, nodePort: 30001 },
          { name: 'b', port: 53, nodePort: 30001, protocol: 'UDP' },
        ],
      },
      ['servicenodeports 30001', 'servicenodeports 30009'],
    ],
  ] as [string, object, string[]][]) {
    test(name, () => {
      const allocations = services.allocations!(serviceOf(spec))
      expect(
        allocations.map(
          ({ allocator, value }) => `${allocator.replace('serviceips/', '')} ${value}`,
        ),
      ).toEqual(want)
    })
  }
})
