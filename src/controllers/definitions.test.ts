import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inProcess } from '../server/in-process.fixture.ts'
import { definitionFinalizer, InstancesRemain } from './definition-finalizer.ts'
import { definitionNaming } from './definition-naming.ts'
import { startControllers, type RunningControllers } from './index.ts'

const at = (name = '') => ['apiextensions{api}/v1', 'customresourcedefinitions', '', name] as const
const DUTY = 'customresourcecleanup.apiextensions.orch.io'

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers | null = null
const start = (...chosen: NonNullable<Parameters<typeof startControllers>[1]>) =>
  (running = startControllers(context.controllerContext, chosen))
beforeEach(async () => {
  context = await inProcess()
})
afterEach(async () => {
  await running?.stop()
  running = null
  await context.close()
})

interface Names {
  plural: string
  kind?: string
  singular?: string
  listKind?: string
  shortNames?: string[]
  categories?: string[]
}
const define = ({ plural, kind = 'Thing', ...names }: Names, group = 'example.com') =>
  context.hand.create(at(), {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind, ...names },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
    },
  })

interface Condition {
  type: string
  status: string
  reason: string
  message: string
}
const conditionsOf = async (name: string) => {
  await running?.idle()
  const object = await context.hand.get(at(name))
  return (object.status.conditions ?? []).map(
    ({ type, status, reason, message }: Condition) => `${type} ${status} ${reason}: ${message}`,
  )
}
const acceptedOf = async (name: string) => (await context.hand.get(at(name))).status.acceptedNames

const served = definitionNaming({ servesObjects: true })
const unserved = definitionNaming({ servesObjects: false })

const ACCEPTED = 'NamesAccepted True NoConflicts: no conflicts found'
const IN_FORCE = 'Established True InitialNamesAccepted: the initial names have been accepted'
const NOT_SERVED =
  'Established False NotServed: the names are accepted, but this server does not serve custom resources'

describe('names', () => {
  test('are accepted when they are unused in the group, and the definition is then established', async () => {
    start(served)
    await define({ plural: 'things', shortNames: ['th'], categories: ['all'] })
    expect(await conditionsOf('things.example.com')).toEqual([ACCEPTED, IN_FORCE])
    expect(await acceptedOf('things.example.com')).toEqual({
      plural: 'things',
      singular: 'thing',
      shortNames: ['th'],
      kind: 'Thing',
      listKind: 'ThingList',
      categories: ['all'],
    })
  })

  for (const { reason, message, names, accepted } of [
    {
      reason: 'SingularConflict',
      message: '"things" is already in use',
      names: { plural: 'others', kind: 'Other', singular: 'things' },
      accepted: { plural: 'others', kind: 'Other', listKind: 'OtherList' },
    },
    {
      reason: 'ShortNamesConflict',
      message: '["th" is already in use, "thing" is already in use]',
      names: { plural: 'others', kind: 'Other', shortNames: ['th', 'o', 'thing'] },
      accepted: { plural: 'others', singular: 'other', kind: 'Other', listKind: 'OtherList' },
    },
    {
      reason: 'ListKindConflict',
      message: '"ThingList" is already in use',
      names: { plural: 'others', kind: 'Other', listKind: 'ThingList', categories: ['all'] },
      accepted: { plural: 'others', singular: 'other', kind: 'Other', categories: ['all'] },
    },
    {
      reason: 'KindConflict',
      message: '"Thing" is already in use',
      names: { plural: 'others', kind: 'Thing', singular: 'other', listKind: 'OtherList' },
      accepted: { plural: 'others', singular: 'other', kind: '', listKind: 'OtherList' },
    },
  ]) {
    test(`another has: ${reason}`, async () => {
      start(served)
      await define({ plural: 'things', shortNames: ['th'] })
      await running!.idle()
      await define(names)
      expect(await conditionsOf('others.example.com')).toEqual([
        `NamesAccepted False ${reason}: ${message}`,
        'Established False NotAccepted: not all names are accepted',
      ])
      expect(await acceptedOf('others.example.com')).toEqual(accepted)
      // The first holder of the names is established; the waiting definition gets them when it is deleted.
      expect(await conditionsOf('things.example.com')).toEqual([ACCEPTED, IN_FORCE])
    })
  }

  test('are free for another group, and again when their definition is deleted', async () => {
    start(
      served,
      definitionFinalizer(() => Promise.resolve()),
    )
    await define({ plural: 'things' })
    await running!.idle()
    await define({ plural: 'things' }, 'elsewhere.com')
    await define({ plural: 'others', kind: 'Thing' })
    expect(await conditionsOf('things.elsewhere.com')).toEqual([ACCEPTED, IN_FORCE])
    expect((await conditionsOf('others.example.com'))[0]).toBe(
      'NamesAccepted False ListKindConflict: "ThingList" is already in use',
    )
    await context.hand.delete(at('things.example.com'))
    expect(await conditionsOf('others.example.com')).toEqual([ACCEPTED, IN_FORCE])
  })

  test('that come to conflict later do not put a definition out of force', async () => {
    start(served)
    await define({ plural: 'things', shortNames: ['th'] })
    await define({ plural: 'others', kind: 'Other' })
    await running!.idle()
    await context.hand.patch(at('others.example.com'), {
      metadata: {
        resourceVersion: (await context.hand.get(at('others.example.com'))).metadata
          .resourceVersion,
      },
      spec: { names: { shortNames: ['th'] } },
    })
    expect(await conditionsOf('others.example.com')).toEqual([
      'NamesAccepted False ShortNamesConflict: "th" is already in use',
      IN_FORCE,
    ])
  })
})

describe('a server that serves no objects of custom kinds', () => {
  test('accepts names and puts no definition in force', async () => {
    start(unserved)
    await define({ plural: 'things' })
    expect(await conditionsOf('things.example.com')).toEqual([ACCEPTED, NOT_SERVED])
    await define({ plural: 'others', kind: 'Thing', listKind: 'OtherList' })
    expect(await conditionsOf('others.example.com')).toEqual([
      'NamesAccepted False KindConflict: "Thing" is already in use',
      'Established False NotAccepted: not all names are accepted',
    ])
  })

  test('reverts the status of another server, which sets it again', async () => {
    await define({ plural: 'things' })
    for (const { by, last } of [
      { by: served, last: IN_FORCE },
      { by: unserved, last: NOT_SERVED },
      { by: served, last: IN_FORCE },
    ]) {
      start(by)
      expect(await conditionsOf('things.example.com')).toEqual([ACCEPTED, last])
      await running!.stop()
    }
  })

  test('reports a conflict that arose while nothing was served', async () => {
    start(unserved)
    await define({ plural: 'things', shortNames: ['th'] })
    await define({ plural: 'others', kind: 'Other' })
    await running!.idle()
    await running!.stop()
    const { metadata } = await context.hand.get(at('others.example.com'))
    await context.hand.patch(at('others.example.com'), {
      metadata: { resourceVersion: metadata.resourceVersion },
      spec: { names: { shortNames: ['th'] } },
    })
    start(served)
    expect(await conditionsOf('others.example.com')).toEqual([
      'NamesAccepted False ShortNamesConflict: "th" is already in use',
      'Established False NotAccepted: not all names are accepted',
    ])
  })

  test('deletes a definition at once', async () => {
    const removals: string[] = []
    start(
      unserved,
      definitionFinalizer(async ({ metadata }) => void removals.push(metadata.name!)),
    )
    await define({ plural: 'things' })
    await running!.idle()
    await context.hand.delete(at('things.example.com'))
    await running!.idle()
    expect([removals, await context.hand.get(at('things.example.com'))]).toEqual([[], null])
  })
})

describe('deletion', () => {
  test('marks the definition, which waits until its objects are deleted', async () => {
    await define({ plural: 'things' })
    await context.hand.delete(at('things.example.com'))
    const { metadata } = await context.hand.get(at('things.example.com'))
    expect({
      finalizers: metadata.finalizers,
      generation: metadata.generation,
      grace: metadata.deletionGracePeriodSeconds,
      time: metadata.deletionTimestamp,
      conditions: await conditionsOf('things.example.com'),
    }).toEqual({
      finalizers: [DUTY],
      generation: 1,
      grace: undefined,
      time: '2024-01-02T03:04:05Z',
      conditions: [
        'Terminating True InstanceDeletionPending: the definition is marked for deletion; its objects will be deleted soon',
      ],
    })
    // A second delete changes nothing.
    const { revision } = context.api.cache
    await context.hand.delete(at('things.example.com'))
    expect(context.api.cache.revision).toBe(revision)
  })

  test('ends when the objects are deleted, which is retried until it succeeds', async () => {
    const seen: string[][] = []
    const failures = [
      (name: string) => new Error(`no store for ${name}`),
      () => new InstancesRemain('timed out waiting for the condition'),
    ]
    start(
      served,
      definitionFinalizer(async ({ metadata }) => {
        seen.push(await context.hand.names(at()))
        const failure = failures.shift()
        if (failure) throw failure(metadata.name ?? '')
      }),
    )
    await define({ plural: 'things' })
    await running!.idle()
    await context.hand.delete(at('things.example.com'))
    expect((await conditionsOf('things.example.com')).at(-1)).toBe(
      'Terminating True InstanceDeletionFailed: could not delete all objects: no store for things.example.com',
    )
    context.clock.advance(4)
    await running!.idle()
    expect(seen).toHaveLength(1)
    context.clock.advance(1)
    await running!.idle()
    expect((await conditionsOf('things.example.com')).at(-1)).toBe(
      'Terminating True InstanceDeletionCheck: could not confirm zero CustomResources remaining: timed out waiting for the condition',
    )
    context.clock.advance(10)
    await running!.idle()
    expect([seen.length, await context.hand.get(at('things.example.com'))]).toEqual([3, null])
  })

  test('needs no objects removed when the definition was never in force', async () => {
    const removals: string[] = []
    await define({ plural: 'things' })
    await context.hand.patch(at('things.example.com'), {
      metadata: { finalizers: ['x.com/other'] },
    })
    await context.hand.delete(at('things.example.com'))
    start(definitionFinalizer(async ({ metadata }) => void removals.push(metadata.name!)))
    expect(await conditionsOf('things.example.com')).toEqual([
      'Terminating False NeverEstablished: resource was never established',
    ])
    const { metadata } = await context.hand.get(at('things.example.com'))
    expect([removals, metadata.finalizers]).toEqual([[], ['x.com/other']])
  })

  test('a wrong precondition has its own message', async () => {
    const { metadata } = await define({ plural: 'things' })
    await expect(context.hand.delete(at('things.example.com'), { uid: 'x' })).rejects.toMatchObject(
      {
        code: 409,
        message: `Operation cannot be fulfilled on customresourcedefinitions.apiextensions.orch.io "things.example.com": Precondition failed: UID in precondition: x, UID in object meta: ${metadata.uid}`,
      },
    )
  })
})
