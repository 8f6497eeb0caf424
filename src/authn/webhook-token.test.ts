import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  hurriedClock,
  remoteService,
  type RemoteService,
  type Reply,
} from '../../test/remote-service.ts'
import { openJsonClient, type JsonClient } from '../client/json-call.ts'
import { vocabularies } from '../vocabulary/index.ts'
import { outcome, recordingContext } from './authentication.fixture.ts'
import { webhookToken, type WebhookTokenOptions } from './webhook-token.ts'

const v = vocabularies.orch
const BETA = 'authentication.orch.io/v1beta1'
const NOBODY = { name: '', uid: '', groups: [], extra: {} }

let remote: RemoteService
let client: JsonClient
const time = { ms: 0 }
const delays: number[] = []
const clock = hurriedClock(delays, time)

beforeAll(async () => {
  remote = await remoteService()
})
afterAll(() => remote.close())
beforeEach(async () => {
  time.ms = Date.parse('2024-01-02T03:04:05Z')
  delays.length = 0
  remote.requests.length = 0
  remote.replies = []
  client = await openJsonClient({
    config: remote.config,
    v,
    clock,
    ids: { fraction: () => 0 },
  })
})
afterEach(() => client.close())

const opened = (options: Partial<WebhookTokenOptions> = {}) =>
  webhookToken({ client, v, clock, apiAudiences: ['api'], ...options })

const says = (status: unknown, apiVersion = BETA): Reply => ({
  body: { kind: 'TokenReview', apiVersion, status },
})

describe('the review', () => {
  for (const { name, version, audiences, vocabulary, apiVersion, spec } of [
    {
      name: 'by default',
      version: undefined,
      audiences: [],
      vocabulary: v,
      apiVersion: BETA,
      spec: { token: 't' },
    },
    {
      name: 'for audiences in v1',
      version: 'v1',
      audiences: ['api', 'b'],
      vocabulary: v,
      apiVersion: 'authentication.orch.io/v1',
      spec: { token: 't', audiences: ['api', 'b'] },
    },
    {
      name: 'in other words',
      version: 'v1beta1',
      audiences: ['api'],
      vocabulary: vocabularies.kubernetes,
      apiVersion: 'authentication.k8s.io/v1beta1',
      spec: { token: 't', audiences: ['api'] },
    },
  ]) {
    test(name, async () => {
      remote.replies = [says({ authenticated: true, user: { username: 'u' } }, apiVersion)]
      const tokens = opened({ v: vocabulary, ...(version === undefined ? {} : { version }) })
      await tokens.authenticateToken('t', recordingContext(audiences))
      expect(remote.requests.map(({ line, body, client }) => ({ line, body, client }))).toEqual([
        {
          line: 'POST /review?timeout=30s',
          body: {
            kind: 'TokenReview',
            apiVersion,
            metadata: { creationTimestamp: null },
            spec,
            status: { user: {} },
          },
          client: 'caller',
        },
      ])
    })
  }

  test('a version that is not known is refused', () => {
    expect(() => opened({ version: 'v2' })).toThrow(
      'unsupported authentication webhook version "v2", supported versions are "v1", "v1beta1"',
    )
  })
})

describe('the result', () => {
  const yes = { authenticated: true }
  const told = (text: string) => () => `Post "${remote.url}?timeout=30s": ${text}`
  const wrong = `the webhook did not answer with TokenReview of ${BETA}`
  for (const { name, reply, audiences = ['api'], answer } of [
    {
      name: 'a user with all members',
      reply: says({
        ...yes,
        user: {
          username: 'jane',
          uid: '1',
          groups: ['a', 'b'],
          extra: { 'Case.Kept': ['x', 'y'], none: null },
        },
      }),
      answer: {
        user: {
          name: 'jane',
          uid: '1',
          groups: ['a', 'b'],
          extra: { 'Case.Kept': ['x', 'y'], none: [] },
        },
        audiences: ['api'],
      },
    },
    {
      name: 'a user without anything',
      reply: says(yes),
      answer: { user: NOBODY, audiences: ['api'] },
    },
    { name: 'nobody', reply: says({ authenticated: false }), answer: null },
    { name: 'no status', reply: { body: { kind: 'TokenReview', apiVersion: BETA } }, answer: null },
    { name: 'an error', reply: says({ error: 'expired' }), answer: 'expired' },
    {
      name: 'an error that contains the token',
      reply: says({ error: 'secret-token is bad' }),
      answer: '[secret] is bad',
    },
    {
      name: 'an error together with a user',
      reply: says({ ...yes, error: 'x' }),
      answer: { user: NOBODY, audiences: ['api'] },
    },
    {
      name: 'audiences that are confirmed, in the order wanted',
      audiences: ['a', 'b', 'c'],
      reply: says({ ...yes, audiences: ['c', 'a', 'd'] }),
      answer: { user: NOBODY, audiences: ['a', 'c'] },
    },
    {
      name: 'other audiences',
      reply: says({ ...yes, audiences: ['other'] }),
      answer: null,
    },
    {
      name: 'no audiences, where the server’s own are wanted too',
      audiences: ['x', 'api'],
      reply: says(yes),
      answer: { user: NOBODY, audiences: ['api'] },
    },
    {
      name: 'no audiences, where others are wanted',
      audiences: ['x'],
      reply: says(yes),
      answer: null,
    },
    {
      name: 'an error for other audiences',
      audiences: ['x'],
      reply: says({ error: 'x' }),
      answer: null,
    },
    {
      name: 'audiences that were not requested',
      audiences: [],
      reply: says({ ...yes, audiences: ['x'] }),
      answer: { user: NOBODY, audiences: null },
    },
    {
      name: 'another version',
      reply: says(yes, 'authentication.orch.io/v1'),
      answer: wrong,
    },
    { name: 'another kind', reply: { body: { kind: 'Status' } }, answer: wrong },
    { name: 'a list', reply: { body: [] }, answer: wrong },
    {
      name: 'a user that is none',
      reply: says({ ...yes, user: { groups: 'a' } }),
      answer: 'the webhook answered with a form that is wrong: groups is not a list',
    },
    {
      name: 'a text for yes',
      reply: says({ authenticated: 'true' }),
      answer: 'the webhook answered with a form that is wrong: authenticated is not true or false',
    },
    {
      name: 'refused',
      reply: {
        code: 403,
        body: { kind: 'Status', message: 'secret-token may not' },
      },
      answer: told('the server answered 403 Forbidden: [secret] may not'),
    },
    {
      name: 'no JSON',
      reply: { body: 'secret-token' },
      answer: expect.not.stringContaining('secret-token') as unknown,
    },
  ]) {
    test(name, async () => {
      remote.replies = [reply]
      const said = await outcome(() =>
        opened().authenticateToken('secret-token', recordingContext(audiences)),
      )
      expect(said).toEqual(typeof answer === 'function' ? answer() : answer)
      expect(remote.requests).toHaveLength(1)
    })
  }
})

describe('the cache', () => {
  const states: readonly { name: string; reply: Reply; ttl?: number; asked: readonly number[] }[] =
    [
      // Number of calls: at once, just before the end, and at the end.
      { name: 'a user, for two minutes', reply: says({ authenticated: true }), asked: [1, 1, 2] },
      { name: 'an unknown token, for two minutes', reply: says({}), asked: [1, 1, 2] },
      { name: 'not an error', reply: says({ error: 'x' }), asked: [2, 3, 4] },
      { name: 'not a failure', reply: { code: 400 }, asked: [2, 3, 4] },
      { name: 'nothing', reply: says({ authenticated: true }), ttl: 0, asked: [2, 3, 4] },
      { name: 'for the configured time', reply: says({}), ttl: 60_000, asked: [1, 2, 2] },
    ]
  for (const { name, reply, ttl, asked } of states) {
    test(name, async () => {
      remote.replies = [reply]
      const tokens = opened(ttl === undefined ? {} : { cacheTtlMs: ttl })
      const ask = () => outcome(() => tokens.authenticateToken('t', recordingContext(['api'])))
      const counts: number[] = []
      await ask()
      for (const step of [0, 119_999, 1]) {
        time.ms += step
        await ask()
        counts.push(remote.requests.length)
      }
      expect(counts).toEqual(asked)
    })
  }

  test('by token and audiences', async () => {
    remote.replies = [says({ authenticated: true })]
    const tokens = opened()
    for (const [token, audiences] of [
      ['a', ['api']],
      ['b', ['api']],
      ['a', ['api', 'x']],
      ['a', ['api']],
    ] as const) {
      await tokens.authenticateToken(token, recordingContext(audiences))
    }
    expect(remote.requests.map(({ body }) => (body as { spec: unknown }).spec)).toEqual([
      { token: 'a', audiences: ['api'] },
      { token: 'b', audiences: ['api'] },
      { token: 'a', audiences: ['api', 'x'] },
    ])
  })

  test('concurrent requests for the same token wait for one call', async () => {
    remote.replies = [says({ error: 'no' }), says({ authenticated: true })]
    const tokens = opened()
    const ask = () => outcome(() => tokens.authenticateToken('t', recordingContext(['api'])))
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['no', 'no', 'no'])
    expect(await ask()).toEqual({ user: NOBODY, audiences: ['api'] })
    expect(remote.requests).toHaveLength(2)
  })
})

test('a call that fails temporarily is retried', async () => {
  remote.replies = ['reset', { code: 429 }, { code: 500 }, says({ authenticated: true })]
  const answer = await opened().authenticateToken('t', recordingContext(['api']))
  expect({ answer, delays }).toEqual({
    answer: { user: NOBODY, audiences: ['api'] },
    delays: [500, 750, 1125],
  })
})
