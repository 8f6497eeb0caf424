/** What admission plugins know of a request: user and time, the same in all of its steps. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { admissionChain } from '../admission/chain.ts'
import type { Attributes, Operation } from '../admission/attributes.ts'
import type { Clock } from '../base/clock.ts'
import { inProcess } from '../server/in-process.fixture.ts'
import { contextOnce, type Api, type Body, type Call, type User } from './context.ts'
import { create } from './create.ts'
import { deleteCollection, deleteOne } from './delete.ts'
import { patch } from './patch.ts'
import { update } from './update.ts'
import { evictPod } from './actions/eviction.ts'

const ALICE: User = { name: 'alice', uid: 'u1', groups: ['staff'], extra: { reason: ['work'] } }

let world: Awaited<ReturnType<typeof inProcess>>
let seen: (Pick<Attributes, 'operation' | 'name' | 'user' | 'now'> & { phase: string })[]
let api: Api

/** Advances one millisecond at every read, so that two reads differ. */
const moving = (clock: Clock): Clock => ({
  now: () => {
    at++
    return clock.now() + at
  },
  after: (ms, run) => clock.after(ms, run),
})
let at = 0

beforeEach(async () => {
  world = await inProcess()
  seen = []
  at = 0
  const watch =
    (phase: string) =>
    ({ operation, name, user, now }: Attributes) => {
      seen.push({ phase, operation, name, user, now })
    }
  const plugin = { handles: () => true, mutate: watch('mutate'), validate: watch('validate') }
  api = {
    ...world.api,
    clock: moving(world.clock),
    admission: admissionChain([plugin], world.clock),
  }
})
afterEach(() => world.close())

const call = (
  of: { resource?: string; name?: string; subresource?: string },
  body: Partial<Body> & { value?: object } = {},
): Call => {
  const served = api.catalogue.find('', 'v1', of.resource ?? 'configmaps')!
  const { mediaType = 'application/json', value } = body
  const bytes = value === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(value))
  return {
    served,
    subresource: of.subresource ?? '',
    namespace: 'default',
    name: of.name ?? '',
    query: new Map(),
    user: ALICE,
    userAgent: 'test',
    body: () => Promise.resolve({ bytes, mediaType }),
    context: contextOnce(api, ALICE, served),
    warn: () => {},
    signal: () => new AbortController().signal,
  }
}

const map = (name: string, n = 0) => ({ metadata: { name }, data: { n: String(n) } })
const merge = { mediaType: 'application/merge-patch+json' }
const applied = { mediaType: 'application/apply-patch+yaml' }

describe('user and time of a request reach every plugin, the same in every step', () => {
  const rows: { name: string; run: () => Promise<unknown>; operation: Operation }[] = [
    {
      name: 'create',
      operation: 'CREATE',
      run: () => create(api, call({}, { value: map('new') })),
    },
    {
      name: 'update',
      operation: 'UPDATE',
      run: () => update(api, call({ name: 'x' }, { value: map('x', 1) })),
    },
    {
      name: 'patch',
      operation: 'UPDATE',
      run: () => patch(api, call({ name: 'x' }, { value: { data: { n: '2' } }, ...merge })),
    },
    {
      name: 'apply',
      operation: 'UPDATE',
      run: () => {
        const one = call(
          { name: 'x' },
          { value: { kind: 'ConfigMap', apiVersion: 'v1', ...map('x', 3) }, ...applied },
        )
        const query = new Map([
          ['fieldManager', ['a']],
          ['force', ['true']],
        ])
        return patch(api, { ...one, query })
      },
    },
    {
      name: 'delete',
      operation: 'DELETE',
      run: () => deleteOne(api, call({ name: 'x' })),
    },
    {
      name: 'deletecollection',
      operation: 'DELETE',
      run: () => deleteCollection(api, call({})),
    },
    {
      name: 'eviction',
      operation: 'CREATE',
      run: () => {
        const value = { metadata: { name: 'p' }, kind: 'Eviction', apiVersion: 'policy/v1' }
        const one = call({ resource: 'pods', name: 'p', subresource: 'eviction' }, { value })
        const action = one.served.subresources.get('eviction')
        if (action?.serves !== 'action') throw new Error('no eviction')
        return evictPod(api, one, action)
      },
    },
  ]
  for (const { name, run, operation } of rows) {
    test(name, async () => {
      await create(api, call({}, { value: map('x') }))
      await create(api, call({}, { value: map('y') }))
      const spec = { containers: [{ name: 'c', image: 'i' }] }
      await create(api, call({ resource: 'pods' }, { value: { metadata: { name: 'p' }, spec } }))
      seen = []
      await run()
      expect(new Set(seen.map((one) => one.phase))).toEqual(new Set(['mutate', 'validate']))
      expect(new Set(seen.map((one) => one.operation))).toEqual(new Set([operation]))
      for (const { user } of seen) expect(user).toEqual(ALICE)
      expect(new Set(seen.map(({ now }) => now)).size).toBe(1)
    })
  }

  test('the stored object has the time that plugins saw', async () => {
    await create(api, call({}, { value: map('x') }))
    const { metadata } = await world.hand.get(['v1', 'configmaps', 'default', 'x'])
    const time = new Date(seen[0]!.now).toISOString().replace(/\.\d+Z/, 'Z')
    expect(metadata.creationTimestamp).toBe(time)
    expect(metadata.managedFields[0].time).toBe(time)
  })
})
