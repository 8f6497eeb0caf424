import { createHmac } from 'node:crypto'
import { UnsecuredJWT, type JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { CredentialError } from '../authenticator.ts'
import { foundLog, issuerCa, signed, signingKey, TestIssuer } from './issuer.fixture.ts'
import type { SigningKey } from './issuer.fixture.ts'
import { OidcAuthenticator, openOidc } from './oidc.ts'
import type { OidcOptions } from './options.ts'

const clock = new ManualClock(Date.parse('2024-01-02T03:04:05.250Z'))
const NOW_S = Date.parse('2024-01-02T03:04:05Z') / 1000

let issuer: TestIssuer
let rsa: SigningKey
let elliptic: SigningKey
let ecOther: SigningKey
let foreign: SigningKey
const open: OidcAuthenticator[] = []

beforeAll(async () => {
  issuer = await TestIssuer.start()
  rsa = await signingKey('rsa')
  elliptic = await signingKey('ec', 'ES256')
  ecOther = await signingKey('ec-other', 'ES256')
  foreign = await signingKey('rsa')
  // An unusable member must not spoil the others.
  const broken = { kty: 'new', kid: 'broken' }
  issuer.keys = [broken, rsa.jwk, elliptic.jwk, ecOther.jwk]
  issuer.keysHeaders = { 'cache-control': 'max-age=3600' }
})
afterAll(async () => {
  for (const each of open) each.close()
  await issuer.close()
})

async function opened(options: Partial<OidcOptions> = {}): Promise<OidcAuthenticator> {
  const { log, found } = foundLog()
  const own = { issuerUrl: issuer.url, clientId: 'me', ca: issuerCa, ...options }
  const oidc = await openOidc(own, { clock, log })
  open.push(oidc)
  await found
  return oidc
}

const claims = (more: object = {}): JWTPayload => ({
  iss: issuer.url,
  sub: 'alice',
  aud: 'me',
  exp: NOW_S + 60,
  ...more,
})

/** The user's name and groups, the error's text, or null. */
async function outcome(oidc: OidcAuthenticator, token: string): Promise<unknown> {
  try {
    const answer = await oidc.authenticateToken(token)
    if (answer === null) return null
    const { user, audiences } = answer
    expect({ uid: user.uid, extra: user.extra, audiences }).toEqual({
      uid: '',
      extra: {},
      audiences: null,
    })
    return [user.name, ...user.groups]
  } catch (error) {
    expect(error).toBeInstanceOf(CredentialError)
    return (error as Error).message
  }
}

interface Row {
  readonly name: string
  readonly options?: Partial<OidcOptions>
  readonly claims?: object
  readonly is: unknown
}

const plain = { usernamePrefix: '-' }
const email = { usernameClaim: 'email' }
const grouped = { ...plain, groupsClaim: 'groups' }
const required = { ...plain, requiredClaims: new Map([['hd', 'example.com']]) }
const NOT_STRING = (type: string) => `json: cannot unmarshal ${type} into Go value of type string`

describe('claims', () => {
  const rows: readonly Row[] = [
    { name: 'audience in a list', options: plain, claims: { aud: ['x', 'me'] }, is: ['alice'] },
    {
      name: 'another audience',
      claims: { aud: ['x', 'y'] },
      is: 'oidc: verify token: oidc: expected audience "me" got ["x" "y"]',
    },
    {
      name: 'no audience',
      claims: { aud: undefined },
      is: 'oidc: verify token: oidc: expected audience "me" got []',
    },
    {
      name: 'an audience that is a number',
      claims: { aud: 1 },
      is: `oidc: verify token: oidc: failed to unmarshal claims: ${NOT_STRING('number')}`,
    },
    { name: 'expiry is ahead', options: plain, claims: { exp: NOW_S + 1 }, is: ['alice'] },
    {
      name: 'expired, without leeway',
      claims: { exp: NOW_S },
      is: 'oidc: verify token: oidc: token is expired (Token Expiry: 2024-01-02 03:04:05 +0000 UTC)',
    },
    {
      name: 'fractions of seconds are cut',
      claims: { exp: NOW_S + 0.9 },
      is: 'oidc: verify token: oidc: token is expired (Token Expiry: 2024-01-02 03:04:05 +0000 UTC)',
    },
    {
      name: 'no expiry',
      claims: { exp: undefined },
      is: 'oidc: verify token: oidc: token is expired (Token Expiry: 0001-01-01 00:00:00 +0000 UTC)',
    },
    {
      name: 'an expiry that no calendar has',
      claims: { exp: -9e15 },
      is: 'oidc: verify token: oidc: token is expired (Token Expiry: -9000000000000000 s after 1970)',
    },
    {
      name: 'an expiry beyond numbers',
      claims: { exp: 1e300 },
      is: 'oidc: verify token: oidc: failed to unmarshal claims: json: cannot unmarshal number into Go value of type time',
    },
    {
      name: 'an expiry that is null',
      claims: { exp: null },
      is: 'oidc: verify token: oidc: failed to unmarshal claims: json: cannot unmarshal null into Go value of type time',
    },
    {
      name: 'not before, with a minute of leeway',
      options: plain,
      claims: { nbf: NOW_S + 45 },
      is: ['alice'],
    },
    {
      name: 'not yet',
      claims: { nbf: NOW_S + 200 },
      is: 'oidc: verify token: oidc: current time 2024-01-02 03:04:05.25 +0000 UTC before the nbf (not before) time: 2024-01-02 03:07:25 +0000 UTC',
    },
    { name: 'issued in the future', options: plain, claims: { iat: NOW_S + 900 }, is: ['alice'] },
    { name: 'another issuer', claims: { iss: 'https://other.example' }, is: null },
    { name: 'an issuer with a slash more', claims: { iss: 'SLASH' }, is: null },
    { name: 'no issuer', claims: { iss: undefined }, is: null },
    { name: 'prefix by default', is: ['ISSUER#alice'] },
    { name: 'no prefix', options: plain, is: ['alice'] },
    { name: 'own prefix', options: { usernamePrefix: 'oidc:' }, is: ['oidc:alice'] },
    { name: 'address', options: email, claims: { email: 'a@b.example' }, is: ['a@b.example'] },
    {
      name: 'address with a prefix',
      options: { ...email, usernamePrefix: 'p-' },
      claims: { email: 'a@b.example', email_verified: true },
      is: ['p-a@b.example'],
    },
    {
      name: 'address that was not verified',
      options: email,
      claims: { email: 'a@b.example', email_verified: false },
      is: 'oidc: email not verified',
    },
    {
      name: 'address verified with null',
      options: email,
      claims: { email: 'a@b.example', email_verified: null },
      is: 'oidc: email not verified',
    },
    {
      name: 'address verified with a string',
      options: email,
      claims: { email: 'a@b.example', email_verified: 'true' },
      is: "oidc: parse 'email_verified' claim: json: cannot unmarshal string into Go value of type bool",
    },
    {
      name: 'verification is of no matter to other claims',
      options: plain,
      claims: { email_verified: false },
      is: ['alice'],
    },
    {
      name: 'no subject needed',
      options: { ...plain, usernameClaim: 'n' },
      claims: { sub: undefined, n: 'x' },
      is: ['x'],
    },
    {
      name: 'no name',
      options: { usernameClaim: 'n' },
      is: 'oidc: parse username claims "n": claim not present',
    },
    {
      name: 'names of objects are no claims',
      options: { usernameClaim: 'constructor' },
      is: 'oidc: parse username claims "constructor": claim not present',
    },
    {
      name: 'a name that is a list',
      options: { usernameClaim: 'n' },
      claims: { n: ['x'] },
      is: `oidc: parse username claims "n": ${NOT_STRING('array')}`,
    },
    {
      name: 'a name that is null',
      options: { usernameClaim: 'n' },
      claims: { n: null },
      is: `oidc: parse username claims "n": ${NOT_STRING('null')}`,
    },
    {
      name: 'no groups claim configured',
      options: plain,
      claims: { groups: ['a'] },
      is: ['alice'],
    },
    { name: 'no groups', options: grouped, is: ['alice'] },
    { name: 'groups', options: grouped, claims: { groups: ['b', 'a'] }, is: ['alice', 'b', 'a'] },
    { name: 'one group', options: grouped, claims: { groups: 'a' }, is: ['alice', 'a'] },
    { name: 'groups that are null', options: grouped, claims: { groups: null }, is: ['alice'] },
    {
      name: 'groups with a prefix',
      options: { ...grouped, groupsPrefix: 'g:' },
      claims: { groups: ['b', 'a'] },
      is: ['alice', 'g:b', 'g:a'],
    },
    {
      name: 'groups in an object',
      options: grouped,
      claims: { groups: { a: true } },
      is: `oidc: parse groups claim "groups": ${NOT_STRING('object')}`,
    },
    {
      name: 'groups that are numbers',
      options: grouped,
      claims: { groups: ['a', 1] },
      is: `oidc: parse groups claim "groups": ${NOT_STRING('array')}`,
    },
    { name: 'a required claim', options: required, claims: { hd: 'example.com' }, is: ['alice'] },
    {
      name: 'a required claim is missing',
      options: required,
      is: 'oidc: required claim hd not present in ID token',
    },
    {
      name: 'a required claim differs',
      options: required,
      claims: { hd: 'a' },
      is: 'oidc: required claim hd value does not match. Got = a, want = example.com',
    },
    {
      name: 'a required claim is a list',
      options: required,
      claims: { hd: ['example.com'] },
      is: `oidc: parse claim hd: ${NOT_STRING('array')}`,
    },
  ]
  for (const { name, options, claims: more = {}, is } of rows) {
    test(name, async () => {
      const slash = (more as { iss?: string }).iss === 'SLASH' ? { iss: `${issuer.url}/` } : {}
      const token = await signed(claims({ ...more, ...slash }), rsa)
      const expected = JSON.parse(JSON.stringify(is).replace('ISSUER', issuer.url))
      expect(await outcome(await opened(options), token)).toEqual(expected)
    })
  }
})

describe('signatures', () => {
  const FAILED =
    'oidc: verify token: failed to verify signature: failed to verify id token signature'
  const unsupported = (want: string, got: string) =>
    `oidc: verify token: oidc: id token signed with unsupported algorithm, expected ["${want}"] got "${got}"`
  const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const part = (token: string, index: number) => token.split('.')[index]!

  const rows: readonly {
    name: string
    algs?: readonly string[]
    token: () => Promise<string> | string
    is: unknown
  }[] = [
    { name: 'RS256', token: () => signed(claims(), rsa), is: ['alice'] },
    { name: 'a key that has no name', token: () => signed(claims(), rsa, {}), is: ['alice'] },
    {
      name: 'one of several keys that have no name',
      algs: ['ES256'],
      token: () => signed(claims(), ecOther, {}),
      is: ['alice'],
    },
    { name: 'ES256', algs: ['ES256'], token: () => signed(claims(), elliptic), is: ['alice'] },
    {
      name: 'an algorithm that is not accepted',
      token: () => signed(claims(), elliptic),
      is: unsupported('RS256', 'ES256'),
    },
    {
      name: 'none',
      token: () => `${new UnsecuredJWT(claims()).encode()}x`,
      is: unsupported('RS256', 'none'),
    },
    {
      name: 'the public key used as HMAC secret',
      token: () => {
        const head = `${base64({ alg: 'HS256', kid: 'rsa' })}.${base64(claims())}`
        const secret = JSON.stringify(rsa.jwk)
        return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`
      },
      is: unsupported('RS256', 'HS256'),
    },
    {
      name: 'a key of another kind named',
      algs: ['RS256', 'ES256'],
      token: () => signed(claims(), elliptic, { kid: 'rsa' }),
      is: FAILED,
    },
    { name: 'another key under the same name', token: () => signed(claims(), foreign), is: FAILED },
    {
      name: 'an unknown key',
      token: () => signed(claims(), rsa, { kid: 'unknown' }),
      is: FAILED,
    },
    {
      name: 'a key in the token header',
      token: () => signed(claims(), foreign, { jwk: foreign.jwk, kid: 'mine' }),
      is: FAILED,
    },
    {
      name: 'claims that were exchanged',
      token: async () => {
        const token = await signed(claims(), rsa)
        return `${part(token, 0)}.${base64(claims({ sub: 'root' }))}.${part(token, 2)}`
      },
      is: FAILED,
    },
    {
      name: 'no signature',
      token: async () => (await signed(claims(), rsa)).replace(/[^.]*$/, ''),
      is: FAILED,
    },
    {
      name: 'a header that is none',
      token: async () => (await signed(claims(), rsa)).replace(/^[^.]*/, 'x'),
      is: 'oidc: verify token: oidc: malformed jwt: Invalid Token or Protected Header formatting',
    },
    {
      name: 'an extension that must be understood',
      token: () => {
        const head = base64({ alg: 'RS256', kid: 'rsa', crit: ['x'], x: 1 })
        return `${head}.${base64(claims())}.AAAA`
      },
      is: FAILED,
    },
    { name: 'no token', token: () => 'abc', is: null },
    { name: 'not three parts', token: async () => `${await signed(claims(), rsa)}.x`, is: null },
    { name: 'claims that are no JSON', token: () => 'e30.e3.x', is: null },
    { name: 'claims that are no object', token: () => `e30.${base64([1])}.x`, is: null },
    { name: 'claims that are no text', token: () => 'e30./w.x', is: null },
  ]
  for (const { name, algs, token, is } of rows) {
    test(name, async () => {
      const options = algs ? { ...plain, signingAlgs: algs } : plain
      expect(await outcome(await opened(options), await token())).toEqual(is)
    })
  }
})
