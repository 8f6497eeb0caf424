/**
 * Definitions that are created, changed and deleted at random, under load, on two servers over one etcd. One round by
 * default; FAULT_ROUNDS for more, FAULT_SEED for another course.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Client } from '../client.ts'
import { DEFINITIONS, definition, version, type Json } from '../conformance/definitions.fixture.ts'
import { startPair, type Pair } from '../replicas/pair.ts'
import { hasEtcd, NO_ETCD } from '../store/etcd.ts'
import { seeded } from './random.ts'

const ROUNDS = Math.max(1, Number(process.env['FAULT_ROUNDS'] ?? '0'))
const SEED = Number(process.env['FAULT_SEED'] ?? '1')
const LATE_MS = 25
const KINDS = 3
const WORKERS = 2
const LIVES = 3
const CHANGES = 3
const SOON = { timeout: 30_000, interval: 10 }
/** What each life of a definition sees succeed before it ends. */
const ALL_DONE = ['create', 'get', 'list', 'patch']

/** A kind whose schema fills in a field, whose name rises with each change. */
class Kind {
  readonly plural: string
  readonly path: string
  readonly at: string
  /** The number in the newest schema that was acknowledged, and the newest that may be in force. */
  known = 0
  newest = 0
  /** Counts the deletes that were begun. */
  ends = 0
  isThere = false
  /** What succeeded since the definition was established. */
  readonly done = new Set<string>()

  constructor(i: number) {
    this.plural = `things${i}`
    this.path = `${DEFINITIONS}/${this.plural}.stable.example.com`
    this.at = `/apis/stable.example.com/v1/namespaces/default/${this.plural}`
  }

  /** The definition with the next number. */
  next() {
    const number = ++this.newest
    const properties: Json = {
      spec: {
        type: 'object',
        default: {},
        // Others are pruned, also from what was stored before.
        properties: { [`n${number}`]: { type: 'integer', default: 1 }, said: { type: 'string' } },
      },
    }
    const spec = { versions: [version('v1', { storage: true }, properties)] }
    return { number, body: definition(this.plural, `Thing${this.plural.at(-1)}`, spec) }
  }
}

describe.skipIf(!hasEtcd)(hasEtcd ? 'two servers' : `two servers: ${NO_ETCD}`, () => {
  let pair: Pair
  const wrong: string[] = []
  const statuses = new Map<string, number>()
  const random = seeded(SEED)
  const either = (): Client => (random.below(2) === 0 ? pair.prompt : pair.late)
  beforeAll(async () => {
    pair = await startPair({}, LATE_MS)
  })
  afterAll(() => pair?.close())

  const expectOne = (
    what: string,
    { status, text }: { status: number; text: string },
    ...of: number[]
  ) => {
    statuses.set(`${what} ${status}`, (statuses.get(`${what} ${status}`) ?? 0) + 1)
    if (!of.includes(status)) wrong.push(`${what}: ${status} ${text.slice(0, 300)}`)
  }

  /** Creates a definition, changes it and deletes it, some times. */
  async function livesOf(kind: Kind): Promise<void> {
    for (let life = 0; life < LIVES * ROUNDS; life++) {
      const { number, body } = kind.next()
      expectOne('define', await either().post(DEFINITIONS, body), 201)
      await vi.waitFor(async () => {
        const { status } = (await either().get(kind.path)).body
        const isThere = status?.conditions?.some(
          (one: Json) => one['type'] === 'Established' && one['status'] === 'True',
        )
        expect(isThere).toBe(true)
      }, SOON)
      kind.known = number
      kind.done.clear()
      kind.isThere = true
      for (let change = 0; change < CHANGES; change++) {
        await pause(random.below(60))
        const next = kind.next()
        const changed = await either().merge(kind.path, { spec: next.body.spec })
        expectOne('change', changed, 200)
        kind.known = next.number
      }
      await pause(random.below(60))
      await vi.waitFor(() => expect([...kind.done].toSorted()).toEqual(ALL_DONE), SOON)
      kind.isThere = false
      kind.ends++
      expectOne('delete', await either().delete(kind.path), 200)
      const asked = either()
      await vi.waitFor(async () => expect((await asked.get(kind.path)).status).toBe(404), SOON)
    }
  }

  /** Reads and writes objects until told to stop. */
  async function workOn(kind: Kind, worker: number, isOver: () => boolean): Promise<void> {
    for (let i = 0; !isOver(); i++) {
      const name = `w${worker}-n${i % 5}`
      const { ends, known, isThere } = kind
      const client = either()
      /** What an object must show, if the kind was there from before the request to after it. */
      const check = (what: string, { spec }: { spec: Json }) => {
        const names = Object.keys(spec).filter((one) => one !== 'said')
        kind.done.add(what)
        const number = names.length === 1 ? Number(names[0]!.slice(1)) : -1
        const least = isThere && kind.ends === ends ? known : 1
        if (number < least || number > kind.newest)
          wrong.push(`${what} shows ${names.join(' ')}, of ${least} to ${kind.newest}`)
      }
      const made = await client.post(kind.at, object(kind, name))
      expectOne('create', made, 201, 404, 405, 409)
      if (made.status === 201) kind.done.add('create')
      const isMine = isThere && kind.ends === ends && [201, 409].includes(made.status)
      const other = either()
      const got = await other.get(`${kind.at}/${name}`)
      expectOne('get', got, 200, 404)
      if (got.status === 200) check('get', got.body)
      else if (isMine && kind.ends === ends) wrong.push(`${name} of ${kind.plural} is lost`)
      const said = `s${random.below(1000)}`
      const change = { spec: { said } }
      const changed = await either().merge(`${kind.at}/${name}`, change)
      expectOne('patch', changed, 200, 404)
      if (changed.status === 200) check('patch', changed.body)
      const listed = await either().get(kind.at)
      expectOne('list', listed, 200, 404)
      for (const one of listed.body?.items ?? []) check('list', one)
      if (random.below(3) === 0)
        expectOne('remove', await either().delete(`${kind.at}/${name}`), 200, 404)
    }
  }

  test(
    'serve what is defined, and leave nothing behind',
    { timeout: ROUNDS * 120_000 },
    async () => {
      const kinds = Array.from({ length: KINDS }, (_, i) => new Kind(i))
      let isOver = false
      const work = kinds.flatMap((kind) =>
        Array.from({ length: WORKERS }, (_, worker) => workOn(kind, worker, () => isOver)),
      )
      try {
        await Promise.all(kinds.map(livesOf))
      } finally {
        isOver = true
        await Promise.all(work)
      }
      expect(wrong.slice(0, 10)).toEqual([])
      for (const what of ['create 201', 'get 200', 'patch 200', 'list 200'])
        expect(statuses.get(what) ?? 0, what).toBeGreaterThan(5)
      for (const kind of kinds) {
        // Whatever was left would be served again.
        const { body } = kind.next()
        expectOne('define', await pair.prompt.post(DEFINITIONS, body), 201)
        for (const client of [pair.prompt, pair.late])
          await vi.waitFor(async () => {
            const { status, body: list } = await client.get(kind.at)
            expect(status).toBe(200)
            expect(list.items).toEqual([])
          }, SOON)
      }
    },
  )
})

const object = ({ plural }: Kind, name: string) => ({
  apiVersion: 'stable.example.com/v1',
  kind: `Thing${plural.at(-1)}`,
  metadata: { name },
  spec: {},
})

// Not a wait for anything: the changes come at odd times.
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
