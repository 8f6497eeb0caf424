import { describe, expect, test } from 'vitest'
import { c, cells, problems, read } from '../hooks.fixture.ts'
import { endpointSlices } from './endpoint-slice.ts'

const endpoint = { addresses: ['10.0.0.1'] }
const of = (more: object = {}, metadata: object = {}) =>
  read(endpointSlices, {
    metadata: { name: 'x', ...metadata },
    addressType: 'IPv4',
    endpoints: [endpoint],
    ...more,
  })
const none = { ...c, gate: () => false }

const NAME =
  "must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const LABEL = `a lowercase RFC 1123 label ${NAME}`
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const QUALIFIED =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

test('what is left out is filled', () => {
  expect(of({ ports: [{}, { name: 'a', protocol: 'UDP', port: 1 }] })).toEqual({
    metadata: { name: 'x' },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], conditions: {} }],
    ports: [
      { name: '', protocol: 'TCP' },
      { name: 'a', protocol: 'UDP', port: 1 },
    ],
  })
})

describe('a create', () => {
  const conditions = { ready: true, serving: true, terminating: false }
  const hints = { forZones: [{ name: 'a' }] }
  const given = () =>
    of({ endpoints: [{ ...endpoint, conditions, hints, deprecatedTopology: { a: 'b' } }] })
  test('drops the old topology', () => {
    const made = given()
    endpointSlices.prepareForCreate!(made, c)
    expect([made.metadata.generation, made.endpoints]).toEqual([
      1,
      [{ ...endpoint, conditions, hints }],
    ])
  })
  test('drops what is off', () => {
    const made = given()
    endpointSlices.prepareForCreate!(made, none)
    expect(made.endpoints).toEqual([{ ...endpoint, conditions: { ready: true } }])
  })
})

describe('an update', () => {
  const deprecatedTopology = { a: 'b' }
  const stored = () => of({ endpoints: [{ ...endpoint, deprecatedTopology }] }, { generation: 4 })
  const updated = (next: ReturnType<typeof of>, hooks = c, old = stored()) => {
    endpointSlices.prepareForUpdate!(next, old, hooks)
    return next
  }
  test('keeps the old topology while the endpoints stay', () => {
    expect(updated(stored()).endpoints[0]!.deprecatedTopology).toEqual(deprecatedTopology)
    const next = stored()
    next.endpoints[0]!.addresses = ['10.0.0.2']
    expect(updated(next).endpoints[0]!.deprecatedTopology).toBe(undefined)
  })
  test('keeps what is off but was there', () => {
    const conditions = { serving: true }
    const hints = { forZones: [{ name: 'a' }] }
    const old = () => of({ endpoints: [{ ...endpoint, conditions, hints }] })
    expect(updated(old(), none, old()).endpoints).toEqual(old().endpoints)
    expect(updated(old(), none, of()).endpoints).toEqual(of().endpoints)
  })
  const table: readonly [name: string, change: object, metadata: object, generation: number][] = [
    ['with endpoints', { endpoints: [] }, {}, 5],
    ['with ports', { ports: [{ port: 1 }] }, {}, 5],
    ['with labels', {}, { labels: { a: 'b' } }, 5],
    ['not with annotations', {}, { annotations: { a: 'b' } }, 4],
  ]
  for (const [name, change, metadata, generation] of table) {
    test(`counts generations ${name}`, () => {
      const next = of(change, { generation: 4, ...metadata })
      expect(updated(next, c, of({}, { generation: 4 })).metadata.generation).toBe(generation)
    })
  }
})

describe('violations of an address', () => {
  const AT = 'Invalid endpoints[0].addresses[0]: Invalid value:'
  const DOTS = 'should be a domain with at least two segments separated by dots'
  const table: readonly [type: string, address: string, expected: readonly string[]][] = [
    ['IPv4', '10.1.2.3', []],
    ['IPv4', '::1', ['must be a valid IPv4 address']],
    ['IPv4', 'x', ['must be a valid IPv4 address']],
    ['IPv4', '0.0.0.0', ['may not be unspecified']],
    ['IPv4', '127.1.1.1', ['may not be in the loopback range (127.0.0.0/8, ::1/128)']],
    ['IPv4', '169.254.1.1', ['may not be in the link-local range (169.254.0.0/16, fe80::/10)']],
    [
      'IPv4',
      '224.0.0.9',
      ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
    ],
    ['IPv6', 'fd00::1', []],
    ['IPv6', '10.1.2.3', ['must be a valid IPv6 address']],
    ['IPv6', '::', ['may not be unspecified']],
    ['IPv6', '::1', ['may not be in the loopback range (127.0.0.0/8, ::1/128)']],
    ['IPv6', 'fe80::1', ['may not be in the link-local range (169.254.0.0/16, fe80::/10)']],
    ['FQDN', 'example.com', []],
    ['FQDN', 'example.com.', []],
    ['FQDN', 'example', [DOTS]],
    ['FQDN', 'exa_mple.com', [SUBDOMAIN]],
  ]
  for (const [addressType, address, expected] of table) {
    test(`${addressType} ${address}`, () => {
      const slice = of({ addressType, endpoints: [{ addresses: [address] }] })
      expect(problems(endpointSlices, slice)).toEqual(
        expected.map((text) => `${AT} "${address}": ${text}`),
      )
    })
  }
})

describe('violations', () => {
  const zones = (...names: string[]) => ({
    endpoints: [{ ...endpoint, hints: { forZones: names.map((name) => ({ name })) } }],
  })
  const many = (count: number) => Array.from({ length: count }, (_, i) => `10.1.0.${i}`)
  const table: readonly [name: string, given: object, expected: readonly string[]][] = [
    ['none', { ports: [{ name: 'a', appProtocol: 'http' }, { port: -5 }] }, []],
    [
      'what is not looked at',
      { endpoints: [{ ...endpoint, zone: '-', targetRef: { kind: '/' } }] },
      [],
    ],
    ['no type', { addressType: '' }, ['Required addressType: Required value']],
    [
      'an unknown type',
      { addressType: 'IP' },
      [
        'NotSupported addressType: Unsupported value: "IP": supported values: "FQDN", "IPv4", "IPv6"',
      ],
    ],
    [
      'too many endpoints',
      { endpoints: Array.from({ length: 1001 }, () => ({ addresses: [] })) },
      ['TooMany endpoints: Too many: 1001: must have at most 1000 items'],
    ],
    [
      'no addresses',
      { endpoints: [{ addresses: [] }] },
      ['Required endpoints[0].addresses: Required value: must contain at least 1 address'],
    ],
    ['as many addresses as may be', { endpoints: [{ addresses: many(100) }] }, []],
    [
      'too many addresses',
      { endpoints: [{ addresses: many(101) }] },
      ['TooMany endpoints[0].addresses: Too many: 101: must have at most 100 items'],
    ],
    [
      'names',
      { endpoints: [endpoint, { ...endpoint, nodeName: 'A', hostname: 'a.b' }] },
      [
        `Invalid endpoints[1].nodeName: Invalid value: "A": ${SUBDOMAIN}`,
        `Invalid endpoints[1].hostname: Invalid value: "a.b": ${LABEL}`,
      ],
    ],
    ['eight zones', zones(...'abcdefgh'), []],
    [
      'nine zones',
      zones(...'abcdefghi'),
      ['TooMany endpoints[0].hints.forZones: Too many: 9: must have at most 8 items'],
    ],
    [
      'zones',
      zones('a', 'a', '-'),
      [
        'Duplicate endpoints[0].hints.forZones[1].name: Duplicate value: "a"',
        `Invalid endpoints[0].hints.forZones[2].name: Invalid value: "-": ${VALUE}`,
      ],
    ],
    [
      'too many ports',
      { ports: Array.from({ length: 20_001 }, () => ({})) },
      ['TooMany ports: Too many: 20001: must have at most 20000 items'],
    ],
    [
      'ports',
      {
        ports: [
          {},
          {},
          { name: 'A' },
          { name: 'b', protocol: 'ICMP' },
          { name: 'c', appProtocol: 'a b' },
        ],
      },
      [
        'NotSupported ports[3].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
        'Duplicate ports[1].name: Duplicate value: ""',
        `Invalid ports[2].name: Invalid value: "A": ${LABEL}`,
        `Invalid ports[4].appProtocol: Invalid value: "a b": ${QUALIFIED}`,
      ],
    ],
  ]
  for (const [name, given, expected] of table) {
    test(name, () => expect(problems(endpointSlices, of(given))).toEqual(expected))
  }
  test('the type cannot change', () => {
    const next = of({ addressType: 'IPv6', endpoints: [] })
    expect(problems(endpointSlices, next, { old: of() })).toEqual([
      'Invalid addressType: Invalid value: "IPv6": field is immutable',
    ])
  })
})

test('cells', () => {
  expect(cells(endpointSlices, of({ endpoints: [] }))).toEqual([
    'x',
    'IPv4',
    '<unset>',
    '<unset>',
    '<unknown>',
  ])
  const slice = of({
    endpoints: [{ addresses: ['10.0.0.1', '10.0.0.2'] }, { addresses: ['10.0.0.3', '10.0.0.4'] }],
    ports: [{ name: 'http', port: 80 }, { name: 'dns' }, {}, { name: 'a' }, { name: 'b' }],
  })
  expect(cells(endpointSlices, slice)).toEqual([
    'x',
    'IPv4',
    '80,dns,* + 2 more...',
    '10.0.0.1,10.0.0.2,10.0.0.3 + 1 more...',
    '<unknown>',
  ])
})
