import { describe, expect, test } from 'vitest'
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import { vocabularies } from '../../vocabulary/index.ts'
import { KnownVolumes } from './known-volumes.ts'
import { bestVolume, faultOf } from './volume-match.ts'

const v = vocabularies.kubernetes

/** A volume in short. */
interface Short {
  readonly size?: string
  readonly modes?: readonly string[]
  readonly phase?: string
  readonly ref?: object
  readonly spec?: object
  readonly metadata?: object
}
const volume = (
  name: string,
  { size = '1Gi', modes = ['ReadWriteOnce'], phase = 'Available', ref, spec, metadata }: Short = {},
) =>
  ({
    metadata: { name, ...metadata },
    spec: {
      capacity: { storage: size },
      accessModes: modes,
      ...(ref ? { claimRef: ref } : {}),
      ...spec,
    },
    status: { phase },
  }) as unknown as PersistentVolume
const claim = (spec: object = {}, metadata: object = {}) =>
  ({
    metadata: { name: 'c', namespace: 'ns', uid: 'u', ...metadata },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...spec,
    },
    status: { phase: 'Pending' },
  }) as unknown as PersistentVolumeClaim
const own = { namespace: 'ns', name: 'c' }

const known = (volumes: readonly PersistentVolume[]) => {
  const stock = new KnownVolumes(v)
  for (const one of volumes) stock.set(one)
  return stock
}

describe('the best volume', () => {
  for (const [name, of, volumes, expected] of [
    ['none', claim(), [], undefined],
    [
      'the smallest that is large enough',
      claim(),
      [volume('a', { size: '3Gi' }), volume('b', { size: '2Gi' }), volume('c', { size: '512Mi' })],
      'b',
    ],
    ['of equal ones by name', claim(), [volume('b'), volume('a')], 'a'],
    [
      'fewer access modes before size',
      claim(),
      [volume('a', { modes: ['ReadWriteOnce', 'ReadOnlyMany'] }), volume('b', { size: '9Gi' })],
      'b',
    ],
    [
      'all access modes',
      claim({ accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] }),
      [volume('a'), volume('b', { modes: ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce'] })],
      'b',
    ],
    [
      'one that names the claim, whatever its phase, class and labels',
      claim({ selector: { matchLabels: { a: 'b' } } }),
      [
        volume('a', { metadata: { labels: { a: 'b' } } }),
        volume('b', { ref: own, phase: 'Pending', size: '9Gi', spec: { storageClassName: 'x' } }),
      ],
      'b',
    ],
    ['none that names another', claim(), [volume('a', { ref: { ...own, name: 'd' } })], undefined],
    [
      'none that names an older one',
      claim(),
      [volume('a', { ref: { ...own, uid: 'w' } })],
      undefined,
    ],
    ['one that is its own already', claim(), [volume('a', { ref: { ...own, uid: 'u' } })], 'a'],
    [
      'none that is too small though it names the claim',
      claim(),
      [volume('a', { ref: own, size: '1Mi' })],
      undefined,
    ],
    ['none in another phase', claim(), [volume('a', { phase: 'Released' })], undefined],
    [
      'none that is deleted',
      claim(),
      [volume('a', { metadata: { deletionTimestamp: 'x' } })],
      undefined,
    ],
    ['none of another mode', claim({ volumeMode: 'Block' }), [volume('a')], undefined],
    [
      'of its mode',
      claim({ volumeMode: 'Block' }),
      [volume('a', { spec: { volumeMode: 'Block' } })],
      'a',
    ],
    [
      'none of a class for a claim without',
      claim({ storageClassName: '' }),
      [volume('a', { spec: { storageClassName: 'x' } })],
      undefined,
    ],
    [
      'of its class',
      claim({ storageClassName: 'x' }),
      [volume('a'), volume('b', { spec: { storageClassName: 'x' } })],
      'b',
    ],
    [
      'of the class of its annotation',
      claim({}, { annotations: { 'volume.beta.kubernetes.io/storage-class': 'x' } }),
      [volume('a'), volume('b', { spec: { storageClassName: 'x' } })],
      'b',
    ],
    [
      'with its labels',
      claim({ selector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } }),
      [volume('a'), volume('b', { metadata: { labels: { a: '' } } })],
      'b',
    ],
  ] as [string, PersistentVolumeClaim, PersistentVolume[], string | undefined][])
    test(name, () =>
      expect(bestVolume(known(volumes), { claim: of, isDelayed: false })?.metadata.name).toBe(
        expected,
      ),
    )

  test('for a claim that waits for its pod only one that names it', () => {
    const found = (...volumes: PersistentVolume[]) =>
      bestVolume(known(volumes), { claim: claim(), isDelayed: true })?.metadata.name
    expect(found(volume('a'))).toBe(undefined)
    expect(found(volume('a'), volume('b', { ref: own }))).toBe('b')
  })
})

describe('why a volume that is asked for does not fit', () => {
  for (const [of, found, expected] of [
    [claim(), volume('a'), null],
    [
      claim(),
      volume('a', { metadata: { deletionTimestamp: 'x' } }),
      'the volume is marked for deletion "a"',
    ],
    [claim(), volume('a', { size: '1Mi' }), 'requested PV is too small'],
    [
      claim({ storageClassName: 'x' }),
      volume('a', { spec: { volumeMode: 'Block' } }),
      'storageClassName does not match',
    ],
    [claim(), volume('a', { spec: { volumeMode: 'Block' } }), 'incompatible volumeMode'],
    [claim(), volume('a', { modes: ['ReadOnlyMany'] }), 'incompatible accessMode'],
  ] as const)
    test(String(expected), () => expect(faultOf(found, of, v)).toBe(expected))
})
