import { generateKeyPairSync } from 'node:crypto'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { orch } from '../../vocabulary/orch.ts'
import { authenticationContext, NOW, objectsOf, publicPem } from './objects.fixture.ts'
import { checkServiceAccountOptions, type ServiceAccountOptions } from './options.ts'
import { serviceAccountTokens } from './service-account-tokens.ts'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const other = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey
const ISSUER = 'https://server.example'
const PEM = publicPem(privateKey)
const SIGNING = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const FIXED = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEW5czptgja6U/PHNK2risiwbtA7wh
dGbolQhi7C4P5JJHs+MIBHayzna7T0VubvgdQK5EbSJkTklY9ry+4Vf2PQ==
-----END PUBLIC KEY-----`

const options = (rest: Partial<ServiceAccountOptions> = {}): ServiceAccountOptions => ({
  issuers: [ISSUER],
  keys: [PEM, publicPem(other)],
  signingKey: SIGNING,
  ...rest,
})
const open = (rest: Partial<ServiceAccountOptions> = {}) =>
  serviceAccountTokens(options(rest), {
    v: orch,
    clock: new ManualClock(NOW),
    objects: objectsOf({ 'serviceaccounts/ns/robot': { metadata: { uid: 'u1' } } }),
  })
const order = {
  account: { namespace: 'ns', name: 'robot', uid: 'u1' },
  audiences: [],
  expirationSeconds: 600,
  boundObject: null,
}

test('issued tokens are valid, for the issuers when no audience is configured', async () => {
  const { authenticators, issuer, audiences } = open({ issuers: [ISSUER, 'old'] })
  const { token } = await issuer.issue(order)
  const answers = await Promise.all(
    authenticators.map(async (each) => each.authenticateToken(token, authenticationContext())),
  )
  expect(authenticators.map(({ name }) => name)).toEqual([
    'legacy-service-account',
    'service-account',
  ])
  expect(answers.map((answer) => answer?.audiences ?? null)).toEqual([null, [ISSUER, 'old']])
  expect(audiences).toEqual([ISSUER, 'old'])
})

test('audiences can be configured', () => {
  expect(open({ apiAudiences: ['api'] }).audiences).toEqual(['api'])
})

test('others verify with the documents', async () => {
  const { issuer, discovery } = open()
  const { token } = await issuer.issue(order)
  const found = discovery('192.0.2.1:6443')
  if (found.is !== 'served') throw new Error(found.why)
  const keys = createLocalJWKSet(JSON.parse(found.documents[1]!.body))
  const { payload } = await jwtVerify(token, keys, {
    issuer: ISSUER,
    audience: ISSUER,
    currentDate: new Date(NOW),
  })
  expect(payload.sub).toBe('system:serviceaccount:ns:robot')
})

describe('discovery', () => {
  test('documents', () => {
    const found = open({ keys: [FIXED] }).discovery('192.0.2.1:6443')
    expect(found).toEqual({
      is: 'served',
      documents: [
        {
          path: '/.well-known/openid-configuration',
          headers: {
            'content-type': 'application/json',
            'cache-control': 'public, max-age=3600',
          },
          body: '{"issuer":"https://server.example","jwks_uri":"https://192.0.2.1:6443/openid/v1/jwks","response_types_supported":["id_token"],"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["ES256"]}',
        },
        {
          path: '/openid/v1/jwks',
          headers: {
            'content-type': 'application/jwk-set+json',
            'cache-control': 'public, max-age=3600',
          },
          body: '{"keys":[{"use":"sig","kty":"EC","kid":"P-DHA3TikGxcjNLErBsakQNVz39Yci9WorS2BSwpP5Y","alg":"ES256","crv":"P-256","x":"W5czptgja6U_PHNK2risiwbtA7whdGbolQhi7C4P5JI","y":"R7PjCAR2ss52u09Fbm74HUCuRG0iZE5JWPa8vuFX9j0"}]}',
        },
      ],
    })
  })

  test('members of keys, also when private ones verify', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    const keys = [rsa, privateKey].map(
      (key) => key.export({ type: 'pkcs8', format: 'pem' }) as string,
    )
    const found = open({ keys }).discovery('x:1')
    if (found.is !== 'served') throw new Error(found.why)
    const [configuration, jwks] = found.documents.map(({ body }) => JSON.parse(body))
    expect(configuration.id_token_signing_alg_values_supported).toEqual(['ES256', 'RS256'])
    expect(jwks.keys.map((key: object) => Object.keys(key))).toEqual([
      ['use', 'kty', 'kid', 'alg', 'n', 'e'],
      ['use', 'kty', 'kid', 'alg', 'crv', 'x', 'y'],
    ])
  })

  test('keys may be elsewhere', () => {
    const found = open({ jwksUri: 'https://keys.example/jwks' }).discovery('')
    if (found.is !== 'served') throw new Error(found.why)
    expect(JSON.parse(found.documents[0]!.body).jwks_uri).toBe('https://keys.example/jwks')
  })

  for (const { issuer, address = 'x:1', why } of [
    { issuer: 'http://a', why: '--service-account-issuer "http://a" is not an https URL' },
    { issuer: 'a', why: '--service-account-issuer "a" is not an https URL' },
    { issuer: 'https://a?b', why: '--service-account-issuer "https://a?b" has a query' },
    { issuer: 'https://a#b', why: '--service-account-issuer "https://a#b" has a fragment' },
    {
      issuer: 'https://a',
      address: '',
      why: 'the URI of the keys must be an https URL: https:///openid/v1/jwks',
    },
  ]) {
    test(`none: ${why}`, () => {
      expect(open({ issuers: [issuer] }).discovery(address)).toEqual({ is: 'absent', why })
    })
  }
})

describe('options', () => {
  for (const { name, rest, problems } of [
    { name: 'good ones', rest: {}, problems: [] },
    { name: 'an issuer that is no URL', rest: { issuers: ['api'] }, problems: [] },
    {
      name: 'no issuer',
      rest: { issuers: [] },
      problems: ['--service-account-issuer must be given'],
    },
    {
      name: 'an empty issuer',
      rest: { issuers: ['', 'a'] },
      problems: ['--service-account-issuer must not be empty'],
    },
    {
      name: 'an issuer twice',
      rest: { issuers: ['a', 'a'] },
      problems: ['--service-account-issuer "a" is given twice'],
    },
    {
      name: 'a broken URL',
      rest: { issuers: ['https://a b:c'] },
      problems: ['--service-account-issuer "https://a b:c" has a colon and is no URL'],
    },
    {
      name: 'no key',
      rest: { keys: [] },
      problems: ['--service-account-key-file must be given'],
    },
    {
      name: 'no key to sign with',
      rest: { signingKey: '' },
      problems: [
        '--service-account-signing-key-file and --service-account-issuer must be given together',
      ],
    },
    ...[3599, -1, 2 ** 32 + 1].map((maxExpirationSeconds) => ({
      name: `tokens for at most ${maxExpirationSeconds} seconds`,
      rest: { maxExpirationSeconds },
      problems: ['--service-account-max-token-expiration must be from 1 hour to 2^32 seconds'],
    })),
    ...[0, 3600, 2 ** 32].map((maxExpirationSeconds) => ({
      name: `tokens for at most ${maxExpirationSeconds} seconds`,
      rest: { maxExpirationSeconds },
      problems: [],
    })),
    {
      name: 'keys in the open',
      rest: { jwksUri: 'http://a/b' },
      problems: ['--service-account-jwks-uri "http://a/b" must be an https URL'],
    },
  ]) {
    test(name, () => expect(checkServiceAccountOptions(options(rest))).toEqual(problems))
  }

  test('a server does not start with bad ones', () => {
    expect(() => open({ keys: [] })).toThrow(new Error('--service-account-key-file must be given'))
  })
})
