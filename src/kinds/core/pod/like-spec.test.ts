import { expect, test } from 'vitest'
import { FieldErrors } from '../../../meta/field-errors.ts'
import { KnownParts } from '../../../meta/known-parts.ts'
import { passesLike } from './like-spec.ts'
import { c, podOf, web } from './pod.fixture.ts'
import type { Pod } from './pod.ts'
import type { PodSpec } from './pod-spec.ts'
import { validatePodSpec } from './validate-pod-spec.ts'
import { podWarnings } from './warnings.ts'

const mounts = (...names: string[]) =>
  names.map((name) => ({ name, mountPath: `/mnt/${name.toLowerCase()}`, readOnly: true }))

const passed = podOf({
  volumes: [
    { name: 'token', projected: { sources: [] } },
    { name: 'data', emptyDir: {} },
  ],
  initContainers: [web({ name: 'first', volumeMounts: mounts('data') })],
  containers: [
    web({
      volumeMounts: mounts('token', 'data'),
      ports: [{ containerPort: 80 }],
      env: [{ name: 'A', value: 'b' }],
      resources: { limits: { memory: '1Gi' } },
    }),
    web({ name: 'other' }),
  ],
})

/** A copy that shares all parts but those that are replaced. */
function like(change: (spec: PodSpec) => void, of: Pod = passed): PodSpec {
  const spec = {
    ...of.spec,
    volumes: (of.spec.volumes ?? []).map((one) => ({ ...one })),
    containers: of.spec.containers.map((one) => ({
      ...one,
      ...(one.volumeMounts && { volumeMounts: one.volumeMounts.map((mount) => ({ ...mount })) }),
    })),
    initContainers: (of.spec.initContainers ?? []).map((one) => ({ ...one })),
  } as PodSpec
  change(spec)
  return spec
}

function renamed(spec: PodSpec, to: string, mounted = to): void {
  spec.volumes![0]!.name = to
  spec.containers[0]!.volumeMounts![0]!.name = mounted
}

const CASES: readonly (readonly [
  title: string,
  change: (spec: PodSpec) => void,
  isLike: boolean,
])[] = [
  ['nothing', () => {}, true],
  ['an image', (spec) => (spec.containers[0]!.image = 'web:2'), true],
  ['an image of an init container', (spec) => (spec.initContainers![0]!.image = 'web:2'), true],
  ['the name of a volume and its mount', (spec) => renamed(spec, 'token-2'), true],
  ['an image that is empty', (spec) => (spec.containers[0]!.image = ''), false],
  ['no image', (spec) => delete spec.containers[0]!.image, false],
  ['a volume that is not mounted by its name', (spec) => renamed(spec, 'token-2', 'token'), false],
  ['a mount of a volume that is gone', (spec) => (spec.volumes![1]!.name = 'data-2'), false],
  ['a bad name of a volume', (spec) => renamed(spec, 'Token'), false],
  ['an empty name of a volume', (spec) => renamed(spec, ''), false],
  ['a name of another volume', (spec) => renamed(spec, 'data'), false],
  ['another name of a container', (spec) => (spec.containers[0]!.name = 'other'), false],
  [
    'another path',
    (spec) => (spec.containers[0]!.volumeMounts![0]!.mountPath = '/mnt/data'),
    false,
  ],
  ['one mount less', (spec) => spec.containers[0]!.volumeMounts!.pop(), false],
  ['no mounts', (spec) => delete spec.containers[0]!.volumeMounts, false],
  ['one volume less', (spec) => spec.volumes!.pop(), false],
  ['no volumes', (spec) => delete spec.volumes, false],
  ['one container less', (spec) => spec.containers.pop(), false],
  ['no init containers', (spec) => delete spec.initContainers, false],
  [
    'a device',
    (spec) => (spec.containers[0]!.volumeDevices = [{ name: 'token', devicePath: '/d' }]),
    false,
  ],
  ['equal parts', (spec) => (spec.containers[0]!.env = [...spec.containers[0]!.env!]), false],
  ['another source', (spec) => (spec.volumes![0]!.projected = { sources: [] } as never), false],
  ['another policy', (spec) => (spec.restartPolicy = 'Never'), false],
  ['one member more', (spec) => (spec.hostname = 'A'), false],
  ['one member less', (spec) => delete (spec as Partial<PodSpec>).securityContext, false],
  [
    'a member in the place of one without a value',
    (spec) => {
      delete (spec as Partial<PodSpec>).securityContext
      spec.hostname = undefined as never
    },
    false,
  ],
]

test.each(CASES)('a spec that differs in: %s', (_, change, isLike) => {
  expect(passesLike(like(change), passed.spec, passed.metadata)).toBe(isLike)
})

test.each(CASES)(
  'the way beside a spec that passed refuses what all rules refuse: %s',
  (_, change) => {
    const known = new KnownParts()
    const check = (spec: PodSpec, parts = known.begin()) => {
      const errors = new FieldErrors()
      const options = { pod: passed.metadata, like: passed.spec }
      validatePodSpec(spec, errors, { ...c, parts }, options)
      const warnings = podWarnings({ metadata: passed.metadata, spec }, { ...c, parts })
      if (errors.list.length === 0) parts.settle()
      return { errors: errors.list, warnings }
    }
    expect(check(passed.spec)).toEqual({ errors: [], warnings: [] })
    const spec = like(change)
    const errors = new FieldErrors()
    validatePodSpec(spec, errors, c, { pod: passed.metadata })
    const warnings = podWarnings({ metadata: passed.metadata, spec }, c)
    expect(check(spec)).toEqual({ errors: errors.list, warnings })
  },
)

test('a claim that is made for a pod is named after it', () => {
  const source = {
    volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: {} } },
  }
  const pod = podOf({
    volumes: [{ name: 'v', ephemeral: source }],
    initContainers: [web({ name: 'i' })],
  })
  const next = like((spec) => (spec.containers[0]!.image = 'web:2'), pod)
  expect(passesLike(next, pod.spec, { name: 'p' })).toBe(false)
  expect(passesLike(next, pod.spec, {})).toBe(true)
})

test('what is warned of is said of a spec like it, too', () => {
  const known = new KnownParts()
  const old = podOf({
    volumes: [],
    initContainers: [],
    containers: [web({ resources: { limits: { memory: '1m' } } })],
  })
  const said = [old.spec, like((spec) => (spec.containers[0]!.image = 'web:2'), old)].map(
    (spec) => {
      const parts = known.begin()
      const hooks = { ...c, parts }
      validatePodSpec(spec, new FieldErrors(), hooks, { pod: old.metadata, like: old.spec })
      const warnings = podWarnings({ metadata: old.metadata, spec }, hooks)
      parts.settle()
      return warnings.length
    },
  )
  expect(said).toEqual([2, 2])
})
