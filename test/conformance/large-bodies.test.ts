/** Many large bodies at one time, slow ones, and bodies of clients who may not send any. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Realm, inNamespace, rule } from '../access/realm.fixture.ts'
import { answerOf, Raw } from '../raw.ts'

const CONFIG_MAPS = inNamespace('default', 'configmaps')
const MIB = 1 << 20
/** One user gets half of it. */
const MEMORY = 6 * MIB

let realm: Realm
beforeAll(async () => {
  realm = await Realm.start(() => ({ bodyMemoryBytes: MEMORY, requestTimeoutMs: 2_000 }))
  await realm.allow({ user: 'carol' }, rule('create configmaps'))
})
afterAll(() => realm.close())

const post = (length: number, ...more: string[]) =>
  [
    `POST ${CONFIG_MAPS} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    ...more,
    '',
    '',
  ].join('\r\n')

const large = (name: string) => ({ metadata: { name }, data: { a: 'x'.repeat(900_000) } })

test('beyond what one user may hold, more waits for later, and others are served', async () => {
  const held = [await Raw.open(realm.server), await Raw.open(realm.server)]
  for (const raw of held) await raw.send(post(3 * MIB) + 'x'.repeat(1.25 * MIB))
  // What the server has read is seen by what it still takes.
  const refused = await untilRefused()
  expect(refused.headers['retry-after']).toBe('1')
  expect(refused.body).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'Too many requests: bodies of other requests take all the memory there is for them',
    reason: 'TooManyRequests',
    details: { retryAfterSeconds: 1 },
    code: 429,
  })
  expect((await realm.admin.get(`${CONFIG_MAPS}/kube-root-ca.crt`)).status).toBeLessThan(500)
  expect((await realm.user('carol').post(CONFIG_MAPS, large('of-carol'))).status).toBe(201)
  for (const raw of held) raw.close()
  await expect
    .poll(async () => (await realm.admin.post(CONFIG_MAPS, large('after'))).status)
    .toBe(201)
})

async function untilRefused() {
  for (let i = 0; ; i++) {
    const reply = await realm.admin.post(CONFIG_MAPS, large(`try-${i}`))
    if (reply.status === 429 || i === 100) return reply
  }
}

test('a body that does not come in time ends with the request', async () => {
  const raw = await Raw.open(realm.server)
  await raw.send(`${post(3 * MIB)}{"metadata":`)
  const { status, close, body } = answerOf(await raw.closed())
  expect([status, close, body]).toEqual([
    504,
    true,
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Timeout: request did not complete within the allotted timeout',
      reason: 'Timeout',
      details: {},
      code: 504,
    },
  ])
})

describe('a body is not waited for', () => {
  for (const { name, header, status, anonymous = true } of [
    { name: 'without a user that may', header: [], status: 403 },
    { name: 'of a token that does not hold', header: ['Authorization: Bearer nope'], status: 401 },
    { name: 'of a user that nobody may be', header: ['Impersonate-User: root'], status: 403 },
  ] as { name: string; header: string[]; status: number; anonymous?: boolean }[]) {
    for (const expects of [[], ['Expect: 100-continue']]) {
      test(`${name} ${expects.join()}`, async () => {
        const raw = await Raw.open(realm.server, { anonymous })
        await raw.send(post(3 * MIB, ...header, ...expects))
        const answer = answerOf(await raw.closed())
        expect([answer.status, answer.close]).toEqual([status, true])
      })
    }
  }
})

test('a client that waits for it is told when to send its body', async () => {
  const raw = await Raw.open(realm.server)
  const body = JSON.stringify({ metadata: { name: 'told' } })
  await raw.send(post(body.length, 'Expect: 100-continue', 'Connection: close'))
  expect(await raw.until('\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  await raw.send(body)
  expect(await raw.closed()).toMatch(/\r\n\r\nHTTP\/1\.1 201 /)
})
