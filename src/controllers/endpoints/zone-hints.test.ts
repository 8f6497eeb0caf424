import { describe, expect, test } from 'vitest'
import type { Node } from '../../kinds/core/node/node.ts'
import type { Endpoint } from '../../kinds/discovery/endpoint-slice.ts'
import { orch } from '../../vocabulary/orch.ts'
import { NodeZones } from './node-zones.ts'
import { withHints } from './zone-hints.ts'

/** An endpoint: its zone, and the zone of its hint after a colon; with a `!` it is not ready. */
const endpoint = (text: string): Endpoint => {
  const [zone, hint] = text.replace('!', '').split(':')
  return {
    addresses: ['10.0.0.1'],
    conditions: { ready: !text.endsWith('!') },
    ...(zone === '-' ? {} : { zone: zone! }),
    ...(hint === undefined ? {} : { hints: { forZones: [{ name: hint }] } }),
  }
}
const shown = ({ zone, hints, conditions }: Endpoint) =>
  [
    zone ?? '-',
    hints ? `:${hints.forZones?.map(({ name }) => name).join()}` : '',
    conditions.ready === false ? '!' : '',
  ].join('')

const EVEN = { a: 0.5, b: 0.5 }
describe('hints for', () => {
  for (const [name, shares, given, expected] of [
    ['endpoints of each zone: their own', EVEN, 'a b', 'a:a b:b'],
    ['few more in one zone: their own', EVEN, 'a a a a b b b', 'a:a a:a a:a a:a b:b b:b b:b'],
    ['many more in one zone: some serve others', EVEN, 'a a a b', 'a:a a:a a:b b:b'],
    ['an empty zone', EVEN, 'a a', 'a:a a:b'],
    ['zones of different size', { a: 0.75, b: 0.25 }, 'a b b b', 'a:a b:b b:a b:a'],
    ['one that served another zone before', EVEN, 'a:b a a b', 'a:b a:a a:a b:b'],
    ['a zone without nodes', EVEN, 'a c c b', 'a:a c:b c:a b:b'],
    ['endpoints that are not ready: none', EVEN, 'a b a:a!', 'a:a b:b a!'],
    ['fewer endpoints than zones: none', EVEN, 'a:a', 'a'],
    ['an endpoint without a zone: none of all', EVEN, 'a:a b:b -', 'a b -'],
    ['unknown shares: none', null, 'a:a b:b', 'a b'],
    ['shares that cannot be met: none', EVEN, 'a a a b b', 'a a a b b'],
  ] as const)
    test(name, () => {
      const slice = { slice: null, ports: [], isChanged: false }
      const endpoints = given.split(' ').map(endpoint)
      const zones = shares ? new Map(Object.entries(shares)) : null
      const [first] = withHints([{ ...slice, endpoints }], zones)
      expect(first!.endpoints.map(shown).join(' ')).toBe(expected)
    })
})

describe('shares of zones', () => {
  const node = (zone: string, cpu: string, { ready = 'True', labels = {} } = {}) => ({
    metadata: { labels: { ...(zone === '' ? {} : { 'topology.orch.io/zone': zone }), ...labels } },
    spec: {},
    status: {
      ...(cpu === '' ? {} : { allocatable: { cpu } }),
      conditions: [{ type: 'Ready', status: ready }],
    },
  })
  const control = { 'node-role.orch.io/control-plane': '' }
  const [a, b] = [node('a', '3'), node('b', '1000m')]
  for (const [name, nodes, expected] of [
    ['are those of processors', [a, b], { a: 0.75, b: 0.25 }],
    ['need two zones', [a, a], null],
    [
      'leave out nodes that are not ready',
      [a, b, node('b', '2', { ready: 'False' })],
      { a: 0.75, b: 0.25 },
    ],
    ['leave out control planes', [a, b, node('b', '2', { labels: control })], { a: 0.75, b: 0.25 }],
    ['need the zone of all', [a, b, node('', '1')], null],
    ['need the processors of all', [a, b, node('b', '')], null],
  ] as const)
    test(name, () => {
      const zones = new NodeZones(orch)
      for (const [i, one] of nodes.entries()) zones.refresh(`n${i}`, one as unknown as Node)
      expect(zones.shares && Object.fromEntries(zones.shares)).toEqual(expected)
    })
})
