import type { JWTPayload } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { issue } from '../../pki/issue.ts'
import { foundLog, issuerCa, json, signed, signingKey, TestIssuer } from './issuer.fixture.ts'
import type { SigningKey } from './issuer.fixture.ts'
import { OidcAuthenticator, openOidc } from './oidc.ts'

const DISCOVERY = '/.well-known/openid-configuration'
const FAILED = 'oidc: verify token: failed to verify signature: failed to verify id token signature'
const NOT_READY = 'oidc: authenticator not initialized'
const NOT_FOUND = 'oidc: issuer not found, trying again in 10 s'
const FLOOR_MS = 10_000

let first: SigningKey
let second: SigningKey
let third: SigningKey
let issuer: TestIssuer
let clock: ManualClock
let oidc: OidcAuthenticator | undefined

beforeAll(async () => {
  first = await signingKey('first')
  second = await signingKey('second')
  third = await signingKey('third')
})
beforeEach(async () => {
  clock = new ManualClock()
  issuer = await TestIssuer.start()
  issuer.keys = [first.jwk]
  issuer.keysHeaders = { 'cache-control': 'max-age=3600' }
})
afterEach(async () => {
  oidc?.close()
  await issuer.close()
})

async function opened(ca = issuerCa) {
  const logged = foundLog()
  oidc = await openOidc(
    { issuerUrl: issuer.url, clientId: 'me', ca, usernamePrefix: '-' },
    { clock, log: logged.log },
  )
  return { oidc, ...logged }
}

async function ready() {
  const { oidc: ours, found, ...rest } = await opened()
  await found
  return { ours, ...rest }
}

const claims = (): JWTPayload => ({
  iss: issuer.url,
  sub: 'alice',
  aud: 'me',
  exp: clock.now() / 1000 + 100_000,
})

async function outcome(by: OidcAuthenticator, key: SigningKey): Promise<string | undefined> {
  const token = await signed(claims(), key)
  return by.authenticateToken(token).then(
    (answer) => answer?.user.name,
    (error: Error) => error.message,
  )
}

describe('looking the issuer up', () => {
  test('tokens fail until it responds; discovery is retried every 10 s', async () => {
    issuer.instead.set(DISCOVERY, (_, response) => response.writeHead(503).end())
    const { oidc: ours, lines, written, found } = await opened()
    await written(1)
    expect(await outcome(ours, first)).toBe(NOT_READY)
    clock.advance(9_999)
    expect(issuer.asked).toEqual([DISCOVERY])
    clock.advance(1)
    await written(2)
    expect(lines).toEqual(
      Array.from(
        { length: 2 },
        () => `${NOT_FOUND}: Get "${issuer.url}${DISCOVERY}": answered with status 503`,
      ),
    )
    issuer.instead.clear()
    clock.advance(10_000)
    await found
    expect(await outcome(ours, first)).toBe('alice')
    clock.advance(60_000)
    expect(issuer.asked).toEqual([DISCOVERY, DISCOVERY, DISCOVERY, '/keys'])
  })

  test('an authority that is not its own is not trusted', async () => {
    const { cert } = issue({
      subject: { commonName: 'other' },
      use: 'authority',
      notBeforeMs: Date.now() - 3_600_000,
      notAfterMs: Date.now() + 3_600_000,
    })
    const { lines, written } = await opened(cert)
    await written(1)
    expect(lines).toEqual([
      `${NOT_FOUND}: Get "${issuer.url}${DISCOVERY}": x509: certificate signed by unknown authority`,
    ])
    expect(issuer.asked).toEqual([])
  })

  const documents: readonly {
    name: string
    answer: Parameters<TestIssuer['instead']['set']>[1]
    cause: string
  }[] = [
    {
      name: 'of another issuer',
      answer: (_, response) => json(response, { issuer: 'https://x', jwks_uri: 'https://x' }),
      cause: `oidc: issuer did not match the issuer returned by provider, expected "URL" got "https://x"`,
    },
    {
      name: 'with keys that come without TLS',
      answer: (_, response) => json(response, { issuer: issuer.url, jwks_uri: 'http://x' }),
      cause: 'discovery document has no jwks_uri with https',
    },
    {
      name: 'that is no JSON',
      answer: (_, response) => response.writeHead(200).end('<html>'),
      cause: 'the answer is no JSON',
    },
    {
      name: 'that is a list',
      answer: (_, response) => json(response, []),
      cause: 'discovery document is no object',
    },
    {
      name: 'behind a redirect',
      answer: (_, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
      cause: `Get "URL${DISCOVERY}": answered with status 302; redirects are not followed`,
    },
    {
      name: 'without end',
      answer: (_, response) => {
        const more = () => {
          while (!response.destroyed && response.write(' '.repeat(65_536)));
        }
        response.on('drain', more)
        more()
      },
      cause: `Get "URL${DISCOVERY}": answer is larger than 1048576 bytes`,
    },
    {
      name: 'cut short',
      answer: (_, response) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('{', () => response.destroy())
      },
      cause: `Get "URL${DISCOVERY}": aborted`,
    },
  ]
  for (const { name, answer, cause } of documents) {
    test(`a document ${name} does not count`, async () => {
      issuer.instead.set(DISCOVERY, answer)
      const { lines, written } = await opened()
      await written(1)
      expect(lines).toEqual([`${NOT_FOUND}: ${cause.replace('URL', issuer.url)}`])
    })
  }

  test('a response that does not come is given up after 30 s', async () => {
    issuer.instead.set(DISCOVERY, (_, response) => response.flushHeaders())
    const { lines, written } = await opened()
    await issuer.askedFor(DISCOVERY, 1)
    clock.advance(30_000)
    await written(1)
    expect(lines).toEqual([
      `${NOT_FOUND}: Get "${issuer.url}${DISCOVERY}": no complete answer within 30 s`,
    ])
  })

  test('closing ends it, twice too', async () => {
    issuer.instead.set(DISCOVERY, () => {})
    const { oidc: ours, lines } = await opened()
    await issuer.askedFor(DISCOVERY, 1)
    ours.close()
    ours.close()
    clock.advance(60_000)
    expect(issuer.asked).toEqual([DISCOVERY])
    expect(lines).toEqual([])
  })
})

describe('keys', () => {
  test('are fetched once for many tokens', async () => {
    const { ours } = await ready()
    const all = Array.from({ length: 8 }, () => outcome(ours, first))
    expect(new Set(await Promise.all(all))).toEqual(new Set(['alice']))
    expect(await outcome(ours, first)).toBe('alice')
    expect(issuer.keyFetches).toBe(1)
  })

  test('that are new are found at once, by one fetch for all', async () => {
    const { ours } = await ready()
    expect(await outcome(ours, first)).toBe('alice')
    issuer.keys = [first.jwk, second.jwk]
    const all = Array.from({ length: 8 }, () => outcome(ours, second))
    expect(new Set(await Promise.all(all))).toEqual(new Set(['alice']))
    expect(issuer.keyFetches).toBe(2)
  })

  test('that are unknown do not cause a request more than every 10 s', async () => {
    const { ours } = await ready()
    for (let i = 0; i < 5; i += 1) expect(await outcome(ours, third)).toBe(FAILED)
    expect(issuer.keyFetches).toBe(2)
    // New keys meanwhile wait as long.
    issuer.keys = [first.jwk, second.jwk]
    expect(await outcome(ours, second)).toBe(FAILED)
    clock.advance(FLOOR_MS)
    expect(await outcome(ours, second)).toBe('alice')
    expect(issuer.keyFetches).toBe(3)
  })

  test('of otherwise invalid tokens are not requested', async () => {
    const { ours } = await ready()
    const token = await signed({ ...claims(), aud: 'other' }, third)
    await expect(ours.authenticateToken(token)).rejects.toThrow('expected audience')
    expect(issuer.keyFetches).toBe(0)
  })

  test('that were withdrawn do not count when they have been renewed', async () => {
    const { ours } = await ready()
    expect(await outcome(ours, first)).toBe('alice')
    issuer.keys = [second.jwk]
    clock.advance(3_599_999)
    expect(await outcome(ours, first)).toBe('alice')
    expect(issuer.keyFetches).toBe(1)
    clock.advance(1)
    // The token that finds them old is still taken; it makes us look.
    expect(await outcome(ours, first)).toBe('alice')
    await issuer.askedFor('/keys', 2)
    // Joins that look, or comes after it.
    expect(await outcome(ours, second)).toBe('alice')
    expect(await outcome(ours, first)).toBe(FAILED)
  })

  test('that are known stay valid while the issuer is unavailable', async () => {
    const { ours, lines, written } = await ready()
    expect(await outcome(ours, first)).toBe('alice')
    issuer.instead.set('/keys', (_, response) => response.writeHead(500).end())
    clock.advance(3_600_000)
    expect(await outcome(ours, first)).toBe('alice')
    await written(2)
    const cause = `fetching keys oidc: get keys failed: Get "${issuer.url}/keys": answered with status 500`
    expect(lines.slice(1)).toEqual([
      `oidc: keys cannot be refreshed, using the previous ones: ${cause}`,
    ])
    expect(await outcome(ours, second)).toBe(
      `oidc: verify token: failed to verify signature: ${cause}`,
    )
    expect(issuer.keyFetches).toBe(2)
    issuer.instead.clear()
    issuer.keys = [second.jwk]
    clock.advance(FLOOR_MS)
    expect(await outcome(ours, second)).toBe('alice')
  })

  test('that cannot be fetched at first are requested again after 10 s', async () => {
    const { ours } = await ready()
    const failed = `oidc: verify token: failed to verify signature: fetching keys oidc: get keys failed: Get "${issuer.url}/keys": `
    issuer.instead.set('/keys', (_, response) => response.writeHead(307, { location: '/x' }).end())
    const refused = `${failed}answered with status 307; redirects are not followed`
    expect(await outcome(ours, first)).toBe(refused)
    issuer.instead.clear()
    expect(await outcome(ours, first)).toBe(refused)
    expect(issuer.keyFetches).toBe(1)
    clock.advance(FLOOR_MS)
    expect(await outcome(ours, first)).toBe('alice')
  })

  test('that are no set are an error', async () => {
    const { ours } = await ready()
    issuer.instead.set('/keys', (_, response) => json(response, { keys: {} }))
    expect(await outcome(ours, first)).toBe(
      'oidc: verify token: failed to verify signature: fetching keys oidc: get keys failed: JSON Web Key Set malformed',
    )
  })
})
