/** The port of the program that runs controllers: who is known there, and what is negotiated. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect as connectHttp2 } from 'node:http2'
import { request, type RequestOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../src/base/log.ts'
import type { Client } from '../src/client/client.ts'
import { connect } from '../src/client/connect.ts'
import { loadKubeconfig } from '../src/client/kubeconfig.ts'
import { openPort } from '../src/cli/commands/manager-port.ts'
import { portFlags } from '../src/cli/commands/port-flags.ts'
import type { Serving } from '../src/controller-manager/serving.ts'
import { parseFlags } from '../src/flags/flags.ts'
import { vocabularies } from '../src/vocabulary/index.ts'
import { certificate, newAuthority, Realm, rule, subject } from './access/realm.fixture.ts'
import { freePort } from './ports.ts'

let dir = ''
let realm: Realm
let client: Client
let token = ''
let fault: string | null = null
const proxies = newAuthority('proxies')
const clients = newAuthority('clients')
const file = (name: string) => join(dir, name)
const ACCOUNTS = { group: '', version: 'v1', resource: 'serviceaccounts' }

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'manager-port-'))
  realm = await Realm.start(
    (path) => ({
      authentication: {
        requestHeader: {
          clientCaFile: path('proxies.crt'),
          usernameHeaders: ['X-Published-User'],
          groupHeaders: ['X-Published-Group'],
          extraHeaderPrefixes: ['X-Published-Extra-'],
          allowedNames: ['proxy'],
        },
      },
    }),
    { 'proxies.crt': proxies.pem },
  )
  await realm.allow({ account: 'default/monitor' }, rule('get /configz,/metrics'))
  for (const user of ['alice', 'bob']) await realm.allow({ user }, rule('get /configz'))
  const texts: Record<string, string> = {
    kubeconfig: realm.server.kubeconfig,
    elsewhere: realm.server.kubeconfig.replace(
      realm.server.url,
      `https://127.0.0.1:${await freePort()}`,
    ),
    'clients.crt': clients.pem,
    'proxies.crt': proxies.pem,
    broken: 'nothing',
  }
  for (const name of ['a', 'b']) {
    const alternativeName = `${name}.example.com`
    const made = { issuer: clients, subject: subject(name), alternativeName }
    const { pem, key } = certificate({ ...made, uses: ['server'], keyType: 'rsa' })
    Object.assign(texts, { [`${name}.crt`]: pem, [`${name}.key`]: key })
  }
  for (const [name, text] of Object.entries(texts)) await writeFile(file(name), text)
  client = await connect({ config: await loadKubeconfig(file('kubeconfig')) })
  const accounts = client.resource<object>(ACCOUNTS).in('default')
  await accounts.create({ metadata: { name: 'monitor' } })
  const answer = await accounts
    .sub('token')
    .create<{ status: { token: string } }>('monitor', { spec: {} })
  token = answer.status.token
})
afterAll(async () => {
  client.close()
  await realm.close()
  await rm(dir, { recursive: true, force: true })
})

let serving: Serving | null = null
/** Opens a port with flags, in which `DIR` stands for the folder of the files. */
const open = async (...flags: readonly string[]) => {
  const given = ['--bind-address=127.0.0.1', '--secure-port=0', ...flags]
  const values = parseFlags(
    portFlags,
    given.map((flag) => flag.replaceAll('DIR', dir)),
  )
  serving = await openPort(values, {
    manager: {
      server: () => ({ client, v: vocabularies.orch }),
      conditions: () => [
        { name: 'leaderElection', fault },
        { name: 'podgc', fault: null },
      ],
    },
    pageAt: (path) =>
      path === '/configz' ? { type: 'application/json', text: () => '{"a":1}' } : undefined,
    log: silentLog,
  })
  return serving.url
}
const close = async () => {
  await serving?.close()
  serving = null
}

interface Answer {
  readonly code: number
  readonly body: unknown
  readonly protocol: string | null
  readonly cipher: string
  /** The name of the certificate that was shown. */
  readonly shown: string
}

const ask = (url: string, options: RequestOptions = {}) =>
  new Promise<Answer>((resolve, reject) => {
    request(url, { agent: false, rejectUnauthorized: false, ...options }, (answer) => {
      const socket = answer.socket as TLSSocket
      const [protocol, cipher] = [socket.getProtocol(), socket.getCipher().name]
      const shown = String(socket.getPeerCertificate().subject.CN)
      let text = ''
      answer.on('data', (data: Buffer) => (text += data.toString()))
      answer.on('end', () => {
        const isJson = answer.headers['content-type'] === 'application/json' && text !== ''
        const body: unknown = isJson ? JSON.parse(text) : text
        resolve({ code: answer.statusCode!, body, protocol, cipher, shown })
      })
    })
      .on('error', reject)
      .end()
  })

const status = (code: number, reason: string, message: string, details?: object) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  ...(details ? { details } : {}),
  code,
})
const mayNot = (user: string, verb: string, path: string) => [
  403,
  status(403, 'Forbidden', `forbidden: User "${user}" cannot ${verb} path "${path}"`, {}),
]
const unknown = [401, status(401, 'Unauthorized', 'Unauthorized')]
const account = 'system:serviceaccount:default:monitor'
const bearer = () => ({ headers: { authorization: `Bearer ${token}` } })
/** A certificate of a user, by an authority. */
const shows = (issuer: typeof clients, name: string, headers: Record<string, string> = {}) => {
  const { pem: cert, key } = certificate({ issuer, subject: subject(name) })
  return { cert, key, headers }
}

describe('the pages', () => {
  beforeAll(() => open())
  afterAll(close)

  for (const { name, path, how = () => ({}), why = null, is } of [
    { name: 'health', path: '/healthz', is: [200, 'ok'] },
    {
      name: 'all of it',
      path: '/readyz?verbose',
      is: [200, '[+]leaderElection ok\n[+]podgc ok\nreadyz check passed\n'],
    },
    {
      name: 'a fault, whose reason is withheld',
      path: '/livez',
      why: 'the lease was not renewed in its time',
      is: [500, '[-]leaderElection failed: reason withheld\n[+]podgc ok\nlivez check failed\n'],
    },
    {
      name: 'health without what is excluded',
      path: '/livez?exclude=leaderElection',
      why: 'late',
      is: [200, 'ok'],
    },
    {
      name: 'a page, for nobody in particular',
      path: '/configz',
      is: mayNot('system:anonymous', 'get', '/configz'),
    },
    { name: 'a page, for whoever may read it', path: '/configz', how: bearer, is: [200, { a: 1 }] },
    {
      name: 'another page',
      path: '/debug/x',
      how: bearer,
      is: mayNot(account, 'get', '/debug/x'),
    },
    {
      name: 'a page that is not there',
      path: '/metrics',
      how: bearer,
      is: [404, '404 page not found\n'],
    },
    {
      name: 'one check, which is a page of its own',
      path: '/healthz/podgc',
      is: mayNot('system:anonymous', 'get', '/healthz/podgc'),
    },
    {
      name: 'another verb',
      path: '/configz',
      how: () => ({ ...bearer(), method: 'DELETE' }),
      is: mayNot(account, 'delete', '/configz'),
    },
    {
      name: 'another verb where everybody may',
      path: '/healthz',
      how: () => ({ method: 'POST' }),
      is: [405, status(405, 'MethodNotAllowed', 'this page can only be read')],
    },
    {
      name: 'a token that is none',
      path: '/configz',
      how: () => ({ headers: { authorization: 'Bearer x' } }),
      is: unknown,
    },
    {
      name: 'credentials of another kind',
      path: '/healthz',
      how: () => ({ headers: { authorization: 'Basic eDp5' } }),
      is: [200, 'ok'],
    },
    {
      name: 'a certificate, as long as there is no authority for it',
      path: '/configz',
      how: () => shows(clients, 'alice'),
      is: mayNot('system:anonymous', 'get', '/configz'),
    },
  ] as readonly {
    readonly name: string
    readonly path: string
    readonly how?: () => RequestOptions
    readonly why?: string
    readonly is: readonly unknown[]
  }[])
    test(name, async () => {
      fault = why
      const { code, body } = await ask(serving!.url + path, how())
      expect([code, body]).toEqual(is)
    })
})

describe('who is known', () => {
  afterEach(close)
  const clientCa = '--client-ca-file=DIR/clients.crt'
  const proxyCa = '--requestheader-client-ca-file=DIR/proxies.crt'
  const lookup = '--authentication-kubeconfig=DIR/kubeconfig'
  const reads = [200, { a: 1 }]
  const nobody = mayNot('system:anonymous', 'get', '/configz')
  const user = (name: string) => ({ 'X-Remote-User': name })
  const published = (name: string) => ({ 'X-Published-User': name })
  for (const { name, flags, how, is } of [
    { name: 'by a certificate', flags: [clientCa], how: () => shows(clients, 'alice'), is: reads },
    {
      name: 'by a certificate, without permission',
      flags: [clientCa],
      how: () => shows(clients, 'mallory'),
      is: mayNot('mallory', 'get', '/configz'),
    },
    {
      name: 'not by a certificate of another authority',
      flags: [clientCa],
      how: () => shows(proxies, 'alice'),
      is: unknown,
    },
    {
      name: 'by a token beside such a certificate',
      flags: [clientCa],
      how: () => ({ ...shows(proxies, 'alice'), ...bearer() }),
      is: reads,
    },
    {
      name: 'by the headers of a proxy',
      flags: [proxyCa],
      how: () => shows(proxies, 'any', user('bob')),
      is: reads,
    },
    {
      name: 'not by headers without a proxy',
      flags: [proxyCa],
      how: () => ({ headers: user('bob') }),
      is: nobody,
    },
    {
      name: 'by other headers',
      flags: [proxyCa, '--requestheader-username-headers=x-who'],
      how: () => shows(proxies, 'any', { 'X-Who': 'bob' }),
      is: reads,
    },
    {
      name: 'not by a proxy of another name',
      flags: [proxyCa, '--requestheader-allowed-names=proxy'],
      how: () => shows(proxies, 'other', user('bob')),
      is: unknown,
    },
    {
      name: 'who is privileged, without being asked for',
      flags: [clientCa, '--authorization-kubeconfig=DIR/elsewhere'],
      how: () => {
        const subjects = subject('root', ['system:masters'])
        const { pem: cert, key } = certificate({ issuer: clients, subject: subjects })
        return { cert, key }
      },
      is: reads,
    },
    {
      name: 'nobody may when the server that decides is away',
      flags: [clientCa, '--authorization-kubeconfig=DIR/elsewhere'],
      how: () => shows(clients, 'alice'),
      is: [500, status(500, 'InternalError', 'the server could not be asked')],
    },
    {
      name: 'by the authority that the cluster publishes',
      flags: [lookup],
      how: () => shows(realm.authority, 'alice'),
      is: reads,
    },
    {
      name: 'by the proxies that it publishes',
      flags: [lookup],
      how: () => shows(proxies, 'proxy', published('bob')),
      is: reads,
    },
    {
      name: 'not by others than it publishes',
      flags: [lookup],
      how: () => shows(proxies, 'other', published('bob')),
      is: unknown,
    },
    {
      name: 'by the authority of the flag before that of the cluster',
      flags: [lookup, clientCa],
      how: () => shows(realm.authority, 'alice'),
      is: unknown,
    },
    {
      name: 'not by what is published when that is not looked up',
      flags: [lookup, '--authentication-skip-lookup'],
      how: () => shows(realm.authority, 'alice'),
      is: nobody,
    },
    {
      name: 'by a token that the server of the flag knows',
      flags: [lookup, '--authorization-kubeconfig=DIR/kubeconfig'],
      how: bearer,
      is: reads,
    },
    {
      name: 'by certificates alone when that server is away and this is tolerated',
      flags: [
        '--authentication-kubeconfig=DIR/elsewhere',
        '--authentication-tolerate-lookup-failure',
        clientCa,
      ],
      how: () => shows(clients, 'alice'),
      is: reads,
    },
    {
      name: 'nobody by a token then',
      flags: [
        '--authentication-kubeconfig=DIR/elsewhere',
        '--authentication-tolerate-lookup-failure',
      ],
      how: bearer,
      is: unknown,
    },
    {
      name: 'everybody where the flag says so',
      flags: ['--authorization-always-allow-paths=/conf*'],
      how: () => ({}),
      is: reads,
    },
  ] as readonly {
    readonly name: string
    readonly flags: readonly string[]
    readonly how: () => RequestOptions
    readonly is: readonly unknown[]
  }[])
    test(name, async () => {
      const { code, body } = await ask(`${await open(...flags)}/configz`, how())
      expect([code, body]).toEqual(is)
    })

  /** Requests for reviews that the server has had. */
  const reviews = async (resource: string) => {
    const { text } = await realm.admin.get('/metrics')
    const counts = text
      .split('\n')
      .filter((line) => line.startsWith('apiserver_request_total{') && line.includes(resource))
      .map((line) => Number(line.split(' ').at(-1)))
    return counts.reduce((sum, count) => sum + count, 0)
  }
  for (const [what, resource, ttl, how] of [
    ['who users are', '"tokenreviews"', 'authentication-token-webhook-cache-ttl', bearer],
    [
      'what they may',
      '"subjectaccessreviews"',
      'authorization-webhook-cache-authorized-ttl',
      () => shows(clients, 'alice'),
    ],
    [
      'what they may not',
      '"subjectaccessreviews"',
      'authorization-webhook-cache-unauthorized-ttl',
      () => shows(clients, 'mallory'),
    ],
  ] as const)
    for (const [whether, flags, times] of [
      ['for a while', [], 1],
      ['not, with a time of 0', [`--${ttl}=0s`], 3],
    ] as const)
      test(`it is remembered ${whether}: ${what}`, async () => {
        const url = `${await open(clientCa, ...flags)}/configz`
        const before = await reviews(resource)
        const asked = how()
        for (let i = 0; i < 3; i++) await ask(url, asked)
        expect((await reviews(resource)) - before).toBe(times)
      })
})

test('what the cluster publishes is followed', async () => {
  const url = `${await open('--authentication-kubeconfig=DIR/kubeconfig')}/configz`
  const asked = shows(clients, 'alice')
  expect((await ask(url, asked)).code).toBe(401)
  const maps = client
    .resource<{ data: Record<string, string> }>({
      group: '',
      version: 'v1',
      resource: 'configmaps',
    })
    .in('orch-system')
  const name = 'extension-apiserver-authentication'
  const { data } = await maps.get(name)
  const both = `${data['client-ca-file']}\n${clients.pem}`
  await maps.patch(name, { data: { 'client-ca-file': both } })
  // The test's time is the bound.
  let code = 401
  while (code === 401) ({ code } = await ask(url, asked))
  expect(code).toBe(200)
  // What cannot be read changes nothing.
  await maps.patch(name, { data: { 'requestheader-allowed-names': 'none' } })
  expect((await ask(url, asked)).code).toBe(200)
  await maps.patch(name, { data: { ...data } })
  await close()
})

describe('the connection', () => {
  afterEach(close)
  const pair = (name: string) => `DIR/${name}.crt,DIR/${name}.key`
  const files = ['--tls-cert-file=DIR/a.crt', '--tls-private-key-file=DIR/a.key']
  const old = 'ECDHE-RSA-AES256-GCM-SHA384'
  for (const { name, flags = [], how = {}, is } of [
    { name: 'shows the certificate of the files', flags: files, is: { shown: 'a' } },
    {
      name: 'shows a certificate by name',
      flags: [...files, `--tls-sni-cert-key=${pair('b')}`],
      how: { servername: 'b.example.com' },
      is: { shown: 'b' },
    },
    {
      name: 'shows a certificate for given names',
      flags: [...files, `--tls-sni-cert-key=${pair('b')}:c.example.com`],
      how: { servername: 'c.example.com' },
      is: { shown: 'b' },
    },
    { name: 'is of TLS 1.3', is: { protocol: 'TLSv1.3' } },
    { name: 'can be of TLS 1.2', how: { maxVersion: 'TLSv1.2' }, is: { protocol: 'TLSv1.2' } },
    {
      name: 'cannot where the flag says so',
      flags: ['--tls-min-version=VersionTLS13'],
      how: { maxVersion: 'TLSv1.2' },
      is: null,
    },
    {
      name: 'has one of the suites',
      flags: [...files, '--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'],
      how: { maxVersion: 'TLSv1.2' },
      is: { cipher: old },
    },
    {
      name: 'has no other',
      flags: [...files, '--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'],
      how: { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' },
      is: null,
    },
  ] as readonly {
    readonly name: string
    readonly flags?: readonly string[]
    readonly how?: RequestOptions & { readonly maxVersion?: 'TLSv1.2' }
    readonly is: Partial<Answer> | null
  }[])
    test(name, async () => {
      const asked = ask(`${await open(...flags)}/healthz`, how)
      if (is === null) await expect(asked).rejects.toThrow()
      else expect(await asked).toMatchObject(is)
    })

  test('keeps the certificate that was made for it in a folder', async () => {
    const shown = async () => (await ask(`${await open('--cert-dir=DIR/certs')}/healthz`)).shown
    const first = await shown()
    expect(first).toMatch(/^127\.0\.0\.1@\d+$/)
    await close()
    const kept = await readFile(file('certs/orch-controller-manager.crt'), 'utf8')
    expect(await shown()).toBe(first)
    expect(await readFile(file('certs/orch-controller-manager.crt'), 'utf8')).toBe(kept)
  })

  test('can be of HTTP/2, with as many streams as the flag says', async () => {
    const url = await open('--http2-max-streams-per-connection=7')
    const session = connectHttp2(url, { rejectUnauthorized: false })
    const settings = await new Promise((resolve) => session.once('remoteSettings', resolve))
    expect(settings).toMatchObject({ maxConcurrentStreams: 7 })
    const stream = session.request({ ':path': '/healthz' })
    let text = ''
    for await (const chunk of stream) text += String(chunk)
    expect(text).toBe('ok')
    session.close()
  })
})

describe('flags that are refused', () => {
  afterEach(close)
  for (const [flags, message] of [
    [['--client-ca-file=DIR/broken'], /^--client-ca-file: .*broken: it holds no certificate$/],
    [['--client-ca-file=DIR/none'], /^--client-ca-file: .*none: there is no such file$/],
    [
      ['--requestheader-client-ca-file=DIR/broken'],
      /^--requestheader-client-ca-file: .*broken: it holds no certificate$/,
    ],
    [
      ['--tls-cert-file=DIR/a.crt'],
      /^--tls-cert-file and --tls-private-key-file must be given together$/,
    ],
    [
      ['--tls-cert-file=DIR/a.crt', '--tls-private-key-file=DIR/b.key'],
      /^--tls-cert-file: .*b\.key is not the key of the certificate of .*a\.crt$/,
    ],
    [['--tls-sni-cert-key=DIR/a.crt'], /^--tls-sni-cert-key must be certificate,key or /],
    [['--tls-min-version=VersionTLS9'], /^--tls-min-version must be one of VersionTLS10, /],
    [
      ['--tls-cipher-suites=X'],
      /^--tls-cipher-suites Cipher suite X not supported or doesn't exist$/,
    ],
    [['--authentication-kubeconfig=DIR/none'], /^--authentication-kubeconfig: .*no such file/],
    [['--authorization-kubeconfig=DIR/broken'], /^--authorization-kubeconfig: /],
    [
      ['--authentication-kubeconfig=DIR/elsewhere'],
      /^the authentication of the cluster cannot be looked up in extension-apiserver-authentication: /,
    ],
    [
      ['--authorization-always-allow-paths=/a*b'],
      /^--authorization-always-allow-paths may have \* only at the end, not in "\/a\*b"$/,
    ],
    [['--authorization-webhook-cache-authorized-ttl=-1s'], /^--authorization-webhook-cache-auth/],
  ] as readonly (readonly [readonly string[], RegExp])[])
    test(flags.join(' '), async () => {
      await expect(open(...flags)).rejects.toThrow(message)
    })
})
