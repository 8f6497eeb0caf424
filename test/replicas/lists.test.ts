/** Lists, chunks and watches that begin at one server and go on at another, and versions over both. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type Reply, type Watch } from '../client.ts'
import { hasEtcd } from '../store/etcd.ts'
import { REPEATS, startPair, tally, type Pair } from './pair.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- objects of every shape
type Json = any

let pair: Pair
beforeAll(async () => {
  if (hasEtcd) pair = await startPair({ controllers: false })
})
afterAll(() => pair?.close())

const revision = (object: Json) => Number(object.metadata.resourceVersion)
const brief = (items: Json[]): string[] =>
  items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)

let serial = 0
/** A collection of its own, with so many objects that the prompt server made. */
async function collection(
  count: number,
): Promise<{ readonly maps: string; readonly made: Json[] }> {
  const namespace = `c${serial++}`
  await pair.prompt.post('/api/v1/namespaces', { metadata: { name: namespace } })
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const made: Json[] = []
  for (let i = 0; i < count; i++) made.push((await pair.prompt.post(maps, map(`n${i}`))).body)
  return { maps, made }
}

const map = (name: string, data: object = {}) => ({ metadata: { name }, data })

async function events(watch: Watch, count: number): Promise<string[]> {
  const seen: string[] = []
  while (seen.length < count) {
    const event = await watch.next()
    if (!event) break
    seen.push(`${event.type} ${brief([event.object])[0]}`)
  }
  watch.close()
  return seen
}

interface Row {
  readonly name: string
  run(prompt: Client, late: Client): Promise<string>
  readonly ends: string
}

const same = (a: unknown, b: unknown): string =>
  JSON.stringify(a) === JSON.stringify(b) ? 'same' : `${JSON.stringify(a)} ${JSON.stringify(b)}`

const ROWS: readonly Row[] = [
  {
    name: 'the rest of a list that another server began',
    async run(prompt, late) {
      const { maps, made } = await collection(5)
      let page: Reply = await prompt.get(`${maps}?limit=2`)
      const at = revision(page.body)
      const items: Json[] = page.body.items
      // The list stays what it was.
      const meanwhile = [prompt.post(maps, map('n1a')), prompt.delete(`${maps}/n4`)]
      for (let from = late; page.body.metadata.continue; from = from === late ? prompt : late) {
        page = await from.get(`${maps}?limit=2&continue=${page.body.metadata.continue}`)
        if (page.status !== 200 || revision(page.body) !== at)
          return `${page.status} ${page.body.message}`
        items.push(...page.body.items)
      }
      await Promise.all(meanwhile)
      return same(brief(items), brief(made))
    },
    ends: 'same',
  },
  {
    name: 'a watch from a list of another server',
    async run(prompt, late) {
      const { maps } = await collection(1)
      const at = revision((await prompt.get(maps)).body)
      const watch = await late.watch(`${maps}?watch=1&timeoutSeconds=5&resourceVersion=${at}`)
      const added = (await prompt.post(maps, map('added'))).body
      const changed = (await late.merge(`${maps}/added`, { data: { a: 'b' } })).body
      await prompt.delete(`${maps}/added`)
      const [first, second, third] = await events(watch, 3)
      const expected = [`ADDED ${brief([added])[0]}`, `MODIFIED ${brief([changed])[0]}`]
      return `${same([first, second], expected)}, then ${third?.split(' ')[0]}`
    },
    ends: 'same, then DELETED',
  },
  {
    name: 'a watch from the version of a write at another server',
    async run(prompt, late) {
      const { maps } = await collection(0)
      const first = (await prompt.post(maps, map('first'))).body
      const query = `watch=1&timeoutSeconds=5&resourceVersion=${revision(first)}`
      const [watch, second] = await Promise.all([
        late.watch(`${maps}?${query}`),
        prompt.post(maps, map('second')),
      ])
      return same(await events(watch, 1), [`ADDED ${brief([second.body])[0]}`])
    },
    ends: 'same',
  },
  {
    name: 'a watch from now shows all that was there, and then what comes',
    async run(prompt, late) {
      const { maps, made } = await collection(3)
      const watch = await late.watch(`${maps}?watch=1&timeoutSeconds=5`)
      made.push((await prompt.post(maps, map('n9'))).body)
      return same(
        await events(watch, 4),
        brief(made).map((one) => `ADDED ${one}`),
      )
    },
    ends: 'same',
  },
  {
    name: 'a list of any version is the state of one',
    async run(prompt, late) {
      const { maps } = await collection(3)
      await late.get(maps)
      await Promise.all([prompt.delete(`${maps}/n1`), prompt.post(maps, map('n5'))])
      const any = await late.get(`${maps}?resourceVersion=0`)
      if (any.status !== 200) return `${any.status} ${any.body.message}`
      const at = `resourceVersion=${revision(any.body)}&resourceVersionMatch=Exact`
      const exact = (await prompt.get(`${maps}?${at}`)).body
      return same(any.body, exact)
    },
    ends: 'same',
  },
  {
    name: 'an object of any version is one that there was',
    async run(prompt, late) {
      const { maps, made } = await collection(1)
      await late.get(`${maps}/n0`)
      const changed = (await prompt.merge(`${maps}/n0`, { data: { a: 'b' } })).body
      const { status, body } = await late.get(`${maps}/n0?resourceVersion=0`)
      const one = [made[0], changed].find((known) => revision(known) === revision(body))
      return `${status} ${one ? same(body, one) : 'unknown'}`
    },
    ends: '200 same',
  },
  {
    name: 'a list of exactly one version is the same everywhere',
    async run(prompt, late) {
      const { maps, made } = await collection(2)
      await prompt.delete(`${maps}/n0`)
      const at = `resourceVersion=${revision(made[1])}&resourceVersionMatch=Exact`
      const [one, other] = await Promise.all([prompt, late].map((at_) => at_.get(`${maps}?${at}`)))
      return `${same(one!.text, other!.text)} with ${brief(one!.body.items).length}`
    },
    ends: 'same with 2',
  },
  {
    name: 'one of two creates of a name succeeds',
    async run(prompt, late) {
      const { maps } = await collection(0)
      const both = [prompt, late].map((at) => at.post(maps, map('x')))
      const [one, other] = (await Promise.all(both)).sort((a, b) => a.status - b.status)
      const stored = (await late.get(`${maps}/x`)).body
      return `${one!.status}, ${other!.body.reason}, ${same(one!.body, stored)}`
    },
    ends: '201, AlreadyExists, same',
  },
  {
    name: 'one of two changes of a version succeeds',
    async run(prompt, late) {
      const { maps, made } = await collection(1)
      const both = [prompt, late].map((at, i) =>
        at.put(`${maps}/n0`, { ...made[0], data: { by: `${i}` } }),
      )
      const [one, other] = (await Promise.all(both)).sort((a, b) => a.status - b.status)
      const stored = (await late.get(`${maps}/n0`)).body
      return `${one!.status}, ${other!.body.reason}, ${same(one!.body, stored)}`
    },
    ends: '200, Conflict, same',
  },
  {
    name: 'of two changes without a version neither is lost',
    async run(prompt, late) {
      const { maps } = await collection(1)
      const both = [prompt, late].map((at, i) =>
        at.merge(`${maps}/n0`, { data: { [`by${i}`]: 'yes' } }),
      )
      const statuses = (await Promise.all(both)).map(({ status }) => status)
      return `${statuses} ${JSON.stringify((await late.get(`${maps}/n0`)).body.data)}`
    },
    ends: '200,200 {"by0":"yes","by1":"yes"}',
  },
  {
    name: 'one of two deletions of an object finds it',
    async run(prompt, late) {
      const { maps } = await collection(1)
      const both = [prompt, late].map((at) => at.delete(`${maps}/n0`))
      return (await Promise.all(both))
        .map(({ status }) => status)
        .sort()
        .join()
    },
    ends: '200,404',
  },
]

describe.skipIf(!hasEtcd)('between two servers', () => {
  for (const { name, run, ends } of ROWS) {
    test(name, async () => {
      expect(await tally(() => run(pair.prompt, pair.late))).toEqual({ [ends]: REPEATS })
    })
  }

  test('versions of an object only rise, and no count is lost', async () => {
    const { maps, made } = await collection(1)
    const path = `${maps}/n0`
    const versions = [revision(made[0])]
    for (let i = 0; i < 2 * REPEATS; i++) {
      const at = i % 2 ? pair.prompt : pair.late
      const { body } = await at.get(path)
      const count = Number(body.data?.count ?? 0) + 1
      const reply = await at.put(path, { ...body, data: { count: `${count}` } })
      expect(reply.status).toBe(200)
      versions.push(revision(reply.body))
    }
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b))
    expect((await pair.late.get(path)).body.data).toEqual({ count: `${2 * REPEATS}` })
  })

  test('all who count at once, and try again when they were too late, are counted', async () => {
    const { maps } = await collection(1)
    const path = `${maps}/n0`
    const counter = async (at: Client) => {
      for (let done = 0; done < REPEATS;) {
        const { body } = await at.get(path)
        const data = { count: `${Number(body.data?.count ?? 0) + 1}` }
        const { status } = await at.put(path, { ...body, data })
        if (status === 200) done++
        else expect(status).toBe(409)
      }
    }
    await Promise.all([counter(pair.prompt), counter(pair.late)])
    expect((await pair.late.get(path)).body.data).toEqual({ count: `${2 * REPEATS}` })
  })

  test('watches of both show the same, in the same order', async () => {
    const { maps } = await collection(0)
    const at = revision((await pair.late.get(maps)).body)
    const query = `watch=1&timeoutSeconds=10&resourceVersion=${at}`
    const watches = await Promise.all(
      [pair.prompt, pair.late].map((client) => client.watch(`${maps}?${query}`)),
    )
    const writer = async (client: Client, name: string) => {
      for (let i = 0; i < REPEATS; i++) {
        await client.post(maps, map(`${name}${i}`))
        await client.merge(`${maps}/${name}${i}`, { data: { a: 'b' } })
        await client.delete(`${maps}/${name}${i}`)
      }
    }
    await Promise.all([writer(pair.prompt, 'p'), writer(pair.late, 'l')])
    const count = 2 * 3 * REPEATS
    const [one, other] = await Promise.all(watches.map((watch) => events(watch, count)))
    expect(one).toHaveLength(count)
    expect(other).toEqual(one)
    const versions = one!.map((event) => Number(event.split(' ')[2]))
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b))
  })
})
