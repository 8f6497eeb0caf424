import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  hurriedClock,
  remoteService,
  type RemoteService,
  type Reply,
} from '../../test/remote-service.ts'
import { openJsonClient, type JsonClient } from '../client/json-call.ts'
import { vocabularies } from '../vocabulary/index.ts'
import type { Attributes, Decision, Subject } from './authorizer.ts'
import { webhookAuthorizer, type WebhookAuthorizerOptions } from './webhook.ts'
import { freePort } from '../../test/ports.ts'

const v = vocabularies.orch
const BETA = 'authorization.orch.io/v1beta1'
const V1 = 'authorization.orch.io/v1'

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
    config: { ...remote.config, token: 'sesame' },
    v,
    clock,
    ids: { fraction: () => 0 },
  })
})
afterEach(() => client.close())

const opened = (options: Partial<WebhookAuthorizerOptions> = {}) =>
  webhookAuthorizer({ client, v, clock, ...options })

const says = (status: unknown, apiVersion = BETA): Reply => ({
  body: { kind: 'SubjectAccessReview', apiVersion, status },
})

const JANE: Subject = { name: 'jane', uid: '', groups: [], extra: {} }
const EMPTY: Attributes = {
  isResource: true,
  verb: '',
  path: '',
  group: '',
  version: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
}
const GET: Attributes = { ...EMPTY, verb: 'get', version: 'v1', resource: 'pods', path: '/api' }

describe('the review', () => {
  const whole: Subject = {
    name: 'jane',
    uid: '1',
    groups: ['a', 'b'],
    extra: { z: ['1'], A: ['2', '3'], ['__proto__']: ['4'] },
  }
  const sets: readonly {
    name: string
    version?: string
    user?: Subject
    attributes: Attributes
    apiVersion: string
    spec: string
  }[] = [
    {
      name: 'everything about a resource',
      version: 'v1',
      user: whole,
      attributes: {
        ...EMPTY,
        verb: 'update',
        group: 'apps',
        version: 'v1',
        resource: 'deployments',
        subresource: 'scale',
        namespace: 'ns',
        name: 'x',
        path: '/not/told',
      },
      apiVersion: V1,
      spec: '{"resourceAttributes":{"namespace":"ns","verb":"update","group":"apps","version":"v1","resource":"deployments","subresource":"scale","name":"x"},"user":"jane","groups":["a","b"],"extra":{"A":["2","3"],"__proto__":["4"],"z":["1"]},"uid":"1"}',
    },
    {
      name: 'the same in v1beta1',
      user: { ...whole, extra: {} },
      attributes: GET,
      apiVersion: BETA,
      spec: '{"resourceAttributes":{"verb":"get","version":"v1","resource":"pods"},"user":"jane","group":["a","b"],"uid":"1"}',
    },
    {
      name: 'a path',
      attributes: { ...EMPTY, isResource: false, verb: 'head', path: '/healthz' },
      apiVersion: BETA,
      spec: '{"nonResourceAttributes":{"path":"/healthz","verb":"head"},"user":"jane"}',
    },
  ]
  for (const { name, version, user = JANE, attributes, apiVersion, spec } of sets) {
    test(name, async () => {
      remote.replies = [says({ allowed: true }, apiVersion)]
      await opened(version === undefined ? {} : { version }).authorize(user, attributes)
      expect(
        remote.requests.map(({ line, body, client }) => ({
          line,
          body: JSON.stringify(body),
          client,
        })),
      ).toEqual([
        {
          line: 'POST /review?timeout=30s',
          body: `{"kind":"SubjectAccessReview","apiVersion":"${apiVersion}","metadata":{"creationTimestamp":null},"spec":${spec},"status":{"allowed":false}}`,
          client: 'caller',
        },
      ])
    })
  }

  test('a version that is not known is refused', () => {
    expect(() => opened({ version: 'v2' })).toThrow(
      'unsupported webhook authorizer version "v2", supported versions are "v1", "v1beta1"',
    )
  })
})

describe('the decision', () => {
  const failed = (text: string) => ({ verdict: 'no opinion', reason: '', error: text })
  const told = (text: string) => () => failed(`Post "${remote.url}?timeout=30s": ${text}`)
  const sets: readonly { name: string; reply: Reply; decision: unknown }[] = [
    {
      name: 'allowed',
      reply: says({ allowed: true, reason: 'why' }),
      decision: { verdict: 'allow', reason: 'why' },
    },
    {
      name: 'denied',
      reply: says({ allowed: false, denied: true, reason: 'no' }),
      decision: { verdict: 'deny', reason: 'no' },
    },
    {
      name: 'neither',
      reply: says({ allowed: false, reason: 'not mine' }),
      decision: { verdict: 'no opinion', reason: 'not mine' },
    },
    {
      name: 'neither, with an error of the service',
      reply: says({ allowed: false, evaluationError: 'x' }),
      decision: { verdict: 'no opinion', reason: '' },
    },
    {
      name: 'both',
      reply: says({ allowed: true, denied: true, reason: 'r' }),
      decision: {
        verdict: 'deny',
        reason: 'r',
        error: 'webhook subject access review returned both allow and deny response',
      },
    },
    {
      name: 'no status',
      reply: says(undefined),
      decision: { verdict: 'no opinion', reason: '' },
    },
    {
      name: 'another version',
      reply: says({ allowed: true }, V1),
      decision: failed(`the webhook did not answer with SubjectAccessReview of ${BETA}`),
    },
    {
      name: 'a text for yes',
      reply: says({ allowed: 'yes' }),
      decision: failed(
        'the webhook answered with a form that is wrong: allowed is not true or false',
      ),
    },
    {
      name: 'refused',
      reply: { code: 401, body: { kind: 'Status', message: 'not with sesame' } },
      decision: told('the server answered 401 Unauthorized: not with [secret]'),
    },
    {
      name: 'a failure that stays',
      reply: { code: 500 },
      decision: told('the server answered 500 Internal Server Error'),
    },
  ]
  for (const { name, reply, decision } of sets) {
    test(name, async () => {
      remote.replies = [reply]
      expect(await opened().authorize(JANE, GET)).toEqual(
        typeof decision === 'function' ? decision() : decision,
      )
    })
  }

  test('no server', async () => {
    const port = await freePort()
    const gone = await openJsonClient({
      config: { ...remote.config, server: `https://127.0.0.1:${port}/authorize` },
      v,
      clock,
      ids: { fraction: () => 0 },
    })
    expect(await opened({ client: gone }).authorize(JANE, GET)).toEqual({
      verdict: 'no opinion',
      reason: '',
      error: `Post "https://127.0.0.1:${port}/authorize?timeout=30s": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    })
    expect(delays).toEqual([])
    gone.close()
  })

  test('a call that fails temporarily is retried', async () => {
    remote.replies = ['reset', { code: 429 }, { code: 500 }, says({ allowed: true })]
    expect(await opened().authorize(JANE, GET)).toEqual({ verdict: 'allow', reason: '' })
    expect(delays).toEqual([500, 750, 1125])
  })
})

describe('the cache', () => {
  const long = { ...GET, name: 'x'.repeat(9_988) }
  const sets: readonly {
    name: string
    reply: Reply
    attributes?: Attributes
    options?: Partial<WebhookAuthorizerOptions>
    asked: readonly number[]
  }[] = [
    // Number of calls after nothing, 29.999 s, 30 s, 299.999 s and 300 s.
    { name: 'an allow', reply: says({ allowed: true }), asked: [1, 1, 1, 1, 2] },
    { name: 'a deny', reply: says({ denied: true }), asked: [1, 1, 2, 3, 3] },
    { name: 'no opinion', reply: says({}), asked: [1, 1, 2, 3, 3] },
    {
      name: 'not a failed call',
      reply: { code: 400 },
      asked: [2, 3, 4, 5, 6],
    },
    {
      name: 'not a request with long attributes',
      reply: says({ allowed: true }),
      attributes: { ...long, path: 'xxx' },
      asked: [2, 3, 4, 5, 6],
    },
    {
      name: 'attributes just below the limit',
      reply: says({ allowed: true }),
      attributes: { ...long, path: 'xx' },
      asked: [1, 1, 1, 1, 2],
    },
    {
      name: 'not attributes beyond the limit in bytes',
      reply: says({ allowed: true }),
      attributes: { ...GET, name: 'ä'.repeat(5000) },
      asked: [2, 3, 4, 5, 6],
    },
    {
      name: 'nothing that is allowed',
      reply: says({ allowed: true }),
      options: { authorizedTtlMs: 0 },
      asked: [2, 3, 4, 5, 6],
    },
    {
      name: 'nothing that is not allowed',
      reply: says({}),
      options: { unauthorizedTtlMs: 0 },
      asked: [2, 3, 4, 5, 6],
    },
    {
      name: 'for the configured time',
      reply: says({ allowed: true }),
      options: { authorizedTtlMs: 30_000 },
      asked: [1, 1, 2, 3, 3],
    },
  ]
  for (const { name, reply, attributes = GET, options = {}, asked } of sets) {
    test(name, async () => {
      remote.replies = [reply]
      const authorizer = opened(options)
      const counts: number[] = []
      await authorizer.authorize(JANE, attributes)
      for (const step of [0, 29_999, 1, 269_999, 1]) {
        time.ms += step
        await authorizer.authorize(JANE, attributes)
        counts.push(remote.requests.length)
      }
      expect(counts).toEqual(asked)
    })
  }

  test('by all attributes', async () => {
    remote.replies = [says({ allowed: true })]
    const authorizer = opened()
    const users: Subject[] = [
      JANE,
      { ...JANE, name: 'ben' },
      { ...JANE, uid: '1' },
      { ...JANE, groups: ['g'] },
      { ...JANE, extra: { a: ['b'] } },
    ]
    const attributes: Attributes[] = [
      { ...GET, verb: 'list' },
      { ...GET, namespace: 'x' },
      { ...GET, name: 'x' },
      { ...GET, isResource: false },
    ]
    const known: Decision = { verdict: 'allow', reason: '' }
    for (let round = 0; round < 2; round++) {
      for (const user of users) expect(await authorizer.authorize(user, GET)).toEqual(known)
      for (const one of attributes) expect(await authorizer.authorize(JANE, one)).toEqual(known)
      expect(await authorizer.authorize(JANE, { ...GET, path: '/other' })).toEqual(known)
    }
    expect(remote.requests).toHaveLength(9)
  })
})

test('lists of rules cannot be had', () => {
  expect(opened().rulesFor(JANE, 'ns')).toEqual({
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    error: 'webhook authorizer does not support user rule resolution',
  })
})
