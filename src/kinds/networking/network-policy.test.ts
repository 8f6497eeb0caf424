import { describe, expect, test } from 'vitest'
import { FieldErrors } from '../../meta/field-errors.ts'
import { type NetworkPolicy, networkPolicies } from './network-policy.ts'
import { c, cells, context, problems, read, texts } from './networking.fixture.ts'

const of = (spec: object, rest: object = {}): NetworkPolicy =>
  read(networkPolicies, { spec, ...rest })
const podSelector = { matchLabels: { a: 'b' } }
const RANGE = 'must be between 1 and 65535, inclusive'

describe('what is left out is filled', () => {
  for (const [name, given, want] of [
    ['nothing', {}, { podSelector: {}, policyTypes: ['Ingress'] }],
    [
      'outgoing rules',
      { egress: [{ ports: [{ port: 80 }, { protocol: 'UDP' }] }] },
      {
        podSelector: {},
        egress: [{ ports: [{ protocol: 'TCP', port: 80 }, { protocol: 'UDP' }] }],
        policyTypes: ['Ingress', 'Egress'],
      },
    ],
    [
      'incoming rules',
      { ingress: [{ ports: [{}] }], policyTypes: ['Egress'] },
      { podSelector: {}, ingress: [{ ports: [{ protocol: 'TCP' }] }], policyTypes: ['Egress'] },
    ],
  ] as [string, object, object][]) {
    test(name, () => expect(of(given).spec).toEqual(want))
  }
})

const ports = (...list: object[]) => ({ ingress: [{ ports: list }] })
const peers = (...list: object[]) => ({ egress: [{ to: list }] })
const block = (cidr: string, ...except: string[]) => peers({ ipBlock: { cidr, except } })
const to0 = 'spec.egress[0].to[0]'
const subset = (i: number, text: string) =>
  `${to0}.ipBlock.except[${i}]: Invalid value: "${text}": must be a strict subset of \`cidr\``

describe('a policy by itself', () => {
  for (const [name, spec, want] of [
    [
      'ports',
      ports(
        { port: 80, endPort: 90 },
        { port: 'web' },
        { port: 0 },
        { port: 'a--b' },
        { port: 90, endPort: 80 },
        { port: 80, endPort: 70000 },
        { port: 'web', endPort: 80 },
        { endPort: 80 },
        { protocol: 'X' },
      ),
      [
        'spec.ingress[0].ports[8].protocol: Unsupported value: "X": supported values: "TCP", "UDP", "SCTP"',
        `spec.ingress[0].ports[2].port: Invalid value: 0: ${RANGE}`,
        'spec.ingress[0].ports[3].port: Invalid value: "a--b": must not contain consecutive hyphens',
        'spec.ingress[0].ports[4].endPort: Invalid value: 90: must be greater than or equal to `port`',
        `spec.ingress[0].ports[5].endPort: Invalid value: 70000: ${RANGE}`,
        'spec.ingress[0].ports[6].endPort: Invalid value: 80: may not be specified when `port` is non-numeric',
        'spec.ingress[0].ports[7].endPort: Invalid value: 80: may not be specified when `port` is not specified',
      ],
    ],
    [
      'peers',
      peers(
        {},
        { podSelector },
        { podSelector, namespaceSelector: {} },
        { namespaceSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } },
      ),
      [
        `${to0}: Required value: must specify a peer`,
        'spec.egress[0].to[3]: Forbidden: may not specify both ipBlock and another peer',
      ],
    ],
    [
      'selectors',
      {
        podSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] },
        ingress: [
          { from: [{ namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'X' }] } }] },
        ],
      },
      [
        "spec.podSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        'spec.ingress[0].from[0].namespaceSelector.matchExpressions[0].operator: Invalid value: "X": not a valid selector operator',
      ],
    ],
    ['no block', block(''), [`${to0}.ipBlock.cidr: Required value`]],
    ['a bad block', block('x', 'y'), [`${to0}.ipBlock.cidr: Invalid value: "x": not a valid CIDR`]],
    [
      'a bad part',
      block('10.0.0.0/8', 'y', '11.0.0.0/9'),
      [`${to0}.ipBlock.except[0]: Invalid value: "y": not a valid CIDR`],
    ],
    [
      'parts',
      block(
        '10.0.0.0/8',
        '10.1.0.0/16',
        '10.0.0.0/8',
        '10.0.0.0/7',
        '11.0.0.0/16',
        'fd00::/16',
        '010.2.0.0/16',
      ),
      [
        subset(1, '10.0.0.0/8'),
        subset(2, '10.0.0.0/7'),
        subset(3, '11.0.0.0/16'),
        subset(4, 'fd00::/16'),
      ],
    ],
    ['parts of IPv6', block('fd00::/16', 'fd00:1::/32', 'fd01::/32'), [subset(1, 'fd01::/32')]],
    [
      'parts of IPv4 inside IPv6',
      block('::ffff:010.0.0.0/104', '::ffff:10.1.0.0/112', '::ffff:11.1.0.0/112'),
      [subset(1, '::ffff:11.1.0.0/112')],
    ],
    [
      'directions',
      { policyTypes: ['Ingress', 'X'] },
      ['spec.policyTypes[1]: Unsupported value: "X": supported values: "Ingress", "Egress"'],
    ],
    [
      'directions, too many',
      { policyTypes: ['Ingress', 'Egress', 'X'] },
      [
        'spec.policyTypes: Invalid value: ["Ingress","Egress","X"]: may not specify more than two policyTypes',
      ],
    ],
  ] as [string, object, string[]][]) {
    test(name, () => expect(problems(networkPolicies, of(spec))).toEqual(want))
  }
})

const condition = {
  type: 'Accepted',
  status: 'True',
  lastTransitionTime: '2030-01-01T00:00:00Z',
  reason: 'Fine',
  message: '',
}
const accepted = { status: { conditions: [condition] } }
const on = context('NetworkPolicyStatus')
const part = networkPolicies.subresources!.status!

describe('conditions while the feature is off', () => {
  test('are taken on create', () => {
    const policy = of({}, accepted)
    networkPolicies.prepareForCreate!(policy, c)
    expect([policy.status, policy.metadata.generation]).toEqual([accepted.status, 1])
  })
  for (const [name, old, hooks, want] of [
    ['go away on update', {}, c, {}],
    ['stay on update when they are stored', accepted, c, accepted.status],
    ['stay with the feature', {}, on, accepted.status],
  ] as const) {
    test(name, () => {
      const next = of({}, accepted)
      networkPolicies.prepareForUpdate!(next, of({}, old), hooks)
      expect(next.status).toEqual(want)
    })
  }
  for (const [name, old, given, hooks, want] of [
    ['none are written', {}, accepted, c, {}],
    [
      'old ones are kept',
      accepted,
      { status: { conditions: [{ ...condition, reason: 'Other' }] } },
      c,
      accepted.status,
    ],
    ['all can be taken away', accepted, {}, c, {}],
    ['are written with the feature', {}, accepted, on, accepted.status],
  ] as const) {
    test(`in the status: ${name}`, () => {
      const next = of({}, given)
      if (part.serves === 'part') part.prepareForUpdate!(next, of({}, old), hooks)
      expect(next.status).toEqual(want)
    })
  }
})

test('a create with the feature starts with an empty status', () => {
  const policy = of({}, accepted)
  networkPolicies.prepareForCreate!(policy, on)
  expect(policy.status).toEqual({})
})

test('conditions are complete, and one of a type', () => {
  const errors = new FieldErrors()
  const conditions = [
    condition,
    { ...condition, status: 'Maybe', reason: 'a b' },
    { ...condition, type: '', reason: '', observedGeneration: -1 },
  ]
  const policy = of({}, { status: { conditions } })
  if (part.serves === 'part') part.validate!(policy, errors, c)
  expect(texts(errors).map((text) => text.replace(/ \(e\.g.*/, ''))).toEqual([
    'status.conditions[1].type: Duplicate value: "Accepted"',
    'status.conditions[1].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
    "status.conditions[1].reason: Invalid value: \"a b\": a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
    'status.conditions[2].type: Required value: must be set',
    'status.conditions[2].observedGeneration: Invalid value: -1: must be greater than or equal to zero',
    'status.conditions[2].reason: Required value: must be set',
  ])
})

test('generation counts changes of the spec', () => {
  const first = of({})
  networkPolicies.prepareForCreate!(first, c)
  const same = structuredClone(first)
  networkPolicies.prepareForUpdate!(same, first, c)
  const other = structuredClone(first)
  other.spec.podSelector = podSelector
  networkPolicies.prepareForUpdate!(other, first, c)
  expect([same, other].map(({ metadata }) => metadata.generation)).toEqual([1, 2])
})

test('columns', () => {
  expect(cells(networkPolicies, of({}))).toEqual(['x', '<none>', '<unknown>'])
  expect(cells(networkPolicies, of({ podSelector }))).toEqual(['x', 'a=b', '<unknown>'])
})
