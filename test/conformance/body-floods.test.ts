/** Many large bodies on one connection of HTTP/2: others are served meanwhile, and what they held is given back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CODE } from '../../src/http2/frames.ts'
import { inNamespace, Realm, rule, subject } from '../access/realm.fixture.ts'
import { RawHttp2, type RawAnswer } from '../http2/raw-client.fixture.ts'
import { Raw } from '../raw.ts'

const CONFIG_MAPS = inNamespace('default', 'configmaps')
const MIB = 1 << 20
/** One user gets half of it, which is the longest body. */
const MEMORY = 6 * MIB
const LONGEST = 3 * MIB
const STREAMS = 250
const LARGE = 1_600_000

let realm: Realm
/** The same, where requests must not take long. */
let hasty: Realm
beforeAll(async () => {
  realm = await Realm.start(() => ({ bodyMemoryBytes: MEMORY }))
  hasty = await Realm.start(() => ({ bodyMemoryBytes: MEMORY, requestTimeoutMs: 5_000 }))
  for (const one of [realm, hasty]) await one.allow({ user: 'carol' }, rule('create configmaps'))
})
afterAll(async () => {
  await realm.close()
  await hasty.close()
})

const asCarol = (of: Realm) =>
  RawHttp2.tls(of.server, of.certificate({ subject: subject('carol') }))

let names = 0
/** A config map that is as long as it is asked to be. */
const padded = (bytes: number) =>
  Buffer.from(JSON.stringify({ metadata: { name: `m${(names += 1)}` } }).padEnd(bytes))

const begin = (client: RawHttp2) =>
  client.begin('POST', `${CONFIG_MAPS}?dryRun=All`, [['content-type', 'application/json']], false)

/** Sends a body but for its last byte, and keeps it so. */
function hold(client: RawHttp2, bytes: number) {
  const id = begin(client)
  const body = padded(bytes)
  const rest = client.feed(id, body, bytes - 1).catch(() => 0)
  return { id, body, rest }
}

/** Whether a user gets all the memory that one may have. */
async function takesAll(client: RawHttp2): Promise<number> {
  const id = begin(client)
  await client.feed(id, padded(LONGEST))
  return (await client.answer(id)).status
}

test('beyond what one user may hold, streams are told to come again, and another user is served', async () => {
  const flood = await RawHttp2.admin(realm.server)
  const other = await asCarol(realm)
  const answers: RawAnswer[] = []
  const all = Array.from({ length: STREAMS }, async () => {
    const { id, rest } = hold(flood, LARGE)
    await rest
    answers.push(await flood.answer(id))
  })
  const over = Promise.allSettled(all)
  // Two would be more than there is for one user.
  await flood.until('all but one are refused', () => answers.length === STREAMS - 1)
  for (const { status, headers, body } of answers)
    expect([status, headers['retry-after'], body]).toEqual([
      429,
      '1',
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message:
          'Too many requests: bodies of other requests take all the memory there is for them',
        reason: 'TooManyRequests',
        details: { retryAfterSeconds: 1 },
        code: 429,
      },
    ])
  expect(await takesAll(other)).toBe(201)
  flood.close()
  await over
  expect(answers).toHaveLength(STREAMS - 1)
  // Both get all that there is for them, so that nothing is held by what is over.
  const { id, body, rest } = hold(other, LONGEST)
  const again = await RawHttp2.admin(realm.server)
  await expect.poll(() => takesAll(again)).toBe(201)
  other.data(id, body.subarray(-1), true)
  await rest
  expect((await other.answer(id)).status).toBe(201)
  for (const client of [other, again]) client.close()
})

test('bodies that become whole at one time are read in turns, between which others are answered', async () => {
  const many = await Realm.start()
  const flood = await RawHttp2.admin(many.server)
  const other = await RawHttp2.admin(many.server)
  const held = Array.from({ length: 30 }, () => hold(flood, 1_000_000))
  await flood.until('all is sent', () => held.every(({ id }) => flood.sentOf(id) === 999_999))
  await flood.synchronized()
  flood.socket.cork()
  for (const { id, body } of held) flood.data(id, body.subarray(-1), true)
  flood.socket.uncork()
  let left = held.length
  for (const { id } of held) void flood.answer(id).then(() => left--)
  let answered = 0
  while (left > 0) {
    expect((await other.ask('GET', '/version')).status).toBe(200)
    answered++
  }
  // Were they read in one turn, all would be answered before the first of the others is read.
  expect(answered).toBeGreaterThan(5)
  for (const client of [flood, other]) client.close()
  await many.close()
})

describe('what a body held is given back when', () => {
  for (const [name, end] of Object.entries<(client: RawHttp2, id: number) => void>({
    'the stream is reset': (client, id) => client.reset(id, CODE.CANCEL),
    'the client ends the connection': (client) => {
      client.sayGoaway(CODE.NO_ERROR)
      client.socket.end()
    },
    'the connection is reset': (client) => void client.under.resetAndDestroy(),
    'the client breaks the protocol': (client) => client.send(0, 0, 0),
    'the stream does': (client, id) => client.headers(id, [['a', 'b']], false),
    'its time is up': () => {},
  })) {
    test(`${name}, over HTTP/2`, async () => {
      const of = end.length === 0 ? hasty : realm
      const client = await asCarol(of)
      const { id } = hold(client, LONGEST)
      await client.until('it is sent', () => client.sentOf(id) === LONGEST - 1)
      await client.synchronized()
      end(client, id)
      const again = await asCarol(of)
      await expect.poll(() => takesAll(again), { timeout: 10_000 }).toBe(201)
      for (const one of [client, again]) one.close()
    })
  }

  for (const [name, end] of Object.entries<(raw: Raw) => void>({
    'the client closes its side': (raw) => raw.socket.end(),
    'the connection is reset': (raw) => void raw.under.resetAndDestroy(),
    'its time is up': () => {},
  })) {
    test(`${name}, over HTTP/1.1`, async () => {
      const of = end.length === 0 ? hasty : realm
      const raw = await Raw.open(of.server)
      const head = [`POST ${CONFIG_MAPS} HTTP/1.1`, 'Host: a', 'Content-Type: application/json']
      await raw.send([...head, `Content-Length: ${LONGEST}`, '', ''].join('\r\n'))
      await raw.send(padded(LONGEST).subarray(1))
      // In each turn in which the server answers, it reads a piece of the body as well.
      const again = await RawHttp2.admin(of.server)
      for (let i = 0; i < 100; i++) await again.ask('GET', '/version')
      expect(await takesAll(again)).toBe(429)
      end(raw)
      await expect.poll(() => takesAll(again), { timeout: 10_000 }).toBe(201)
      again.close()
      raw.close()
    })
  }
})
