import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { alwaysAllow } from '../authz/always.ts'
import type { Transport } from '../client/transport.ts'
import { localClient } from '../loopback/local-client.ts'
import { inProcess, type Made } from '../server/in-process.fixture.ts'
import { garbageCollector } from './garbage-collector.ts'
import { startControllers, type RunningControllers } from './index.ts'

const maps = (name = '', namespace = 'default') => ['v1', 'configmaps', namespace, name] as const
const classes = (name = '') => ['storage{api}/v1', 'storageclasses', '', name] as const
const jobs = (name = '') => ['batch/v1', 'jobs', 'default', name] as const
const events = ['v1', 'events', 'default', ''] as const

let context: Awaited<ReturnType<typeof inProcess>>
let running: RunningControllers
const start = () => (running = startControllers(context.controllerContext, [garbageCollector]))
beforeEach(async () => {
  context = await inProcess()
  start()
})
afterEach(async () => {
  await running.stop()
  await context.close()
})

interface Reference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  blockOwnerDeletion?: boolean
}
const reference = (owner: Made, more: Partial<Reference> = {}): Reference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid,
  ...more,
})
const blocking = (owner: Made) => reference(owner, { blockOwnerDeletion: true })

/** Creates a config map. */
const map = async (
  name: string,
  ownerReferences: readonly Reference[] = [],
  { finalizers = [] as string[], namespace = 'default' } = {},
): Promise<Made> => {
  await context.hand.create(maps('', namespace), {
    metadata: { name, ownerReferences, finalizers },
  })
  return context.hand.get(maps(name, namespace))
}
/** Creates a storage class. */
const storageClass = async (name: string, ownerReferences: readonly Reference[] = []) => {
  await context.hand.create(classes(), {
    metadata: { name, ownerReferences },
    provisioner: 'x.com/y',
  })
  return context.hand.get(classes(name))
}
const left = async (namespace = 'default') => {
  await running.idle()
  return context.hand.names(maps('', namespace))
}
const ownersOf = async (name: string) => {
  await running.idle()
  const { metadata } = await context.hand.get(maps(name))
  return (metadata.ownerReferences ?? []).map(({ name }: Reference) => name)
}

describe('a resource without objects', () => {
  const isWatched = () => {
    const { keyPrefix } = context.hand.served(classes()).storage
    return context.api.cache.loaded(keyPrefix) !== undefined
  }

  test('is watched from its first object on', async () => {
    await running.idle()
    expect(isWatched()).toBe(false)
    await context.hand.create(classes(), { metadata: { name: 'a' }, provisioner: 'x.com/y' })
    await running.idle()
    expect(isWatched()).toBe(true)
  })

  test('gets a first object whose owner is gone', async () => {
    const apiVersion = context.api.v.resolve('storage{api}/v1')
    await storageClass('a', [{ apiVersion, kind: 'StorageClass', name: 'owner', uid: 'gone' }])
    await running.idle()
    expect(await context.hand.names(classes())).toEqual([])
  })

  test('gets owners, becomes empty, and gets more', async () => {
    for (const round of [1, 2, 3]) {
      const owner = await storageClass('owner')
      await map('dependent', [reference(owner)])
      expect([round, await left()]).toEqual([round, ['dependent']])
      await context.hand.delete(classes('owner'))
      expect([round, await left()]).toEqual([round, []])
    }
  })

  test('has an owner that comes and goes before it is watched', async () => {
    await running.stop()
    const { api, controllerContext } = context
    const asked: string[] = []
    let open = () => {}
    const gate = new Promise<void>((resolve) => (open = resolve))
    const client = localClient({
      api,
      authorizer: alwaysAllow,
      user: { name: 'collector', uid: '', groups: ['system:authenticated'], extra: {} },
      userAgent: 'collector',
      wrap: (inner): Transport => ({
        send(request) {
          asked.push(`${request.of.resource} ${request.name}`)
          return inner.send(request)
        },
        watch: (request, sink) => inner.watch(request, sink),
        discover: (signal) => inner.discover(signal),
        generation: inner.generation!,
        onGeneration: inner.onGeneration!,
        presence: inner.presence!,
        async follow(request, target) {
          if (request.of.resource === 'storageclasses') await gate
          return inner.follow!(request, target)
        },
        close: () => inner.close(),
      }),
    })
    running = startControllers(
      { ...controllerContext, managerClient: () => client, clientFor: () => client },
      [garbageCollector],
    )
    // Config maps are watched by now.
    await map('first')
    await running.idle()
    const owner = await storageClass('owner')
    await map('dependent', [reference(owner)])
    // It is found to have an owner.
    await vi.waitFor(() => expect(asked).toContain('storageclasses owner'))
    await context.hand.delete(classes('owner'))
    open()
    expect(await left()).toEqual(['first'])
    client.close()
  })
})

describe('background', () => {
  test('dependents are deleted after their owner, and theirs after them', async () => {
    const a = await map('a')
    const b = await map('b', [reference(a)])
    await map('c', [reference(b)])
    await map('d')
    expect(await left()).toEqual(['a', 'b', 'c', 'd'])
    await context.hand.delete(maps('a'))
    expect(await left()).toEqual(['d'])
  })

  test('a dependent stays while one owner is there, and loses the references to others', async () => {
    const [a, b] = [await map('a'), await map('b')]
    await map('c', [reference(a), reference(b)])
    await context.hand.delete(maps('a'))
    expect(await ownersOf('c')).toEqual(['b'])
    await context.hand.delete(maps('b'))
    expect(await left()).toEqual([])
  })

  test('an object whose owner never existed is deleted at once', async () => {
    const a = await map('a')
    await map('b', [reference(a, { uid: 'other' })])
    await map('c', [reference(a, { name: 'other' })])
    expect(await left()).toEqual(['a'])
  })

  test('a namesake made later is another owner', async () => {
    const a = await map('a', [], { finalizers: ['x.com/wait'] })
    await map('b', [reference(a)])
    await context.hand.delete(maps('a'))
    expect(await left()).toEqual(['a', 'b'])
    await running.stop()
    await context.hand.patch(maps('a'), { metadata: { finalizers: null } })
    await map('a')
    start()
    expect(await left()).toEqual(['a'])
  })

  test('orphans from before the start are found', async () => {
    const a = await map('a')
    await map('b', [reference(a)])
    await running.stop()
    await context.hand.delete(maps('a'))
    expect(await context.hand.names(maps())).toEqual(['b'])
    start()
    expect(await left()).toEqual([])
  })

  test('an owner of an unknown kind keeps its dependents', async () => {
    await map('b', [{ apiVersion: 'x.com/v1', kind: 'Thing', name: 'a', uid: 'u' }])
    expect(await left()).toEqual(['b'])
  })

  test('a reference that is added late counts too', async () => {
    const a = await map('a')
    await map('b')
    await context.hand.delete(maps('a'))
    await context.hand.patch(maps('b'), { metadata: { ownerReferences: [reference(a)] } })
    expect(await left()).toEqual([])
  })

  test('finalizers of others keep a dependent until they are done', async () => {
    const a = await map('a')
    await map('b', [reference(a)], { finalizers: ['x.com/wait'] })
    await context.hand.delete(maps('a'))
    expect(await left()).toEqual(['b'])
    const { metadata } = await context.hand.get(maps('b'))
    expect(metadata.deletionTimestamp).toBe('2024-01-02T03:04:05Z')
    await context.hand.patch(maps('b'), { metadata: { finalizers: null } })
    expect(await left()).toEqual([])
  })

  test('many dependents of one owner all go', async () => {
    const a = await map('a')
    await Promise.all(Array.from({ length: 300 }, (_, i) => map(`d${i}`, [reference(a)])))
    await context.hand.delete(maps('a'))
    expect(await left()).toEqual([])
  })
})

describe('scopes', () => {
  test('an owner of cluster scope may have dependents in namespaces', async () => {
    const owner = await storageClass('s')
    await map('b', [reference(owner)])
    expect(await left()).toEqual(['b'])
    await context.hand.delete(classes('s'))
    expect(await left()).toEqual([])
  })

  const eventsOf = async () => {
    const all = []
    for (const name of await context.hand.names(events)) {
      const { metadata, ...event } = await context.hand.get(['v1', 'events', 'default', name])
      all.push({ metadata: { namespace: metadata.namespace }, ...event })
    }
    return all
  }
  /** The event about the first of the references of an object. */
  const eventAbout = (dependent: Made, owner: Made) => {
    const { namespace = '', name, uid } = dependent.metadata
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: 'default' },
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      message: `ownerRef [v1/ConfigMap, namespace: ${namespace}, name: a, uid: ${owner.metadata.uid}] does not exist in namespace "${namespace}"`,
      involvedObject: {
        apiVersion: dependent.apiVersion,
        kind: dependent.kind,
        ...(namespace === '' ? {} : { namespace }),
        name,
        uid,
      },
      source: { component: 'garbage-collector-controller' },
      firstTimestamp: '2024-01-02T03:04:05Z',
      lastTimestamp: '2024-01-02T03:04:05Z',
      count: 1,
      eventTime: null,
    }
  }

  test('an owner in another namespace is no owner, which an event reports', async () => {
    await context.hand.create(['v1', 'namespaces'], { metadata: { name: 'n' } })
    const a = await map('a', [], { namespace: 'n' })
    const b = await map('b', [reference(a)])
    expect(await left()).toEqual([])
    expect(await eventsOf()).toEqual([eventAbout(b, a)])
  })

  test('an object of cluster scope with a namespaced owner stays, which an event reports once', async () => {
    const a = await map('a')
    const s = await storageClass('s', [reference(a)])
    await running.idle()
    expect(await eventsOf()).toEqual([eventAbout(s, a)])
    await context.hand.patch(classes('s'), {
      metadata: { ownerReferences: [blocking(a)] },
    })
    await running.idle()
    expect(await eventsOf()).toHaveLength(1)
    await context.hand.delete(maps('a'), { policy: 'Foreground' })
    await running.idle()
    expect(await context.hand.names(classes())).toEqual(['s'])
    expect(await eventsOf()).toHaveLength(1)
  })

  test('an object of cluster scope with an owner in a namespace that never was there stays', async () => {
    const a = await map('a')
    await storageClass('s', [reference(a, { uid: 'another' })])
    await running.idle()
    expect(await context.hand.names(classes())).toEqual(['s'])
    expect(await eventsOf()).toEqual([])
  })
})

describe('orphans', () => {
  test('lose the reference and stay, and then the owner is deleted', async () => {
    const [a, other] = [await map('a'), await map('other')]
    await map('b', [reference(a), reference(other)])
    await map('c', [blocking(a)])
    await context.hand.delete(maps('a'), { policy: 'Orphan' })
    expect(await left()).toEqual(['b', 'c', 'other'])
    expect([await ownersOf('b'), await ownersOf('c')]).toEqual([['other'], []])
  })

  test('are left by a deleted job by default', async () => {
    const job = {
      metadata: { name: 'j' },
      spec: {
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
      },
    }
    for (const { removal, stays } of [
      { removal: {}, stays: ['b'] },
      { removal: { policy: 'Background' }, stays: [] },
    ] as const) {
      await context.hand.create(jobs(), job)
      await map('b', [reference(await context.hand.get(jobs('j')))])
      await context.hand.delete(jobs('j'), removal)
      await running.idle()
      expect([await context.hand.names(jobs()), await left()]).toEqual([[], stays])
      if (stays.length > 0) await context.hand.delete(maps('b'))
    }
  })
})

describe('foreground', () => {
  test('the owner waits for dependents that block it, and only for those', async () => {
    const a = await map('a')
    await map('b', [blocking(a)], { finalizers: ['x.com/wait'] })
    await map('c', [reference(a)], { finalizers: ['x.com/wait'] })
    await map('d', [blocking(a)])
    await context.hand.delete(maps('a'), { policy: 'Foreground' })
    expect(await left()).toEqual(['a', 'b', 'c'])
    await context.hand.patch(maps('b'), { metadata: { finalizers: null } })
    expect(await left()).toEqual(['c'])
  })

  test('descends to dependents of dependents, the last first', async () => {
    const a = await map('a')
    const b = await map('b', [blocking(a)])
    await map('c', [blocking(b)], { finalizers: ['x.com/wait'] })
    await context.hand.delete(maps('a'), { policy: 'Foreground' })
    expect(await left()).toEqual(['a', 'b', 'c'])
    const { metadata } = await context.hand.get(maps('b'))
    expect(metadata.finalizers).toEqual(['foregroundDeletion'])
    await context.hand.patch(maps('c'), { metadata: { finalizers: null } })
    expect(await left()).toEqual([])
  })

  test('a dependent with another owner stays, and blocks no more', async () => {
    const [a, other] = [await map('a'), await map('other')]
    await map('b', [blocking(a), reference(other)])
    await context.hand.delete(maps('a'), { policy: 'Foreground' })
    expect(await left()).toEqual(['b', 'other'])
    expect(await ownersOf('b')).toEqual(['other'])
  })

  test('a reference that ceases to block, or is removed, releases the owner', async () => {
    for (const ownerReferences of [
      (a: Made) => [reference(a, { blockOwnerDeletion: false })],
      () => null,
    ]) {
      const a = await map('a')
      await map('b', [blocking(a)], { finalizers: ['x.com/wait'] })
      await context.hand.delete(maps('a'), { policy: 'Foreground' })
      expect(await left()).toEqual(['a', 'b'])
      await context.hand.patch(maps('b'), { metadata: { ownerReferences: ownerReferences(a) } })
      expect(await left()).toEqual(['b'])
      await context.hand.patch(maps('b'), { metadata: { finalizers: null } })
      await running.idle()
    }
  })

  test('objects that own each other do not wait for ever', async () => {
    const a = await map('a')
    const b = await map('b', [blocking(a)])
    await context.hand.patch(maps('a'), { metadata: { ownerReferences: [blocking(b)] } })
    await context.hand.delete(maps('a'), { policy: 'Foreground' })
    expect(await left()).toEqual([])
  })

  test('an owner without dependents is deleted at once, also after a restart', async () => {
    await map('a')
    await running.stop()
    await context.hand.delete(maps('a'), { policy: 'Foreground' })
    expect(await context.hand.names(maps())).toEqual(['a'])
    start()
    expect(await left()).toEqual([])
  })
})

test('text that looks like metadata is none', async () => {
  const text = '"ownerReferences":[{"uid":"u"}],"finalizers":["orphan"],"uid":"x"'
  await context.hand.create(maps(), {
    metadata: { name: 'a', annotations: { t: text, deletionTimestamp: 'no', uid: 'u' } },
  })
  const a = await context.hand.get(maps('a'))
  await map('b', [reference(a)], { finalizers: ['orphan'] })
  expect(await left()).toEqual(['a', 'b'])
  await context.hand.patch(maps('b'), { metadata: { finalizers: null, annotations: { x: ']"]' } } })
  await context.hand.delete(maps('a'))
  expect(await left()).toEqual([])
})

/** One step of a random history; numbers pick among the objects that there are. */
const step = fc.oneof(
  fc.record({
    does: fc.constant('make' as const),
    owners: fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 3 }),
  }),
  fc.record({
    does: fc.constant('own' as const),
    one: fc.nat(),
    owners: fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 2 }),
  }),
  fc.record({
    does: fc.constant('delete' as const),
    one: fc.nat(),
    policy: fc.constantFrom('Orphan' as const, 'Background' as const, 'Foreground' as const),
  }),
  fc.record({ does: fc.constant('settle' as const) }),
)

test('after any history, no object outlives its owners, and none waits for ever', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 16 }), async (steps) => {
      await running.stop()
      await context.close()
      context = await inProcess()
      start()
      let made = 0
      for (const one of steps) {
        const names = await context.hand.names(maps())
        const pick = (n: number) => names[n % names.length]
        const references = async (owners: readonly (readonly [number, boolean])[]) => {
          const list: Reference[] = []
          for (const [n, blocks] of owners) {
            const name = pick(n)
            const owner = name === undefined ? null : await context.hand.get(maps(name))
            if (owner && !list.some(({ uid }) => uid === owner.metadata.uid))
              list.push(reference(owner, { blockOwnerDeletion: blocks }))
          }
          return list
        }
        if (one.does === 'settle') await running.idle()
        else if (one.does === 'make') await map(`m${made++}`, await references(one.owners))
        else {
          const name = pick(one.one)
          const target = name === undefined ? null : await context.hand.get(maps(name))
          if (!target) continue
          try {
            if (one.does === 'delete') await context.hand.delete(maps(name), { policy: one.policy })
            else {
              const ownerReferences = await references(one.owners)
              await context.hand.patch(maps(name), { metadata: { ownerReferences } })
            }
          } catch (error) {
            // The collector may have been faster.
            expect(error).toMatchObject({ code: 404 })
          }
        }
      }
      await settled()
      const names = await context.hand.names(maps())
      const objects: Made[] = await Promise.all(names.map((name) => context.hand.get(maps(name))))
      const uids = new Set(objects.map(({ metadata }) => metadata.uid))
      const wrong = objects.filter(({ metadata }) => {
        if (metadata.deletionTimestamp !== undefined) return true
        const owners: Reference[] = metadata.ownerReferences ?? []
        return owners.some(({ uid }) => !uids.has(uid))
      })
      expect(wrong).toEqual([])
      for (const name of names) {
        await context.hand.delete(maps(name), { policy: 'Background' }).catch(() => {})
      }
      await settled()
      expect(await context.hand.names(maps())).toEqual([])
    }),
    { numRuns: 40 },
  )
})

/** Lets transient failures be retried. */
async function settled() {
  for (let i = 0; i < 6; i++) {
    await running.idle()
    context.clock.advance(1000)
  }
  await running.idle()
}
