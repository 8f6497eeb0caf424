/** Every cell of the resourceVersion tables of seed 1, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { KINDS, typeOf } from './kinds.fixture.ts'

const badRequest = (message: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason: 'BadRequest',
  code: 400,
})
const tooLarge = (wanted: string, current: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `Timeout: Too large resource version: ${wanted}, current: ${current}`,
  reason: 'Timeout',
  details: {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  },
  code: 504,
})
const optionsInvalid = (message: string, reason = 'FieldValueForbidden') => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `ListOptions.meta.orch.io "" is invalid: resourceVersionMatch: ${message}`,
  reason: 'Invalid',
  details: {
    group: 'meta.orch.io',
    kind: 'ListOptions',
    causes: [{ reason, message, field: 'resourceVersionMatch' }],
  },
  code: 422,
})

for (const kind of KINDS) {
  describe(kind.title, () => {
    const NS = kind.in('default')
    const clock = new ManualClock()
    let server: RunningServer
    let client: Client
    /** Revisions after making a, b, c, and after changing a. */
    let afterA = ''
    let afterC = ''
    let latest = ''
    let token = ''

    const make = (name: string) =>
      client.post(NS, { ...typeOf(kind), metadata: { name }, data: { step: '1' } })
    const rv = (reply: { body: { metadata: { resourceVersion: string } } }) =>
      reply.body.metadata.resourceVersion

    beforeAll(async () => {
      server = await kind.start({ controllers: false, clock })
      client = new Client(server)
      afterA = rv(await make('a'))
      await make('b')
      afterC = rv(await make('c'))
      token = (await client.get(`${NS}?limit=1`)).body.metadata.continue
      latest = rv(await client.merge(`${NS}/a`, { data: { step: '2' } }))
    })
    afterAll(async () => {
      client.close()
      await server.close()
    })

    /** Time stands still: a wait for a revision ends when the clock is moved. */
    async function ask(path: string) {
      let done = false
      const reply = client.get(path).finally(() => (done = true))
      while (!done) {
        clock.advance(1000)
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
      return reply
    }

    describe('get', () => {
      for (const { name, query, step } of [
        { name: 'unset: most recent', query: () => '', step: '2' },
        { name: '0: any', query: () => '?resourceVersion=0', step: '2' },
        { name: 'older: not older than', query: () => `?resourceVersion=${afterA}`, step: '2' },
        {
          name: 'the latest: not older than',
          query: () => `?resourceVersion=${latest}`,
          step: '2',
        },
      ]) {
        test(name, async () => {
          const reply = await ask(`${NS}/a${query()}`)
          expect([reply.status, reply.body.data.step]).toEqual([200, step])
        })
      }
      test('from the future: 504 after a wait', async () => {
        const reply = await ask(`${NS}/a?resourceVersion=99999`)
        expect(reply.status).toBe(504)
        expect(reply.body).toEqual(tooLarge('99999', latest))
        expect(reply.headers['retry-after']).toBe('1')
      })
      test('not a number: 400', async () => {
        const reply = await ask(`${NS}/a?resourceVersion=x`)
        expect(reply.body).toEqual(
          badRequest(
            'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
          ),
        )
      })
    })

    describe('list', () => {
      const full = { names: ['a', 'b', 'c'], step: '2', at: () => latest, more: false }
      const page = { names: ['a'], step: '2', at: () => latest, more: true }
      for (const { name, query, want } of [
        { name: 'unset', query: () => '', want: full },
        { name: 'unset with limit', query: () => 'limit=1', want: page },
        {
          name: 'unset with continue: the state of the token',
          query: () => `limit=1&continue=${token}`,
          want: { names: ['b'], step: undefined, at: () => afterC, more: true },
        },
        { name: '0', query: () => 'resourceVersion=0', want: full },
        {
          name: '0 with limit: any version, whole',
          query: () => 'resourceVersion=0&limit=1',
          want: full,
        },
        {
          name: '0 with continue: the state of the token',
          query: () => `resourceVersion=0&limit=1&continue=${token}`,
          want: { names: ['b'], step: undefined, at: () => afterC, more: true },
        },
        { name: 'older', query: () => `resourceVersion=${afterA}`, want: full },
        {
          name: 'older with limit: exact',
          query: () => `resourceVersion=${afterA}&limit=5`,
          want: { names: ['a'], step: '1', at: () => afterA, more: false },
        },
        {
          name: 'Exact',
          query: () => `resourceVersion=${afterC}&resourceVersionMatch=Exact`,
          want: { names: ['a', 'b', 'c'], step: '1', at: () => afterC, more: false },
        },
        {
          name: 'Exact with limit',
          query: () => `resourceVersion=${afterC}&resourceVersionMatch=Exact&limit=2`,
          want: { names: ['a', 'b'], step: '1', at: () => afterC, more: true },
        },
        {
          name: 'NotOlderThan 0',
          query: () => 'resourceVersion=0&resourceVersionMatch=NotOlderThan',
          want: full,
        },
        {
          name: 'NotOlderThan 0 with limit',
          query: () => 'resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=1',
          want: full,
        },
        {
          name: 'NotOlderThan older',
          query: () => `resourceVersion=${afterA}&resourceVersionMatch=NotOlderThan`,
          want: full,
        },
        {
          name: 'NotOlderThan older with limit',
          query: () => `resourceVersion=${afterA}&resourceVersionMatch=NotOlderThan&limit=1`,
          want: page,
        },
      ]) {
        test(name, async () => {
          const { status, body } = await ask(`${NS}?${query()}`)
          expect(status).toBe(200)
          expect({
            kind: body.kind,
            names: body.items.map((i: { metadata: { name: string } }) => i.metadata.name),
            step: body.items.find((i: { metadata: { name: string } }) => i.metadata.name === 'a')
              ?.data.step,
            at: body.metadata.resourceVersion,
            more: body.metadata.continue !== undefined,
          }).toEqual({
            kind: `${kind.kind}List`,
            names: want.names,
            step: want.step,
            at: want.at(),
            more: want.more,
          })
        })
      }

      for (const { name, query, status, body } of [
        {
          name: 'non-zero with continue',
          query: () => `resourceVersion=${afterA}&continue=${token}`,
          status: 400,
          body: () => badRequest('specifying resource version is not allowed when using continue'),
        },
        {
          name: 'from the future',
          query: () => 'resourceVersion=99999',
          status: 504,
          body: () => tooLarge('99999', latest),
        },
        {
          name: 'from the future with limit',
          query: () => 'resourceVersion=99999&limit=1',
          status: 504,
          body: () => tooLarge('99999', latest),
        },
        {
          name: 'Exact from the future',
          query: () => 'resourceVersion=99999&resourceVersionMatch=Exact',
          status: 504,
          body: () => tooLarge('99999', latest),
        },
        {
          name: 'NotOlderThan from the future',
          query: () => 'resourceVersion=99999&resourceVersionMatch=NotOlderThan',
          status: 504,
          body: () => tooLarge('99999', latest),
        },
        {
          name: 'Exact unset',
          query: () => 'resourceVersionMatch=Exact',
          status: 422,
          body: () =>
            optionsInvalid(
              'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
            ),
        },
        {
          name: 'NotOlderThan unset',
          query: () => 'resourceVersionMatch=NotOlderThan',
          status: 422,
          body: () =>
            optionsInvalid(
              'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
            ),
        },
        {
          name: 'Exact 0',
          query: () => 'resourceVersionMatch=Exact&resourceVersion=0',
          status: 422,
          body: () =>
            optionsInvalid(
              'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
            ),
        },
        {
          name: 'another match',
          query: () => 'resourceVersionMatch=Maybe&resourceVersion=1',
          status: 422,
          body: () =>
            optionsInvalid(
              'Unsupported value: "Maybe": supported values: "Exact", "NotOlderThan", ""',
              'FieldValueNotSupported',
            ),
        },
        {
          name: 'match with watch',
          query: () => 'watch=1&resourceVersionMatch=Exact&resourceVersion=1',
          status: 422,
          body: () => optionsInvalid('Forbidden: resourceVersionMatch is forbidden for watch'),
        },
        {
          name: 'not a number',
          query: () => 'resourceVersion=x',
          status: 400,
          body: () =>
            badRequest(
              'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
            ),
        },
        {
          name: 'a bad limit',
          query: () => 'limit=x',
          status: 400,
          body: () => badRequest('strconv.ParseInt: parsing "x": invalid syntax'),
        },
        {
          name: 'a token that is none',
          query: () => 'continue=%21',
          status: 400,
          body: () =>
            badRequest('invalid continue token: continue key is not valid: illegal base64 data'),
        },
      ]) {
        test(`${name}: ${status}`, async () => {
          const reply = await ask(`${NS}?${query()}`)
          expect(reply.body).toEqual(body())
          expect(reply.status).toBe(status)
        })
      }

      test('chunks are one state, and count what remains', async () => {
        const first = (await ask(`${NS}?limit=1`)).body.metadata
        expect(first).toEqual({
          resourceVersion: latest,
          continue: first.continue,
          remainingItemCount: 2,
        })
        const last = (await ask(`${NS}?limit=2&continue=${first.continue}`)).body.metadata
        expect(last).toEqual({ resourceVersion: latest })
        const selected = (await ask(`${NS}?limit=1&labelSelector=!x`)).body.metadata
        expect(Object.keys(selected).sort()).toEqual(['continue', 'resourceVersion'])
      })

      test('chunks of a state that has changed since count what remained then', async () => {
        const { metadata, items } = (await ask(`${NS}?limit=1&continue=${token}`)).body
        expect(items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual([
          'b',
        ])
        expect(metadata).toEqual({
          resourceVersion: afterC,
          continue: metadata.continue,
          remainingItemCount: 1,
        })
      })

      test('objects of one name in several namespaces are not counted', async () => {
        const own = await kind.start({ controllers: false, clock })
        const other = new Client(own)
        const spaces = ['default', 'orch-public', 'orch-system']
        for (const space of spaces) {
          for (const name of ['same', 'z'])
            await other.post(kind.in(space), { ...typeOf(kind), metadata: { name } })
        }
        const seen: string[] = []
        let next = ''
        do {
          const query = `fieldSelector=metadata.name%3Dsame&limit=1&continue=${next}`
          const { metadata, items } = (await other.get(`${kind.everywhere}?${query}`)).body
          for (const { metadata: own } of items) seen.push(`${own.namespace}/${own.name}`)
          expect(metadata.remainingItemCount).toBe(undefined)
          next = metadata.continue ?? ''
        } while (next !== '')
        expect(seen).toEqual(spaces.map((space) => `${space}/same`))
        other.close()
        await own.close()
      })
    })

    describe('watch', () => {
      test('unset and 0: the state first, then changes', async () => {
        for (const query of ['watch=1', 'watch=1&resourceVersion=0']) {
          const watch = await client.watch(`${NS}?${query}`)
          expect(await watch.names(3)).toEqual(['ADDED a', 'ADDED b', 'ADDED c'])
          watch.close()
        }
      })
      test('non-zero: exactly what came after', async () => {
        const watch = await client.watch(`${NS}?watch=1&resourceVersion=${afterA}`)
        expect(await watch.names(3)).toEqual(['ADDED b', 'ADDED c', 'MODIFIED a'])
        watch.close()
      })
    })

    describe('history that has passed', () => {
      test('an exact version, a token and a watch are told that they expired', async () => {
        const old = await kind.start({ controllers: false, clock, historyMs: 60_000 })
        const other = new Client(old)
        const first = rv(await other.post(NS, { ...typeOf(kind), metadata: { name: 'a' } }))
        await other.post(NS, { ...typeOf(kind), metadata: { name: 'b' } })
        const oldToken = (await other.get(`${NS}?limit=1`)).body.metadata.continue
        clock.advance(10_000)
        const now = rv(await other.post(NS, { ...typeOf(kind), metadata: { name: 'c' } }))
        // Past the window, in steps in which the background work runs.
        for (let i = 0; i < 20; i++) {
          clock.advance(15_000)
          await new Promise<void>((resolve) => setImmediate(resolve))
        }
        const exact = await other.get(`${NS}?resourceVersion=${first}&resourceVersionMatch=Exact`)
        expect([exact.status, exact.body.reason, exact.body.message]).toEqual([
          410,
          'Expired',
          'The resourceVersion for the provided list is too old.',
        ])
        const page = await other.get(`${NS}?limit=1&continue=${oldToken}`)
        expect([page.status, page.body.reason]).toEqual([410, 'Expired'])
        const rest = await other.get(`${NS}?limit=5&continue=${page.body.metadata.continue}`)
        expect(rest.body.items.map((i: { metadata: { name: string } }) => i.metadata.name)).toEqual(
          ['b', 'c'],
        )
        expect(rest.body.metadata.resourceVersion).toBe(now)
        const watch = await other.watch(`${NS}?watch=1&resourceVersion=${first}`)
        const event = await watch.next()
        expect([event?.type, event?.object.code, event?.object.reason]).toEqual([
          'ERROR',
          410,
          'Expired',
        ])
        expect(await watch.next()).toBeNull()
        other.close()
        await old.close()
      })
    })
  })
}
