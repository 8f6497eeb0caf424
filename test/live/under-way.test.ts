/** Requests under way while what they are about comes, goes and is stored another way. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Client, Reply } from '../client.ts'
import { gadgets, widget, widgetsStoredInV1, widgetsStoredInV2, WIDGETS } from './kinds.ts'
import { startLive, type LiveServer } from './server.ts'
import { stores, type StoreCase } from './stores.ts'

const OBJECTS = 20
const REQUESTS = 200
/** Answers between changes. */
const ANSWERS = 4

const FORMS = [[widgetsStoredInV2], [gadgets], [widgetsStoredInV1], [widgetsStoredInV2, gadgets]]

/** One version of widgets, as clients know it. */
interface Side {
  readonly path: string
  readonly apiVersion: string
  /** What it calls the size. */
  readonly size: 'size' | 'length'
}
const SIDES: readonly Side[] = [
  { path: WIDGETS, apiVersion: 'example.com/v1', size: 'size' },
  { path: WIDGETS.replace('/v1/', '/v2/'), apiVersion: 'example.com/v2', size: 'length' },
]

/** What is served no longer is refused as what never was, below a version that is served and elsewhere. */
const isGone = ({ status, text, body }: Reply) =>
  status === 404 &&
  (text === '404 page not found\n' ||
    body?.message === 'the server could not find the requested resource')

interface Shown {
  readonly apiVersion?: string
  readonly metadata: { readonly name: string }
  readonly spec: Readonly<Record<string, unknown>>
}

const isWhole = ({ metadata, spec }: Shown, { size }: Side) =>
  metadata.name.startsWith('w') &&
  Object.keys(spec).every((key) => key === size || key === 'color') &&
  Number.isInteger(spec[size])

/** Sends one request; what is wrong with its answer, or null. Tells what was made. */
type Request = (
  client: Client,
  side: Side,
  i: number,
  made: (name: string, size: number) => void,
) => Promise<Reply | null>

const requests: readonly Request[] = [
  async function get(client, side, i) {
    const answer = await client.get(`${side.path}/w${i % OBJECTS}`)
    const isGood = answer.body?.apiVersion === side.apiVersion && isWhole(answer.body, side)
    return isGone(answer) || (answer.status === 200 && isGood) ? null : answer
  },
  async function list(client, side) {
    const answer = await client.get(side.path)
    const { items = [], apiVersion } = answer.body ?? {}
    const isGood =
      items.length >= OBJECTS &&
      apiVersion === side.apiVersion &&
      items.every((item: Shown) => isWhole(item, side))
    return isGone(answer) || (answer.status === 200 && isGood) ? null : answer
  },
  async function create(client, { path, apiVersion, size }, i, made) {
    const name = `w-new-${i}`
    const spec = { [size]: i }
    const answer = await client.post(path, { ...widget(name, 0), apiVersion, spec })
    if (answer.status === 201) made(name, i)
    return isGone(answer) || (answer.status === 201 && answer.body.spec[size] === i) ? null : answer
  },
  async function patch(client, side, i) {
    const color = `c${i}`
    const answer = await client.merge(`${side.path}/w${i % OBJECTS}`, { spec: { color } })
    const isGood = answer.body?.spec?.color === color && isWhole(answer.body, side)
    return isGone(answer) || (answer.status === 200 && isGood) ? null : answer
  },
  async function watch(client, side) {
    // Rejects when the answer is cut.
    const answer = await client.get(`${side.path}?watch=1&timeoutSeconds=1`)
    if (isGone(answer)) return null
    if (answer.status !== 200) return answer
    const events = answer.text.split('\n').slice(0, -1)
    const objects = events.map((line) => (JSON.parse(line) as { object: Shown }).object)
    const isGood = objects.every((one) => one.apiVersion === side.apiVersion && isWhole(one, side))
    return isGood ? null : answer
  },
]

for (const { name: storeName, open, suite } of stores)
  suite(`over ${storeName}`, () => {
    let store: StoreCase
    let live: LiveServer
    beforeEach(async () => {
      store = await open()
      live = await startLive(store.options)
    })
    afterEach(async () => {
      await live.close()
      await store.close()
    })

    test('every answer is whole: as before a change, as after it, or that nothing is there', async () => {
      const { client } = live
      live.publish('one', widgetsStoredInV1)
      for (let i = 0; i < OBJECTS; i++) await client.post(WIDGETS, widget(`w${i}`, i))
      let answers = 0
      const changeNow = () => live.publish('one', ...FORMS[(answers / ANSWERS) % FORMS.length]!)
      const sizes = new Map(Array.from({ length: OBJECTS }, (_, i) => [`w${i}`, i]))
      const faults: unknown[] = []
      const ask = async (i: number) => {
        const request = requests[Math.floor(i / SIDES.length) % requests.length]!
        const side = SIDES[i % SIDES.length]!
        const fault = await request(client, side, i, (name, size) => sizes.set(name, size))
        if (fault) faults.push([request.name, side.path, fault.status, fault.text.slice(-300)])
        if (++answers % ANSWERS === 0) changeNow()
      }
      await Promise.all(Array.from({ length: REQUESTS }, (_, i) => ask(i)))
      live.publish('one', widgetsStoredInV2)
      expect(faults).toEqual([])
      // What was answered as made is there, and nothing else is.
      for (const { path, size } of SIDES) {
        const { items } = (await client.get(path)).body as { items: Shown[] }
        const found = items.map(({ metadata, spec }) => [metadata.name, spec[size]] as const)
        expect(new Map(found)).toEqual(sizes)
      }
    })
  })
