/** Answers that come before the body is whole: clients that still send get them, over both protocols. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inNamespace, Realm } from '../access/realm.fixture.ts'
import { RawHttp2, type Fields } from '../http2/raw-client.fixture.ts'
import { answerOf, Raw } from '../raw.ts'

const CONFIG_MAPS = inNamespace('default', 'configmaps')
const MIB = 1 << 20
const JSON_TYPE = ['content-type', 'application/json'] as const

let realm: Realm
beforeAll(async () => {
  realm = await Realm.start(() => ({ bodyMemoryBytes: 2 * MIB }))
})
afterAll(() => realm.close())

const failure = (code: number, reason: string, message: string, details?: object) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  ...(reason === '' ? {} : { reason }),
  ...(details ? { details } : {}),
  code,
})

/** Refused before all of it came. */
const requests: {
  name: string
  anonymous?: boolean
  fields?: Fields
  /** Of the body as it is declared; absent: nothing is declared. */
  length?: number
  expected: ReturnType<typeof failure>
}[] = [
  {
    name: 'a body that is declared too long',
    length: 30 * MIB,
    expected: failure(413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728'),
  },
  {
    name: 'a body beyond what one user may hold',
    length: 3 * MIB,
    expected: failure(
      429,
      'TooManyRequests',
      'Too many requests: bodies of other requests take all the memory there is for them',
      { retryAfterSeconds: 1 },
    ),
  },
  {
    name: 'an endless body',
    expected: failure(
      429,
      'TooManyRequests',
      'Too many requests: bodies of other requests take all the memory there is for them',
      { retryAfterSeconds: 1 },
    ),
  },
  {
    name: 'a token that does not hold',
    anonymous: true,
    fields: [['authorization', 'Bearer nope']],
    length: 3 * MIB,
    expected: failure(401, 'Unauthorized', 'Unauthorized'),
  },
  {
    name: 'somebody who may not',
    anonymous: true,
    length: 3 * MIB,
    expected: failure(
      403,
      'Forbidden',
      'configmaps is forbidden: User "system:anonymous" cannot create resource "configmaps" in API group "" in the namespace "default"',
      { kind: 'configmaps' },
    ),
  },
  {
    name: 'what is not clear',
    fields: [['host', 'a@b']],
    length: 3 * MIB,
    expected: failure(400, 'BadRequest', 'malformed Host header'),
  },
]

const PIECE = Buffer.alloc(16_384, 'x')
const CHUNK = Buffer.concat([Buffer.from('4000\r\n'), PIECE, Buffer.from('\r\n')])

describe('over HTTP/1.1', () => {
  for (const { name, anonymous = false, fields = [], length, expected } of requests) {
    test(`${name}: ${expected.code}`, async () => {
      const raw = await Raw.open(realm.server, { anonymous })
      let failed: Error | null = null
      raw.socket.on('error', (error) => (failed = error))
      const head = [
        ...(fields.some(([name]) => name === 'host') ? [] : [['host', 'localhost']]),
        length === undefined
          ? ['transfer-encoding', 'chunked']
          : ['content-length', String(length)],
        JSON_TYPE,
        ...fields,
      ]
      const lines = head.map((field) => field.join(': '))
      await raw.send([`POST ${CONFIG_MAPS} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
      // A client that looks at answers when it has sent all that it wants to, and no sooner.
      raw.socket.pause()
      const piece = length === undefined ? CHUNK : PIECE
      for (let i = 0; i < 128; i++) await raw.send(piece)
      raw.socket.resume()
      expect(answerOf(await raw.closed())).toEqual({
        status: expected.code,
        close: true,
        body: expected,
      })
      expect(failed).toBeNull()
    })
  }

  test('a head that is too large: 431', async () => {
    const raw = await Raw.open(realm.server)
    let failed: Error | null = null
    raw.socket.on('error', (error) => (failed = error))
    await raw.send('GET /version HTTP/1.1\r\nHost: a\r\nA: ')
    raw.socket.pause()
    for (let i = 0; i < 128; i++) await raw.send(PIECE)
    raw.socket.resume()
    expect(answerOf(await raw.closed())).toEqual({
      status: 431,
      close: true,
      body: failure(431, '', 'the header fields of the request are too large'),
    })
    expect(failed).toBeNull()
  })

  test('what follows such an answer is no request', async () => {
    const raw = await Raw.open(realm.server)
    const refused = [`POST ${CONFIG_MAPS} HTTP/1.1`, 'Host: a@b', 'Content-Length: 8', '', '']
    await raw.send(refused.join('\r\n'))
    await raw.until('malformed Host header')
    const rest = (head: string) => [head, 'Host: localhost', '', ''].join('\r\n')
    await raw.send(`12345678${rest(`DELETE ${CONFIG_MAPS} HTTP/1.1`)}`)
    await raw.send(rest('CONNECT a:1 HTTP/1.1'))
    const text = await raw.closed()
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1)
    const { body } = await realm.admin.get(CONFIG_MAPS)
    expect(body.items).toHaveLength(1)
  })

  test('an expectation that nobody knows', async () => {
    const raw = await Raw.open(realm.server)
    const lines = [`POST ${CONFIG_MAPS} HTTP/1.1`, 'Host: a', 'Expect: tea', 'Content-Length: 9']
    await raw.send([...lines, '', ''].join('\r\n'))
    expect(answerOf(await raw.closed())).toEqual({
      status: 417,
      close: true,
      body: failure(417, '', 'the expectation cannot be met'),
    })
  })
})

describe('over HTTP/2', () => {
  const open = (anonymous: boolean) =>
    anonymous ? RawHttp2.tls(realm.server) : RawHttp2.admin(realm.server)

  for (const { name, anonymous = false, fields = [], length, expected } of requests) {
    test(`${name}: ${expected.code}`, async () => {
      const client = await open(anonymous)
      const declared: Fields = length === undefined ? [] : [['content-length', String(length)]]
      const all = [JSON_TYPE, ...declared, ...fields]
      const isHost = fields.some(([name]) => name === 'host')
      const pseudo: Fields = [
        [':method', 'POST'],
        [':path', CONFIG_MAPS],
        [':scheme', 'https'],
        ...(isHost ? [] : [[':authority', 'localhost'] as const]),
      ]
      const id = client.id()
      client.headers(id, [...pseudo, ...all], false)
      const left = await client.feed(id, length ?? Infinity)
      const answer = await client.answer(id)
      expect([answer.status, answer.body]).toEqual([expected.code, expected])
      expect(answer.headers['retry-after']).toBe(expected.code === 429 ? '1' : undefined)
      expect(left).toBeGreaterThan(0)
      // The connection goes on, with whatever window the refused body had.
      for (let i = 0; i < 3; i++) expect((await client.ask('GET', '/version')).status).toBe(200)
      expect(client.goaway).toBeNull()
      client.close()
    })
  }

  test('a client that waits for it is told when to send its body', async () => {
    const client = await open(false)
    const body = Buffer.from(JSON.stringify({ metadata: { name: 'told' } }))
    const fields: Fields = [JSON_TYPE, ['expect', '100-continue']]
    const id = client.begin('POST', CONFIG_MAPS, fields, false)
    await client.until('it asks for the body', () => client.isInvited(id))
    client.data(id, body, true)
    expect((await client.answer(id)).status).toBe(201)
    client.close()
  })

  test('a client that may not send it is not', async () => {
    const client = await open(true)
    const fields: Fields = [JSON_TYPE, ['expect', '100-continue']]
    const id = client.begin('POST', CONFIG_MAPS, fields, false)
    expect((await client.answer(id)).status).toBe(403)
    expect(client.isInvited(id)).toBe(false)
    client.close()
  })

  for (const { name, fields } of [
    {
      name: 'as it is',
      fields: [
        [':method', 'CONNECT'],
        [':authority', 'localhost:1'],
      ],
    },
    {
      name: 'with a path',
      fields: [
        [':method', 'CONNECT'],
        [':authority', 'a:1'],
        [':path', '/'],
        [':scheme', 'https'],
      ],
    },
  ] as { name: string; fields: Fields }[]) {
    test(`a tunnel ${name} is refused`, async () => {
      const client = await open(false)
      const id = client.id()
      client.headers(id, fields, false)
      const { status, body } = await client.answer(id)
      expect([status, body]).toEqual([
        405,
        failure(
          405,
          'MethodNotAllowed',
          'the server does not allow this method on the requested resource',
          {},
        ),
      ])
      client.close()
    })
  }
})
