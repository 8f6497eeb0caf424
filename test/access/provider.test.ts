/** Users of an identity provider that is not ours, from the log-in to what they may do (seed 1, OIDC). */
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { foundLog } from '../../src/authn/oidc/issuer.fixture.ts'
import { es256, forge } from '../../src/authn/service-account/objects.fixture.ts'
import { startProvider, type RunningProvider } from '../oidc-provider.ts'
import {
  expectUnauthorized,
  inNamespace,
  Realm,
  rule,
  TOKEN_REVIEWS,
  who,
} from './realm.fixture.ts'

let provider: RunningProvider
let realm: Realm
let token: string
beforeAll(async () => {
  provider = await startProvider({
    users: [
      { name: 'alice', email: 'alice@example.com', groups: ['developers', 'system:masters'] },
      { name: 'bob' },
    ],
  })
  const { log, found } = foundLog()
  const { issuer: issuerUrl, clientId } = provider
  realm = await Realm.start(
    (file) => ({
      log,
      authentication: {
        oidc: {
          issuerUrl,
          clientId,
          caFile: file('provider.crt'),
          usernamePrefix: 'oidc:',
          groupsClaim: 'groups',
          groupsPrefix: 'oidc:',
        },
      },
    }),
    { 'provider.crt': provider.ca },
  )
  await found
  token = await provider.idTokenFor('alice')
})
afterAll(async () => {
  await realm.close()
  await provider.close()
})

const as = (bearer: string) => realm.as({ token: bearer })
const review = async (bearer: string) =>
  (await realm.made(TOKEN_REVIEWS, { spec: { token: bearer } })).status

test('name and groups come from the token, with prefixes', async () => {
  expect(await who(as(token))).toEqual({
    name: 'oidc:alice',
    groups: ['oidc:developers', 'oidc:system:masters', 'system:authenticated'],
  })
  expect(await who(as(await provider.idTokenFor('bob')))).toEqual({
    name: 'oidc:bob',
    groups: ['system:authenticated'],
  })
})

test('a group of the provider may do what a binding says', async () => {
  const path = inNamespace('default', 'pods')
  const { body } = await as(token).get(path)
  expect(body.message).toBe(
    'pods is forbidden: User "oidc:alice" cannot list resource "pods" in API group "" in the namespace "default"',
  )
  await realm.allow({ group: 'oidc:developers' }, rule('list pods'))
  expect((await as(token).get(path)).status).toBe(200)
  expect((await as(await provider.idTokenFor('bob')).get(path)).status).toBe(403)
})

test('a review tells who it is', async () => {
  expect(await review(token)).toEqual({
    authenticated: true,
    audiences: ['https://orch.default.svc'],
    user: {
      username: 'oidc:alice',
      groups: ['oidc:developers', 'oidc:system:masters', 'system:authenticated'],
    },
  })
})

describe('tokens that were tampered with', () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const hmac = (text: string) => createHmac('sha256', provider.ca).update(text).digest()
  for (const { name, tampered } of [
    {
      name: 'no signature',
      tampered: () => forge({ alg: 'none' }, decodeJwt(token), () => Buffer.alloc(0)),
    },
    {
      name: 'a MAC',
      tampered: () =>
        forge({ ...decodeProtectedHeader(token), alg: 'HS256' }, decodeJwt(token), hmac),
    },
    {
      name: 'another key',
      tampered: () =>
        forge({ ...decodeProtectedHeader(token), alg: 'ES256' }, decodeJwt(token), es256(key)),
    },
    {
      name: 'other claims',
      tampered: () => {
        const [head, , signature] = token.split('.')
        const claims = { ...decodeJwt(token), sub: 'root' }
        return `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`
      },
    },
  ]) {
    test(name, async () => {
      const shown = tampered()
      expectUnauthorized(await as(shown).get('/version'))
      expect(await review(shown)).toEqual({
        user: {},
        error: expect.stringMatching(/^\[invalid bearer token, oidc: verify token: /),
      })
    })
  }
  test('another issuer', async () => {
    const claims = { ...decodeJwt(token), iss: 'https://evil.example' }
    const shown = forge({ alg: 'ES256' }, claims, es256(key))
    expectUnauthorized(await as(shown).get('/version'))
    expect(await review(shown)).toEqual({ user: {}, error: 'invalid bearer token' })
  })
})
