/** Definitions in a store that servers open one after the other, and at the same time. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startServer, type RunningServer, type ServerOptions } from '../../src/index.ts'
import { Client } from '../client.ts'
import {
  conditionsOf,
  cron,
  CRONS,
  CRONTABS,
  define,
  definition,
  DEFINITIONS,
  version,
} from '../conformance/definitions.fixture.ts'
import { startPair, type Pair } from '../replicas/pair.ts'
import { hasEtcd } from '../store/etcd.ts'
import { stores, type StoreCase } from './stores.ts'

const NAME = 'crontabs.stable.example.com'
const V2 = CRONS.replace('/v1/', '/v2/')

for (const { name: storeName, open, suite } of stores)
  suite(`over ${storeName}`, () => {
    let store: StoreCase
    let server: RunningServer | null = null
    beforeEach(async () => {
      store = await open()
    })
    afterEach(async () => {
      await server?.close()
      await store.close()
    })
    /** What a server over the store is asked, from its start to its end. */
    const during = async (
      ask: (client: Client) => Promise<void>,
      options: ServerOptions = {},
    ): Promise<void> => {
      server = await startServer({ ...store.options, ...options })
      const client = new Client(server)
      try {
        await ask(client)
      } finally {
        client.close()
        await server.close()
        server = null
      }
    }

    test('a server serves what an earlier one did, from its start', async () => {
      await during(async (client) => {
        await define(client, CRONTABS)
        await client.post(CRONS, cron('a'))
      })
      await during(
        async (client) => {
          expect((await client.get(`${CRONS}/a`)).body.spec).toEqual({ cron: '* *', replicas: 1 })
          expect((await client.post(CRONS, cron('b'))).status).toBe(201)
          // What the schema says by now counts for what was stored before.
          const properties = { spec: { type: 'object', properties: { cron: { type: 'string' } } } }
          const spec = { versions: [version('v2', { storage: true }, properties), version('v1')] }
          expect((await client.merge(`${DEFINITIONS}/${NAME}`, { spec })).status).toBe(200)
          expect((await client.get(`${V2}/a`)).body.spec).toEqual({ cron: '* *' })
        },
        { controllers: false },
      )
      await during(async (client) => {
        const { body } = await client.get(V2)
        const found = body.items.map((one: { spec: object }) => one.spec)
        expect(found).toEqual([{ cron: '* *' }, { cron: '* *' }])
        expect((await client.get(`${CRONS}/b`)).body.spec).toEqual({ cron: '* *', replicas: 1 })
      })
    })

    test('a definition that was being deleted goes with its objects at the next start', async () => {
      await during(async (client) => {
        await define(client, CRONTABS)
        await client.post(CRONS, cron('a'))
      })
      await during(
        async (client) => {
          await client.delete(`${DEFINITIONS}/${NAME}`)
          expect((await client.post(CRONS, cron('b'))).status).toBe(405)
          expect((await client.get(`${CRONS}/a`)).status).toBe(200)
        },
        { controllers: false },
      )
      await during(async (client) => {
        await server!.settled()
        expect((await client.get(`${DEFINITIONS}/${NAME}`)).status).toBe(404)
        await define(client, CRONTABS)
        expect((await client.get(CRONS)).body.items).toEqual([])
      })
    })
  })

const SOON = { timeout: 10_000, interval: 10 }
const both = hasEtcd ? describe : describe.skip

both('two servers over etcd, one of which hears late', () => {
  let pair: Pair
  beforeAll(async () => {
    pair = await startPair({}, 50)
  })
  afterAll(() => pair?.close())

  test('serve at once what is in force by the word of the other', async () => {
    const { prompt, late } = pair
    for (const [i, asked] of [late, prompt, late].entries()) {
      const kind = `Kind${i}`
      const plural = `kind${i}s`
      await define(asked === late ? prompt : late, definition(plural, kind))
      const path = CRONS.replace('crontabs', plural)
      expect((await asked.post(path, { ...cron('a'), kind })).status).toBe(201)
    }
  })

  test('follow changes, and the end', async () => {
    const { prompt, late } = pair
    await define(prompt, CRONTABS)
    await late.post(CRONS, cron('a'))
    const spec = { versions: [version('v2', { storage: true }), version('v1')] }
    await prompt.merge(`${DEFINITIONS}/${NAME}`, { spec })
    expect((await late.get(`${V2}/a`)).body.apiVersion).toBe('stable.example.com/v2')
    await late.delete(`${DEFINITIONS}/${NAME}`)
    await vi.waitFor(async () => {
      expect(await conditionsOf(prompt, NAME)).toEqual([])
      expect([(await prompt.get(CRONS)).status, (await late.get(CRONS)).status]).toEqual([404, 404])
    }, SOON)
    await define(late, CRONTABS)
    expect((await prompt.get(CRONS)).body.items).toEqual([])
  })

  test('collect objects of a kind that nobody used, whichever server stores them', async () => {
    const { prompt, late } = pair
    await define(prompt, definition('unuseds', 'Unused'))
    const path = CRONS.replace('crontabs', 'unuseds')
    const maps = '/api/v1/namespaces/default/configmaps'
    const unused = (name: string, metadata: object = {}) => ({
      ...cron(name),
      kind: 'Unused',
      metadata: { name, ...metadata },
    })
    const ownedBy = (uid: string) => ({
      ownerReferences: [{ apiVersion: 'stable.example.com/v1', kind: 'Unused', name: 'o', uid }],
    })
    const gone = (at: string) =>
      vi.waitFor(async () => {
        expect((await prompt.get(at)).status).toBe(404)
      }, SOON)
    // Empty in between.
    for (const one of [late, prompt, late]) {
      expect((await one.post(path, unused('orphan', ownedBy('nobody')))).status).toBe(201)
      await gone(`${path}/orphan`)
      const { body } = await one.post(path, unused('o'))
      await prompt.post(maps, { metadata: { name: 'of-o', ...ownedBy(body.metadata.uid) } })
      await one.delete(`${path}/o`)
      await gone(`${maps}/of-o`)
    }
  })

  test('leave nothing that is made while the kind goes', async () => {
    const { prompt, late } = pair
    const gone = () =>
      vi.waitFor(async () => {
        expect((await prompt.get(`${DEFINITIONS}/${NAME}`)).status).toBe(404)
      }, SOON)
    for (let round = 0; round < 3; round++) {
      await prompt.delete(`${DEFINITIONS}/${NAME}`)
      await gone()
      await define(prompt, CRONTABS)
      expect((await late.get(CRONS)).body.items).toEqual([])
      let made = 0
      const answers = new Set<number>()
      const making = (async () => {
        for (;;) {
          const apply = made % 2 === 0
          const name = `n${made++}`
          const { status } = apply
            ? await late.ask('PATCH', `${CRONS}/${name}?fieldManager=m`, {
                body: cron(name),
                headers: { 'content-type': 'application/apply-patch+yaml' },
              })
            : await late.post(CRONS, cron(name))
          answers.add(status)
          if (status === 404) return
        }
      })()
      await vi.waitFor(() => expect(made).toBeGreaterThan(3), SOON)
      await prompt.delete(`${DEFINITIONS}/${NAME}`)
      await making
      expect([...answers].filter((status) => ![201, 404, 405].includes(status))).toEqual([])
      await gone()
      await define(prompt, CRONTABS)
      expect((await late.get(CRONS)).body.items).toEqual([])
    }
  })
})
