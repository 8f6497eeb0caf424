import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { orch } from '../../vocabulary/orch.ts'
import { BoundTokens } from './bound-token.ts'
import { sign } from './jwt.ts'
import { verificationKeys, type TokenKey } from './keys.ts'
import {
  authenticationContext,
  es256,
  forge,
  freshKey,
  NOW,
  NOW_SECONDS,
  objectsOf,
  publicPem,
} from './objects.fixture.ts'

const ISSUER = 'https://server.example'
const { signing, verifying } = freshKey()
const stranger = freshKey()
const big = freshKey('P-384')
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })

const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString().replace('.000', '')
const meta = (uid: string, deleted?: number) => ({
  metadata: { uid, ...(deleted === undefined ? {} : { deletionTimestamp: at(deleted) }) },
})
const objects = objectsOf({
  'serviceaccounts/ns/robot': meta('u1'),
  'serviceaccounts/ns/ending': meta('u2', -60),
  'serviceaccounts/ns/ended': meta('u3', -61),
  'pods/ns/pod': meta('p1'),
  'pods/ns/ending': meta('p2', 30),
  'pods/ns/ended': meta('p3', -61),
  'secrets/ns/secret': meta('s1'),
  'secrets/ns/ending': meta('s2', -60),
  'secrets/ns/ended': meta('s3', -61),
})

const claims = (own: object = {}, rest: object = {}) => ({
  aud: ['api'],
  exp: NOW_SECONDS + 600,
  iat: NOW_SECONDS,
  iss: ISSUER,
  nbf: NOW_SECONDS,
  sub: 'system:serviceaccount:ns:robot',
  'orch.io': { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'u1' }, ...own },
  ...rest,
})
const account = (name: string, uid: string) => ({ serviceaccount: { name, uid } })
const user = (name: string, uid: string, extra = {}) => ({
  name: `system:serviceaccount:ns:${name}`,
  uid,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
  extra,
})

const keys = [stranger.verifying, big.verifying, verifying]
const open = (counted: string[] = [], trusted: readonly TokenKey[] = keys) =>
  new BoundTokens({
    v: orch,
    clock: new ManualClock(NOW),
    keys: trusted,
    objects,
    issuers: ['https://other.example', ISSUER],
    apiAudiences: ['api', 'api2'],
    count: (what) => void counted.push(what),
  })

/** The result, or the text of the refusal. */
const tried = async (token: string, audiences: readonly string[] = [], tokens = open()) =>
  Promise.resolve(tokens.authenticateToken(token, authenticationContext(audiences))).catch(
    (error: Error) => `${error.constructor.name}: ${error.message}`,
  )
const refused = (message: string) => `CredentialError: ${message}`

describe('accepted tokens', () => {
  for (const { name, token, audiences = [], expected, notes = [], counts = ['valid'] } of [
    {
      name: 'a token',
      token: claims(),
      expected: { user: user('robot', 'u1'), audiences: ['api'] },
    },
    {
      name: 'of a pod',
      token: claims({ pod: { name: 'pod', uid: 'p1' } }),
      expected: {
        user: user('robot', 'u1', {
          'authentication.orch.io/pod-name': ['pod'],
          'authentication.orch.io/pod-uid': ['p1'],
        }),
        audiences: ['api'],
      },
    },
    {
      name: 'of a pod that ends',
      token: claims({ pod: { name: 'ending', uid: 'p2' } }),
      expected: {
        user: user('robot', 'u1', {
          'authentication.orch.io/pod-name': ['ending'],
          'authentication.orch.io/pod-uid': ['p2'],
        }),
        audiences: ['api'],
      },
    },
    {
      name: 'of a secret',
      token: claims({ secret: { name: 'secret', uid: 's1' } }),
      expected: { user: user('robot', 'u1'), audiences: ['api'] },
    },
    {
      name: 'of a secret that ends',
      token: claims({ secret: { name: 'ending', uid: 's2' } }),
      expected: { user: user('robot', 'u1'), audiences: ['api'] },
    },
    {
      name: 'of an account that was deleted 60 seconds ago',
      token: claims(account('ending', 'u2')),
      expected: { user: user('ending', 'u2'), audiences: ['api'] },
    },
    {
      name: 'by any of the issuers',
      token: claims({}, { iss: 'https://other.example' }),
      expected: { user: user('robot', 'u1'), audiences: ['api'] },
    },
    {
      name: 'over for 60 seconds',
      token: claims({}, { exp: NOW_SECONDS - 60 }),
      expected: { user: user('robot', 'u1'), audiences: ['api'] },
    },
    {
      name: 'begins in 60 seconds',
      token: claims({}, { nbf: NOW_SECONDS + 60, iat: NOW_SECONDS + 9999 }),
      expected: { user: user('robot', 'u1'), audiences: ['api'] },
    },
    {
      name: 'requested audiences, in their order',
      token: claims({}, { aud: ['a', 'b', 'c'] }),
      audiences: ['c', 'x', 'a'],
      expected: { user: user('robot', 'u1'), audiences: ['c', 'a'] },
    },
    {
      name: 'no audience is every one of this server',
      token: claims({}, { aud: undefined }),
      expected: { user: user('robot', 'u1'), audiences: ['api', 'api2'] },
      notes: ['authentication.orch.io/legacy-token=system:serviceaccount:ns:robot'],
      counts: ['legacy', 'valid'],
    },
    {
      name: 'not yet stale',
      token: claims({ warnafter: NOW_SECONDS }),
      expected: { user: user('robot', 'u1'), audiences: ['api'] },
    },
    {
      name: 'stale',
      token: claims({ warnafter: NOW_SECONDS - 7 }),
      expected: { user: user('robot', 'u1'), audiences: ['api'] },
      notes: [
        'authentication.orch.io/stale-token=subject: system:serviceaccount:ns:robot, seconds after warning threshold: 7',
      ],
      counts: ['stale'],
    },
  ]) {
    test(name, async () => {
      const counted: string[] = []
      const context = authenticationContext(audiences)
      const token_ = await sign(token, signing)
      expect(await open(counted).authenticateToken(token_, context)).toEqual(expected)
      expect([context.notes, counted]).toEqual([notes, counts])
    })
  }
})

describe('refused tokens', () => {
  for (const { name, token, audiences = [], why } of [
    {
      name: 'for another audience',
      token: claims(),
      audiences: ['b', 'c'],
      why: 'token audiences ["api"] is invalid for the target audiences ["b" "c"]',
    },
    {
      name: 'not for this server',
      token: claims({}, { aud: 'vault' }),
      why: 'token audiences ["vault"] is invalid for the target audiences ["api" "api2"]',
    },
    {
      name: 'over for more than 60 seconds',
      token: claims({}, { exp: NOW_SECONDS - 61 }),
      why: 'service account token has expired',
    },
    {
      name: 'without an end',
      token: claims({}, { exp: undefined }),
      why: 'service account token has expired',
    },
    {
      name: 'begins in more than 60 seconds',
      token: claims({}, { nbf: NOW_SECONDS + 61 }),
      why: 'service account token is not valid yet',
    },
    {
      name: 'no such account',
      token: claims(account('nobody', 'u1')),
      why: 'serviceaccounts "nobody" not found',
    },
    {
      name: 'nothing of ours in it',
      token: claims({}, { 'orch.io': undefined }),
      why: 'serviceaccounts "" not found',
    },
    {
      name: 'an account that is deleted for more than 60 seconds',
      token: claims(account('ended', 'u3')),
      why: 'service account ns/ended has been deleted',
    },
    {
      name: 'a namesake of the account',
      token: claims(account('robot', 'u0')),
      why: 'service account UID (u1) does not match claim (u0)',
    },
    {
      name: 'no such pod',
      token: claims({ pod: { name: 'x', uid: 'p1' } }),
      why: 'service account token has been invalidated',
    },
    {
      name: 'a pod that is deleted for more than 60 seconds',
      token: claims({ pod: { name: 'ended', uid: 'p3' } }),
      why: 'service account token has been invalidated',
    },
    {
      name: 'a namesake of the pod',
      token: claims({ pod: { name: 'pod', uid: 'p0' } }),
      why: 'pod UID (p1) does not match service account pod ref claim (p0)',
    },
    {
      name: 'no such secret',
      token: claims({ secret: { name: 'x', uid: 's1' } }),
      why: 'service account token has been invalidated',
    },
    {
      name: 'a secret that is deleted for more than 60 seconds',
      token: claims({ secret: { name: 'ended', uid: 's3' } }),
      why: 'service account token has been invalidated',
    },
    {
      name: 'a namesake of the secret',
      token: claims({ secret: { name: 'secret', uid: 's0' } }),
      why: 'secret UID (s1) does not match service account secret ref claim (s0)',
    },
    {
      name: 'an end of another form',
      token: claims({}, { exp: 'x' }),
      why: 'exp claim is not a number',
    },
    {
      name: 'a subject of another form',
      token: claims({}, { sub: 1 }),
      why: 'sub claim is not a string',
    },
    {
      name: 'audiences of another form',
      token: claims({}, { aud: [1] }),
      why: 'aud claim is not a list of strings',
    },
    {
      name: 'claims of another form',
      token: claims({}, { 'orch.io': 'x' }),
      why: 'orch.io claim is not an object',
    },
    {
      name: 'a pod of another form',
      token: claims({ pod: [] }),
      why: 'pod claim is not an object',
    },
  ]) {
    test(name, async () => {
      expect(await tried(await sign(token, signing), audiences)).toBe(refused(why))
    })
  }
})

describe('tokens of others', () => {
  const whole = forge({ alg: 'ES256' }, claims(), es256(signing.key))
  for (const { name, token } of [
    { name: 'no token', token: 'abc' },
    { name: 'two parts', token: 'e30.e30' },
    { name: 'four parts', token: `${whole}.x` },
    {
      name: 'another issuer',
      token: forge({ alg: 'ES256' }, claims({}, { iss: 'x' }), es256(signing.key)),
    },
    {
      name: 'no issuer',
      token: forge({ alg: 'ES256' }, claims({}, { iss: undefined }), es256(signing.key)),
    },
    {
      name: 'claims that are no object',
      token: forge({ alg: 'ES256' }, [ISSUER], es256(signing.key)),
    },
    { name: 'a header that is no object', token: forge([], claims(), es256(signing.key)) },
    { name: 'no algorithm', token: forge({}, claims(), es256(signing.key)) },
    { name: 'padding', token: `${whole}=` },
    { name: 'a blank in front', token: ` ${whole}` },
    { name: 'a line behind', token: `${whole}\n` },
    {
      name: 'too long',
      token: forge({ alg: 'ES256', x: 'x'.repeat(65_536) }, claims(), es256(signing.key)),
    },
  ]) {
    test(name, async () => expect(await tried(token)).toBe(null))
  }
})

describe('signatures', () => {
  const BAD = refused('token signature does not match any known key')
  const GOOD = { user: user('robot', 'u1'), audiences: ['api'] }
  const hmac = (secret: string | Buffer) => (text: string) =>
    createHmac('sha256', secret).update(text).digest()
  const rs256 = (text: string) => signBytes('sha256', Buffer.from(text), rsa.privateKey)
  const rsaKeys = verificationKeys([publicPem(rsa.privateKey)])
  const pem = publicPem(signing.key)
  const der = verifying.key.export({ type: 'spki', format: 'der' })
  const good = forge({ alg: 'ES256' }, claims(), es256(signing.key))
  const [head, , tail] = good.split('.')
  const others = Buffer.from(JSON.stringify(claims({}, { aud: ['x'] }))).toString('base64url')
  for (const { name, token, trusted = keys, expected } of [
    { name: 'by a known key, which the token need not name', token: good, expected: GOOD },
    {
      name: 'by a known key that the token names wrongly',
      token: forge({ alg: 'ES256', kid: stranger.signing.kid }, claims(), es256(signing.key)),
      expected: GOOD,
    },
    {
      name: 'RS256 by an RSA key',
      token: forge({ alg: 'RS256' }, claims(), rs256),
      trusted: rsaKeys,
      expected: GOOD,
    },
    {
      name: 'by an unknown key',
      token: forge({ alg: 'ES256' }, claims(), es256(freshKey().signing.key)),
      expected: BAD,
    },
    {
      name: 'by a key in the token header',
      token: forge(
        { alg: 'ES256', jwk: stranger.verifying.key.export({ format: 'jwk' }) },
        claims(),
        es256(stranger.signing.key),
      ),
      trusted: [verifying],
      expected: BAD,
    },
    { name: 'none', token: forge({ alg: 'none' }, claims(), () => Buffer.alloc(0)), expected: BAD },
    { name: 'None', token: forge({ alg: 'None' }, claims(), () => Buffer.alloc(0)), expected: BAD },
    {
      name: 'left out',
      token: forge({ alg: 'ES256' }, claims(), () => Buffer.alloc(0)),
      expected: BAD,
    },
    {
      name: 'all zeros',
      token: forge({ alg: 'ES256' }, claims(), () => Buffer.alloc(64)),
      expected: BAD,
    },
    {
      name: 'HS256 with the public key as text',
      token: forge({ alg: 'HS256' }, claims(), hmac(pem)),
      expected: BAD,
    },
    {
      name: 'HS256 with the public key',
      token: forge({ alg: 'HS256' }, claims(), hmac(der)),
      expected: BAD,
    },
    {
      name: 'HS256 with nothing',
      token: forge({ alg: 'HS256' }, claims(), hmac('')),
      expected: BAD,
    },
    {
      name: 'RS256 while the keys are elliptic',
      token: forge({ alg: 'RS256' }, claims(), rs256),
      expected: BAD,
    },
    {
      name: 'an RSA signature declared as ES256',
      token: forge({ alg: 'ES256' }, claims(), rs256),
      trusted: rsaKeys,
      expected: BAD,
    },
    {
      name: 'PS256 with an RSA key',
      token: forge({ alg: 'PS256' }, claims(), rs256),
      trusted: rsaKeys,
      expected: BAD,
    },
    {
      name: 'ES256 by a key of another curve',
      token: forge({ alg: 'ES256' }, claims(), es256(big.signing.key)),
      expected: BAD,
    },
    { name: 'with other claims', token: `${head}.${others}.${tail}`, expected: BAD },
    {
      name: 'with a header that must be understood',
      token: forge({ alg: 'ES256', crit: ['x'], x: 1 }, claims(), es256(signing.key)),
      expected: BAD,
    },
  ]) {
    test(name, async () => expect(await tried(token, [], open([], trusted))).toEqual(expected))
  }
})

test('a failed read of the objects is not the fault of the token', async () => {
  const tokens = new BoundTokens({
    v: orch,
    clock: new ManualClock(NOW),
    keys,
    objects: { ...objects, get: () => Promise.reject(new Error('store is closed')) },
    issuers: [ISSUER],
    apiAudiences: ['api'],
    count: () => {},
  })
  expect(await tried(await sign(claims(), signing), [], tokens)).toBe('Error: store is closed')
})
