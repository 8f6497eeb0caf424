import { describe, expect, test } from 'vitest'
import type { EndpointPort, EndpointSubset } from '../../kinds/core/endpoints.ts'
import { limited, packed, type ServedAddress } from './subsets.ts'

const tcp = (port: number, name = ''): EndpointPort => ({
  ...(name === '' ? {} : { name }),
  port,
  protocol: 'TCP',
})
const at = (ip: string, port: EndpointPort | null = tcp(80), isReady = true): ServedAddress => ({
  address: { ip, targetRef: { kind: 'Pod', uid: `u-${ip}` } },
  isReady,
  ports: [port],
})
/** Subsets in short: addresses, those that are not ready in brackets, and ports. */
const short = (subsets: readonly EndpointSubset[]) =>
  subsets.map(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
    [
      ...addresses.map(({ ip }) => ip),
      ...notReadyAddresses.map(({ ip }) => `(${ip})`),
      ...ports.map(({ name = '', port }) => `${name}:${port}`),
    ].join(' '),
  )

describe('subsets', () => {
  const [http, admin] = [tcp(80, 'http'), tcp(81, 'admin')]
  for (const [name, served, expected] of [
    ['of nothing', [], []],
    ['are in order of addresses', [at('10.0.0.2'), at('10.0.0.1')], ['10.0.0.1 10.0.0.2 :80']],
    [
      'keep those apart that are not ready',
      [at('10.0.0.2', http, false), at('10.0.0.1', http)],
      ['10.0.0.1 (10.0.0.2) http:80'],
    ],
    [
      'share ports that the same addresses serve, in order of names',
      [at('10.0.0.1', http), at('10.0.0.1', admin)],
      ['10.0.0.1 admin:81 http:80'],
    ],
    [
      'are several where addresses serve different ports',
      [at('10.0.0.1', http), at('10.0.0.1', admin), at('10.0.0.2', http)],
      ['10.0.0.1 admin:81', '10.0.0.1 10.0.0.2 http:80'],
    ],
    [
      'tell ports of one name and different numbers apart',
      [at('10.0.0.1', tcp(80, 'http')), at('10.0.0.2', tcp(8080, 'http'))],
      ['10.0.0.1 http:80', '10.0.0.2 http:8080'],
    ],
    ['have no ports where none is meant', [at('10.0.0.1', null)], ['10.0.0.1']],
  ] as const)
    test(name, () => expect(short(packed(served))).toEqual(expected))

  test('have an address twice when two pods have it', () => {
    const other = { address: { ip: '10.0.0.1', targetRef: { kind: 'Pod', uid: 'other' } } }
    const served = [at('10.0.0.1'), { ...other, isReady: true, ports: [tcp(80)] }]
    expect(short(packed(served))).toEqual(['10.0.0.1 10.0.0.1 :80'])
  })
})

describe('too many addresses', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => ({ ip: `10.0.0.${i}` }))
  const counts = (subsets: readonly EndpointSubset[]) =>
    subsets.map(({ addresses = [], notReadyAddresses = [] }) => [
      addresses.length,
      notReadyAddresses.length,
    ])
  for (const [name, given, expected] of [
    ['as many as may be', [[6, 4]], { counts: [[6, 4]], isCut: false }],
    ['those that are not ready go first', [[6, 6]], { counts: [[6, 4]], isCut: true }],
    ['all of them when enough are ready', [[10, 1]], { counts: [[10, 0]], isCut: true }],
    ['ready ones go then', [[12, 3]], { counts: [[10, 0]], isCut: true }],
    [
      'subsets are cut in proportion',
      [
        [15, 0],
        [5, 2],
      ],
      {
        counts: [
          [8, 0],
          [2, 0],
        ],
        isCut: true,
      },
    ],
    [
      'subsets without an address go',
      [
        [10, 0],
        [0, 5],
      ],
      { counts: [[10, 0]], isCut: true },
    ],
  ] as const)
    test(name, () => {
      const subsets = given.map(([ready, notReady]) => ({
        ...(ready === 0 ? {} : { addresses: many(ready) }),
        ...(notReady === 0 ? {} : { notReadyAddresses: many(notReady) }),
      }))
      const { subsets: left, isCut } = limited(subsets, 10)
      expect({ counts: counts(left), isCut }).toEqual(expected)
    })
})
