import { describe, expect, test } from 'vitest'
import type { Endpoint, EndpointSlice } from '../../kinds/discovery/endpoint-slice.ts'
import { planSlices, type SlicePlan } from './slice-plan.ts'

const http = [{ name: '', protocol: 'TCP', port: 80 }] as const
const ports = (port: number) => [{ ...http[0], port }]
/** An endpoint by its name; with a `!` it is not ready. */
const endpoint = (name: string): Endpoint => ({
  addresses: [`10.0.0.${name.charCodeAt(0)}`],
  conditions: { ready: !name.endsWith('!') },
  targetRef: { kind: 'Pod', name: name.replace('!', '') },
})
const slice = (name: string, names: string, port = 80): EndpointSlice => ({
  metadata: { name },
  addressType: 'IPv4',
  endpoints: names === '' ? [] : names.split(' ').map(endpoint),
  ports: names === '' ? [] : ports(port),
})
const shown = ({ targetRef, conditions }: Endpoint) =>
  `${targetRef?.name}${conditions.ready === false ? '!' : ''}`
/** Slices by name, `new` ones without; a star marks those to write. */
const short = ({ slices, deletes }: SlicePlan) => ({
  slices: slices.map(({ slice: of, endpoints, isChanged }) =>
    [`${of?.metadata.name ?? 'new'}${isChanged ? '*' : ''}:`, ...endpoints.map(shown)].join(' '),
  ),
  ...(deletes.length === 0 ? {} : { deletes: deletes.map(({ metadata }) => metadata.name) }),
})

describe('slices of three endpoints at most', () => {
  for (const { name, existing = [], wanted = '', expected } of [
    { name: 'none: an empty one is kept', expected: { slices: ['new*:'] } },
    {
      name: 'the empty one stays as it is',
      existing: [slice('a', '')],
      expected: { slices: ['a:'] },
    },
    {
      name: 'the last endpoint goes: its slice becomes the empty one',
      existing: [slice('a', 'p')],
      expected: { slices: ['a*:'] },
    },
    {
      name: 'the first endpoint comes: the empty one takes it',
      existing: [slice('a', '')],
      wanted: 'p',
      expected: { slices: ['a*: p'] },
    },
    {
      name: 'nothing changed: nothing is written',
      existing: [slice('a', 'p q')],
      wanted: 'q p',
      expected: { slices: ['a: p q'] },
    },
    {
      name: 'conditions changed',
      existing: [slice('a', 'p q')],
      wanted: 'p q!',
      expected: { slices: ['a*: p q!'] },
    },
    {
      name: 'more than one slice holds',
      wanted: 'p q r s',
      expected: { slices: ['new*: p q r', 'new*: s'] },
    },
    {
      name: 'a slice that is written anyway is filled first',
      existing: [slice('a', 'p q'), slice('b', 'r s')],
      wanted: 'p q r t',
      expected: { slices: ['a: p q', 'b*: r t'] },
    },
    {
      name: 'else the fullest one that has room',
      existing: [slice('a', 'p'), slice('b', 'q r')],
      wanted: 'p q r s',
      expected: { slices: ['a: p', 'b*: q r s'] },
    },
    {
      name: 'a new one where none has room for all',
      existing: [slice('a', 'p q'), slice('b', 'r s')],
      wanted: 'p q r s t u',
      expected: { slices: ['a: p q', 'b: r s', 'new*: t u'] },
    },
    {
      name: 'endpoints are not moved between slices',
      existing: [slice('a', 'p q'), slice('b', 'r s')],
      wanted: 'p r',
      expected: { slices: ['a*: p', 'b*: r'] },
    },
    {
      name: 'slices without endpoints go',
      existing: [slice('a', 'p'), slice('b', 'q')],
      wanted: 'p',
      expected: { slices: ['a: p'], deletes: ['b'] },
    },
    {
      name: 'a slice that was fuller than it may be',
      existing: [slice('a', 'p q r s')],
      wanted: 'p q r s',
      expected: { slices: ['a*: p q r', 'new*: s'] },
    },
    {
      name: 'an endpoint that is in two slices stays in one',
      existing: [slice('a', 'p q'), slice('b', 'q r')],
      wanted: 'p q r',
      expected: { slices: ['a: p q', 'b*: r'] },
    },
  ])
    test(name, () => {
      const groups =
        wanted === '' ? [] : [{ ports: ports(80), endpoints: wanted.split(' ').map(endpoint) }]
      expect(short(planSlices(existing, groups, { most: 3, keepsOne: true }))).toEqual(expected)
    })

  test('endpoints with other ports are in other slices, which reuse those that go', () => {
    const existing = [slice('a', 'p q', 80), slice('b', 'r', 90)]
    const groups = [
      { ports: ports(81), endpoints: [endpoint('p')] },
      { ports: ports(80), endpoints: [endpoint('q')] },
    ]
    expect(short(planSlices(existing, groups, { most: 3, keepsOne: true }))).toEqual({
      slices: ['b*: p', 'a*: q'],
    })
  })

  test('without one to keep nothing is left', () => {
    const plan = planSlices([slice('a', 'p')], [], { most: 3, keepsOne: false })
    expect(short(plan)).toEqual({ slices: [], deletes: ['a'] })
  })
})
