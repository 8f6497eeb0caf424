/** What clients meet in the handshake and in the headers of every response, by openssl and curl. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { connect as connectHttp2, type Settings } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lineLog } from '../../src/base/log.ts'
import { randomIds } from '../../src/base/ids.ts'
import { loadKubeconfig } from '../../src/client/kubeconfig.ts'
import { connect } from '../../src/client/connect.ts'
import type { CertificatePair } from '../../src/http/server-names.ts'
import { startServer, type RunningServer, type ServerOptions } from '../../src/index.ts'
import { issue } from '../../src/pki/issue.ts'
import { Client } from '../client.ts'

const dir = mkdtempSync(join(tmpdir(), 'serving-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const authority: CertificatePair = made('authority', 'authority')

function made(
  commonName: string,
  use: 'authority' | 'server',
  hosts: readonly string[] = [],
): CertificatePair {
  return issue({
    subject: { commonName },
    notBeforeMs: Date.now() - 60_000,
    notAfterMs: Date.now() + 3_600_000,
    use,
    hosts,
    ...(use === 'server' ? { issuer: authority } : {}),
  })
}

const file = (name: string, text: string) => {
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}

/** Writes a pair; gives `certificate,key`. */
function pair(name: string, commonName: string, hosts: readonly string[] = []): string {
  const { cert, key } = made(commonName, 'server', hosts)
  return `${file(`${name}.crt`, cert)},${file(`${name}.key`, key)}`
}

/** What a program prints, with its errors. */
const printed = (program: string, args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    const child = execFile(program, args, { timeout: 20_000 }, (_, out, err) => resolve(out + err))
    child.stdin?.end()
  })

let server: RunningServer
const lines: string[] = []
const standard = pair('standard', 'standard', ['127.0.0.1'])

const client = (...args: readonly string[]) =>
  printed('openssl', ['s_client', '-connect', `127.0.0.1:${server.port}`, ...args])

const subjectFor = async (name: string): Promise<string | undefined> =>
  /^subject=CN = (.*)$/m.exec(
    await client(...(name === '' ? ['-noservername'] : ['-servername', name])),
  )?.[1]

beforeAll(async () => {
  const [certFile, keyFile] = standard.split(',') as [string, string]
  server = await startServer({
    controllers: false,
    dataDir: join(dir, 'data'),
    log: lineLog({
      format: 'text',
      level: 1,
      now: Date.now,
      write: (line) => lines.push(line.replace(/^\S+ /, '').replaceAll(dir, '')),
    }),
    externalHostname: 'api.example',
    ids: { ...randomIds, fraction: () => 0 },
    serving: {
      certFile,
      keyFile,
      sniCertKeys: [
        pair('implicit', 'implicit', ['a.example', 'shared.example', '*.wild.example']),
        `${pair('given', 'given', ['unused.example'])}:shared.example,*.deep.example`,
        pair('nameless', 'nameless.example'),
        pair('late', 'late', ['a.example', 'late.example']),
      ],
      cipherSuites: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'],
      hstsDirectives: ['max-age=31536000', 'includeSubDomains'],
      http2MaxStreams: 7,
      goawayChance: 0.02,
      corsAllowedOrigins: ['^https://[a-z]+\\.example$', '//localhost:'],
    },
  })
})
afterAll(() => server.close())

describe('the certificate of a name', () => {
  for (const [name, subject] of [
    ['', 'standard'],
    ['unknown.example', 'standard'],
    ['a.example', 'implicit'],
    ['A.Example', 'implicit'],
    ['shared.example', 'given'],
    ['unused.example', 'standard'],
    ['one.wild.example', 'implicit'],
    ['two.one.wild.example', 'standard'],
    ['one.deep.example', 'given'],
    ['nameless.example', 'nameless.example'],
    ['late.example', 'late'],
    ['apiserver-loopback-client', 'orch-apiserver'],
  ] as const)
    test(`${name === '' ? 'no name' : name}: ${subject}`, async () => {
      expect(await subjectFor(name)).toBe(subject)
    })

  test('the configuration of the administrator asks for the name of the server itself', async () => {
    const config = await loadKubeconfig(server.kubeconfigPath!)
    expect(config.tlsServerName).toBe('apiserver-loopback-client')
    const administrator = await connect({ config })
    const namespaces = await administrator
      .resource({ group: '', version: 'v1', resource: 'namespaces' })
      .list()
    expect(namespaces.items.length).toBeGreaterThan(0)
    administrator.close()
  })
})

// Elsewhere the machine has one loopback address.
test.skipIf(process.platform !== 'linux')(
  'a directory of certificates, and one for an address',
  async () => {
    const certDir = join(dir, 'certs')
    const options = {
      controllers: false,
      bindAddress: '0.0.0.0',
      servingHosts: ['api.example'],
      serving: { certDir, sniCertKeys: [`${pair('address', 'address')}:127.0.0.2`] },
    }
    const subjectAt = async (port: number, host: string, ...args: string[]) =>
      /^subject=CN = (.*)$/m.exec(
        await printed('openssl', ['s_client', '-connect', `${host}:${port}`, ...args]),
      )?.[1]
    const files = ['apiserver.crt', 'apiserver.key'].map((name) => join(certDir, name))
    const texts = () => Promise.all(files.map((file) => readFile(file, 'utf8')))
    const first = await startServer(options)
    expect(await subjectAt(first.port, '127.0.0.1', '-noservername')).toMatch(/^api\.example@\d+$/)
    expect(await subjectAt(first.port, '127.0.0.2', '-noservername')).toBe('address')
    expect(await subjectAt(first.port, '127.0.0.1', '-noservername')).toMatch(/^api\.example@/)
    // Who asks for a name that is not known gets the standard one.
    expect(await subjectAt(first.port, '127.0.0.2', '-servername', 'b.example')).toMatch(/^api/)
    const verified = await printed('openssl', [
      ...['s_client', '-connect', `127.0.0.1:${first.port}`, '-CAfile', files[0]!],
      ...['-verify_hostname', 'api.example', '-servername', 'api.example'],
    ])
    expect(verified).toContain('Verify return code: 0 (ok)')
    const made = await texts()
    for (const file of files) expect((await stat(file)).mode & 0o777).toBe(0o600)
    await first.close()
    const second = await startServer(options)
    expect(await texts()).toEqual(made)
    await second.close()
  },
)

describe('versions and suites', () => {
  for (const { args, shows } of [
    { args: ['-tls1_1'], shows: /alert protocol version|no protocols available/ },
    { args: ['-tls1_2'], shows: /Cipher is ECDHE-ECDSA-AES256-GCM-SHA384/ },
    {
      args: ['-tls1_2', '-cipher', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
      shows: /alert handshake failure/,
    },
    { args: ['-tls1_3'], shows: /Cipher is TLS_AES_256_GCM_SHA384/ },
    { args: ['-alpn', 'h2,http/1.1'], shows: /ALPN protocol: h2/ },
    { args: ['-alpn', 'http/1.1'], shows: /ALPN protocol: http\/1\.1/ },
  ])
    test(args.join(' '), async () => expect(await client(...args)).toMatch(shows))
})

describe('headers', () => {
  const curl = (...args: readonly string[]) =>
    printed('curl', ['-sik', ...args, `https://127.0.0.1:${server.port}/livez`])
  const CORS = [
    'access-control-allow-methods: POST, GET, OPTIONS, PUT, DELETE, PATCH',
    'access-control-allow-headers: Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
    'access-control-expose-headers: Date',
    'access-control-allow-credentials: true',
  ]
  for (const { name, args, status, origin } of [
    { name: 'without an origin', args: [], status: 200, origin: null },
    { name: 'an allowed origin', args: [], status: 200, origin: 'https://page.example' },
    { name: 'a part of an origin', args: [], status: 200, origin: 'http://localhost:80' },
    { name: 'another origin', args: [], status: 200, origin: 'https://page.example.net' },
    { name: 'a preflight', args: ['-XOPTIONS'], status: 204, origin: 'https://page.example' },
    { name: 'a preflight of another', args: ['-XOPTIONS'], status: 403, origin: 'https://x' },
  ])
    test(name, async () => {
      const sent = origin === null ? [] : ['-H', `Origin: ${origin}`]
      const text = await curl('--http1.1', ...args, ...sent)
      expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect(text).toContain(
        '\r\nstrict-transport-security: max-age=31536000; includeSubDomains\r\n',
      )
      const isAllowed = origin !== null && /example$|localhost/.test(origin)
      expect(text.split('\r\n').filter((line) => line.startsWith('access-control-'))).toEqual(
        isAllowed ? [`access-control-allow-origin: ${origin}`, ...CORS] : [],
      )
      expect(text).not.toMatch(/connection: close/)
    })

  test('a connection over HTTP/2 says how many requests it takes at once', async () => {
    const session = connectHttp2(server.url, { rejectUnauthorized: false })
    const [settings] = (await once(session, 'remoteSettings')) as [Settings]
    expect(settings.maxConcurrentStreams).toBe(7)
    session.close()
  })

  test('documents name the external host', async () => {
    const client = new Client({ ...server, ca: authority.cert })
    expect((await client.get('/api')).body).toMatchObject({
      serverAddressByClientCIDRs: [{ serverAddress: `api.example:${server.port}` }],
    })
    expect((await client.get('/.well-known/openid-configuration')).body).toMatchObject({
      jwks_uri: `https://api.example:${server.port}/openid/v1/jwks`,
    })
    client.close()
  })

  test('a client over HTTP/2 connects anew', async () => {
    const text = await printed('curl', [
      ...['-skv', '--http2', `https://127.0.0.1:${server.port}/livez`],
      ...['-o', join(dir, 'none'), `https://127.0.0.1:${server.port}/livez`],
    ])
    expect(text.match(/^\* Connected to/gm)).toHaveLength(2)
    expect(text).toContain('ok')
  })
})

describe('reload', () => {
  test('a new certificate is presented to new connections', async () => {
    pair('standard', 'renewed', ['127.0.0.1'])
    pair('given', 'given again')
    await expect.poll(() => subjectFor('')).toBe('renewed')
    await expect.poll(() => subjectFor('shared.example')).toBe('given again')
  })

  test('an unusable one leaves the old one, and that is said once', async () => {
    lines.length = 0
    file('standard.key', made('other', 'server').key)
    file('given.crt', 'words')
    const warnings = () => lines.filter((line) => line.startsWith('warn'))
    await expect.poll(() => warnings().length).toBe(2)
    // More of the same.
    file('given.crt', 'other words')
    file('given.crt', 'words')
    expect(await subjectFor('')).toBe('renewed')
    expect(await subjectFor('shared.example')).toBe('given again')
    pair('given', 'repaired')
    await expect.poll(() => subjectFor('shared.example')).toBe('repaired')
    expect(warnings().sort()).toEqual([
      'warn  a certificate for names cannot be reloaded, using the previous one files="/given.crt, /given.key" error="/given.crt holds no certificate"\n',
      'warn  the serving certificate cannot be reloaded, using the previous one files="/standard.crt, /standard.key" error="/standard.key is not the key of the certificate of /standard.crt"\n',
    ])
  })
})

describe('the oldest version', () => {
  for (const { minTlsVersion, tried, shows } of [
    { minTlsVersion: 'VersionTLS13', tried: '-tls1_2', shows: /alert protocol version/ },
    {
      minTlsVersion: 'VersionTLS13',
      tried: '-tls1_3',
      shows: /Protocol {2}: TLSv1.3|TLSv1.3, Cipher/,
    },
    { minTlsVersion: 'VersionTLS11', tried: '-tls1_1', shows: /Protocol {2}: TLSv1.1/ },
    { minTlsVersion: 'VersionTLS11', tried: '-tls1', shows: /alert protocol version/ },
  ] as const)
    test(`${minTlsVersion}: ${tried}`, async () => {
      const other = await startServer({ controllers: false, serving: { minTlsVersion } })
      const place = ['-connect', `127.0.0.1:${other.port}`, '-cipher', 'DEFAULT@SECLEVEL=0']
      expect(await printed('openssl', ['s_client', ...place, tried])).toMatch(shows)
      await other.close()
    })
})

test('servers on one port', async () => {
  const serving = { sharesPort: true }
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 12)) {
    await expect(startServer({ serving })).rejects.toThrow(
      new Error('serving.sharesPort needs Node.js 22.12 or newer'),
    )
    return
  }
  const first = await startServer({ serving, controllers: false })
  const second = await startServer({ serving, controllers: false, port: first.port })
  expect(second.port).toBe(first.port)
  await Promise.all([first.close(), second.close()])
})

describe('what cannot be served', () => {
  const [cert, key] = pair('good', 'good').split(',') as [string, string]
  const absent = join(dir, 'absent')
  for (const { serving, message } of [
    {
      serving: { certFile: cert },
      message: 'serving.certFile and serving.keyFile must be given together',
    },
    {
      serving: { certFile: absent, keyFile: key },
      message: 'serving.certFile: there is no such file',
    },
    {
      serving: { certFile: key, keyFile: key },
      message: `serving.certFile: ${key} holds no certificate`,
    },
    {
      serving: { sniCertKeys: [`${cert},${cert}:a`] },
      message: `serving.sniCertKeys: ${cert} holds no private key that can be read`,
    },
    {
      serving: { sniCertKeys: [cert] },
      message: `serving.sniCertKeys must be certificate,key or certificate,key:name,..., not ${JSON.stringify(cert)}`,
    },
    {
      serving: { cipherSuites: ['TLS_RSA_WITH_RC4_128_SHA'] },
      message:
        "serving.cipherSuites Cipher suite TLS_RSA_WITH_RC4_128_SHA not supported or doesn't exist",
    },
    {
      serving: { minTlsVersion: 'TLS13' },
      message:
        'serving.minTlsVersion must be one of VersionTLS10, VersionTLS11, VersionTLS12, VersionTLS13, not "TLS13"',
    },
    {
      serving: { goawayChance: 0.5 },
      message: 'serving.goawayChance must be a number from 0 to 0.02, not 0.5',
    },
    {
      serving: { hstsDirectives: ['maxage=1'] },
      message:
        'serving.hstsDirectives invalid, allowed values: max-age=expireTime, includeSubDomains, preload',
    },
    {
      serving: { corsAllowedOrigins: ['('] },
      message:
        'serving.corsAllowedOrigins: "(" is no regular expression: error parsing regexp: missing closing ): `(`',
    },
  ])
    test(message.replaceAll(dir, ''), async () => {
      await expect(startServer({ serving } as ServerOptions)).rejects.toThrow(new Error(message))
    })
})

test('programs in the cluster get the authorities of the given certificate', async () => {
  const other = await startServer({ rootCa: authority.cert })
  await other.settled()
  const reader = new Client(other)
  const { body } = await reader.get('/api/v1/namespaces/default/configmaps/orch-root-ca.crt')
  expect(body).toMatchObject({ data: { 'ca.crt': authority.cert } })
  reader.close()
  await other.close()
  await expect(startServer({ rootCa: 'words' })).rejects.toThrow(
    new Error('rootCa holds no certificate'),
  )
})
