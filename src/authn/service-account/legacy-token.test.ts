import { describe, expect, test } from 'vitest'
import { orch } from '../../vocabulary/orch.ts'
import { sign } from './jwt.ts'
import { LegacyTokens } from './legacy-token.ts'
import { authenticationContext, es256, forge, freshKey, objectsOf } from './objects.fixture.ts'

const { signing, verifying } = freshKey()
const PREFIX = 'orch.io/serviceaccount'
const claims = (rest: object = {}) => ({
  iss: 'orch/serviceaccount',
  sub: 'system:serviceaccount:ns:robot',
  [`${PREFIX}/namespace`]: 'ns',
  [`${PREFIX}/secret.name`]: 'secret',
  [`${PREFIX}/service-account.name`]: 'robot',
  [`${PREFIX}/service-account.uid`]: 'u1',
  ...rest,
})
const ROBOT = {
  user: {
    name: 'system:serviceaccount:ns:robot',
    uid: 'u1',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
    extra: {},
  },
  audiences: ['api'],
}
const ENDING = '2030-01-01T02:00:00Z'

/** Result for a token of these claims, when its secret and its account are like this. */
async function tried(
  token: string,
  {
    secret = {},
    account = {},
    held = token,
    lookup = true,
    context = authenticationContext(),
    counted = [] as string[],
  }: {
    readonly secret?: object | null
    readonly account?: object | null
    readonly held?: string
    readonly lookup?: boolean
    readonly context?: ReturnType<typeof authenticationContext>
    readonly counted?: string[]
  } = {},
): Promise<unknown> {
  const data = { token: Buffer.from(held).toString('base64') }
  const tokens = new LegacyTokens({
    v: orch,
    keys: [verifying],
    apiAudiences: ['api'],
    count: (what) => void counted.push(what),
    lookup,
    objects: objectsOf({
      ...(secret ? { 'secrets/ns/secret': { metadata: {}, data, ...secret } } : {}),
      ...(account ? { 'serviceaccounts/ns/robot': { metadata: { uid: 'u1' }, ...account } } : {}),
    }),
  })
  return tokens
    .authenticateToken(token, context)
    .catch((error: Error) => `${error.constructor.name}: ${error.message}`)
}
const refused = (message: string) => `CredentialError: ${message}`

test('a token in a secret is that of its account, and is noted', async () => {
  const context = authenticationContext()
  const counted: string[] = []
  expect(await tried(await sign(claims(), signing), { context, counted })).toEqual(ROBOT)
  expect([context.notes, counted]).toEqual([
    ['authentication.orch.io/legacy-token=system:serviceaccount:ns:robot'],
    ['legacy'],
  ])
})

describe('claims', () => {
  for (const { name, rest, expected } of [
    { name: 'no subject', rest: { sub: '' }, expected: refused('sub claim is missing') },
    {
      name: 'no namespace',
      rest: { [`${PREFIX}/namespace`]: undefined },
      expected: refused('namespace claim is missing'),
    },
    {
      name: 'no secret',
      rest: { [`${PREFIX}/secret.name`]: undefined },
      expected: refused('secretName claim is missing'),
    },
    {
      name: 'no account',
      rest: { [`${PREFIX}/service-account.name`]: undefined },
      expected: refused('serviceAccountName claim is missing'),
    },
    {
      name: 'no uid',
      rest: { [`${PREFIX}/service-account.uid`]: undefined },
      expected: refused('serviceAccountUID claim is missing'),
    },
    {
      name: 'another subject',
      rest: { sub: 'system:serviceaccount:ns:boss' },
      expected: refused('sub claim is invalid'),
    },
    { name: 'a user', rest: { sub: 'admin' }, expected: refused('sub claim is invalid') },
    {
      name: 'names that make up another name together',
      rest: {
        sub: 'system:serviceaccount:ns:a:b',
        [`${PREFIX}/service-account.name`]: 'a:b',
      },
      expected: refused('sub claim is invalid'),
    },
    { name: 'times do not count', rest: { exp: 1, nbf: 9e9 }, expected: ROBOT },
    { name: 'an audience counts', rest: { aud: ['api'] }, expected: ROBOT },
    {
      name: 'another audience',
      rest: { aud: ['x'] },
      expected: refused('token audiences ["x"] is invalid for the target audiences ["api"]'),
    },
    { name: 'another issuer', rest: { iss: 'https://server.example' }, expected: null },
  ]) {
    test(name, async () => {
      expect(await tried(await sign(claims(rest), signing))).toEqual(expected)
    })
  }
})

describe('objects', () => {
  for (const { name, found, expected } of [
    { name: 'no secret', found: { secret: null }, expected: refused('Token has been invalidated') },
    {
      name: 'a secret that is being deleted',
      found: { secret: { metadata: { deletionTimestamp: ENDING } } },
      expected: refused('Token has been invalidated'),
    },
    {
      name: 'another token in the secret',
      found: { held: 'x' },
      expected: refused("Token does not match server's copy"),
    },
    {
      name: 'no token in the secret',
      found: { secret: { data: {} } },
      expected: refused("Token does not match server's copy"),
    },
    {
      name: 'no data in the secret',
      found: { secret: { data: undefined } },
      expected: refused("Token does not match server's copy"),
    },
    {
      name: 'no account',
      found: { account: null },
      expected: refused('serviceaccounts "robot" not found'),
    },
    {
      name: 'an account that is being deleted',
      found: { account: { metadata: { uid: 'u1', deletionTimestamp: ENDING } } },
      expected: refused('ServiceAccount ns/robot has been deleted'),
    },
    {
      name: 'a namesake of the account',
      found: { account: { metadata: { uid: 'u2' } } },
      expected: refused('ServiceAccount UID (u2) does not match claim (u1)'),
    },
    {
      name: 'nothing is looked up when so configured',
      found: { lookup: false, secret: null, account: null },
      expected: ROBOT,
    },
  ]) {
    test(name, async () => {
      expect(await tried(await sign(claims(), signing), found)).toEqual(expected)
    })
  }
})

test('the signature counts before anything else', async () => {
  const token = forge({ alg: 'ES256' }, claims({ sub: '' }), es256(freshKey().signing.key))
  expect(await tried(token)).toBe(refused('token signature does not match any known key'))
})
