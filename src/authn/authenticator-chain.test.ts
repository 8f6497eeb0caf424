import { describe, expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import { vocabularies } from '../vocabulary/index.ts'
import { outcome, recordingContext, tokensOf, userOf } from './authentication.fixture.ts'
import { authenticationChain, type ChainOptions } from './authenticator-chain.ts'
import {
  CredentialError,
  RequestMemory,
  type AuthenticationResult,
  type RequestAuthenticator,
} from './authenticator.ts'
import { CaBundle, fixedSource } from './ca-bundle.ts'
import { make, NOW, socketWith } from './certificates.fixture.ts'
import { clientCertificate } from './client-certificate.ts'
import { ConnectionCertificates } from './connection-certificate.ts'
import { requestHeader } from './request-header.ts'

const v = vocabularies.kubernetes
const clock = new ManualClock(NOW)
const clientCa = make({ subject: ['CN=clients'], authority: true })
const proxyCa = make({ subject: ['CN=proxies'], authority: true })
const client = make({ subject: ['O=g', 'CN=cert'], issuer: clientCa, uses: ['client'] })
const nameless = make({ subject: ['O=g'], issuer: clientCa, uses: ['client'] })
const master = make({ subject: ['CN=m', 'O=system:authenticated', 'O=x'], issuer: clientCa })
const proxy = make({ subject: ['CN=proxy'], issuer: proxyCa, uses: ['client'] })
const stranger = make({ subject: ['CN=stranger'], uses: ['client'] })

const names = {
  usernameHeaders: ['X-Remote-User'],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
}
const bundleOf = (pem: string) => CaBundle.open({ source: fixedSource('ca', pem), clock })
const shown = new ConnectionCertificates()
const certificates = {
  requestHeader: {
    names,
    authenticator: requestHeader({
      ...{ clock, names, allowedNames: [], certificates: shown },
      bundle: await bundleOf(proxyCa.pem),
    }),
  },
  clientCertificate: clientCertificate({
    clock,
    certificates: shown,
    bundle: await bundleOf(clientCa.pem),
  }),
}

const answer = (name: string, audiences: readonly string[] | null = null) => ({
  user: userOf(name),
  audiences,
})
const known = (name: string, groups: readonly string[], audiences: readonly string[] | null) => ({
  user: userOf(name, groups),
  audiences,
})
const ALL = 'system:authenticated'
const API = ['api']

/** Each knows its own token, and fails or skips others. */
const tokens = {
  file: tokensOf({ file: answer('file'), twice: answer('first') }),
  serviceAccounts: [
    tokensOf({ legacy: answer('legacy', API), bad: new CredentialError('no such secret') }),
    tokensOf({ bound: answer('bound', API), elsewhere: answer('bound', ['other']) }),
  ],
  bootstrap: tokensOf({ bootstrap: answer('bootstrap'), broken: new TypeError('x is not a y') }),
  oidc: tokensOf(
    { oidc: answer('oidc'), bad: new CredentialError('oidc: expired'), twice: answer('second') },
    { later: true },
  ),
  webhook: tokensOf({ webhook: answer('webhook', API), half: answer('webhook') }, { later: true }),
}

const { requestHeader: proxies, ...withoutProxies } = certificates

const chain = (more: Partial<ChainOptions> = {}, hasProxies = true) =>
  authenticationChain({
    ...{ v, clock, apiAudiences: API, anonymous: true, tokens, ...withoutProxies },
    ...(hasProxies ? { requestHeader: proxies } : {}),
    loopback: { token: 'own', uid: '1' },
    ...more,
  })

const anybody = known('system:anonymous', ['system:unauthenticated'], API)

interface Row {
  readonly name: string
  readonly shown?: readonly (typeof client)[]
  readonly headers?: Record<string, string>
  readonly options?: Partial<ChainOptions>
  readonly found: AuthenticationResult | string
  readonly later?: boolean
  readonly proxies?: boolean
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const rows: readonly Row[] = [
  { name: 'nothing', found: anybody },
  {
    name: 'no credentials, anonymous requests disabled',
    options: { anonymous: false },
    found: null,
  },
  { name: 'a certificate', shown: [client], found: known('cert', ['g', ALL], null) },
  { name: 'a certificate without a name', shown: [nameless], proxies: false, found: anybody },
  {
    name: 'a certificate without a name that proxies do not have either',
    shown: [nameless],
    found: 'x509: certificate signed by unknown authority',
  },
  {
    name: 'a certificate of a user in the authenticated group',
    shown: [master],
    found: known('m', [ALL, 'x'], null),
  },
  {
    name: 'an untrusted certificate is not anonymous',
    shown: [stranger],
    found: expect.stringMatching(
      /^\[x509: certificate signed by unknown authority, verifying certificate SN=\d+, SKID=, AKID= failed: x509: certificate signed by unknown authority\]$/,
    ),
  },
  {
    name: 'an untrusted certificate with a valid token',
    shown: [stranger],
    headers: bearer('file'),
    found: known('file', [ALL], API),
  },
  {
    name: 'a certificate before a token',
    shown: [client],
    headers: bearer('what'),
    found: known('cert', ['g', ALL], null),
  },
  {
    name: 'a front proxy with a user',
    shown: [proxy],
    headers: { 'x-remote-user': 'u', 'x-remote-group': 'h' },
    found: known('u', ['h', ALL], API),
  },
  {
    name: 'a proxy for the anonymous user',
    shown: [proxy],
    headers: { 'x-remote-user': 'system:anonymous' },
    found: known('system:anonymous', [], API),
  },
  {
    name: 'a front proxy without a user is not anonymous',
    shown: [proxy],
    found: expect.stringContaining('failed: x509: certificate signed'),
  },
  {
    name: 'headers of a proxy without one',
    headers: { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' },
    found: anybody,
  },
  {
    name: 'headers of a proxy with a certificate of a client',
    shown: [client],
    headers: { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' },
    found: known('cert', ['g', ALL], null),
  },
  {
    name: 'the server itself',
    headers: bearer('own'),
    found: {
      user: { name: 'system:apiserver', uid: '1', groups: ['system:masters'], extra: {} },
      audiences: API,
    },
  },
  { name: 'a token of the file', headers: bearer('file'), found: known('file', [ALL], API) },
  { name: 'a token of a secret', headers: bearer('legacy'), found: known('legacy', [ALL], API) },
  { name: 'a bound token', headers: bearer('bound'), found: known('bound', [ALL], API) },
  {
    name: 'a bootstrap token',
    headers: bearer('bootstrap'),
    found: known('bootstrap', [ALL], API),
  },
  { name: 'a provider’s', headers: bearer('oidc'), found: known('oidc', [ALL], API), later: true },
  {
    name: 'a webhook’s',
    headers: bearer('webhook'),
    found: known('webhook', [ALL], API),
    later: true,
  },
  {
    name: 'the first authenticator with a user',
    headers: bearer('twice'),
    found: known('first', [ALL], API),
  },
  {
    name: 'an unknown token',
    headers: bearer('what'),
    found: 'invalid bearer token',
    later: true,
  },
  {
    name: 'a token that several authenticators reject',
    headers: bearer('bad'),
    found: '[invalid bearer token, no such secret, oidc: expired]',
    later: true,
  },
  {
    name: 'a token that makes something go wrong inside',
    headers: bearer('broken'),
    found: '[invalid bearer token, Internal error occurred: authentication failed unexpectedly]',
    later: true,
  },
  {
    name: 'a token for another audience',
    headers: bearer('elsewhere'),
    found: 'unable to match the audience: wanted ["api"], got ["other"]',
  },
  {
    name: 'a token where there are none',
    headers: bearer('what'),
    options: { tokens: {} },
    found: 'invalid bearer token',
  },
  {
    name: 'no audiences anywhere',
    headers: bearer('file'),
    options: { apiAudiences: [] },
    found: known('file', [ALL], null),
  },
  {
    name: 'nothing, without audiences',
    options: { apiAudiences: [] },
    found: known('system:anonymous', ['system:unauthenticated'], null),
  },
  { name: 'another scheme', headers: { authorization: 'Basic dTpw' }, found: anybody },
  {
    name: 'a token of a browser',
    headers: {
      ...{ upgrade: 'websocket', connection: 'upgrade' },
      'sec-websocket-protocol': `base64url.bearer.authorization.k8s.io.${Buffer.from('file').toString('base64url')}, a`,
    },
    found: known('file', [ALL], API),
  },
  {
    name: 'the server without a loopback token',
    headers: bearer('own'),
    options: { loopback: { token: '', uid: '' } },
    found: 'invalid bearer token',
    later: true,
  },
]

describe('requests', () => {
  for (const {
    name,
    shown = [],
    headers = {},
    options = {},
    found,
    later = false,
    ...row
  } of rows) {
    test(name, async () => {
      const socket = socketWith(...shown)
      let now: unknown
      const result = await outcome(() => {
        now = chain(options, row.proxies).authenticate({ socket, headers }, recordingContext())
        return now as AuthenticationResult
      })
      expect({ result, later: now instanceof Promise }).toEqual({ result: found, later })
    })
  }

  test('a cached result is completed once', () => {
    const it = chain()
    const request = { socket: socketWith(client), headers: {} }
    const first = it.authenticate(request, recordingContext())
    expect(it.authenticate(request, recordingContext())).toBe(first)
  })
})

describe('requests with the same headers over one connection', () => {
  const left = (headers: Readonly<Record<string, string | undefined>>) =>
    Object.entries(headers).filter(([, value]) => value !== undefined)

  for (const { name, shown = [], headers = {}, options = {}, found, proxies } of rows) {
    test(`${name}: the user and what is left of the headers stay`, async () => {
      const it = chain(options, proxies)
      const socket = socketWith(...shown)
      const memory = new RequestMemory()
      const rawHeaders = Object.entries(headers).flat()
      const plain: Record<string, string | undefined> = { ...headers }
      it.removeCredentials({ headers: plain })
      for (let i = 0; i < 4; i++) {
        const request = { socket, headers: { ...headers } as typeof plain, rawHeaders, memory }
        const result = await outcome(() => it.authenticate(request, recordingContext()))
        expect(result).toEqual(found)
        if (result === null || typeof result === 'string') continue
        it.removeCredentials(request)
        expect(left(request.headers)).toEqual(left(plain))
      }
    })
  }

  const asked = (token: string, ...shown: readonly (typeof client)[]) => {
    const looked = tokensOf({ mine: answer('u'), theirs: answer('v') })
    const later = new ManualClock(NOW)
    const it = chain({ clock: later, tokens: { file: looked } })
    const connection = { socket: socketWith(...shown), memory: new RequestMemory() }
    const again = async () => {
      const headers = bearer(token)
      const request = { ...connection, headers, rawHeaders: Object.entries(headers).flat() }
      const result = await outcome(() => it.authenticate(request, recordingContext()))
      return typeof result === 'string' ? result : result?.user.name
    }
    return { again, looked, later }
  }

  test('a token is looked up again after ten seconds', async () => {
    const { again, looked, later } = asked('mine')
    const users = [await again(), await again(), await again()]
    later.advance(9_999)
    users.push(await again())
    later.advance(1)
    users.push(await again(), await again())
    expect(users).toEqual(['u', 'u', 'u', 'u', 'u', 'u'])
    expect(looked.calls).toEqual(['mine', 'mine'])
  })

  test('a token beside a certificate is only asked when the certificate has no user', async () => {
    const { again, looked } = asked('theirs', client)
    expect([await again(), await again(), await again()]).toEqual(['cert', 'cert', 'cert'])
    expect(looked.calls).toEqual([])
  })
})

describe('tokens under review', () => {
  for (const { name, token, audiences = [], found } of [
    { name: 'good', token: 'file', found: known('file', [ALL], API) },
    {
      name: 'for the audience',
      token: 'file',
      audiences: ['x', 'api'],
      found: known('file', [ALL], API),
    },
    {
      name: 'for another audience',
      token: 'file',
      audiences: ['x'],
      found: 'invalid bearer token',
    },
    { name: 'audience of the token', token: 'elsewhere', found: known('bound', [ALL], ['other']) },
    { name: 'unknown', token: 'what', found: 'invalid bearer token' },
    {
      name: 'refused',
      token: 'bad',
      found: '[invalid bearer token, no such secret, oidc: expired]',
    },
    { name: 'with a space before it', token: ' file', found: anybody },
  ]) {
    test(name, async () => {
      const it = chain()
      expect(await outcome(() => it.authenticateToken(token, recordingContext(audiences)))).toEqual(
        found,
      )
    })
  }
})

test('an authenticator that knows audiences after all is not believed', async () => {
  const authenticator: RequestAuthenticator = {
    name: 'x',
    authenticateRequest: () => answer('u', ['other']),
  }
  const it = chain({ requestHeader: { names, authenticator } })
  const request = { socket: socketWith(), headers: {} }
  expect(await outcome(() => it.authenticate(request, recordingContext()))).toBe(
    'an authenticator without audiences answered with some: ["other"]',
  )
})

test('credentials are removed from a request', () => {
  const own = { ...names, usernameHeaders: ['X-Own-User'], groupHeaders: ['X-Own-Group'] }
  const it = chain({
    requestHeader: {
      ...certificates.requestHeader,
      names: { ...own, extraHeaderPrefixes: ['X-Own-'] },
    },
  })
  const headers = {
    ...{ authorization: 'Bearer x', 'x-remote-user': 'a', 'x-remote-group': 'b' },
    ...{ 'x-remote-extra-c': 'd', 'x-own-user': 'e', 'x-own-group': 'f', 'x-own-more': 'g' },
    ...{
      accept: 'h',
      'x-remote': 'i',
      'sec-websocket-protocol': 'base64url.bearer.authorization.k8s.io.x, a',
    },
  }
  it.removeCredentials({ headers })
  expect(headers).toEqual({ accept: 'h', 'x-remote': 'i', 'sec-websocket-protocol': 'a' })
})
