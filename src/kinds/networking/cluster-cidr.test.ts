import { describe, expect, test } from 'vitest'
import { clusterCIDRs } from './cluster-cidr.ts'
import { cells, problems, read } from './networking.fixture.ts'

const of = (spec: object) => read(clusterCIDRs, { spec: { perNodeHostBits: 8, ...spec } })
const ipv4 = '10.0.0.0/16'
const ipv6 = 'fd00::/112'

describe('blocks by themselves', () => {
  for (const [name, spec, want] of [
    ['both', { ipv4, ipv6 }, []],
    ['none', {}, ['spec: Required value: one or both of `ipv4` and `ipv6` must be specified']],
    [
      'bad and of the wrong family',
      { ipv4: 'x', ipv6: ipv4 },
      [
        'spec.IPv4: Invalid value: "x": must be a valid CIDR: x',
        `spec.IPv6: Invalid value: "${ipv4}": must be a valid IPv6 CIDR`,
      ],
    ],
    [
      'too few bits',
      { ipv4, perNodeHostBits: 3 },
      ['spec.perNodeHostBits: Invalid value: 3: must be greater than or equal to 4'],
    ],
    [
      'too many bits',
      { ipv4, ipv6, perNodeHostBits: 17 },
      [
        'spec.perNodeHostBits: Invalid value: 17: must be less than or equal to 16',
        'spec.perNodeHostBits: Invalid value: 17: must be less than or equal to 16',
      ],
    ],
    [
      'a selector without terms',
      { ipv4, nodeSelector: { nodeSelectorTerms: [] } },
      [
        'spec.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term',
      ],
    ],
  ] as [string, object, string[]][]) {
    test(name, () => expect(problems(clusterCIDRs, of(spec))).toEqual(want))
  }
})

const nodeSelector = {
  nodeSelectorTerms: [
    {
      matchExpressions: [
        { key: 'a', operator: 'In', values: ['b', 'c'] },
        { key: 'd', operator: 'Exists' },
      ],
      matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }],
    },
    { matchExpressions: [{ key: 'e', operator: 'Exists' }] },
  ],
}

test('the spec is fixed', () =>
  expect(
    problems(
      clusterCIDRs,
      of({ ipv4: '10.0.0.0/15', perNodeHostBits: 9 }),
      of({ ipv4, ipv6, nodeSelector }),
    ),
  ).toEqual([
    'spec.nodeSelector: Invalid value: "null": field is immutable',
    'spec.perNodeHostBits: Invalid value: 9: field is immutable',
    'spec.ipv4: Invalid value: "10.0.0.0/15": field is immutable',
    'spec.ipv6: Invalid value: "": field is immutable',
  ]))

test('names are labels', () => {
  expect(clusterCIDRs.nameRule!('a-b')).toEqual([])
  expect(clusterCIDRs.nameRule!('a.b')).toHaveLength(1)
})

test('columns', () => {
  expect(cells(clusterCIDRs, of({ ipv4 }))).toEqual([
    'x',
    '8',
    ipv4,
    '<none>',
    '<unknown>',
    '<none>',
  ])
  expect(cells(clusterCIDRs, of({ ipv6, nodeSelector }))).toEqual([
    'x',
    '8',
    '<none>',
    ipv6,
    '<unknown>',
    'MatchExpressions: [{a In [b c]} {d Exists []}],MatchFields: [{metadata.name In [n]}],MatchExpressions: [{e Exists []}]',
  ])
})
