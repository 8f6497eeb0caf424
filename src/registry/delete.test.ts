import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inProcess, type Made } from '../server/in-process.fixture.ts'
import { contextOnce, type Call } from './context.ts'
import { deleteOne } from './delete.ts'

const MAPS = ['v1', 'configmaps', 'default'] as const
const JOBS = ['batch/v1', 'jobs', 'default'] as const
const CONTROLLERS = ['v1', 'replicationcontrollers', 'default'] as const
const EVENTS = ['v1', 'events', 'default'] as const
const NAMESPACES = ['v1', 'namespaces', ''] as const
const DEFINITIONS = ['apiextensions{api}/v1', 'customresourcedefinitions', ''] as const
type Kind = readonly [string, string, string]

let world: Awaited<ReturnType<typeof inProcess>>
beforeEach(async () => {
  world = await inProcess()
})
afterEach(() => world.close())

const pods = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }
const content = new Map<string, object>([
  ['jobs', { spec: { template: pods } }],
  [
    'replicationcontrollers',
    {
      spec: {
        selector: { a: 'b' },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
      },
    },
  ],
  ['events', { involvedObject: { namespace: 'default' } }],
  [
    'customresourcedefinitions',
    {
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'xs', kind: 'X' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object' } },
          },
        ],
      },
    },
  ],
])

const nameOf = (kind: Kind) => (kind === DEFINITIONS ? 'xs.example.com' : 'x')

const make = (kind: Kind, finalizers: readonly string[] = []): Promise<Made> =>
  world.hand.create(kind, { metadata: { name: nameOf(kind), finalizers }, ...content.get(kind[1]) })

/** Deletes the object; returns status and kind of the response, and the remaining object. */
async function remove(kind: Kind, options: object) {
  const target = world.hand.target([...kind, nameOf(kind)])
  const bytes = Buffer.from(JSON.stringify(options))
  const call: Call = {
    ...target,
    subresource: '',
    query: new Map(),
    user: { name: '', uid: '', groups: [], extra: {} },
    userAgent: '',
    body: () => Promise.resolve({ bytes, mediaType: 'application/json' }),
    context: contextOnce(world.api),
    warn: () => {},
    signal: () => new AbortController().signal,
  }
  const result = await deleteOne(world.api, call)
  const object = await world.hand.get([...kind, nameOf(kind)])
  return {
    status: result.status,
    is: result.is,
    finalizers: object === null ? null : (object.metadata.finalizers ?? []),
  }
}

describe('a finalizer records the propagation policy', () => {
  const rest = ['x.com/y']
  for (const { title, kind, before, options, finalizers } of [
    { title: 'nothing said', kind: MAPS, before: [], options: {}, finalizers: null },
    {
      title: 'Orphan',
      kind: MAPS,
      before: [],
      options: { propagationPolicy: 'Orphan' },
      finalizers: ['orphan'],
    },
    {
      title: 'the word replaces the one of the object',
      kind: MAPS,
      before: ['orphan', ...rest],
      options: { propagationPolicy: 'Foreground' },
      finalizers: [...rest, 'foregroundDeletion'],
    },
    {
      title: 'Background takes the one of the object away',
      kind: MAPS,
      before: ['foregroundDeletion', ...rest],
      options: { propagationPolicy: 'Background' },
      finalizers: rest,
    },
    {
      title: 'nothing said keeps the one of the object in its place',
      kind: MAPS,
      before: ['foregroundDeletion', ...rest],
      options: {},
      finalizers: ['foregroundDeletion', ...rest],
    },
    { title: 'jobs orphan', kind: JOBS, before: [], options: {}, finalizers: ['orphan'] },
    {
      title: 'replication controllers orphan',
      kind: CONTROLLERS,
      before: [],
      options: {},
      finalizers: ['orphan'],
    },
    {
      title: 'jobs orphan unless the object says otherwise',
      kind: JOBS,
      before: ['foregroundDeletion'],
      options: {},
      finalizers: ['foregroundDeletion'],
    },
    {
      title: 'jobs orphan unless the request says otherwise',
      kind: JOBS,
      before: [],
      options: { propagationPolicy: 'Background' },
      finalizers: null,
    },
    {
      title: 'jobs orphan unless the old word says otherwise',
      kind: JOBS,
      before: [],
      options: { orphanDependents: false },
      finalizers: null,
    },
    {
      title: 'nobody collects events',
      kind: EVENTS,
      before: [],
      options: { propagationPolicy: 'Foreground' },
      finalizers: null,
    },
    {
      title: 'a namespace, by the old word',
      kind: NAMESPACES,
      before: [],
      options: { orphanDependents: false },
      finalizers: ['foregroundDeletion'],
    },
  ]) {
    test(title, async () => {
      await make(kind, before)
      expect((await remove(kind, options)).finalizers).toEqual(finalizers)
    })
  }
})

test('each delete that leaves a definition in place returns it', async () => {
  await make(DEFINITIONS)
  const finalizers = ['customresourcecleanup.apiextensions.orch.io']
  expect([await remove(DEFINITIONS, {}), await remove(DEFINITIONS, {})]).toEqual([
    { status: 200, is: 'object', finalizers },
    { status: 200, is: 'object', finalizers },
  ])
})

test('a dry run returns the marked definition and stores nothing', async () => {
  await make(DEFINITIONS)
  expect(await remove(DEFINITIONS, { dryRun: ['All'] })).toEqual({
    status: 200,
    is: 'object',
    finalizers: [],
  })
})

for (const kind of [NAMESPACES, DEFINITIONS]) {
  test(`a failed precondition of ${kind[1]} names the resource, once marked the kind`, async () => {
    const { metadata, kind: word } = { ...(await make(kind)) }
    const { group, resource } = world.hand.served(kind).name
    const name = nameOf(kind)
    const of = (what: string) => (group === '' ? what : `${what}.${group}`)
    const wrong = (preconditions: object) => remove(kind, { preconditions })
    await expect(wrong({ uid: 'u' })).rejects.toMatchObject({
      code: 409,
      message: `Operation cannot be fulfilled on ${of(resource)} "${name}": Precondition failed: UID in precondition: u, UID in object meta: ${metadata.uid}`,
    })
    await expect(wrong({ resourceVersion: '1' })).rejects.toMatchObject({
      code: 409,
      message: `Operation cannot be fulfilled on ${of(resource)} "${name}": Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: ${metadata.resourceVersion}`,
    })
    await remove(kind, {})
    await expect(wrong({ uid: 'u' })).rejects.toMatchObject({
      code: 409,
      message: `Operation cannot be fulfilled on ${of(word)} "${name}": the UID in the precondition (u) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    })
  })
}
