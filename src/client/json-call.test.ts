import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  hurriedClock,
  remoteService,
  type RemoteService,
  type Reply,
} from '../../test/remote-service.ts'
import { ManualClock } from '../base/clock.ts'
import { vocabularies } from '../vocabulary/index.ts'
import type { ClientConfig } from './client-config.ts'
import { openJsonClient, type JsonClient, type JsonClientOptions } from './json-call.ts'
import { freePort } from '../../test/ports.ts'

const v = vocabularies.orch
let remote: RemoteService
let clients: JsonClient[] = []
let dir = ''

beforeAll(async () => {
  remote = await remoteService()
  dir = await mkdtemp(join(tmpdir(), 'json-call-'))
})
afterAll(async () => {
  await remote.close()
  await rm(dir, { recursive: true, force: true })
})
beforeEach(() => {
  remote.requests.length = 0
  remote.replies = []
  remote.onRequest = () => {}
})
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})

async function open(
  config: Partial<ClientConfig> = {},
  options: Partial<JsonClientOptions> = {},
): Promise<{ client: JsonClient; delays: number[] }> {
  const delays: number[] = []
  const client = await openJsonClient({
    config: { ...remote.config, ...config },
    v,
    clock: hurriedClock(delays),
    ids: { fraction: () => 0.5 },
    ...options,
  })
  clients.push(client)
  return { client, delays }
}

const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    (value) => `no error: ${JSON.stringify(value)}`,
    (error: Error) => error.message,
  )

test('a call sends certificate and token and returns the JSON of the response', async () => {
  remote.replies = [{ body: { big: 1, nested: [null] } }]
  const { client } = await open({ token: 'sesame' }, { userAgent: 'asker/1' })
  expect(await client.call({ body: { a: 'ä' } })).toEqual({ big: 1, nested: [null] })
  expect(remote.requests).toEqual([
    {
      line: 'POST /review?timeout=30s',
      headers: {
        host: new URL(remote.url).host,
        accept: 'application/json',
        'content-type': 'application/json',
        'content-length': '10',
        'user-agent': 'asker/1',
        authorization: 'Bearer sesame',
        connection: 'keep-alive',
      },
      body: { a: 'ä' },
      client: 'caller',
      connection: expect.any(Number),
    },
  ])
})

describe('addresses', () => {
  const base = () => new URL(remote.url).origin
  for (const { name, server, call, line } of [
    { name: 'no path', server: () => base(), call: {}, line: 'POST /?timeout=30s' },
    {
      name: 'a slash at the end, a query and a fragment',
      server: () => `${base()}/a/b/?c=d#e`,
      call: {},
      line: 'POST /a/b?timeout=30s',
    },
    {
      name: 'a path below',
      server: () => `${base()}/a`,
      call: { path: '/x/y', method: 'GET' as const },
      line: 'GET /a/x/y?timeout=30s',
    },
    {
      name: 'another time limit',
      server: () => base(),
      call: { timeoutMs: 90_000 },
      line: 'POST /?timeout=1m30s',
    },
    {
      name: 'no scheme',
      server: () => new URL(remote.url).host,
      call: {},
      line: 'POST /?timeout=30s',
    },
  ]) {
    test(name, async () => {
      const { client } = await open({ server: server() })
      await client.call(call)
      expect(remote.requests.map((request) => request.line)).toEqual([line])
    })
  }

  test('another place to connect to, with the name of the service', async () => {
    const { port } = new URL(remote.url)
    const { client } = await open(
      { server: 'https://service.example:8443/x' },
      { dial: { host: '127.0.0.1', port: Number(port) } },
    )
    await client.call({})
    expect(remote.requests.map(({ line, headers }) => [line, headers['host']])).toEqual([
      ['POST /x?timeout=30s', 'service.example:8443'],
    ])
  })

  test('another name in the certificate', async () => {
    const { client } = await open({ tlsServerName: 'service.example' })
    expect(await client.call({})).toEqual({})
  })
})

describe('configurations that cannot be used', () => {
  for (const { name, config, message } of [
    { name: 'no URL', config: { server: 'https://' }, message: 'server is not a URL' },
    {
      name: 'another scheme',
      config: { server: 'ftp://a' },
      message: 'server is not an http or https URL',
    },
    {
      name: 'a password in the address',
      config: { server: 'https://a:b@c' },
      message: 'server must not hold a user name or password',
    },
    {
      name: 'a proxy',
      config: { proxyUrl: 'socks5://proxy' },
      message: 'proxy-url is not an http or https URL: other proxies are not supported',
    },
    {
      name: 'no authority in the file of authorities',
      config: { ca: 'x' },
      message: 'certificate-authority holds no certificate',
    },
    {
      name: 'a bad authority',
      config: { ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' },
      message: 'certificate-authority holds a certificate that cannot be read',
    },
    {
      name: 'no key',
      config: { key: 'x' },
      message: 'the client certificate or its key cannot be read',
    },
  ]) {
    test(name, () => expect(open(config)).rejects.toThrow(message))
  }

  test('the key of another', async () => {
    const { key } = remote.clientCertificate('other')
    await expect(open({ key })).rejects.toThrow(
      'the client certificate and its key do not belong together',
    )
  })
})

describe('retries', () => {
  const status = (details: object) => ({ kind: 'Status', message: 'not now', details })
  const told = (text: string) => () => `Post "${remote.url}?timeout=30s": ${text}`
  const STEPS = [550, 825, 1238, 1856]
  const cases: {
    name: string
    replies: Reply[]
    attempts: number
    delays: number[]
    error: (() => string) | null
  }[] = [
    {
      name: 'too many requests',
      replies: [{ code: 429 }, {}],
      attempts: 2,
      delays: STEPS.slice(0, 1),
      error: null,
    },
    {
      name: 'failures inside, three times',
      replies: [{ code: 500 }, { code: 500 }, { code: 502 }, {}],
      attempts: 4,
      delays: STEPS.slice(0, 3),
      error: null,
    },
    {
      name: 'a failure that stays',
      replies: [{ code: 500 }],
      attempts: 5,
      delays: STEPS,
      error: told('the server answered 500 Internal Server Error'),
    },
    {
      name: 'a time-out behind the service',
      replies: [{ code: 504 }, {}],
      attempts: 2,
      delays: STEPS.slice(0, 1),
      error: null,
    },
    {
      name: 'a connection that is reset',
      replies: ['reset', {}],
      attempts: 2,
      delays: STEPS.slice(0, 1),
      error: null,
    },
    {
      name: 'a connection that is reset each time',
      replies: ['reset'],
      attempts: 5,
      delays: STEPS,
      error: told('read: connection reset by peer'),
    },
    {
      name: 'a connection that is closed each time',
      replies: ['close'],
      attempts: 5,
      delays: STEPS,
      error: told('EOF'),
    },
    {
      name: 'unavailable until later',
      replies: [{ code: 503, headers: { 'retry-after': '2' } }, {}],
      attempts: 2,
      delays: [2000],
      error: null,
    },
    {
      name: 'unavailable until later, as a status says',
      replies: [{ code: 503, body: status({ retryAfterSeconds: 1 }) }, {}],
      attempts: 2,
      delays: [1000],
      error: null,
    },
    {
      name: 'a wait that is shorter than the own',
      replies: [{ code: 409, headers: { 'retry-after': '0' } }, {}],
      attempts: 2,
      delays: STEPS.slice(0, 1),
      error: null,
    },
    {
      name: 'not: unavailable',
      replies: [{ code: 503, body: status({}) }],
      attempts: 1,
      delays: [],
      error: told('the server answered 503 Service Unavailable: not now'),
    },
    {
      name: 'not: a wrong request',
      replies: [{ code: 400, body: '<html>' }],
      attempts: 1,
      delays: [],
      error: told('the server answered 400 Bad Request'),
    },
    {
      name: 'not: another place',
      replies: [{ code: 307, headers: { location: 'https://elsewhere' } }],
      attempts: 1,
      delays: [],
      error: told('the server answered 307 Temporary Redirect'),
    },
    {
      name: 'not: what is no JSON',
      replies: [{ body: '{' }],
      attempts: 1,
      delays: [],
      error: told('the answer is not JSON: unexpected end of JSON input'),
    },
  ]
  for (const { name, replies, attempts, delays, error } of cases) {
    test(name, async () => {
      remote.replies = replies
      const { client, delays: waited } = await open()
      const said = await failure(client.call({ body: {} }))
      expect({ said, waited, attempts: remote.requests.length }).toEqual({
        said: error === null ? 'no error: {}' : error(),
        waited: delays,
        attempts,
      })
    })
  }

  test('not: a refused connection', async () => {
    const port = await freePort()
    const { client, delays } = await open({ server: `https://127.0.0.1:${port}` })
    expect(await failure(client.call({}))).toBe(
      `Post "https://127.0.0.1:${port}/?timeout=30s": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    )
    expect(delays).toEqual([])
  })

  test('an idle connection that the service has closed costs no attempt', async () => {
    remote.replies = [{}, 'reset', {}]
    const { client, delays } = await open()
    await client.call({})
    await client.call({})
    expect(delays).toEqual([])
    const [first, second, third] = remote.requests.map(({ connection }) => connection)
    expect([second! - first!, third! - first!]).toEqual([0, 1])
  })
})

describe('trust', () => {
  const told = (text: string) => `Post "${remote.url}?timeout=30s": ${text}`

  test('an unknown authority', async () => {
    const other = await remoteService()
    await other.close()
    const { client } = await open({ ca: other.ca })
    expect(await failure(client.call({}))).toBe(
      told('x509: certificate signed by unknown authority'),
    )
  })

  test('a certificate for another name', async () => {
    const { client } = await open({ tlsServerName: 'other.example' })
    expect(await failure(client.call({}))).toBe(
      told('x509: certificate is not valid for other.example'),
    )
  })

  test('any certificate, when that is wanted', async () => {
    const { ca: _, ...config } = { ...remote.config, insecureSkipTlsVerify: true }
    const client = await openJsonClient({
      config,
      v,
      clock: hurriedClock([]),
      ids: { fraction: () => 0 },
    })
    clients.push(client)
    expect(await client.call({})).toEqual({})
  })

  test('no certificate of the client', async () => {
    const { server, ca } = remote.config
    const client = await openJsonClient({
      config: { server, ca: ca! },
      v,
      clock: hurriedClock([]),
      ids: { fraction: () => 0 },
    })
    clients.push(client)
    expect(await failure(client.call({}))).toMatch(
      /: (remote error: tls: certificate required|read: connection reset by peer|EOF|write: broken pipe)$/,
    )
    expect(remote.requests).toEqual([])
  })
})

describe('limits', () => {
  const told = (text: string) => `Post "${remote.url}?timeout=30s": ${text}`

  test('a response that does not arrive', async () => {
    const clock = new ManualClock()
    remote.replies = ['hang']
    remote.onRequest = () => clock.advance(30_000)
    const { client } = await open({}, { clock })
    expect(await failure(client.call({}))).toBe(told('context deadline exceeded'))
    expect(remote.requests).toHaveLength(1)
  })

  test('an aborted call', async () => {
    const caller = new AbortController()
    remote.replies = ['hang']
    remote.onRequest = () => caller.abort()
    const { client } = await open()
    expect(await failure(client.call({ signal: caller.signal }))).toBe(told('context canceled'))
    expect(await failure(client.call({ signal: caller.signal }))).toBe(told('context canceled'))
    expect(remote.requests).toHaveLength(1)
  })

  test('an aborted delay', async () => {
    const caller = new AbortController()
    const limited = new ManualClock()
    remote.replies = [{ code: 500 }]
    const { client } = await open(
      {},
      {
        clock: {
          now: () => limited.now(),
          after(ms, call) {
            if (ms < 30_000) setImmediate(() => caller.abort())
            return limited.after(ms, call)
          },
        },
      },
    )
    expect(await failure(client.call({ signal: caller.signal }))).toBe(told('context canceled'))
    expect(remote.requests).toHaveLength(1)
  })

  test('a response that is too large', async () => {
    remote.replies = [{ body: { text: 'x'.repeat(100) } }]
    const { client } = await open({}, { maxAnswerBytes: 100 })
    expect(await failure(client.call({}))).toBe(told('the answer is larger than 100 bytes'))
  })
})

describe('credentials', () => {
  test('never appear in an error', async () => {
    remote.replies = [
      ({ headers, body }) => ({
        code: 403,
        body: {
          kind: 'Status',
          message: `no: ${headers['authorization']} ${JSON.stringify(body)}`,
        },
      }),
    ]
    const { client } = await open({ token: 'sesame' })
    const said = await failure(client.call({ body: { token: 'theirs' }, secrets: ['theirs'] }))
    expect(said).toBe(
      `Post "${remote.url}?timeout=30s": the server answered 403 Forbidden: no: Bearer [secret] {"token":"[secret]"}`,
    )
  })

  for (const { name, config, headers } of [
    {
      name: 'a user name and a password',
      config: { username: 'u', password: 'p' },
      headers: { authorization: 'Basic dTpw' },
    },
    {
      name: 'somebody else',
      config: {
        token: 't',
        impersonate: {
          user: 'jane',
          uid: '7',
          groups: ['a', 'b'],
          extra: [['example.com/ä', ['x', 'y']]] as const,
        },
      },
      headers: {
        authorization: 'Bearer t',
        'impersonate-user': 'jane',
        'impersonate-uid': '7',
        'impersonate-group': 'a, b',
        'impersonate-extra-example.com%2f%c3%a4': 'x, y',
      },
    },
  ]) {
    test(name, async () => {
      const { client } = await open(config)
      await client.call({})
      const shown = Object.entries(remote.requests[0]!.headers).filter(
        ([key]) => key === 'authorization' || key.startsWith('impersonate'),
      )
      expect(Object.fromEntries(shown)).toEqual(headers)
    })
  }

  test('a token in a file is read anew when it has changed', async () => {
    const tokenFile = join(dir, 'token')
    const { client } = await open({ tokenFile })
    expect(await failure(client.call({}))).toMatch(/: getting credentials: ENOENT: /)
    for (const text of ['first\n', 'second', '', 'third-and-last']) {
      await writeFile(tokenFile, text)
      await client.call({})
    }
    await rm(tokenFile)
    await client.call({})
    expect(remote.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer first',
      'Bearer second',
      'Bearer second',
      'Bearer third-and-last',
      'Bearer third-and-last',
    ])
  })

  test('a certificate in files is read anew when both have changed', async () => {
    const certFile = join(dir, 'cert.pem')
    const keyFile = join(dir, 'key.pem')
    const one = remote.clientCertificate('one')
    const two = remote.clientCertificate('number-two')
    await writeFile(certFile, one.cert)
    await writeFile(keyFile, one.key)
    const { client } = await open({ ...one, certFile, keyFile })
    await client.call({})
    await writeFile(certFile, two.cert)
    await client.call({})
    await writeFile(keyFile, two.key)
    await client.call({})
    await client.call({})
    expect(remote.requests.map(({ client }) => client)).toEqual([
      'one',
      'one',
      'number-two',
      'number-two',
    ])
    const [a, b, c, d] = remote.requests.map(({ connection }) => connection)
    expect([a === b, b === c, c === d]).toEqual([true, false, true])
  })
})
