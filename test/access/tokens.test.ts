/** Who is let in by a token of a file or of a secret, and who is not (seed 1, tokens; authentication pages 3 to 5). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import type { Client } from '../client.ts'
import {
  ANONYMOUS,
  expectUnauthorized,
  inNamespace,
  Realm,
  said,
  TOKEN_REVIEWS,
  who,
} from './realm.fixture.ts'

const NOW = '2024-01-02T03:04:05Z'
const TOKENS = [
  'alice-token,alice,uid-a,"writers,readers"',
  'bob-token,bob,uid-b',
  'root-token,root,uid-r,system:masters',
  '',
  'old,carol,1',
  'old,dora,2',
].join('\n')

const clock = new ManualClock(Date.parse(NOW))
let realm: Realm
let nobody: Client
beforeAll(async () => {
  realm = await Realm.start(
    (file) => ({ clock, authentication: { tokenAuthFile: file('tokens.csv') } }),
    { 'tokens.csv': TOKENS },
  )
  nobody = realm.as({ anonymous: true })
})
afterAll(() => realm.close())

const bearing = (authorization: string) => who(nobody, { authorization })
const alice = {
  name: 'alice',
  uid: 'uid-a',
  groups: ['writers', 'readers', 'system:authenticated'],
}

describe('the Authorization header', () => {
  for (const { name, header, expected, warning } of [
    { name: 'a token of the file', header: 'Bearer alice-token', expected: alice },
    { name: 'the scheme in small letters', header: 'bearer alice-token', expected: alice },
    { name: 'the scheme in any letters', header: 'bEaReR alice-token', expected: alice },
    { name: 'something after the token', header: 'Bearer alice-token more', expected: alice },
    { name: 'the later of two rows', header: 'Bearer old', expected: { uid: '2', name: 'dora' } },
    { name: 'an empty header', header: '', expected: ANONYMOUS },
    { name: 'no token', header: 'Bearer', expected: ANONYMOUS },
    { name: 'another scheme', header: 'Basic YWxpY2U6eA==', expected: ANONYMOUS },
    { name: 'a token alone', header: 'alice-token', expected: ANONYMOUS },
    {
      name: 'two spaces',
      header: 'Bearer  alice-token',
      expected: ANONYMOUS,
      warning:
        '299 - "the provided Authorization header contains extra space before the bearer token, and is ignored"',
    },
    { name: 'a token that nobody has', header: 'Bearer nope', expected: 401 },
    { name: 'a token with more at its end', header: 'Bearer alice-token2', expected: 401 },
    { name: 'a part of a token', header: 'Bearer alice-toke', expected: 401 },
    { name: 'a token in other letters', header: 'Bearer Alice-token', expected: 401 },
    { name: 'a name of every object', header: 'Bearer __proto__', expected: 401 },
    { name: 'another name of every object', header: 'Bearer constructor', expected: 401 },
    { name: 'a long token', header: `Bearer ${'x'.repeat(15_000)}`, expected: 401 },
  ]) {
    test(name, async () => {
      const found = await bearing(header)
      if (typeof expected === 'object') expect(found).toMatchObject(expected)
      else expect(found).toBe(expected)
      const { headers } = await nobody.get('/version', { headers: { authorization: header } })
      expect(headers.warning).toBe(warning)
    })
  }

  test('the privileged group of a file', async () => {
    const root = realm.as({ token: 'root-token' })
    expect((await root.get(inNamespace('default', 'secrets'))).status).toBe(200)
  })

  test('only the first of two headers counts', async () => {
    const two = ['Bearer bob-token', 'Bearer root-token']
    expect(await who(nobody, { Authorization: two })).toMatchObject({ name: 'bob' })
  })

  test('a token in the query is none', async () => {
    const answer = await nobody.get('/api/v1/nodes?access_token=root-token&token=root-token')
    expect(said(answer)[1]).toContain('User "system:anonymous" cannot list')
  })
})

describe('an invalid token is never anonymous', () => {
  for (const path of [
    '/version',
    '/healthz',
    '/api',
    '/api/v1/namespaces/default/pods',
    '/nowhere',
    '/api/v1/nodes?watch=true',
  ]) {
    test(path, async () => {
      expectUnauthorized(await nobody.get(path, { headers: { authorization: 'Bearer nope' } }))
    })
  }

  test('for who accepts text only', async () => {
    const headers = { authorization: 'Bearer nope', accept: 'text/plain' }
    const { status, headers: answered } = await nobody.get('/api', { headers })
    expect([status, answered['www-authenticate']]).toEqual([401, 'Bearer'])
  })
})

describe('tokens for joining machines', () => {
  const SECRETS = inNamespace('orch-system', 'secrets')
  const good = {
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-authentication': 'true',
  }
  const joined = (...groups: string[]) => [...groups, 'system:authenticated']
  // Each has an id of its own: what was found is remembered for a while.
  let last = 100_000
  for (const { name, data = {}, secret = {}, token, expected } of [
    { name: 'one that holds', expected: joined('system:bootstrappers') },
    {
      name: 'with groups, sorted and once each',
      data: {
        'auth-extra-groups':
          'system:bootstrappers:z,system:bootstrappers:a:b-1,system:bootstrappers:z',
      },
      expected: joined(
        'system:bootstrappers',
        'system:bootstrappers:a:b-1',
        'system:bootstrappers:z',
      ),
    },
    {
      name: 'that ends later',
      data: { expiration: '2024-01-02T03:04:06Z' },
      expected: joined('system:bootstrappers'),
    },
    {
      name: 'that ends later in another zone',
      data: { expiration: '2024-01-02T05:04:06+02:00' },
      expected: joined('system:bootstrappers'),
    },
    { name: 'that ended', data: { expiration: NOW }, expected: 401 },
    { name: 'that ends nobody knows when', data: { expiration: 'tomorrow' }, expected: 401 },
    { name: 'not for this', data: { 'usage-bootstrap-authentication': 'True' }, expected: 401 },
    { name: 'for signing only', data: { 'usage-bootstrap-authentication': '' }, expected: 401 },
    { name: 'another id inside', data: { 'token-id': '100000' }, expected: 401 },
    { name: 'another secret', data: { 'token-secret': '0123456789abcdeg' }, expected: 401 },
    { name: 'no secret', data: { 'token-secret': '' }, expected: 401 },
    {
      name: 'a group of somebody else',
      data: { 'auth-extra-groups': 'system:masters' },
      expected: 401,
    },
    {
      name: 'a group with a line break',
      data: { 'auth-extra-groups': 'system:bootstrappers:a\n' },
      expected: 401,
    },
    {
      name: 'groups with a space',
      data: { 'auth-extra-groups': 'system:bootstrappers:a, system:bootstrappers:b' },
      expected: 401,
    },
    { name: 'another type of secret', secret: { type: 'Opaque' }, expected: 401 },
    {
      name: 'a token in capital letters',
      token: (id: string) => `${id}.0123456789ABCDEF`,
      expected: 401,
    },
    { name: 'a token without its secret', token: (id: string) => `${id}.`, expected: 401 },
    {
      name: 'a token with a line more',
      token: (id: string) => `${id}.0123456789abcdef.x`,
      expected: 401,
    },
  ]) {
    test(name, async () => {
      const id = String((last += 1))
      await realm.made(SECRETS, {
        metadata: { name: `bootstrap-token-${id}` },
        type: 'bootstrap.orch.io/token',
        stringData: { ...good, 'token-id': id, ...data },
        ...secret,
      })
      const shown = token?.(id) ?? `${id}.0123456789abcdef`
      expect(await bearing(`Bearer ${shown}`)).toEqual(
        expected === 401 ? 401 : { name: `system:bootstrap:${id}`, groups: expected },
      )
    })
  }

  test('a secret of another namespace', async () => {
    await realm.made(inNamespace('default', 'secrets'), {
      metadata: { name: 'bootstrap-token-abcdef' },
      type: 'bootstrap.orch.io/token',
      stringData: { ...good, 'token-id': 'abcdef' },
    })
    expect(await bearing('Bearer abcdef.0123456789abcdef')).toBe(401)
  })

  test('a secret that is being deleted', async () => {
    await realm.made(SECRETS, {
      metadata: { name: 'bootstrap-token-ending', finalizers: ['x.com/wait'] },
      type: 'bootstrap.orch.io/token',
      stringData: { ...good, 'token-id': 'ending' },
    })
    await realm.admin.delete(`${SECRETS}/bootstrap-token-ending`)
    expect((await realm.admin.get(`${SECRETS}/bootstrap-token-ending`)).status).toBe(200)
    expect(await bearing('Bearer ending.0123456789abcdef')).toBe(401)
  })

  test('it ends while it is in use, and when its secret goes', async () => {
    const expiration = new Date(clock.now() + 60_000).toISOString()
    const make = (extra: object) =>
      realm.made(SECRETS, {
        metadata: { name: 'bootstrap-token-fedcba' },
        type: 'bootstrap.orch.io/token',
        stringData: { ...good, 'token-id': 'fedcba', ...extra },
      })
    const ask = () => bearing('Bearer fedcba.0123456789abcdef')
    await make({ expiration })
    expect(await ask()).toMatchObject({ name: 'system:bootstrap:fedcba' })
    clock.advance(60_000)
    expect(await ask()).toBe(401)
    await realm.admin.delete(`${SECRETS}/bootstrap-token-fedcba`)
    await make({})
    expect(await ask()).toMatchObject({ name: 'system:bootstrap:fedcba' })
    await realm.admin.delete(`${SECRETS}/bootstrap-token-fedcba`)
    clock.advance(10_000)
    expect(await ask()).toBe(401)
  })
})

describe('reviews of tokens', () => {
  const review = async (spec: object, client = realm.admin) => {
    const { status, body } = await client.post(TOKEN_REVIEWS, { spec })
    return [status, status === 201 ? body.status : body.message]
  }
  const audience = 'https://orch.default.svc'

  test('somebody', async () => {
    expect(await review({ token: 'alice-token' })).toEqual([
      201,
      {
        authenticated: true,
        audiences: [audience],
        user: {
          username: 'alice',
          uid: 'uid-a',
          groups: ['writers', 'readers', 'system:authenticated'],
        },
      },
    ])
  })
  test('for an audience of this server among others', async () => {
    const [, status] = await review({ token: 'bob-token', audiences: ['x', audience] })
    expect(status).toMatchObject({ authenticated: true, audiences: [audience] })
  })
  test('nobody for another audience', async () => {
    expect(await review({ token: 'alice-token', audiences: ['x'] })).toEqual([
      201,
      { user: {}, error: 'invalid bearer token' },
    ])
  })
  test('nobody', async () => {
    expect(await review({ token: 'nope' })).toEqual([
      201,
      { user: {}, error: 'invalid bearer token' },
    ])
  })
  test('no token', async () => {
    expect(await review({})).toEqual([400, 'token is required for TokenReview in authentication'])
  })
  test('only for who may', async () => {
    const asking = realm.user('carol')
    expect(await review({ token: 'alice-token' }, asking)).toEqual([
      403,
      'tokenreviews.authentication.orch.io is forbidden: User "carol" cannot create resource "tokenreviews" in API group "authentication.orch.io" at the cluster scope',
    ])
    const roleRef = { kind: 'ClusterRole', name: 'system:auth-delegator' }
    await realm.made('/apis/rbac.authorization.orch.io/v1/clusterrolebindings', {
      metadata: { name: 'carol-reviews' },
      roleRef,
      subjects: [{ kind: 'User', name: 'carol' }],
    })
    expect((await review({ token: 'alice-token' }, asking))[0]).toBe(201)
  })
})

describe('without anonymous requests', () => {
  let strict: Realm
  beforeAll(async () => {
    strict = await Realm.start(
      (file) => ({
        authentication: { anonymous: false, tokenAuthFile: file('t.csv') },
      }),
      { 't.csv': 'token,alice,1' },
    )
  })
  afterAll(() => strict.close())
  for (const path of ['/healthz', '/version', '/api/v1/nodes', '/nowhere']) {
    test(`${path} for nobody`, async () =>
      expectUnauthorized(await strict.as({ anonymous: true }).get(path)))
  }
  test('others are let in', async () => {
    expect(await who(strict.as({ token: 'token' }))).toMatchObject({ name: 'alice' })
    expect(await who(strict.user('bob'))).toMatchObject({ name: 'bob' })
    expect(await who(strict.admin)).toMatchObject({
      groups: ['system:masters', 'system:authenticated'],
    })
  })
})

test('where everything is allowed nobody is anonymous', async () => {
  const open = await Realm.start(() => ({ authorization: { modes: ['AlwaysAllow'] } }))
  try {
    expectUnauthorized(await open.as({ anonymous: true }).get('/version'))
    expect((await open.user('alice').get('/api/v1/nodes')).status).toBe(200)
  } finally {
    await open.close()
  }
})
