import { describe, expect, test } from 'vitest'
import { checkDeclared } from '../../catalogue/check.ts'
import { codecOf, Decoding } from '../../codec/codec.ts'
import { FieldErrors } from '../../meta/field-errors.ts'
import type { HookContext } from '../../catalogue/resource.ts'
import { orch } from '../../vocabulary/orch.ts'
import { partOf } from '../parts.fixture.ts'
import { PersistentVolumeClaim, persistentVolumeClaims } from './persistent-volume-claim.ts'

const context = (...gates: string[]): HookContext => ({
  v: orch,
  now: Date.parse('2030-01-01T01:00:00Z'),
  gate: (name) => gates.includes(name),
})
const c = context('AnyVolumeDataSource')

function read(object: object): PersistentVolumeClaim {
  const decoding = new Decoding()
  const codec = codecOf(PersistentVolumeClaim.shape)
  const pvc = codec.decode(object, decoding) as unknown as PersistentVolumeClaim
  expect(decoding.unknown).toEqual([])
  persistentVolumeClaims.setDefaults!(pvc, c)
  return pvc
}

const texts = (errors: FieldErrors) =>
  errors.list.map(({ field, message }) => `${field}: ${message}`)

const base = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
const sized = (storage: string) => ({ resources: { requests: { storage } } })
const pvcOf = (spec: object = {}, rest: object = {}): PersistentVolumeClaim =>
  read({ metadata: { name: 'pvc', namespace: 'n' }, spec: { ...base, ...spec }, ...rest })

function problems(pvc: PersistentVolumeClaim, hooks = c, old?: PersistentVolumeClaim): string[] {
  const errors = new FieldErrors()
  checkDeclared(PersistentVolumeClaim.shape, pvc, errors)
  persistentVolumeClaims.validate!(pvc, errors, hooks, old)
  return texts(errors)
}

function changes(next: PersistentVolumeClaim, old: PersistentVolumeClaim, hooks = c): string[] {
  const errors = new FieldErrors()
  persistentVolumeClaims.validateUpdate!(next, old, errors, hooks)
  return texts(errors)
}

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const MODES = 'supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"'
const claim = { kind: 'PersistentVolumeClaim', name: 'c' }
const snapshot = { apiGroup: 'snapshot.storage.orch.io', kind: 'VolumeSnapshot', name: 's' }
const other = { apiGroup: 'example.com', kind: 'Backup', name: 'b' }

test('what is left out is filled', () => {
  expect(read({ spec: sized('1u') })).toEqual({
    metadata: {},
    spec: { resources: { requests: { storage: '1m' } }, volumeMode: 'Filesystem' },
    status: { phase: 'Pending' },
  })
  expect(
    read({
      status: {
        phase: 'Bound',
        capacity: { storage: '1u' },
        allocatedResources: { storage: '2u' },
      },
    }).status,
  ).toEqual({ phase: 'Bound', capacity: { storage: '1m' }, allocatedResources: { storage: '1m' } })
})

test('a create starts with an empty status', () => {
  const pvc = pvcOf({}, { status: { phase: 'Bound', capacity: { storage: '1Gi' } } })
  persistentVolumeClaims.prepareForCreate!(pvc, c)
  expect(pvc.status).toEqual({ phase: 'Pending' })
})

describe('the data sources of a new claim', () => {
  for (const { name, given, gates = ['AnyVolumeDataSource'], kept } of [
    { name: 'none', given: {}, kept: {} },
    {
      name: 'a claim is copied',
      given: { dataSource: claim },
      kept: { dataSource: claim, dataSourceRef: claim },
    },
    {
      name: 'a snapshot is copied',
      given: { dataSource: snapshot },
      kept: { dataSource: snapshot, dataSourceRef: snapshot },
    },
    {
      name: 'any object is copied back',
      given: { dataSourceRef: other },
      kept: { dataSource: other, dataSourceRef: other },
    },
    { name: 'another object is dropped', given: { dataSource: other }, kept: {} },
    {
      name: 'a core object is dropped',
      given: { dataSource: { kind: 'ConfigMap', name: 'm' } },
      kept: {},
    },
    {
      name: 'another object stays when both are set',
      given: { dataSource: other, dataSourceRef: claim },
      kept: { dataSource: other, dataSourceRef: claim },
    },
    {
      name: 'only the first is known without the gate',
      given: { dataSource: claim, dataSourceRef: claim },
      gates: [],
      kept: { dataSource: claim },
    },
    {
      name: 'another object is dropped without the gate',
      given: { dataSource: other, dataSourceRef: other },
      gates: [],
      kept: {},
    },
  ]) {
    test(name, () => {
      const pvc = pvcOf(given)
      persistentVolumeClaims.prepareForCreate!(pvc, context(...gates))
      const { dataSource, dataSourceRef } = pvc.spec
      expect({ dataSource, dataSourceRef }).toEqual(kept)
    })
  }
})

describe('the data sources of a changed claim', () => {
  for (const { name, old, given, gates = ['AnyVolumeDataSource'], kept } of [
    {
      name: 'what is stored stays',
      old: { dataSource: other },
      given: { dataSource: other },
      kept: { dataSource: other, dataSourceRef: other },
    },
    { name: 'another object is dropped', old: {}, given: { dataSource: other }, kept: {} },
    {
      name: 'a stored second source is known without the gate',
      old: { dataSource: other, dataSourceRef: other },
      given: { dataSource: other, dataSourceRef: other },
      gates: [],
      kept: { dataSource: other, dataSourceRef: other },
    },
  ]) {
    test(name, () => {
      const pvc = pvcOf(given)
      persistentVolumeClaims.prepareForUpdate!(pvc, pvcOf(old), context(...gates))
      const { dataSource, dataSourceRef } = pvc.spec
      expect({ dataSource, dataSourceRef }).toEqual(kept)
    })
  }
})

const cases: { name: string; spec: object; gates?: string[]; wrong: string[] }[] = [
  { name: 'a plain claim', spec: {}, wrong: [] },
  {
    name: 'nothing at all',
    spec: { accessModes: [], resources: {} },
    wrong: [
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec.resources[storage]: Required value',
    ],
  },
  {
    name: 'an unknown access mode',
    spec: { accessModes: ['Write'] },
    wrong: [`spec.accessModes: Unsupported value: "Write": ${MODES}`],
  },
  {
    name: 'mounting by one pod without its gate',
    spec: { accessModes: ['ReadWriteOncePod'] },
    wrong: [`spec.accessModes: Unsupported value: "ReadWriteOncePod": ${MODES}`],
  },
  {
    name: 'mounting by one pod',
    spec: { accessModes: ['ReadWriteOncePod'] },
    gates: ['ReadWriteOncePod'],
    wrong: [],
  },
  {
    name: 'mounting by one pod and otherwise',
    spec: { accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] },
    gates: ['ReadWriteOncePod'],
    wrong: ['spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
  },
  {
    name: 'no storage',
    spec: sized('0'),
    wrong: ['spec.resources[storage]: Invalid value: "0": must be greater than zero'],
  },
  {
    name: 'less than no storage',
    spec: sized('-1'),
    wrong: ['spec.resources[storage]: Invalid value: "-1": must be greater than or equal to 0'],
  },
  {
    name: 'a selector with all that can be wrong',
    spec: {
      selector: {
        matchLabels: { a: '-' },
        matchExpressions: [
          { key: 'a', operator: 'In' },
          { key: 'a', operator: 'NotIn', values: ['-'] },
          { key: 'a', operator: 'Exists', values: ['b'] },
          { key: 'a', operator: 'Gt' },
        ],
      },
    },
    wrong: [
      `spec.selector.matchLabels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "spec.selector.matchExpressions[2].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      'spec.selector.matchExpressions[3].operator: Invalid value: "Gt": not a valid selector operator',
    ],
  },
  { name: 'no class', spec: { storageClassName: '' }, wrong: [] },
  {
    name: 'a class that is no name',
    spec: { storageClassName: 'A' },
    wrong: [`spec.storageClassName: Invalid value: "A": ${SUBDOMAIN}`],
  },
  {
    name: 'an unknown volume mode',
    spec: { volumeMode: 'Disk' },
    wrong: ['spec.volumeMode: Unsupported value: "Disk": supported values: "Block", "Filesystem"'],
  },
  {
    name: 'an empty volume mode',
    spec: { volumeMode: '' },
    wrong: ['spec.volumeMode: Unsupported value: "": supported values: "Block", "Filesystem"'],
  },
  { name: 'a claim as source', spec: { dataSource: claim, dataSourceRef: claim }, wrong: [] },
  {
    name: 'a source without name and kind',
    spec: { dataSource: { apiGroup: 'example.com' } },
    wrong: ['spec.dataSource.name: Required value', 'spec.dataSource.kind: Required value'],
  },
  {
    name: 'another core object as source',
    spec: { dataSourceRef: { apiGroup: '', kind: 'ConfigMap', name: 'm' } },
    wrong: [
      'spec.dataSourceRef: Invalid value: "ConfigMap": must be \'PersistentVolumeClaim\' when referencing the default apiGroup',
    ],
  },
  {
    name: 'sources that differ',
    spec: { dataSource: claim, dataSourceRef: { ...claim, name: 'd' } },
    wrong: ['spec: Invalid value: "spec.dataSource": must match dataSourceRef'],
  },
]

describe('a claim', () => {
  for (const { name, spec, gates = [], wrong } of cases) {
    test(name, () => expect(problems(pvcOf(spec), context(...gates))).toEqual(wrong))
  }
  test('a stored access mode stays known', () => {
    const spec = { accessModes: ['ReadWriteOncePod'] }
    expect(problems(pvcOf(spec), c, pvcOf(spec))).toEqual([])
  })
})

const firstLine = (text: string): string => text.split('\n')[0]!

const FIXED =
  'spec: Forbidden: spec is immutable after creation except resources.requests for bound claims'
const SHRINKS =
  'spec.resources.requests.storage: Forbidden: field can not be less than previous value'
const bound = { status: { phase: 'Bound', capacity: { storage: '1Gi' } } }
const classed = (value: string) => ({
  metadata: { annotations: { 'volume.beta.orch.io/storage-class': value } },
})
const ANNOTATION = 'metadata.annotations.volume.beta.orch.io/storage-class'

describe('a change of a claim', () => {
  for (const { name, old, next, gates = ['AnyVolumeDataSource'], wrong } of [
    { name: 'none', old: pvcOf(), next: pvcOf(), wrong: [] },
    {
      name: 'the same amount in other words',
      old: pvcOf(),
      next: pvcOf(sized('1073741824')),
      wrong: [],
    },
    { name: 'a first volume', old: pvcOf(), next: pvcOf({ volumeName: 'v' }), wrong: [] },
    {
      name: 'another volume',
      old: pvcOf({ volumeName: 'v' }),
      next: pvcOf({ volumeName: 'w' }),
      wrong: [FIXED],
    },
    {
      name: 'no volume any more',
      old: pvcOf({ volumeName: 'v' }),
      next: pvcOf(),
      wrong: [FIXED],
    },
    {
      name: 'more storage for a bound claim',
      old: pvcOf({}, bound),
      next: pvcOf(sized('2Gi'), bound),
      wrong: [],
    },
    { name: 'more storage for another', old: pvcOf(), next: pvcOf(sized('2Gi')), wrong: [FIXED] },
    {
      name: 'less storage for a bound claim',
      old: pvcOf({}, bound),
      next: pvcOf(sized('1Mi'), bound),
      wrong: [SHRINKS],
    },
    {
      name: 'less storage for another',
      old: pvcOf(),
      next: pvcOf(sized('1Mi')),
      wrong: [FIXED, SHRINKS],
    },
    {
      name: 'another resource for a bound claim',
      old: pvcOf({}, bound),
      next: pvcOf({ resources: { requests: { storage: '1Gi', cpu: '1' } } }, bound),
      wrong: [FIXED],
    },
    {
      name: 'a limit for a bound claim',
      old: pvcOf({}, bound),
      next: pvcOf({ resources: { ...base.resources, limits: { storage: '1Gi' } } }, bound),
      wrong: [FIXED],
    },
    {
      name: 'less storage to give up growing',
      gates: ['RecoverVolumeExpansionFailure'],
      old: pvcOf(sized('4Gi'), bound),
      next: pvcOf(sized('2Gi'), bound),
      wrong: [],
    },
    {
      name: 'no more storage than there is, to give up growing',
      gates: ['RecoverVolumeExpansionFailure'],
      old: pvcOf(sized('4Gi'), bound),
      next: pvcOf(sized('1Gi'), bound),
      wrong: [
        'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
      ],
    },
    {
      name: 'another access mode',
      old: pvcOf(),
      next: pvcOf({ accessModes: ['ReadOnlyMany'] }),
      wrong: [FIXED],
    },
    {
      name: 'another class',
      old: pvcOf({ storageClassName: 'a' }),
      next: pvcOf({ storageClassName: 'b' }),
      wrong: [FIXED],
    },
    {
      name: 'a first class',
      old: pvcOf(),
      next: pvcOf({ storageClassName: 'b' }),
      wrong: [FIXED],
    },
    {
      name: 'a first class, when it comes late',
      gates: ['RetroactiveDefaultStorageClass'],
      old: pvcOf(),
      next: pvcOf({ storageClassName: 'b' }),
      wrong: [],
    },
    {
      name: 'the class moves out of the annotation',
      old: pvcOf({}, classed('a')),
      next: pvcOf({ storageClassName: 'a' }),
      wrong: [],
    },
    {
      name: 'the class moves and the annotation stays',
      old: pvcOf({}, classed('a')),
      next: pvcOf({ storageClassName: 'a' }, classed('a')),
      wrong: [],
    },
    {
      name: 'another class than that of the annotation',
      old: pvcOf({}, classed('a')),
      next: pvcOf({ storageClassName: 'b' }, classed('a')),
      wrong: [FIXED],
    },
    {
      name: 'another class in the annotation',
      old: pvcOf({}, classed('a')),
      next: pvcOf({}, classed('b')),
      wrong: [`${ANNOTATION}: Invalid value: "b": field is immutable`],
    },
    {
      name: 'no annotation any more',
      old: pvcOf({}, classed('a')),
      next: pvcOf(),
      wrong: [`${ANNOTATION}: Invalid value: "": field is immutable`],
    },
    {
      name: 'a data source that was stored before it was mirrored',
      old: pvcOf({ dataSource: claim }),
      next: pvcOf({ dataSource: claim, dataSourceRef: claim }),
      wrong: [],
    },
    {
      name: 'a data source that comes later',
      old: pvcOf(),
      next: pvcOf({ dataSource: claim, dataSourceRef: claim }),
      wrong: [FIXED],
    },
    {
      name: 'another volume mode',
      old: pvcOf(),
      next: pvcOf({ volumeMode: 'Block' }),
      wrong: [FIXED, 'volumeMode: Invalid value: "Block": field is immutable'],
    },
  ]) {
    // What differs follows in further lines.
    test(name, () => expect(changes(next, old, context(...gates)).map(firstLine)).toEqual(wrong))
  }
})

test('a refused change is told member by member', () => {
  const old = pvcOf({ volumeName: 'v', storageClassName: 'slow' })
  expect(changes(pvcOf({ volumeName: 'w' }), old)).toEqual([
    [
      FIXED,
      '  core.PersistentVolumeClaimSpec{',
      '- \tVolumeName: "v",',
      '+ \tVolumeName: "w",',
      '- \tStorageClassName: "slow",',
      '+ \tStorageClassName: nil,',
      '  \t... // 3 identical fields',
      '  }',
      '',
    ].join('\n'),
  ])
})

describe('a change of the status', () => {
  const status = partOf(persistentVolumeClaims, 'status')
  const growing = { allocatedResources: { storage: '2Gi' }, resizeStatus: 'NodeExpansionPending' }
  const withStatus = (status: object) => pvcOf({}, { status })

  test('recovery from failed growing needs its gate, or a stored trace of it', () => {
    const off = withStatus(growing)
    status.prepareForUpdate!(off, withStatus({}), c)
    expect(off.status).toEqual({ phase: 'Pending' })
    const on = withStatus(growing)
    status.prepareForUpdate!(on, withStatus({}), context('RecoverVolumeExpansionFailure'))
    expect(on.status).toEqual({ phase: 'Pending', ...growing })
    const stored = withStatus(growing)
    status.prepareForUpdate!(stored, withStatus({ resizeStatus: '' }), c)
    expect(stored.status).toEqual({ phase: 'Pending', resizeStatus: 'NodeExpansionPending' })
  })

  for (const { name, pvc, gates = [], wrong } of [
    { name: 'a capacity', pvc: withStatus({ capacity: { storage: '1Gi' } }), wrong: [] },
    {
      name: 'a negative capacity',
      pvc: withStatus({ capacity: { storage: '-1Ki' } }),
      wrong: ['status.capacity[storage]: Invalid value: -1024: must be a valid resource quantity'],
    },
    {
      name: 'a spec without access modes',
      pvc: pvcOf({ accessModes: [] }),
      wrong: ['Spec.accessModes: Required value'],
    },
    {
      name: 'allocated storage, and another resource',
      gates: ['RecoverVolumeExpansionFailure'],
      pvc: withStatus({ allocatedResources: { cpu: '1', storage: '-1' } }),
      wrong: [
        'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
        'status.allocatedResources[storage]: Invalid value: -1: must be a valid resource quantity',
      ],
    },
    {
      name: 'an unknown stage of growing',
      pvc: withStatus({ resizeStatus: 'Soon' }),
      wrong: [
        'status.resizeStatus: Unsupported value: "Soon": supported values: "", "ControllerExpansionFailed", "ControllerExpansionInProgress", "NodeExpansionFailed", "NodeExpansionInProgress", "NodeExpansionPending"',
      ],
    },
  ]) {
    test(name, () => {
      const errors = new FieldErrors()
      checkDeclared(PersistentVolumeClaim.shape, pvc, errors)
      status.validate!(pvc, errors, context(...gates))
      expect(texts(errors)).toEqual(wrong)
    })
  }
})

test('the table', () => {
  const cells = (pvc: PersistentVolumeClaim) =>
    persistentVolumeClaims.columns!.map((one) => one.cell(pvc, c))
  expect(persistentVolumeClaims.columns!.map((one) => [one.name, one.type, one.priority])).toEqual([
    ['Name', 'string', 0],
    ['Status', 'string', 0],
    ['Volume', 'string', 0],
    ['Capacity', 'string', 0],
    ['Access Modes', 'string', 0],
    ['StorageClass', 'string', 0],
    ['Age', 'string', 0],
    ['VolumeMode', 'string', 1],
  ])
  const status = {
    phase: 'Bound',
    capacity: { storage: '2Gi' },
    accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'],
  }
  const metadata = { name: 'pvc', creationTimestamp: '2030-01-01T00:00:00Z' }
  const pvc = pvcOf({ volumeName: 'v', storageClassName: 'fast' }, { status, metadata })
  expect(cells(pvc)).toEqual(['pvc', 'Bound', 'v', '2Gi', 'ROX,RWOP', 'fast', '60m', 'Filesystem'])
  const bare = pvcOf(
    {},
    {
      status,
      metadata: {
        name: 'b',
        deletionTimestamp: '2030-01-01T00:00:00Z',
        annotations: { 'volume.beta.orch.io/storage-class': 'slow' },
      },
    },
  )
  delete bare.spec.volumeMode
  expect(cells(bare)).toEqual(['b', 'Terminating', '', '', '', 'slow', '<unknown>', '<unset>'])
})
