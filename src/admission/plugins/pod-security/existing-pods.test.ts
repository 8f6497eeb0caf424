/** Bounds of the evaluation of existing pods. What it finds is in test/conformance/pod-security.test.ts. */
import { expect, test } from 'vitest'
import { ManualClock } from '../../../base/clock.ts'
import type { ObjectHandler, ObjectSource } from '../../../catalogue/object-source.ts'
import type { Pod } from '../../../kinds/core/pod/pod.ts'
import type { Typed } from '../../../meta/object-meta.ts'
import { kubernetes } from '../../../vocabulary/kubernetes.ts'
import { box, podFrom } from './checks.fixture.ts'
import { existingPodWarnings } from './existing-pods.ts'

const HEAD =
  'existing pods in namespace "here" violate the new PodSecurity enforce level "baseline:latest"'

function podNamed(name: string, controller?: string): Pod {
  const pod = podFrom({ hostPID: true })
  pod.metadata.name = name
  if (controller !== undefined) {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r' }
    pod.metadata.ownerReferences = [{ ...owner, uid: controller, controller: true }]
  }
  return pod
}

/** Pods in `here` and one elsewhere; each takes `readMs` to read. */
const sourceOf = (pods: readonly (Pod | null)[], clock: ManualClock, readMs = 0): ObjectSource => ({
  get: () => Promise.resolve(null),
  follow<T extends Typed>(_: unknown, handler: ObjectHandler<T>) {
    const named = (namespace: string, name: string, pod: Pod | null) =>
      handler.named!(
        { namespace, name },
        {
          revision: 1,
          read: () => {
            clock.advance(readMs)
            return pod as unknown as T | null
          },
          readWithout: () => null,
          outline: () => null,
          mentions: () => false,
        },
      )
    named('elsewhere', 'pod', podNamed('pod'))
    for (const [i, pod] of pods.entries()) named('here', `pod-${i}`, pod)
    return Promise.resolve(() => {})
  },
})

async function warningsOf(
  pods: readonly (Pod | null)[],
  { readMs = 0, deadline = Infinity }: { readMs?: number; deadline?: number } = {},
) {
  const clock = new ManualClock(0)
  return existingPodWarnings(
    { objects: sourceOf(pods, clock, readMs), clock, v: kubernetes },
    {
      namespace: 'here',
      level: { level: 'baseline', version: 'latest' },
      isExempt: () => false,
      deadline,
    },
  )
}

const many = (count: number, controller?: string) =>
  Array.from({ length: count }, (_, i) => podNamed(`pod-${i}`, controller))
const firstOf = (checked: number, total: number) =>
  `new PodSecurity enforce level only checked against the first ${checked} of ${total} existing pods`

test('no pods', async () => expect(await warningsOf([])).toEqual([]))

test('unreadable pods are left out', async () =>
  expect(await warningsOf([null, podNamed('a')])).toEqual([HEAD, 'a: host namespaces']))

test('at most 3000 pods', async () =>
  expect(await warningsOf(many(3002))).toEqual([
    firstOf(3000, 3002),
    HEAD,
    'pod-0 (and 2999 other pods): host namespaces',
  ]))

test('one pod of each controller is among them', async () => {
  const last = podFrom({
    hostPID: true,
    hostNetwork: true,
    containers: [box('a', { privileged: true })],
  })
  last.metadata.name = 'last'
  expect(await warningsOf([...many(3000, 'u'), last])).toEqual([
    firstOf(3000, 3001),
    HEAD,
    'last: host namespaces, privileged',
    'pod-0 (and 2998 other pods): host namespaces',
  ])
})

test('at most a second', async () =>
  expect(await warningsOf(many(5), { readMs: 400 })).toEqual([
    firstOf(1, 5),
    HEAD,
    'pod-0: host namespaces',
  ]))

test('at most half of the time that the request has left', async () =>
  expect(await warningsOf(many(5), { readMs: 100, deadline: 500 })).toEqual([
    firstOf(1, 5),
    HEAD,
    'pod-0: host namespaces',
  ]))

test('pods that cannot be listed', async () => {
  const clock = new ManualClock()
  const objects = { ...sourceOf([], clock), follow: () => Promise.reject(new Error('no store')) }
  expect(
    await existingPodWarnings(
      { objects, clock, v: kubernetes },
      {
        namespace: 'here',
        level: { level: 'baseline', version: 'latest' },
        isExempt: () => false,
        deadline: Infinity,
      },
    ),
  ).toEqual(['failed to list pods while checking new PodSecurity enforce level'])
})
