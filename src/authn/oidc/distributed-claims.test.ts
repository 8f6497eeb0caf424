import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JWTPayload } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { foundLog, issuerCa, signed, signingKey, TestIssuer } from './issuer.fixture.ts'
import type { SigningKey } from './issuer.fixture.ts'
import { OidcAuthenticator, openOidc } from './oidc.ts'

const FAILED = 'oidc: could not expand distributed claims: '

let key: SigningKey
let otherKey: SigningKey
let issuer: TestIssuer
/** Has the groups, and signs them. */
let directory: TestIssuer
let clock: ManualClock
let oidc: OidcAuthenticator
let written: ReturnType<typeof foundLog>['written']

beforeAll(async () => {
  key = await signingKey('key')
  otherKey = await signingKey('other')
})
beforeEach(async () => {
  clock = new ManualClock()
  issuer = await TestIssuer.start()
  directory = await TestIssuer.start()
  issuer.keys = [key.jwk]
  directory.keys = [otherKey.jwk]
  const logged = foundLog()
  written = logged.written
  const options = { issuerUrl: issuer.url, clientId: 'me', ca: issuerCa, usernamePrefix: '-' }
  oidc = await openOidc({ ...options, groupsClaim: 'groups' }, { clock, log: logged.log })
  await logged.found
})
afterEach(async () => {
  oidc.close()
  await issuer.close()
  await directory.close()
})

const base = (iss: string): JWTPayload => ({
  iss,
  sub: 'alice',
  aud: 'me',
  exp: clock.now() / 1000 + 60,
})

function serve(token: string, seen: (string | undefined)[] = []) {
  directory.instead.set('/groups', (request: IncomingMessage, response: ServerResponse) => {
    seen.push(request.headers.authorization)
    response.writeHead(200, { 'content-type': 'application/jwt' }).end(`${token}\n`)
  })
}

async function outcome(more: object): Promise<unknown> {
  const token = await signed({ ...base(issuer.url), ...more }, key)
  return oidc.authenticateToken(token).then(
    (answer) => answer && [answer.user.name, ...answer.user.groups],
    (error: Error) => error.message,
  )
}

const pointing = (source: object = {}) => ({
  _claim_names: { groups: 'src' },
  _claim_sources: { src: { endpoint: `${directory.url}/groups`, ...source } },
})

describe('groups that a token only points to', () => {
  test('are fetched, once their issuer is known', async () => {
    const seen: (string | undefined)[] = []
    serve(await signed({ ...base(directory.url), groups: ['a', 'b'] }, otherKey), seen)
    expect(await outcome(pointing({ access_token: 'secret' }))).toBe(
      `${FAILED}verifier not initialized for issuer: "${directory.url}"`,
    )
    await written(2)
    expect(await outcome(pointing())).toEqual(['alice', 'a', 'b'])
    expect(seen).toEqual(['Bearer secret', undefined])
  })

  test('of the same issuer share one lookup', async () => {
    serve(await signed({ ...base(issuer.url), groups: 'a' }, key))
    expect(await outcome(pointing())).toEqual(['alice', 'a'])
  })

  test('of an unavailable issuer are resolved when it is available again', async () => {
    const path = '/.well-known/openid-configuration'
    directory.instead.set(path, (_, response) => response.writeHead(500).end())
    serve(await signed({ ...base(directory.url), groups: ['a'] }, otherKey))
    const failed = `${FAILED}verifier not initialized for issuer: "${directory.url}"`
    expect(await outcome(pointing())).toBe(failed)
    await written(2)
    expect(await outcome(pointing())).toBe(failed)
    directory.instead.delete(path)
    clock.advance(10_000)
    await written(3)
    expect(await outcome(pointing())).toEqual(['alice', 'a'])
  })

  const rows: readonly {
    name: string
    claims: () => object
    token?: () => Promise<string> | string
    is: unknown
  }[] = [
    {
      name: 'do not count when the token has its own',
      claims: () => ({ ...pointing(), groups: ['own'] }),
      is: ['alice', 'own'],
    },
    {
      name: 'may be other claims',
      claims: () => ({ _claim_names: { address: 'src' }, _claim_sources: {} }),
      is: ['alice'],
    },
    {
      name: 'that come along are not read',
      claims: () => ({ ...pointing({ endpoint: undefined, JWT: 'x.y.z' }) }),
      is: ['alice'],
    },
    {
      name: 'need a source',
      claims: () => ({ ...pointing(), _claim_sources: {} }),
      is: `${FAILED}id token _claim_names contained a source src missing in _claims_sources`,
    },
    {
      name: 'need sources',
      claims: () => ({ ...pointing(), _claim_sources: undefined }),
      is: `${FAILED}could not parse claim sources: not an object`,
    },
    {
      name: 'need names',
      claims: () => ({ ...pointing(), _claim_names: 'groups' }),
      is: `${FAILED}error unmarshaling distributed claim names: not an object`,
    },
    {
      name: 'come over TLS',
      claims: () => pointing({ endpoint: 'http://127.0.0.1/groups' }),
      is: `${FAILED}while getting distributed claim "groups": "http://127.0.0.1/groups" is no https URL`,
    },
    {
      name: 'must be there',
      claims: pointing,
      is: `${FAILED}while getting distributed claim "groups": Get "DIRECTORY/groups": answered with status 404`,
    },
    {
      name: 'must come in a token',
      claims: pointing,
      token: () => 'groups',
      is: `${FAILED}getting untrusted issuer from endpoint "DIRECTORY/groups" failed for claim "groups"`,
    },
    {
      name: 'must have an issuer that can be called',
      claims: pointing,
      token: () => signed({ ...base('http://u:secret@x/y?z'), groups: ['a'] }, otherKey),
      is: `${FAILED}issuer "http://x/y" is no https URL`,
    },
    {
      name: 'must be for the same client',
      claims: pointing,
      token: () => signed({ ...base(issuer.url), aud: 'other', groups: ['a'] }, key),
      is: `${FAILED}verify distributed claim token: oidc: expected audience "me" got ["other"]`,
    },
    {
      name: 'must be signed by whom they name',
      claims: pointing,
      token: () => signed({ ...base(issuer.url), groups: ['a'] }, otherKey, { kid: 'key' }),
      is: `${FAILED}verify distributed claim token: failed to verify signature: failed to verify id token signature`,
    },
    {
      name: 'must be in the fetched token',
      claims: pointing,
      token: () => signed(base(issuer.url), key),
      is: `${FAILED}jwt returned by distributed claim endpoint "DIRECTORY/groups" did not contain claim: groups`,
    },
    {
      name: 'must be strings',
      claims: pointing,
      token: () => signed({ ...base(issuer.url), groups: [1] }, key),
      is: 'oidc: parse groups claim "groups": json: cannot unmarshal array into Go value of type string',
    },
  ]
  for (const { name, claims, token, is } of rows) {
    test(name, async () => {
      if (token) serve(await token())
      const expected = typeof is === 'string' ? is.replace('DIRECTORY', directory.url) : is
      expect(await outcome(claims())).toEqual(expected)
    })
  }
})
