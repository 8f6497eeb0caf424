/** Selections over indexes against the same selections over all objects. */
import * as fc from 'fast-check'
import { expect, test, describe } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { buildCatalogue } from '../catalogue/catalogue.ts'
import { unreadableValue } from '../engine/encryption/unreadable.ts'
import { openMemory } from '../engine/memory/engine.ts'
import { encodeRecord } from '../engine/record.ts'
import { resources } from '../kinds/index.ts'
import { vocabularies } from '../vocabulary/index.ts'
import { WatchCache } from '../cache/watch-cache.ts'
import type { Call, ReadDependencies } from './context.ts'
import { select } from './list.ts'
import { listOptions } from './options.ts'
import { selection } from './selection.ts'

const v = vocabularies.orch
const pods = buildCatalogue(resources, v, () => true).find('', 'v1', 'pods')!
const P = pods.keyPrefix
const PLACES = ['a', 'b', 'ab']

interface Pod {
  readonly labels: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, string>>
}

function record({ labels, fields }: Pod): Buffer {
  const head = '{"metadata":{"resourceVersion":"'
  return encodeRecord({
    head,
    tail: '"}}',
    metaStart: 12,
    metaLength: head.length - 12 + 2,
    selectors: JSON.stringify({ l: labels, f: fields }),
  })
}

const keyOf = (number: number) =>
  `${P}${PLACES[number % PLACES.length]}/pod-${String(number % 400).padStart(3, '0')}`

const podOf = (number: number): Pod => ({
  labels: {
    number: String(number),
    ...(number % 50 === 0 ? { marked: 'yes' } : {}),
    ...(number % 40 === 0 ? { __proto__x: '', 'a.b/c': `${number % 3}` } : {}),
  },
  fields: { 'spec.nodeName': number % 9 === 0 ? '' : `node-${number % 60}` },
})

const SELECTORS: readonly (readonly [labels: string, fields: string])[] = [
  ['number=5', ''],
  ['number in (5,6,70,300,999)', ''],
  ['marked', ''],
  ['marked=yes,number!=50', ''],
  ['number>380', ''],
  ['!marked,a.b/c in (0,1)', ''],
  ['toString=x', ''],
  ['', 'spec.nodeName=node-7'],
  ['', 'spec.nodeName=node-10,metadata.name!=pod-010'],
  ['marked=yes', 'spec.nodeName=node-20'],
  ['', 'spec.nodeName='],
  ['', 'metadata.name=pod-017'],
  ['', 'metadata.name=pod-017,metadata.namespace=a'],
]

async function open(indexBytes?: number) {
  const clock = new ManualClock()
  const engine = openMemory({ clock })
  const settings = { clock, historyMs: 60_000 }
  const caches = {
    indexed: new WatchCache(engine, { ...settings, ...(indexBytes ? { indexBytes } : {}) }),
    plain: new WatchCache(engine, { ...settings, indexBytes: 0 }),
  }
  const tables = [await caches.indexed.resourceCache(P), await caches.plain.resourceCache(P)]
  const put = (number: number, pod: Pod | null) =>
    caches.plain.commit([{ key: keyOf(number), value: pod && record(pod) }])
  for (let i = 0; i < 400; i++) await put(i, podOf(i))
  const { indexes } = tables[0]!
  const api = (cache: WatchCache) => ({ cache, v }) as unknown as ReadDependencies
  /** What a list answers: keys with revisions, and the rest of the answer. */
  const ask = async (
    cache: WatchCache,
    [labels, fields]: readonly [string, string],
    { namespace = '', ...query }: Record<string, string> = {},
  ) => {
    const call = { served: pods, namespace, name: '', query: new Map() } as unknown as Call
    const given = new Map(Object.entries(query).map(([name, value]) => [name, [value]]))
    try {
      const { items, ...rest } = await select(
        api(cache),
        call,
        listOptions(given, v),
        selection(pods, labels, fields),
      )
      return { ...rest, items: items.map(({ key, revision }) => `${key} ${revision}`) }
    } catch (error) {
      return { error: (error as Error).message }
    }
  }
  /** Asks until there are indexes. */
  const warm = async () => {
    for (const selector of SELECTORS)
      for (let i = 0; i < 3; i++) await ask(caches.indexed, selector)
    await indexes!.settled()
  }
  return { ...caches, clock, engine, put, ask, warm, indexes: indexes! }
}

const attributesOf = (indexes: Awaited<ReturnType<typeof open>>['indexes']) =>
  [...indexes.built].map(({ attribute: { of, name } }) => `${of} ${name}`.trim()).toSorted()

const change = fc.record({
  number: fc.nat(410),
  pod: fc.option(fc.nat(410).map(podOf), { freq: 4 }),
})
const question = fc.record({
  selector: fc.constantFrom(...SELECTORS),
  namespace: fc.constantFrom('', ...PLACES),
  limit: fc.constantFrom('', '1', '3', '500'),
  /** How many revisions ago; 0: now. */
  ago: fc.constantFrom(0, 0, 1, 5, 40),
})

test('indexes answer as all objects do, after any changes, at any revision and in pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 3, arbitrary: change }, question), { maxLength: 60 }),
      fc.boolean(),
      async (steps, isWarm) => {
        const h = await open()
        if (isWarm) await h.warm()
        for (const step of steps) {
          if ('number' in step) {
            await h.put(step.number, step.pod)
            continue
          }
          const { selector, namespace, limit, ago } = step
          const query: Record<string, string> = { namespace, ...(limit ? { limit } : {}) }
          if (ago > 0) {
            query['resourceVersion'] = String(h.plain.revision - ago)
            query['resourceVersionMatch'] = 'Exact'
          }
          for (let pages = 0; pages < 4; pages++) {
            const [got, expected] = [
              await h.ask(h.indexed, selector, query),
              await h.ask(h.plain, selector, query),
            ]
            expect({ ...got, search: null }).toEqual({ ...expected, search: null })
            if (!('continueToken' in got) || got.continueToken === '') break
            delete query['resourceVersion']
            delete query['resourceVersionMatch']
            query['continue'] = got.continueToken
            await h.put(pages * 7, podOf(pages))
          }
        }
      },
    ),
    { numRuns: 12 },
  )
})

describe('an index', () => {
  test('is made for selections that are selective and repeated, and dropped when nobody uses it', async () => {
    const h = await open()
    await h.ask(h.indexed, ['number=5', ''])
    await h.indexes.settled()
    const once = attributesOf(h.indexes)
    await h.warm()
    expect([once, attributesOf(h.indexes)]).toEqual([
      [],
      [
        'field spec.nodeName',
        'hasLabel marked',
        'hasLabel number',
        'label a.b/c',
        'label marked',
        'label number',
        'label toString',
        'name',
      ],
    ])
    expect(h.indexed.indexBytes).toBeGreaterThan(0)
    for (let i = 0; i < 25; i++) {
      await h.ask(h.indexed, ['number=5', ''])
      await h.indexed.trim()
    }
    expect(attributesOf(h.indexes)).toEqual(['label number'])
  })

  test('is not made for selections of most objects', async () => {
    const h = await open()
    for (let i = 0; i < 9; i++) await h.ask(h.indexed, ['number', ''])
    await h.indexes.settled()
    expect(attributesOf(h.indexes)).toEqual([])
  })

  test('holds what changes while it is made', async () => {
    const h = await open()
    for (let i = 0; i < 2; i++) await h.ask(h.indexed, ['number=5', ''])
    const making = h.indexes.settled()
    await h.put(1, podOf(5))
    await h.put(399, podOf(5))
    await h.put(5, null)
    await making
    const answer = await h.ask(h.indexed, ['number=5', ''])
    expect(answer).toMatchObject({ items: [`${keyOf(399)} 402`, `${keyOf(1)} 401`] })
  })

  test('fits into the memory that indexes may take, or is not kept', async () => {
    const h = await open(10_000)
    await h.warm()
    expect(h.indexed.indexBytes).toBeLessThanOrEqual(10_000)
    expect(attributesOf(h.indexes)).not.toContain('label number')
    expect(await h.ask(h.indexed, ['number=5', ''])).toMatchObject({ items: [`${keyOf(5)} 6`] })
  })

  test('hides no object that cannot be read', async () => {
    const h = await open()
    await h.warm()
    await h.engine.commit([{ key: keyOf(8), value: unreadableValue('no key') }])
    const answers = [
      await h.ask(h.indexed, ['number=5', '']),
      await h.ask(h.plain, ['number=5', '']),
    ]
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]).toHaveProperty('error')
    expect(attributesOf(h.indexes)).toEqual([])
  })

  test('goes with what it indexes', async () => {
    const h = await open()
    await h.warm()
    h.indexed.renew(P)
    expect([attributesOf(h.indexes), h.indexed.indexBytes]).toEqual([[], 0])
  })
})
