import { describe, expect, test } from 'vitest'
import type { HookContext } from '../../../catalogue/resource.ts'
import { kubernetes } from '../../../vocabulary/kubernetes.ts'
import { c, cells, partProblems, problems, read } from '../../hooks.fixture.ts'
import { partOf } from '../../parts.fixture.ts'
import { type Node, nodes } from './node.ts'

const nodeOf = (spec: object, status: object = {}, metadata: object = {}): Node =>
  read(nodes, { metadata: { name: 'node', ...metadata }, spec, status })

const configured: HookContext = { ...c, gate: (name) => name === 'Dynamic{Agent}Config' }
const configMap = { namespace: 'n', name: 'm', nodeagentConfigKey: 'k' }

describe('defaults', () => {
  const rows: [name: string, spec: object, expected: object][] = [
    ['no range', {}, {}],
    [
      'the old field',
      { podCIDR: '10.0.0.0/24' },
      { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] },
    ],
    ['the new field', { podCIDRs: ['a', 'b'] }, { podCIDR: 'a', podCIDRs: ['a', 'b'] }],
    ['both agree', { podCIDR: 'a', podCIDRs: ['a', 'b'] }, { podCIDR: 'a', podCIDRs: ['a', 'b'] }],
    ['both differ', { podCIDR: 'c', podCIDRs: ['a', 'b'] }, { podCIDR: 'c', podCIDRs: ['c'] }],
  ]
  for (const [name, spec, expected] of rows) {
    test(name, () => expect(nodeOf(spec).spec).toEqual(expected))
  }
  test('what pods can use is what the node has', () => {
    const { capacity, allocatable } = nodeOf({}, { capacity: { cpu: '1u' } }).status
    expect({ capacity, allocatable }).toEqual({
      capacity: { cpu: '1m' },
      allocatable: { cpu: '1m' },
    })
    expect(
      nodeOf({}, { capacity: { cpu: '2' }, allocatable: { cpu: '1' } }).status.allocatable,
    ).toEqual({ cpu: '1' })
  })
})

const QUALIFIED =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const LABEL =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const EFFECTS = 'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"'
const FAMILIES = 'may specify no more than one CIDR for each IP family'
const taint = { key: 'a', effect: 'NoSchedule' }
const V4 = '10.0.0.0/24'
const V6 = 'fd00::/64'

describe('the spec', () => {
  const rows: [name: string, spec: object, expected: string[]][] = [
    ['nothing', {}, []],
    ['taints', { taints: [taint, { ...taint, effect: 'NoExecute', value: 'v' }] }, []],
    [
      'taints with all that can be wrong',
      { taints: [taint, { key: '-', value: '-' }, { key: 'b', effect: 'Some' }, taint] },
      [
        `Invalid metadata.taints[1].key: Invalid value: "-": ${QUALIFIED}`,
        `Invalid metadata.taints[1].value: Invalid value: "-": ${LABEL}`,
        'Required metadata.taints[1].effect: Required value',
        `NotSupported metadata.taints[2].effect: Unsupported value: "Some": ${EFFECTS}`,
        'Duplicate metadata.taints[3]: Duplicate value: {"key":"a","effect":"NoSchedule"}: taints must be unique by key and effect pair',
      ],
    ],
    ['one range of each family', { podCIDRs: [V4, V6] }, []],
    [
      'no range',
      { podCIDR: 'x' },
      ['Invalid spec.podCIDRs[0]: Invalid value: ["x"]: must be valid CIDR'],
    ],
    [
      'two ranges of a family',
      { podCIDRs: [V4, V4] },
      [
        `Invalid spec.podCIDRs: Invalid value: ["${V4}","${V4}"]: ${FAMILIES}`,
        `Duplicate spec.podCIDRs[1]: Duplicate value: "${V4}"`,
      ],
    ],
    [
      'three ranges',
      { podCIDRs: [V4, V6, '10.1.0.0/24'] },
      [`Invalid spec.podCIDRs: Invalid value: ["${V4}","${V6}","10.1.0.0/24"]: ${FAMILIES}`],
    ],
  ]
  for (const [name, spec, expected] of rows) {
    test(name, () => expect(problems(nodes, nodeOf(spec))).toEqual(expected))
  }
})

describe('annotations that were once fields', () => {
  const TAINTS = 'scheduler.alpha.orch.io/taints'
  const AVOID = 'scheduler.alpha.orch.io/preferAvoidPods'
  const avoid = (podSignature: object) => JSON.stringify({ preferAvoidPods: [{ podSignature }] })
  const rows: [name: string, annotations: object, expected: (string | RegExp)[]][] = [
    [
      'fine',
      {
        [TAINTS]: '[{"key":"a","effect":"NoExecute"}]',
        [AVOID]: avoid({ podController: { controller: true } }),
      },
      [],
    ],
    ['empty', { [TAINTS]: '', [AVOID]: '' }, []],
    [
      'no JSON',
      { [TAINTS]: '[', [AVOID]: '{' },
      [
        /^Invalid metadata\.annotations: Invalid value: "scheduler\.alpha\.orch\.io\/taints": ./,
        /^Invalid metadata\.annotations: Invalid value: "scheduler\.alpha\.orch\.io\/preferAvoidPods": ./,
      ],
    ],
    [
      'wrong content',
      { [TAINTS]: '[{"key":"a"}]', [AVOID]: avoid({}) },
      [
        `Required metadata.annotations.${TAINTS}[0].effect: Required value`,
        `Required metadata.annotations.${AVOID}[0].PodSignature: Required value`,
      ],
    ],
    [
      'no controller',
      { [AVOID]: avoid({ podController: {} }) },
      [
        `Invalid metadata.annotations.${AVOID}[0].PodSignature.PodController.Controller: Invalid value: false: must point to a controller`,
      ],
    ],
  ]
  for (const [name, annotations, expected] of rows) {
    test(name, () => {
      const wrong = problems(nodes, nodeOf({}, {}, { annotations }))
      expect(wrong).toHaveLength(expected.length)
      expected.forEach((one, i) =>
        typeof one === 'string' ? expect(wrong[i]).toBe(one) : expect(wrong[i]).toMatch(one),
      )
    })
  }
})

const KEPT =
  'Forbidden spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'

describe('a change', () => {
  const rows: [name: string, old: object, next: object, expected: string[]][] = [
    ['ranges are given', {}, { podCIDRs: [V4] }, []],
    ['ranges change', { podCIDRs: [V4] }, { podCIDRs: ['10.1.0.0/24'] }, [KEPT]],
    ['ranges grow', { podCIDRs: [V4] }, { podCIDRs: [V4, V6] }, [KEPT]],
    ['ranges go', { podCIDRs: [V4] }, {}, [KEPT]],
    ['a provider is given', {}, { providerID: 'a' }, []],
    [
      'the provider changes',
      { providerID: 'a' },
      { providerID: 'b' },
      [
        'Forbidden spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
      ],
    ],
    [
      'the old name changes',
      {},
      { externalID: 'a' },
      ['Forbidden spec.externalID: Forbidden: may not be updated'],
    ],
    ['the rest', {}, { unschedulable: true, taints: [taint] }, []],
  ]
  for (const [name, old, next, expected] of rows) {
    test(name, () => {
      expect(problems(nodes, nodeOf(next), { old: nodeOf(old) })).toEqual(expected)
    })
  }
})

describe('the status', () => {
  const address = { type: 'InternalIP', address: '10.0.0.1' }
  const rows: [name: string, status: object, expected: string[]][] = [
    ['fine', { capacity: { pods: '10' }, addresses: [address, { ...address, address: 'b' }] }, []],
    [
      'wrong amounts',
      { capacity: { pods: '1500m' }, allocatable: { cpu: '-1' } },
      [
        'Invalid status.capacity.pods: Invalid value: "1500m": must be an integer',
        'Invalid status.allocatable.cpu: Invalid value: "-1": must be greater than or equal to 0',
      ],
    ],
    [
      'an address twice',
      { addresses: [address, address] },
      [
        'Duplicate status.addresses[1]: Duplicate value: {"type":"InternalIP","address":"10.0.0.1"}',
      ],
    ],
  ]
  for (const [name, status, expected] of rows) {
    test(name, () => {
      expect(partProblems(partOf(nodes, 'status'), nodeOf({}, status), nodeOf({}))).toEqual(
        expected,
      )
    })
  }
})

describe('the source of configuration', () => {
  const spec = { configSource: { configMap } }
  test('is dropped without its gate, unless it is stored', () => {
    const made = nodeOf(spec)
    nodes.prepareForCreate!(made, c)
    expect(made.spec).toEqual({})
    nodes.prepareForCreate!(made, configured)
    const changed = nodeOf(spec)
    nodes.prepareForUpdate!(changed, nodeOf({}), c)
    expect(changed.spec).toEqual({})
    const kept = nodeOf(spec)
    nodes.prepareForUpdate!(kept, nodeOf(spec), c)
    expect(nodes.warn!(kept, nodeOf(spec), c)).toEqual([
      'spec.configSource: deprecated in v1.22, support removal is planned in v1.23',
    ])
    const status = nodeOf({}, { config: { error: 'e' } })
    partOf(nodes, 'status').prepareForUpdate!(status, nodeOf({}), c)
    expect(status.status.config).toBeUndefined()
  })
  const at = 'spec.configSource.configMap'
  const rows: [name: string, configSource: object, expected: string[]][] = [
    ['fine', { configMap }, []],
    [
      'empty',
      {},
      [
        'Invalid spec.configSource: Invalid value: {}: exactly one reference subfield must be non-nil',
      ],
    ],
    [
      'an empty config map',
      { configMap: { uid: 'u', resourceVersion: '1' } },
      [
        `Forbidden ${at}.uid: Forbidden: uid must not be set in spec`,
        `Forbidden ${at}.resourceVersion: Forbidden: resourceVersion must not be set in spec`,
        `Required ${at}.namespace: Required value: namespace must be set`,
        `Required ${at}.name: Required value: name must be set`,
        `Required ${at}.nodeagentConfigKey: Required value: nodeagentConfigKey must be set`,
      ],
    ],
  ]
  for (const [name, configSource, expected] of rows) {
    test(name, () => {
      const old = nodeOf(spec)
      expect(problems(nodes, nodeOf({ configSource }), { old })).toEqual(expected)
    })
  }
  test('in the status it names one version', () => {
    const status = { config: { active: { configMap } } }
    const old = nodeOf({}, status)
    expect(partProblems(partOf(nodes, 'status'), nodeOf({}, status), old)).toEqual([
      'Required status.config.active.configMap.uid: Required value: uid must be set in status',
      'Required status.config.active.configMap.resourceVersion: Required value: resourceVersion must be set in status',
    ])
  })
})

describe('the table', () => {
  const ready = (status: string) => ({ conditions: [{ type: 'Ready', status }] })
  const rows: [name: string, spec: object, status: object, labels: object, expected: unknown[]][] =
    [
      [
        'an empty node',
        {},
        {},
        {},
        ['Unknown', '<none>', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>'],
      ],
      [
        'a full node',
        { unschedulable: true },
        {
          ...ready('True'),
          addresses: [
            { type: 'Hostname', address: 'h' },
            { type: 'InternalIP', address: 'i' },
            { type: 'ExternalIP', address: 'e' },
          ],
          nodeInfo: {
            nodeagentVersion: 'v1',
            osImage: 'os',
            kernelVersion: '5',
            containerRuntimeVersion: 'c://1',
          },
        },
        { 'node-role.orch.io/b': '', 'node-role.orch.io/': '', 'orch.io/role': 'a' },
        ['Ready,SchedulingDisabled', 'a,b', 'v1', 'i', 'e', 'os', '5', 'c://1'],
      ],
      [
        'a node that is not ready',
        {},
        ready('Unknown'),
        {},
        ['NotReady', '<none>', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>'],
      ],
    ]
  for (const [name, spec, status, labels, expected] of rows) {
    test(name, () => {
      const [first, ...rest] = cells(nodes, nodeOf(spec, status, { labels }))
      expect([first, rest.toSpliced(2, 1)]).toEqual(['node', expected])
    })
  }
  test('in the other words', () => {
    const hooks = { ...c, v: kubernetes }
    const node = read(nodes, { status: { nodeInfo: { kubeletVersion: 'v2' } } }, hooks)
    expect(cells(nodes, node, hooks)[4]).toBe('v2')
  })
})

test('selectors', () => {
  const of = nodes.selectable!['spec.unschedulable']!
  expect([of(nodeOf({})), of(nodeOf({ unschedulable: true }))]).toEqual(['false', 'true'])
})
