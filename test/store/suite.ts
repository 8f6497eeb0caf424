/** What any engine must do; run against each. A skipped case names its reason. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import type { TimeToLive } from '../../src/engine/expiry.ts'
import type { Change, Engine, Event, Item } from '../../src/engine/engine.ts'

const bytes = (text: string) => Buffer.from(text)
const text = (item: Item | null) => (item ? Buffer.from(item.value).toString() : null)

export interface SuiteOptions {
  /** Why no case can run here; null: all run. */
  readonly skip?: string | null
  /** Whether commits that are under way together happen in the order of their calls. */
  readonly ordered?: boolean
  /** Whether keys go by the machine's time, not by the clock that the engine was given. */
  readonly realTime?: boolean
}

/** What a case of keys that go by themselves does, in order. */
type Step =
  | { readonly put: string; readonly life?: number; readonly at?: 'absent' }
  | { readonly remove: string }

export function storeSuite(
  name: string,
  open: (clock: ManualClock, ttlMs: TimeToLive) => Promise<Engine>,
  { skip = null, ordered = true, realTime = false }: SuiteOptions = {},
): void {
  describe.skipIf(skip !== null)(`store ${name}${skip === null ? '' : ` (${skip})`}`, () => {
    let engine: Engine
    let clock: ManualClock
    let life: number | undefined

    beforeEach(async () => {
      clock = new ManualClock()
      life = undefined
      engine = await open(clock, () => life)
    })
    afterEach(() => engine.close())

    const put = (key: string, value: string, ifChangedAt?: number) =>
      engine.commit([
        { key, value: bytes(value), ...(ifChangedAt === undefined ? {} : { ifChangedAt }) },
      ])
    const remove = (key: string, ifChangedAt?: number) =>
      engine.commit([{ key, value: null, ...(ifChangedAt === undefined ? {} : { ifChangedAt }) }])
    const keys = async (prefix: string, options = {}) =>
      (await engine.range(prefix, options)).items.map((i) => `${i.key}@${i.changed}=${text(i)}`)
    const feed = async (prefix: string, from: number, to = engine.revision()) => {
      const events: string[] = []
      for await (const batch of engine.changes(prefix, from, to)) {
        for (const e of batch) {
          const now = e.value ? Buffer.from(e.value).toString() : '-'
          events.push(`${e.at} ${e.key} ${now} <- ${text(e.before ?? null) ?? '-'}`)
        }
      }
      return events
    }

    test('an empty store has revision 0 and nothing in it', async () => {
      expect([
        engine.revision(),
        engine.oldest(),
        await engine.get('/registry/a'),
        await keys('/registry/'),
      ]).toEqual([0, 0, null, []])
    })

    for (const { title, steps, want } of [
      {
        title: 'create when absent',
        steps: [['/registry/a', '1', 0]],
        want: [{ done: true, at: 1 }],
      },
      {
        title: 'create when present fails and shows what is there',
        steps: [
          ['/registry/a', '1', 0],
          ['/registry/a', '2', 0],
        ],
        want: [{ done: true, at: 1 }, 'found /registry/a@1=1'],
      },
      {
        title: 'update at the right revision',
        steps: [
          ['/registry/a', '1', 0],
          ['/registry/a', '2', 1],
        ],
        want: [
          { done: true, at: 1 },
          { done: true, at: 2 },
        ],
      },
      {
        title: 'update at an old revision fails',
        steps: [
          ['/registry/a', '1', 0],
          ['/registry/a', '2', 1],
          ['/registry/a', '3', 1],
        ],
        want: [{ done: true, at: 1 }, { done: true, at: 2 }, 'found /registry/a@2=2'],
      },
      {
        title: 'update of what is absent fails',
        steps: [['/registry/a', '1', 7]],
        want: ['found nothing'],
      },
      {
        title: 'delete at the right revision, then create anew',
        steps: [
          ['/registry/a', '1', 0],
          ['/registry/a', null, 1],
          ['/registry/a', '2', 0],
        ],
        want: [
          { done: true, at: 1 },
          { done: true, at: 2 },
          { done: true, at: 3 },
        ],
      },
      {
        title: 'delete of what is absent changes nothing',
        steps: [
          ['/registry/b', '1', 0],
          ['/registry/a', null],
        ],
        want: [
          { done: true, at: 1 },
          { done: true, at: 1 },
        ],
      },
    ] as { title: string; steps: [string, string | null, number?][]; want: unknown[] }[]) {
      test(title, async () => {
        const got: unknown[] = []
        for (const [key, value, at] of steps) {
          const commit = value === null ? await remove(key, at) : await put(key, value, at)
          got.push(
            commit.done
              ? commit
              : commit.found
                ? `found ${commit.found.key}@${commit.found.changed}=${text(commit.found)}`
                : 'found nothing',
          )
        }
        expect(got).toEqual(want)
      })
    }

    test('a transaction changes all or nothing, under one revision', async () => {
      const both: Change[] = [
        { key: '/registry/x', value: bytes('1'), ifChangedAt: 0 },
        { key: '/registry/y', value: bytes('1'), ifChangedAt: 0 },
      ]
      expect(await engine.commit(both)).toEqual({ done: true, at: 1 })
      const failed = await engine.commit([
        { key: '/registry/x', value: bytes('2'), ifChangedAt: 1 },
        { key: '/registry/y', value: bytes('2'), ifChangedAt: 9 },
      ])
      expect(failed.done ? null : [failed.key, failed.found?.changed]).toEqual(['/registry/y', 1])
      expect(await keys('/registry/')).toEqual(['/registry/x@1=1', '/registry/y@1=1'])
      expect(await feed('/registry/', 0)).toEqual(['1 /registry/x 1 <- -', '1 /registry/y 1 <- -'])
    })

    test('older revisions are read as they were', async () => {
      await put('/registry/a', '1')
      await put('/registry/b', '1')
      await put('/registry/a', '2')
      await remove('/registry/b')
      await put('/registry/c', '1')
      expect([
        await keys('/registry/', { at: 1 }),
        await keys('/registry/', { at: 2 }),
        await keys('/registry/', { at: 3 }),
        await keys('/registry/', { at: 4 }),
        await keys('/registry/'),
      ]).toEqual([
        ['/registry/a@1=1'],
        ['/registry/a@1=1', '/registry/b@2=1'],
        ['/registry/a@3=2', '/registry/b@2=1'],
        ['/registry/a@3=2'],
        ['/registry/a@3=2', '/registry/c@5=1'],
      ])
      expect([
        text(await engine.get('/registry/b', { at: 3 })),
        text(await engine.get('/registry/b', { at: 4 })),
      ]).toEqual(['1', null])
      const created = await engine.get('/registry/a')
      expect([created?.created, created?.changed]).toEqual([1, 3])
      await expect(engine.get('/registry/a', { at: 6 })).rejects.toThrow('current revision is 5')
      await expect(engine.range('/registry/', { at: 6 })).rejects.toThrow('current revision is 5')
    })

    test('ranges are in order of bytes, stay under their prefix and come in pages', async () => {
      for (const key of [
        '/registry/t/b',
        '/registry/t/a',
        '/registry/t/ä',
        '/registry/t/a-b',
        '/registry/t/a/b',
        '/registry/tt/x',
        '/registry/s/x',
        '/registry/t/\u{1f600}',
        '/registry/t/\uffee',
      ])
        await put(key, '1')
      const all = (await engine.range('/registry/t/')).items.map((i) => i.key)
      expect(all).toEqual([
        '/registry/t/a',
        '/registry/t/a-b',
        '/registry/t/a/b',
        '/registry/t/b',
        '/registry/t/ä',
        '/registry/t/\uffee',
        '/registry/t/\u{1f600}',
      ])
      const page = await engine.range('/registry/t/', { limit: 2 })
      expect([page.items.map((i) => i.key), page.more]).toEqual([
        ['/registry/t/a', '/registry/t/a-b'],
        true,
      ])
      const next = await engine.range('/registry/t/', { limit: 5, start: '/registry/t/a-b\0' })
      expect([next.items.map((i) => i.key), next.more]).toEqual([
        [
          '/registry/t/a/b',
          '/registry/t/b',
          '/registry/t/ä',
          '/registry/t/\uffee',
          '/registry/t/\u{1f600}',
        ],
        false,
      ])
      expect((await engine.range('/registry/t/', { start: '/registry/a' })).items.length).toBe(7)
    })

    test('values of any bytes and of 1.5 MiB come back as they were', async () => {
      const big = Buffer.alloc(1_572_864, 7)
      const all = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
      await engine.commit([
        { key: '/registry/big', value: big },
        { key: '/registry/all', value: all },
        { key: '/registry/none', value: Buffer.alloc(0) },
      ])
      expect(Buffer.from((await engine.get('/registry/big'))!.value).equals(big)).toBe(true)
      expect(Buffer.from((await engine.get('/registry/all'))!.value).equals(all)).toBe(true)
      expect((await engine.get('/registry/none'))!.value.length).toBe(0)
    })

    test('200 commits at a time: each its own revision, in order, each told once', async () => {
      const told: Event[] = []
      const end = engine.subscribe((events) => told.push(...events))
      const commits = await Promise.all(
        Array.from({ length: 200 }, (_, i) => put(`/registry/k${i}`, String(i), 0)),
      )
      end()
      const given = commits.map((c) => (c.done ? c.at : 0))
      const want = Array.from({ length: 200 }, (_, i) => i + 1)
      expect(ordered ? given : given.toSorted((a, b) => a - b)).toEqual(want)
      expect(told.map((e) => `${e.at} ${e.key}`)).toEqual(
        want.map((at) => `${at} /registry/k${given.indexOf(at)}`),
      )
      await put('/registry/later', '1')
      expect(told.length).toBe(200)
    })

    test('of commits that race for one key, one wins', async () => {
      const commits = await Promise.all(
        Array.from({ length: 20 }, (_, i) => put('/registry/one', String(i), 0)),
      )
      expect(commits.filter((c) => c.done).length).toBe(1)
      const winner = commits.findIndex((c) => c.done)
      if (ordered) expect(winner).toBe(0)
      expect(await keys('/registry/')).toEqual([`/registry/one@1=${winner}`])
    })

    test('subscribers hear before the commit resolves', async () => {
      const order: string[] = []
      engine.subscribe((events) => order.push(...events.map((e) => `told ${e.at}`)))
      await put('/registry/a', '1').then(() => order.push('resolved'))
      expect(order).toEqual(['told 1', 'resolved'])
    })

    test('the feed tells what was there before', async () => {
      await put('/registry/a', '1')
      await put('/registry/b/x', '1')
      await put('/registry/a', '2')
      await remove('/registry/a')
      await put('/registry/a', '3')
      expect(await feed('/registry/', 0)).toEqual([
        '1 /registry/a 1 <- -',
        '2 /registry/b/x 1 <- -',
        '3 /registry/a 2 <- 1',
        '4 /registry/a - <- 2',
        '5 /registry/a 3 <- -',
      ])
      expect(await feed('/registry/', 2, 4)).toEqual([
        '3 /registry/a 2 <- 1',
        '4 /registry/a - <- 2',
      ])
      expect(await feed('/registry/b/', 0)).toEqual(['2 /registry/b/x 1 <- -'])
      expect(await feed('/registry/', 5)).toEqual([])
    })

    test('compaction forgets what was, not what is', async () => {
      await put('/registry/a', '1')
      await put('/registry/b', '1')
      await put('/registry/a', '2')
      await remove('/registry/b')
      await put('/registry/a', '3')
      await engine.compact(4)
      expect(engine.oldest()).toBe(4)
      expect(await keys('/registry/', { at: 4 })).toEqual(['/registry/a@3=2'])
      expect(await keys('/registry/')).toEqual(['/registry/a@5=3'])
      expect(await feed('/registry/', 4)).toEqual(['5 /registry/a 3 <- 2'])
      await expect(engine.range('/registry/', { at: 3 })).rejects.toThrow(
        'history starts at revision 4',
      )
      await expect(feed('/registry/', 3)).rejects.toThrow('history starts at revision 4')
      await engine.compact(2)
      expect(engine.oldest()).toBe(4)
      await engine.compact(99)
      expect([engine.oldest(), await keys('/registry/')]).toEqual([5, ['/registry/a@5=3']])
      expect(await put('/registry/b', '2', 0)).toEqual({ done: true, at: 6 })
    })

    test('what is read during a compaction is whole, or refused', async () => {
      for (let i = 1; i <= 10; i++) {
        await put('/registry/a', String(i))
        await put('/registry/b', String(i))
        await remove('/registry/b')
      }
      const to = engine.revision()
      const whole = [await feed('/registry/', 4), await keys('/registry/', { at: 4 })]
      const old = await engine.get('/registry/b', { at: 5 })
      let isOver = false
      const compacting = engine.compact(to).finally(() => (isOver = true))
      const refused = (error: Error) => {
        expect(error).toMatchObject({ name: 'Compacted' })
        return 'refused' as const
      }
      const seen = new Set<unknown>()
      const look = async () => {
        const events = await feed('/registry/', 4, to).catch(refused)
        if (events !== 'refused') expect(events).toEqual(whole[0])
        const items = await keys('/registry/', { at: 4 }).catch(refused)
        if (items !== 'refused') expect(items).toEqual(whole[1])
        const item = await engine.get('/registry/b', { at: 5 }).catch(refused)
        if (item !== 'refused') expect(item).toEqual(old)
        seen.add(events === 'refused')
      }
      // What writes in a thread of its own is ahead of this one while this one does something else.
      const busy = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
      while (!isOver) {
        await new Promise((resolve) => setImmediate(resolve))
        busy()
        await look()
      }
      await compacting
      await look()
      expect(seen.has(true)).toBe(true)
    })

    test('a revision is found by its time', async () => {
      const start = clock.now()
      await put('/registry/a', '1')
      clock.advance(1000)
      await put('/registry/a', '2')
      await put('/registry/a', '3')
      clock.advance(1000)
      await put('/registry/a', '4')
      expect(
        [-1, 0, 999, 1000, 1999, 2000, 9999].map((ms) => engine.revisionAt(start + ms)),
      ).toEqual([0, 1, 1, 3, 3, 4, 4])
      await engine.compact(3)
      expect(engine.revisionAt(start)).toBe(3)
    })

    const SHORT = 1_000
    const LONG = 60_000
    for (const { title, steps, goes, stays } of [
      {
        title: 'keys with a time to live go when it is over, others stay',
        steps: [
          { put: '/registry/a', life: SHORT },
          { put: '/registry/b' },
          { put: '/registry/c', life: LONG },
        ],
        goes: ['/registry/a'],
        stays: ['/registry/b', '/registry/c'],
      },
      {
        title: 'a later write begins the time anew',
        steps: [
          { put: '/registry/a', life: SHORT },
          { put: '/registry/b', life: SHORT },
          { put: '/registry/a', life: LONG },
        ],
        goes: ['/registry/b'],
        stays: ['/registry/a'],
      },
      {
        title: 'a later write may end it',
        steps: [
          { put: '/registry/a', life: SHORT },
          { put: '/registry/b', life: SHORT },
          { put: '/registry/a' },
        ],
        goes: ['/registry/b'],
        stays: ['/registry/a'],
      },
      {
        title: 'a later write may begin it',
        steps: [{ put: '/registry/a' }, { put: '/registry/a', life: SHORT }],
        goes: ['/registry/a'],
        stays: [],
      },
      {
        title: 'a write that was refused changes nothing about it',
        steps: [
          { put: '/registry/a', life: SHORT },
          { put: '/registry/a', life: LONG, at: 'absent' },
        ],
        goes: ['/registry/a'],
        stays: [],
      },
      {
        title: 'a key that was deleted and made anew has the time of the new one',
        steps: [
          { put: '/registry/a', life: SHORT },
          { put: '/registry/b', life: SHORT },
          { remove: '/registry/a' },
          { put: '/registry/a', life: LONG },
        ],
        goes: ['/registry/b'],
        stays: ['/registry/a'],
      },
      {
        title: 'one that was deleted does not go a second time',
        steps: [
          { put: '/registry/a', life: SHORT },
          { put: '/registry/b', life: SHORT },
          { remove: '/registry/a' },
        ],
        goes: ['/registry/b'],
        stays: [],
      },
      {
        title: 'more than go at once',
        steps: Array.from({ length: 600 }, (_, i) => ({ put: `/registry/k${i}`, life: SHORT })),
        goes: Array.from({ length: 600 }, (_, i) => `/registry/k${i}`),
        stays: [],
      },
    ] as { title: string; steps: Step[]; goes: string[]; stays: string[] }[]) {
      test(title, { timeout: 30_000 }, async () => {
        const from = engine.revision()
        const told: Event[] = []
        const removed = new Set<number>()
        // From the beginning: where time goes by itself, keys may go before the last step.
        engine.subscribe((events) => told.push(...events.filter(({ value }) => value === null)))
        for (const step of steps) {
          if ('remove' in step) {
            const commit = await remove(step.remove)
            if (commit.done) removed.add(commit.at)
          } else {
            life = step.life
            await put(step.put, 'x', step.at === 'absent' ? 0 : undefined)
          }
        }
        if (!realTime) clock.advance(SHORT)
        const gone = () => told.filter(({ at }) => !removed.has(at))
        await vi.waitFor(() => expect(gone().length).toBeGreaterThanOrEqual(goes.length), {
          timeout: 20_000,
          interval: 10,
        })
        expect(
          gone()
            .map(({ key }) => key)
            .toSorted(),
        ).toEqual(goes.toSorted())
        expect((await engine.range('/registry/')).items.map((i) => i.key)).toEqual(stays)
        const revisions = told.map(({ at }) => at)
        expect(revisions).toEqual(revisions.toSorted((a, b) => a - b))
        const lines = (await feed('/registry/', from)).filter((line) => line.includes(' - <- '))
        expect(lines.toSorted()).toEqual(
          told.map(({ at, key }) => `${at} ${key} - <- x`).toSorted(),
        )
      })
    }

    test('it can be closed twice, and takes nothing after that', async () => {
      await put('/registry/a', '1')
      await engine.close()
      await engine.close()
      await expect(put('/registry/b', '1')).rejects.toThrow('the store is closed')
    })
  })
}
